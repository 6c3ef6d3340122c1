"use strict";
// A seat at a table: shows what the server says this player may know, and sends what he does. Nothing is set as HTML.
const $ = (id) => document.getElementById(id);
const make = (tag, text, kind) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (kind) node.className = kind;
  return node;
};
const base = location.pathname.replace(/\/?$/, "/");
let state = null;
const ask = async (what, data) => {
  const answer = await fetch(base + what, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data || {}) });
  const told = answer.headers.get("content-type").startsWith("application/json") ? await answer.json() : { said: await answer.text() };
  $("answer").textContent = told.said || "";
  return told;
};
const actions = () => {
  const place = $("actions"), wanted = $("find").value.trim().toLowerCase(), groups = new Map();
  for (const action of state.actions) {
    if (wanted && !action.text.toLowerCase().includes(wanted)) continue;
    if (!groups.has(action.group)) groups.set(action.group, []);
    groups.get(action.group).push(action.text);
  }
  place.replaceChildren();
  for (const [name, texts] of groups) {
    if (groups.size > 1) place.append(make("h3", name));
    const group = make("div", undefined, "group");
    for (const text of texts) {
      const button = make("button", text);
      button.type = "button";
      button.addEventListener("click", () => ask("do", { number: state.number, text }));
      group.append(button);
    }
    place.append(group);
  }
};
const show = (now) => {
  state = now;
  const mine = now.to_act === now.player;
  $("told").textContent = now.over ? now.result.join("\n") : mine ? "Your turn." : `${now.names[now.to_act]} decides …`;
  $("told").className = mine ? "turn" : "";
  document.title = (mine ? "● " : "") + document.title.replace(/^● /, "");
  $("position").textContent = now.position;
  const said = now.events.concat(now.said);
  $("events").replaceChildren(...said.map((line) => make("li", line)));
  $("events").scrollTop = $("events").scrollHeight;
  for (const id of ["hint", "undo"]) $(id).disabled = id === "undo" ? !now.undo : !mine;
  actions();
};
const rules = async (query) => {
  const answer = await fetch(base + "rules?" + new URLSearchParams(query));
  $("ruled").textContent = await answer.text();
};
$("find").addEventListener("input", () => state && actions());
$("find").addEventListener("keydown", (event) => {
  if (event.key === "Enter") { const first = $("actions").querySelector("button"); if (first) first.click(); $("find").value = ""; }
});
$("hint").addEventListener("click", () => { $("answer").textContent = "thinking …"; ask("hint"); });
$("undo").addEventListener("click", () => ask("undo"));
$("save").addEventListener("click", () => ask("save"));
$("rules").addEventListener("change", (event) => rules({ heading: event.target.value }));
$("explain").addEventListener("submit", (event) => { event.preventDefault(); rules({ explain: $("what").value }); });
const source = new EventSource(base + "events");
source.onmessage = (event) => show(JSON.parse(event.data));
source.onerror = () => { $("told").textContent = "The server cannot be reached; trying again …"; };

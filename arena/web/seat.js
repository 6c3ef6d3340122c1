"use strict";
// A seat at a table: shows what the server says this player may know, and sends what he does. Text is never set as HTML; pictures are
// SVG that the server has made of shapes, with every text in them escaped.
const base = location.pathname.replace(/\/?$/, "/");
let state = null, pointed = null;
const ask = async (what, data) => {
  const answer = await fetch(base + what, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data || {}) });
  const told = answer.headers.get("content-type").startsWith("application/json") ? await answer.json() : { said: await answer.text() };
  $("answer").textContent = told.said || "";
  return told;
};
const actions = () => {
  const place = $("actions"), wanted = $("find").value.trim().toLowerCase(), groups = new Map();
  for (const action of state.actions) {
    if (wanted && !action.told.toLowerCase().includes(wanted)) continue;
    if (pointed && !pointed.has(action.text)) continue;
    if (!groups.has(action.group)) groups.set(action.group, []);
    groups.get(action.group).push(action);
  }
  place.replaceChildren();
  for (const [name, ones] of groups) {
    if (groups.size > 1) place.append(make("h3", name));
    const group = make("div", undefined, "group");
    for (const { text, told, cost } of ones) {
      const button = make("button", cost ? `${told} (${cost})` : told);
      button.type = "button";
      button.addEventListener("click", () => ask("do", { number: state.number, text }));
      group.append(button);
    }
    place.append(group);
  }
  if (pointed) {
    const all = make("button", "All actions");
    all.type = "button";
    all.addEventListener("click", () => { pointed = null; actions(); });
    place.append(all);
  }
};
// What is pointed at in the picture leaves the actions that speak of it: by name or by place.
const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || []);
const point = (said) => {
  const named = words(said), found = new Map();
  for (const action of state.actions) {
    const shared = [...words(action.told)].filter((word) => named.has(word)).length;
    if (shared) found.set(action.text, shared);
  }
  const most = Math.max(0, ...found.values());
  pointed = found.size ? new Set([...found].filter(([, n]) => n === most).map(([text]) => text)) : null;
  actions();
  if (pointed) $("actions").querySelector("button").focus();
};
const panelNode = (panel) => {
  const figure = make("figure", undefined, `panel drawing${panel.active ? " active" : ""}${panel.wide ? " wide" : ""}`);
  const told = panel.items.map((item) => item.words).filter(Boolean).join("; ");
  const source = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 ${panel.height}" role="img">${panel.items.map((i) => `<g>${i.svg}</g>`).join("")}</svg>`;
  const svg = document.importNode(new DOMParser().parseFromString(source, "image/svg+xml").documentElement, true);
  svg.setAttribute("aria-label", `${panel.title}. ${told}`);
  panel.items.forEach((item, n) => {
    if (!item.words) return;
    svg.children[n].style.cursor = "pointer";
    svg.children[n].addEventListener("click", () => point(item.words));
  });
  figure.append(make("figcaption", panel.title), svg);
  return figure;
};
const show = (now) => {
  state = now;
  pointed = null;
  const mine = now.to_act === now.player;
  $("told").textContent = now.over ? now.result.join("\n") : mine ? "Your turn." : `${now.names[now.to_act]} decides …`;
  $("told").className = mine ? "turn" : "";
  document.title = (mine ? "● " : "") + document.title.replace(/^● /, "");
  $("position").textContent = now.position;
  $("position").className = now.panels.length ? "said" : "";
  $("picture").replaceChildren(...now.panels.map(panelNode));
  const said = now.events.concat(now.said);
  $("events").replaceChildren(...said.map((line) => make("li", line)));
  $("events").scrollTop = $("events").scrollHeight;
  for (const id of ["hint", "undo"]) $(id).disabled = id === "undo" ? !now.undo : !mine || !now.hint;
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

"use strict";
// A seat at a table: shows what the server says this player may know, and sends what he does. Text is never set as HTML; pictures are
// SVG that the server has made of shapes, with every text in them escaped.
const base = location.pathname.replace(/\/?$/, "/");
const GONE = "This table is not there any more.";
let state = null, pointed = null;
const ask = async (what, data) => {
  let told = { said: "The server cannot be reached." };
  try {
    const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data || {}) };
    const answer = await fetch(base + what, sent), type = answer.headers.get("content-type") || "";
    if (type.startsWith("application/json")) told = await answer.json();
    else if (type.startsWith("text/plain")) told = { said: await answer.text() };
    else told = { said: answer.status === 404 ? GONE : `That did not work (${answer.status}).` };
  } catch { /* said above */ }
  $("answer").textContent = told.said || "";
  return told;
};
const act = (text) => ask("do", { number: state.number, text });
const actions = () => {
  const place = $("actions"), wanted = $("find").value.trim().toLowerCase(), groups = new Map();
  state.actions.forEach((action, n) => {
    if (wanted && !action.told.toLowerCase().includes(wanted)) return;
    if (pointed && !pointed.has(n)) return;
    if (!groups.has(action.group)) groups.set(action.group, []);
    groups.get(action.group).push(action);
  });
  place.replaceChildren();
  for (const [name, ones] of groups) {
    if (groups.size > 1) place.append(make("h3", name));
    const group = make("div", undefined, "group");
    for (const { text, told, cost } of ones) {
      const button = make("button", cost ? `${told} (${cost})` : told);
      button.type = "button";
      button.addEventListener("click", () => act(text));
      group.append(button);
    }
    place.append(group);
  }
  if (pointed) {
    const all = make("button", "All actions");
    all.type = "button";
    all.addEventListener("click", () => point(null));
    place.append(all);
  }
  for (const one of $("picture").querySelectorAll("g[data-item]")) {
    one.classList.toggle("picked", Boolean(pointed) && meant(one).some((n) => pointed.has(n)));
  }
};
const meant = (one) => one.dataset.item.split(",").map(Number);
// What is pointed at leaves the actions that speak of it, and of what was pointed at before: a piece, then where it goes.
const point = (found) => {
  const both = pointed && found ? found.filter((n) => pointed.has(n)) : [];
  const fewer = both.length && (both.length < pointed.size || pointed.size === 1);
  if (fewer && both.length === 1) { act(state.actions[both[0]].text); return; }
  pointed = found && new Set(fewer ? both : found);
  actions();
  const first = $("actions").querySelector("button");
  if (first) first.focus({ preventScroll: true });
};
const panelNode = (panel) => {
  const figure = make("figure", undefined, `panel drawing${panel.active ? " active" : ""}${panel.wide ? " wide" : ""}`);
  const told = panel.items.map((item) => item.words).filter(Boolean).join("; ");
  const source = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 ${panel.height}" role="img">${panel.items.map((i) => `<g>${i.svg}</g>`).join("")}</svg>`;
  const svg = document.importNode(new DOMParser().parseFromString(source, "image/svg+xml").documentElement, true);
  svg.setAttribute("aria-label", `${panel.title}. ${told}`);
  panel.items.forEach((item, n) => {
    if (!item.actions.length) return;
    svg.children[n].dataset.item = item.actions;
    svg.children[n].style.cursor = "pointer";
    svg.children[n].addEventListener("click", () => point(item.actions));
  });
  const who = panel.player === null ? "" : panel.own ? "you" : state.names[panel.player].replace(/^.*?\(|\)$/g, "");
  figure.dataset.title = panel.title;
  const caption = make("figcaption", panel.title);
  if (who) caption.append(" ", make("span", `(${who})`, "who"));
  figure.append(caption, svg);
  return figure;
};
// Large boards stand first, then the player's own panel; the others fill columns, each where there is most room.
const NARROWEST = 255;
let columns = 0;
const picture = () => {
  const place = $("picture"), { panels } = state;
  columns = Math.max(1, Math.floor(place.clientWidth / NARROWEST));
  const small = panels.filter((panel) => !panel.wide), heights = Array(columns).fill(0);
  small.sort((one, other) => other.own - one.own);
  const filled = heights.map(() => make("div", undefined, "column"));
  for (const panel of small) {
    const least = heights.indexOf(Math.min(...heights));
    heights[least] += panel.height + 45;
    filled[least].append(panelNode(panel));
  }
  const row = make("div", undefined, "columns");
  row.append(...filled.filter((column) => column.childNodes.length));
  place.replaceChildren(...panels.filter((panel) => panel.wide).map(panelNode), row);
};
new ResizeObserver(() => {
  if (state && columns !== Math.max(1, Math.floor($("picture").clientWidth / NARROWEST))) { picture(); actions(); }
}).observe($("picture"));
const show = (now) => {
  if (now.trouble) { $("told").textContent = GONE; source.close(); return; }
  state = now;
  pointed = null;
  const mine = now.to_act === now.player;
  $("told").textContent = now.over ? now.result.join("\n") : mine ? "Your turn." : `${now.names[now.to_act]} decides …`;
  $("told").className = mine ? "turn" : "";
  document.title = (mine ? "● " : "") + document.title.replace(/^● /, "");
  $("position").textContent = now.position;
  $("position").className = now.panels.length ? "said" : "";
  picture();
  const said = now.events.concat(now.said);
  $("events").replaceChildren(...said.map((line) => make("li", line)));
  $("events").scrollTop = $("events").scrollHeight;
  for (const id of ["hint", "undo"]) $(id).disabled = id === "undo" ? !now.undo : !mine || !now.hint;
  actions();
};
const rules = async (query) => {
  const answer = await fetch(base + "rules?" + new URLSearchParams(query));
  $("ruled").textContent = answer.ok ? await answer.text() : GONE;
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
source.onerror = () => {
  $("told").textContent = source.readyState === EventSource.CLOSED ? GONE : "The server cannot be reached; trying again …";
};

"use strict";
// A run while it plays: the server sends its state when it changes; nothing is ever set as HTML.
const tableOf = (title, rows) => {
  const box = make("div", undefined, "scroll"), table = make("table"), head = make("tr"), body = make("tbody");
  box.tabIndex = 0; box.setAttribute("role", "group"); box.setAttribute("aria-label", title);
  table.append(make("caption", title));
  const names = Object.keys(rows[0]);
  for (const name of names) { const cell = make("th", name.trim(), "word head"); cell.scope = "col"; head.append(cell); }
  const top = make("thead"); top.append(head);
  for (const row of rows) {
    const line = make("tr");
    for (const name of names) line.append(make("td", String(row[name] ?? ""), "word"));
    body.append(line);
  }
  table.append(top, body); box.append(table);
  return box;
};
const time = (seconds) => seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
const fill = (id, parts) => { const place = $(id); place.replaceChildren(...parts); };
let shown = "";
const show = (state) => {
  if (state.trouble) { $("counts").textContent = state.trouble; return; }
  const left = state.left ? `, about ${time(state.left)} left` : "";
  const rate = state.rate ? `, ${state.rate} a second${left}` : "";
  $("counts").textContent = `${state.state}: ${state.stored.toLocaleString("en")} of ${state.planned.toLocaleString("en")} matches${rate}`;
  $("bar").max = Math.max(state.planned, 1); $("bar").value = state.stored;
  $("driver").textContent = state.driver || "";
  if (state.latest === undefined) return; // tables are sent when they change
  $("answer").textContent = state.answer || "";
  const tables = JSON.stringify([state.standings, state.faults, state.latest, state.machines]);
  if (tables === shown) return;
  shown = tables;
  fill("standings", (state.standings || []).filter((g) => g.rows.length).map((g) => tableOf(g.title, g.rows)));
  fill("faults", state.faults && state.faults.length ? [tableOf("Matches lost by a fault", state.faults)] : []);
  fill("machines", state.machines && state.machines.length ? [tableOf("Who has played", state.machines)] : []);
  const latest = (state.latest || []).map((m) => ({ match: m.match_id, seats: m.seating, first: m.first, ending: m.ending, turns: m.turns, fault: m.fault_text }));
  fill("latest", latest.length ? [tableOf("The latest matches", latest)] : []);
  for (const row of $("latest").querySelectorAll("tbody tr")) {
    const link = make("a", row.cells[0].textContent);
    link.href = `replays/${encodeURIComponent(link.textContent)}.html`;
    row.cells[0].replaceChildren(link);
  }
};
const listen = () => {
  const source = new EventSource("events");
  source.onmessage = (event) => show(JSON.parse(event.data));
};
listen();

"use strict";
// A run while it plays: the server sends its state when it changes; nothing is ever set as HTML.
const WORDS = new Set(["bot", "match", "seats", "first", "ending", "fault", "example", "stderr", "machine"]);
const tableOf = (title, rows) => {
  const box = make("div", undefined, "scroll"), table = make("table"), head = make("tr"), body = make("tbody");
  box.tabIndex = 0; box.setAttribute("role", "group"); box.setAttribute("aria-label", title);
  table.append(make("caption", title));
  const names = Object.keys(rows[0]);
  for (const name of names) { const cell = make("th", name.trim(), `${WORDS.has(name) ? "word " : ""}head`); cell.scope = "col"; head.append(cell); }
  const top = make("thead"); top.append(head);
  for (const row of rows) {
    const line = make("tr");
    for (const name of names) line.append(make("td", String(row[name] ?? ""), WORDS.has(name) ? `word ${name}` : ""));
    body.append(line);
  }
  table.append(top, body); box.append(table);
  return box;
};
const time = (seconds) => seconds < 90 ? `${Math.round(seconds)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
const fill = (id, parts) => { const place = $(id); place.replaceChildren(...parts); };
let shown = "", latest = null, since = 0, most = 0;
const STORED_EVERY = 6; // seconds between two parts at most, and a look
// Matches are stored every few seconds: what was played since then is reckoned from the rate, and said to be.
const count = () => {
  const state = latest, running = state.state === "running" && state.rate;
  const past = Math.min((performance.now() - since) / 1000, STORED_EVERY);
  const played = running ? Math.min(state.planned, Math.max(most, Math.floor(state.stored + state.rate * past))) : state.stored;
  most = played;
  const left = running && state.left ? `, about ${time(Math.max(1, state.left - past))} left` : "";
  const rate = running ? `, about ${played.toLocaleString("en")} played, ${state.rate.toLocaleString("en")} a second${left}` : "";
  $("counts").textContent = `${state.state}: ${state.stored.toLocaleString("en")} of ${state.planned.toLocaleString("en")} matches${running ? " stored" : ""}${rate}`;
  $("bar").max = Math.max(state.planned, 1); $("bar").value = played;
};
setInterval(() => { if (latest) count(); }, 1000);
const show = (state) => {
  if (state.trouble) { latest = null; $("counts").textContent = state.trouble; return; }
  if (!latest || latest.stored !== state.stored) since = performance.now();
  if (!latest || latest.state !== state.state) { $("state").textContent = state.state; most = 0; }
  latest = state;
  count();
  if ($("doing").dataset.doing !== state.doing) {
    const form = document.getElementById(`to-${state.doing}`);
    $("doing").dataset.doing = state.doing;
    $("doing").replaceChildren(...(form ? [form.content.cloneNode(true)] : []));
  }
  $("driver").textContent = state.driver || "";
  if (state.latest === undefined) return; // tables are sent when they change
  $("answer").textContent = state.answer || "";
  const tables = JSON.stringify([state.standings, state.faults, state.latest, state.machines]);
  if (tables === shown) return;
  shown = tables;
  fill("standings", (state.standings || []).filter((g) => g.rows.length).map((g) => tableOf(g.title, g.rows)));
  fill("faults", state.faults && state.faults.length ? [tableOf("Matches lost by a fault", state.faults)] : []);
  fill("machines", state.machines && state.machines.length ? [tableOf("Who has played", state.machines)] : []);
  const last = (state.latest || []).map((m) => ({ match: m.match_id, seats: m.seating, first: m.first, ending: m.ending, turns: m.turns, fault: m.fault_text }));
  fill("latest", last.length ? [tableOf("The latest matches", last)] : []);
  for (const row of $("latest").querySelectorAll("tbody tr")) {
    const link = make("a", row.cells[0].textContent);
    link.href = `replays/${encodeURIComponent(link.textContent)}.html`;
    row.cells[0].replaceChildren(link);
  }
};
const listen = () => {
  const source = new EventSource("events");
  source.onmessage = (event) => show(JSON.parse(event.data));
  source.onerror = () => {
    latest = null;
    $("counts").textContent = source.readyState === EventSource.CLOSED
      ? "The server does not know this page any more: open the address that arena web has printed."
      : "The server cannot be reached; trying again …";
  };
};
listen();

"use strict";
// Steps through a match: moment m shows the position after m actions.
(() => {
  const film = JSON.parse(document.getElementById("film").textContent);
  const at = (id) => document.getElementById(id);
  const last = film.moves.length;
  let moment = 0;
  let viewer = 0;
  let timer = null;

  const who = (move) => `player ${move.actor} (${film.names[move.actor]})`;
  const seen = (move) => (move.seen[viewer] < 0 ? null : film.lines[move.seen[viewer]]);
  const forced = (move) => move.legal.length === 1;

  const tell = (number) => {
    if (number === 0) return "Before the first action";
    const move = film.moves[number - 1];
    const text = seen(move);
    if (text === null) return `Action ${number} of ${last}: this player learns nothing of it`;
    return `Action ${number} of ${last}: ${who(move)}: ${text}${forced(move) ? " (forced)" : ""}`;
  };

  const element = (tag, text, kind) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const listMoves = () => {
    at("moves").replaceChildren(
      ...film.moves.map((move, index) => {
        const entry = document.createElement("li");
        const text = seen(move);
        const button = element("button", text === null ? "?" : `${move.actor}: ${text}`);
        button.type = "button";
        button.addEventListener("click", () => go(index + 1));
        entry.append(button);
        return entry;
      }),
    );
  };

  const show = () => {
    const lines = film.positions[moment][viewer].map((line) => film.lines[line]);
    at("position").textContent = lines.join("\n");
    at("told").textContent = tell(moment);
    at("step").value = moment;
    at("step").setAttribute("aria-valuetext", tell(moment));
    at("points").replaceChildren(
      ...film.points[moment].flatMap((points, player) => [
        element("dt", `player ${player} (${film.names[player]})`),
        element("dd", String(points)),
      ]),
    );
    const next = film.moves[moment];
    const open = next && (viewer === 0 || viewer - 1 === next.actor);
    const told = next ? "not shown: another player decides" : "none: the match is over";
    const legal = open ? next.legal.map((line) => film.lines[line]) : [told];
    const chosen = open ? film.lines[next.seen[viewer]] : null;
    at("legal").replaceChildren(
      ...legal.map((text) => element("li", text, text === chosen ? "chosen" : "")),
    );
    for (const [index, entry] of [...at("moves").children].entries()) {
      if (index === moment - 1) entry.firstChild.setAttribute("aria-current", "step");
      else entry.firstChild.removeAttribute("aria-current");
    }
    const current = at("moves").children[moment - 1];
    const list = at("moves");
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
    for (const [id, end] of [["first", 0], ["back", 0], ["next", last], ["last", last]]) {
      at(id).setAttribute("aria-disabled", String(moment === end));
    }
    history.replaceState(null, "", `#${moment}`);
  };

  const go = (number) => {
    moment = Math.max(0, Math.min(last, number));
    if (moment === last) stop();
    show();
  };

  const stop = () => {
    clearInterval(timer);
    timer = null;
    at("play").textContent = "Play";
    at("play").setAttribute("aria-pressed", "false");
  };

  const toggle = () => {
    if (timer) return stop();
    if (moment === last) moment = 0;
    at("play").textContent = "Pause";
    at("play").setAttribute("aria-pressed", "true");
    timer = setInterval(() => go(moment + 1), 900);
    show();
  };

  const steps = {
    ArrowLeft: () => go(moment - 1),
    ArrowRight: () => go(moment + 1),
    Home: () => go(0),
    End: () => go(last),
    " ": toggle,
  };
  at("first").addEventListener("click", steps.Home);
  at("back").addEventListener("click", steps.ArrowLeft);
  at("next").addEventListener("click", steps.ArrowRight);
  at("last").addEventListener("click", steps.End);
  at("play").addEventListener("click", toggle);
  at("step").addEventListener("input", (event) => go(Number(event.target.value)));
  at("viewer").addEventListener("change", (event) => {
    viewer = Number(event.target.value);
    listMoves();
    show();
  });
  document.addEventListener("keydown", (event) => {
    const own = event.target.closest("select, input, button, pre");
    if (event.altKey || event.ctrlKey || event.metaKey || !steps[event.key]) return;
    if (own && (event.key === " " || own.tagName === "SELECT" || own.tagName === "INPUT")) return;
    event.preventDefault();
    steps[event.key]();
  });
  const asked = Number(location.hash.slice(1));
  listMoves();
  go(Number.isInteger(asked) ? asked : 0);
})();

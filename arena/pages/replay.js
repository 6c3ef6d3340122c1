"use strict";
// Steps through a match: moment m shows the position after m actions, as viewer v sees it (0: all of it).
(() => {
  const at = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const [SHAPE, CAPTION, BOARD, BAR] = [0, 1, 2, 3];
  let film, names, last;
  let moment = 0;
  let viewer = 0;
  let timer = null;

  const unpack = async (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  };

  const element = (tag, text, kind) => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };

  const drawn = (tag, attributes, inside = "") => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (inside) made.innerHTML = inside;
    return made;
  };

  // A name that may go on in the next line behind a mark, not in the middle of a word.
  const foldable = (tag, text, kind) => fold(element(tag, "", kind), text);

  const fold = (node, text) => {
    const pieces = text.split(/(?<=[:=,_/])(?=[\p{L}\p{N}])/u);
    node.replaceChildren(...pieces.flatMap((piece) => [document.createElement("wbr"), piece]));
    return node;
  };

  const name = (player) => `player ${player + 1} (${names[player]})`;

  // --- what is known of a moment ---

  const layer = (kind) => (kind === BOARD ? 0 : kind === BAR ? 2 : 1);
  const order = (a, b) => {
    const [one, two] = [film.items[a], film.items[b]];
    return layer(one[2]) - layer(two[2]) || one[4] - two[4] || one[3] - two[3];
  };

  const unfold = () => {
    for (const panel of film.panels) {
      const gone = new Set(panel[6]);
      const kept = panel[5] < 0 ? [] : film.panels[panel[5]].items.filter((n) => !gone.has(n));
      panel.items = kept.concat(panel[7]).sort(order);
    }
  };

  const heights = () => {
    const found = [];
    for (const scenes of film.scenes) {
      scenes[viewer].slice(1).forEach((number, place) => {
        found[place] = Math.max(found[place] ?? 0, film.panels[number][4]);
      });
    }
    return found;
  };

  const forced = (move) => move.legal.length === 1;
  const seen = (move) => (move.seen[viewer] < 0 ? null : film.texts[move.seen[viewer]]);

  const timed = (move) => move.seconds !== undefined && !forced(move);

  const timeText = (seconds) => {
    if (seconds < 0.001) return `${(1e6 * seconds).toFixed(0)} µs`;
    return seconds < 1 ? `${(1000 * seconds).toFixed(0)} ms` : `${seconds.toFixed(1)} s`;
  };

  const tell = (number) => {
    if (number === 0) return "Before the first action";
    const move = film.moves[number - 1];
    const text = seen(move);
    if (text === null) return `Action ${number} of ${last}: this player learns nothing of it`;
    const more = forced(move) ? " (forced)" : timed(move) ? ` (${timeText(move.seconds)})` : "";
    return `Action ${number} of ${last}: ${name(move.actor)}: ${text}${more}`;
  };

  // What has changed is what stands in a zone that was not there before, wherever in the zone it stands.
  const sign = (number) => {
    const [drawing, words, , , , , , zone] = film.items[number];
    return `${drawing} ${words} ${zone}`;
  };

  const newcomers = (panel, before) => {
    const left = new Map();
    for (const number of before.items) left.set(sign(number), (left.get(sign(number)) ?? 0) + 1);
    const found = new Set();
    for (const number of panel.items) {
      const copies = left.get(sign(number)) ?? 0;
      if (copies) left.set(sign(number), copies - 1);
      else found.add(number);
    }
    return found;
  };

  // --- the picture ---

  let tallest = [];

  const itemNode = (number, isNew) => {
    const [drawing, words, kind, x, y, width, height] = film.items[number];
    const text = film.texts[words];
    const group = drawn("g", { transform: `translate(${x / 10} ${y / 10})` }, film.drawings[drawing]);
    if (kind === CAPTION || kind === BOARD) return group;
    const title = document.createElementNS(SVG, "title");
    title.textContent = text;
    group.prepend(title);
    if (isNew) {
      const box = { x: -1.5, y: -1.5, width: width / 10 + 3, height: height / 10 + 3, rx: 5 };
      group.append(drawn("rect", { ...box, class: "changed" }));
    }
    return group;
  };

  const middles = (panel) => {
    const found = new Map();
    for (const number of panel.items) {
      const [, , , x, y, width, height, , ...pieces] = film.items[number];
      for (const piece of pieces) found.set(piece, [(x + width / 2) / 10, (y + height / 2) / 10]);
    }
    return found;
  };

  const arrows = (before, panel) => {
    const made = [];
    const stood = middles(before);
    for (const [piece, [x, y]] of middles(panel)) {
      const [a, b] = stood.get(piece) ?? [x, y];
      const long = Math.hypot(x - a, y - b);
      if (long < 1) continue;
      const [u, v] = [(x - a) / long, (y - b) / long];
      const short = Math.min(10, long / 3); // before the piece, which is not to be covered
      const [c, d] = [x - short * u, y - short * v];
      const neck = [c - 7 * u, d - 7 * v];
      const head = [[c, d], [neck[0] - 4 * v, neck[1] + 4 * u], [neck[0] + 4 * v, neck[1] - 4 * u]];
      const path = `M${a} ${b}L${neck.join(" ")}M${head.map((p) => p.map((n) => n.toFixed(1)).join(" ")).join("L")}Z`;
      made.push(drawn("path", { d: path, class: "arrow" }));
    }
    return made;
  };

  const panelNode = (number, place, before) => {
    const panel = film.panels[number];
    const figure = document.createElement("figure");
    const [title, player, active, wide] = panel;
    figure.className = ["panel", "drawing", active ? "active" : "", wide ? "wide" : ""].join(" ");
    const caption = document.createElement("figcaption");
    const whose = element("span", film.texts[title]);
    caption.append(whose);
    if (player >= 0) {
      whose.append(" ", foldable("span", names[player], "who"));
      caption.append(" ", element("span", "decides", "turn"));
    }
    const told = panel.items
      .filter((n) => film.items[n][2] !== BOARD && film.texts[film.items[n][1]])
      .map((n) => film.texts[film.items[n][1]] + (film.items[n][2] === CAPTION ? ":" : ";"));
    const svg = drawn("svg", {
      viewBox: `0 0 320 ${tallest[place]}`,
      preserveAspectRatio: "xMidYMin",
      role: "img",
      "aria-label": `${film.texts[title]}. ${told.join(" ")}`,
    });
    const old = before === undefined ? null : film.panels[before];
    const fresh = old ? newcomers(panel, old) : new Set();
    for (const item of panel.items) svg.append(itemNode(item, fresh.has(item)));
    if (old) svg.append(...arrows(old, panel));
    if (wide) at("picture").style.setProperty("--ratio", (320 / tallest[place]).toFixed(3));
    figure.append(caption, svg);
    return figure;
  };

  const showPicture = () => {
    const scene = film.scenes[moment][viewer];
    const before = moment > 0 ? film.scenes[moment - 1][viewer] : [];
    at("words").textContent = film.texts[scene[0]];
    at("picture").replaceChildren(
      ...scene.slice(1).map((number, place) => panelNode(number, place, before[place + 1])),
    );
  };

  const showText = () => {
    const lines = film.scenes[moment][viewer].map((line) => film.texts[line]);
    at("position").textContent = lines.join("\n");
  };

  // --- charts: a line for each player, a mark at the moment shown ---

  const WIDTH = 1000;
  const HEIGHT = 160;
  const x = (number) => (last ? (number / last) * WIDTH : 0);

  const chart = (id, values, low, high) => {
    const svg = at(id);
    if (!svg) return;
    at(`${id}-range`).textContent = id === "points" ? `${low} to ${high}` : "0 to 100 %";
    const y = (value) => HEIGHT - 6 - ((value - low) / (high - low || 1)) * (HEIGHT - 12);
    names.forEach((_, player) => {
      const points = values.map((row, number) => `${x(number).toFixed(1)} ${y(row[player]).toFixed(1)}`);
      svg.append(drawn("path", { d: `M${points.join("L")}`, class: `line player${player}` }));
    });
    seekable(svg);
  };

  // A bar from the foot for each action: as long as its time, at least a hair so that it can be seen.
  const bars = () => {
    const svg = at("spent");
    if (!svg) return;
    const longest = Math.max(1e-6, ...film.moves.map((move) => move.seconds ?? 0));
    at("spent-range").textContent = `up to ${timeText(longest)}`;
    film.moves.forEach((move, number) => {
      if (!timed(move)) return;
      const high = Math.max(2, (move.seconds / longest) * (HEIGHT - 6));
      const place = { x1: x(number + 1), x2: x(number + 1), y1: HEIGHT, y2: (HEIGHT - high).toFixed(1) };
      svg.append(drawn("line", { ...place, class: `bar player${move.actor}` }));
    });
    seekable(svg);
  };

  const seekable = (svg) => {
    svg.append(drawn("line", { y1: 0, y2: HEIGHT, class: "now" }));
    const seek = (event) => {
      const box = svg.getBoundingClientRect();
      go(Math.round(((event.clientX - box.left) / box.width) * last));
    };
    svg.addEventListener("pointerdown", (event) => {
      seek(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => event.buttons && seek(event));
  };

  const showCharts = () => {
    for (const line of document.querySelectorAll(".now")) {
      line.setAttribute("x1", x(moment));
      line.setAttribute("x2", x(moment));
    }
  };

  // --- lists beside it ---

  const listMoves = () => {
    at("moves").replaceChildren(
      ...film.moves.map((move, index) => {
        const entry = document.createElement("li");
        const text = seen(move);
        const button = element("button", text === null ? "?" : text);
        button.type = "button";
        button.prepend(element("span", move.actor + 1, `number player${move.actor}`), " ");
        button.addEventListener("click", () => go(index + 1));
        if (text !== null && timed(move)) button.append(" ", element("span", timeText(move.seconds), "spent"));
        entry.append(button);
        return entry;
      }),
    );
  };

  const used = (player) => {
    if (!film.moves.some((move) => move.seconds !== undefined)) return film.times[player];
    const own = film.moves.slice(0, moment).filter((move) => move.actor === player);
    return timeText(own.reduce((sum, move) => sum + (move.seconds ?? 0), 0));
  };

  const showPlayers = () => {
    const cell = (text) => element("td", text);
    at("players").replaceChildren(
      ...names.map((_, player) => {
        const row = document.createElement("tr");
        const head = foldable("th", names[player]);
        head.scope = "row";
        head.prepend(element("span", player + 1, `number player${player}`));
        const chance = (film.estimates[moment][player] / 10).toFixed(0);
        row.append(head, cell(film.points[moment][player]), cell(`${chance} %`), cell(used(player)));
        return row;
      }),
    );
  };

  // Scrolls a list, and not the page, so that an entry stands in its middle.
  const reveal = (list, entry) => {
    if (!entry) return;
    const above = entry.getBoundingClientRect().top - list.getBoundingClientRect().top;
    list.scrollTop += above - (list.clientHeight - entry.clientHeight) / 2;
  };

  const showLegal = () => {
    const next = film.moves[moment];
    const open = next && (viewer === 0 || viewer - 1 === next.actor);
    const told = next ? "not shown: another player decides" : film.end;
    const legal = open ? next.legal.map((line) => film.texts[line]) : [told];
    const chosen = open ? film.texts[next.seen[viewer]] : null;
    at("legal").replaceChildren(
      ...legal.map((text) => element("li", text, text === chosen ? "chosen" : "")),
    );
    reveal(at("legal"), at("legal").querySelector(".chosen"));
    fold(at("legal-h"), next ? `${name(next.actor)} chooses from` : "The end");
  };

  const showThought = () => {
    const list = at("thought");
    if (!list) return;
    const move = film.moves[moment];
    const found = (move && (viewer === 0 || viewer - 1 === move.actor) && film.thoughts[moment]) || null;
    at("thought-none").hidden = Boolean(found);
    list.hidden = !found;
    if (!found) return;
    list.tBodies[0].replaceChildren(
      ...found.top.map(([text, visits, value]) => {
        const row = document.createElement("tr");
        const head = element("th", film.texts[text], text === move.seen[0] ? "chosen" : "");
        head.scope = "row";
        row.append(head, element("td", visits), element("td", `${(value / 10).toFixed(1)} %`));
        return row;
      }),
    );
    fold(list.caption, `${name(move.actor)}: ${found.visits} simulations, ${found.ms} ms`);
  };

  const showTalk = () => {
    const said = at("talk");
    if (!said) return;
    const move = film.moves[moment];
    const shown = move && (viewer === 0 || viewer - 1 === move.actor) && film.talks[moment] >= 0;
    at("talk-none").hidden = shown;
    said.hidden = !shown;
    if (shown) said.textContent = film.texts[film.talks[moment]];
  };

  const showMoves = () => {
    const list = at("moves");
    for (const [index, entry] of [...list.children].entries()) {
      if (index === moment - 1) entry.firstChild.setAttribute("aria-current", "step");
      else entry.firstChild.removeAttribute("aria-current");
    }
    reveal(list, list.children[Math.max(0, moment - 1)]);
  };

  const show = () => {
    if (film.pictured) showPicture();
    else showText();
    fold(at("told"), tell(moment));
    at("step").value = moment;
    at("step").setAttribute("aria-valuetext", tell(moment));
    showPlayers();
    showLegal();
    showThought();
    showTalk();
    showMoves();
    showCharts();
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
    timer = setInterval(() => go(moment + 1), Number(at("pace").value));
    show();
  };

  const keys = {
    ArrowLeft: () => go(moment - 1),
    ArrowRight: () => go(moment + 1),
    Home: () => go(0),
    End: () => go(last),
    " ": toggle,
  };

  const watch = () => {
    at("first").addEventListener("click", keys.Home);
    at("back").addEventListener("click", keys.ArrowLeft);
    at("next").addEventListener("click", keys.ArrowRight);
    at("last").addEventListener("click", keys.End);
    at("play").addEventListener("click", toggle);
    at("step").addEventListener("input", (event) => go(Number(event.target.value)));
    at("pace").addEventListener("change", () => {
      if (timer) {
        stop();
        toggle();
      }
    });
    at("viewer").addEventListener("change", (event) => {
      viewer = Number(event.target.value);
      tallest = heights();
      listMoves();
      show();
    });
    at("safe")?.addEventListener("change", (event) => {
      document.documentElement.dataset.colours = event.target.checked ? "safe" : "printed";
    });
    document.addEventListener("keydown", (event) => {
      const own = event.target.closest("select, input, button, pre");
      if (event.altKey || event.ctrlKey || event.metaKey || !keys[event.key]) return;
      if (own && (event.key === " " || own.tagName === "SELECT" || own.type === "range")) return;
      event.preventDefault();
      keys[event.key]();
    });
  };

  const open = async () => {
    film = await unpack(at("film").textContent);
    names = film.names;
    last = film.moves.length;
    unfold();
    tallest = heights();
    const points = film.points.flat();
    chart("points", film.points, Math.min(0, ...points), Math.max(1, ...points));
    chart("estimates", film.estimates, 0, 1000);
    bars();
    watch();
    listMoves();
    const asked = () => Number(location.hash.slice(1));
    window.addEventListener("hashchange", () => Number.isInteger(asked()) && go(asked()));
    go(Number.isInteger(asked()) ? asked() : 0);
    document.documentElement.dataset.ready = "yes";
  };

  open().catch((error) => {
    at("told").textContent = `This page needs a browser of 2023 or later (${error.message}).`;
  });
})();

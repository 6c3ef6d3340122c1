"""A stored match as a page to step through: what each player saw, or everything."""

import json
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from arena.pages.html import code, document, header
from arena.pages.report import PAGE, link_replay, replay_file
from arena.playing.seats import seen_action
from arena.results.replay import Replay, Step, headlines, open_replay, result_text
from arena.store.files import write_text

INK = re.compile("\x1b\\[[0-9;]*m")  # games may colour what they draw for a terminal
LINK = "../"


@dataclass
class Film:
    """All that the page's script needs; lines of text are kept once and named by number.

    positions: for each moment, for each viewer (everything, then player 0, 1, ...) line numbers.
    """

    lines: dict[str, int] = field(default_factory=dict)
    positions: list[list[list[int]]] = field(default_factory=list)
    moves: list[dict[str, Any]] = field(default_factory=list)
    points: list[list[int]] = field(default_factory=list)

    def number(self, line: str) -> int:
        """The number of a line."""
        return self.lines.setdefault(line, len(self.lines))

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "lines": list(self.lines),
            "positions": self.positions,
            "moves": self.moves,
            "points": self.points,
        }


def write_replay(folder: Path, match_id: str, out: Path | None = None) -> Path:
    """Write the page of a match into its run's folder, and let the run's report link to it; or into `out`.

    Raises:
        UserError: as `replay_match`.
    """
    replay = open_replay(folder, match_id)
    film = filmed(replay)
    result = result_text(replay.game, replay.states, replay.row, replay.names)
    full_id = replay.row["match_id"]
    if out is not None:
        write_text(out / f"{full_id}.html", page_text(replay, film, result, reported=False))
        return out / f"{full_id}.html"
    file = folder / replay_file(full_id)
    file.parent.mkdir(exist_ok=True)
    write_text(file, page_text(replay, film, result, (folder / PAGE).exists()))
    link_replay(folder, full_id)
    return file


def filmed(replay: Replay) -> Film:
    """The whole match, action by action."""
    film = Film()
    for step in replay.steps():
        add_position(film, replay)
        film.moves.append(move(film, replay, step))
    add_position(film, replay)
    return film


def add_position(film: Film, replay: Replay) -> None:
    """Add the position as everybody sees it, and the points if the game ended now."""
    game, states = replay.game, replay.states
    shown = [states, *(game.view(states, player) for player in range(len(replay.names)))]
    film.positions.append(
        [[film.number(line) for line in INK.sub("", game.render(v)).split("\n")] for v in shown]
    )
    film.points.append(game.point_list(states))


def move(film: Film, replay: Replay, step: Step) -> dict[str, Any]:
    """An action as everybody learns of it: -1 for a player who learns nothing."""
    game, states = replay.game, replay.states
    seen = [film.number(game.action_text(states, step.action))]
    for player in range(len(replay.names)):
        known = seen_action(game, step.action, step.actor, step.witnesses, player)
        if known is None:
            seen.append(-1)
        elif known == step.action:
            seen.append(seen[0])
        else:
            seen.append(film.number(game.actions.text(known)))
    legal = [film.number(game.action_text(states, action)) for action in step.legal]
    return {"actor": step.actor, "seen": seen, "legal": legal}


def page_text(replay: Replay, film: Film, result: str, reported: bool) -> str:
    """The page; `reported`: the run has a report to go back to."""
    row, names = replay.row, replay.names
    title, *_ = headlines(row, replay.game.title, names)
    seats = ", ".join(f"player {seat}: {escape(name)}" for seat, name in enumerate(names))
    back = f'<a href="{LINK}{PAGE}#matches">Back to the report</a>' if reported else ""
    top = header(title, [seats, back] if back else [seats], [])
    viewers = ["everything", *(f"what player {p} ({name}) sees" for p, name in enumerate(names))]
    options = "".join(f'<option value="{n}">{escape(v)}</option>' for n, v in enumerate(viewers))
    last = len(film.moves)
    data = {**film.plain(), "names": names}
    stored = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    body = f"""{top}
<main id="main" class="replay">
<div class="controls">
<label>Show <select id="viewer">{options}</select></label>
<span class="buttons">
<button type="button" id="first" title="Home">First</button>
<button type="button" id="back" title="Left arrow">Back</button>
<button type="button" id="play" aria-pressed="false" title="Space">Play</button>
<button type="button" id="next" title="Right arrow">Next</button>
<button type="button" id="last" title="End">Last</button>
</span>
<label class="grow">Action <input id="step" type="range" min="0" max="{last}" value="0"></label>
</div>
<p id="told" role="status"></p>
<div class="stage">
<pre id="position" tabindex="0" aria-label="Position"></pre>
<div><h2>Points if it ended now</h2><dl id="points"></dl>
<h2>Legal actions</h2><ul id="legal" tabindex="0" aria-label="Legal actions"></ul></div>
<div><h2 id="moves-h">All actions</h2><ol id="moves" aria-labelledby="moves-h"></ol></div>
</div>
<h2>Result</h2><pre tabindex="0">{escape(result)}</pre>
<p class="note">Keys: left and right arrow, Home, End, space. Forced actions are those without a
choice. Played again from the deal and checked against {code(row["match_id"])}.</p>
</main>
<script type="application/json" id="film">{stored}</script>"""
    return document(title, body, ["replay.js"], f"A match of {replay.game.title}, move by move.")

"""The pages of the server as HTML: the list of runs, a run while it plays, tables and seats."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any
from urllib.parse import quote, urlencode

from arena.execution.people import PLACE
from arena.playing.rulebook import rulebook
from arena.web.runs import Entry
from arena.web.shell import page
from arena.web.tables import Table, described
from engines.core import game_names, load_game

MOST_LISTED = 200  # matches on a page
STATES = {
    "people": "♟ human play",
    "running": "▶ running",
    "finished": "✓ finished",
    "stopped": "◼ stopped",
}


def address(path: str, rest: str = "") -> str:
    """The address of a run's page."""
    return f"/run/{quote(path)}/{rest}" if path != "." else f"/run/./{rest}"


def home(
    entries: Sequence[Entry], configs: Sequence[str], folder: str, pages: Sequence[str]
) -> str:
    """The runs below the folder, what can be started, and published pages."""
    rows = "".join(run_row(entry) for entry in entries)
    listed = (
        '<div class="scroll"><table><caption>Runs, those that play first</caption><thead><tr>'
        + "".join(
            f'<th scope="col" class="word head">{t}</th>'
            for t in ("run", "games", "bots", "matches", "state", "changed")
        )
        + f"</tr></thead><tbody>{rows}</tbody></table></div>"
        if entries
        else "<p>No runs yet. Start one below, or with <code>arena run quickstart</code>.</p>"
    )
    options = "".join(f"<option>{escape(name)}</option>" for name in configs)
    start = (
        '<section class="panel"><h2>Start a run</h2><form method="post" action="/start">'
        f'<label>Config <select name="config">{options}</select></label> '
        '<button name="do" value="run">Start or continue</button> '
        '<button name="do" value="dry">What would it be?</button></form></section>'
        if configs
        else ""
    )
    made = "".join(f'<li><a href="/page/{quote(name)}">{escape(name)}</a></li>' for name in pages)
    boards = (
        f'<section class="panel"><h2>Leaderboards and balance</h2><ul>{made}</ul></section>'
        if pages
        else ""
    )
    return page("Runs", f'<p class="note">Below {escape(folder)}</p>{listed}{start}{boards}')


def run_row(entry: Entry) -> str:
    """A run in the list."""
    link = f'<a href="{escape(address(entry.path), quote=True)}">{escape(entry.name)}</a>'
    if entry.trouble:
        return (
            f'<tr><th scope="row" class="word">{escape(entry.path)}</th>'
            f'<td colspan="5" class="word">{escape(entry.trouble)}</td></tr>'
        )
    count = (
        f"{entry.stored:,}"
        if entry.stored >= entry.planned
        else f"{entry.stored:,} of {entry.planned:,}"
    )
    bots = ", ".join(entry.bots[:4]) + (
        f" and {len(entry.bots) - 4} more" if len(entry.bots) > 4 else ""
    )
    cells = (", ".join(entry.games), bots, count, STATES[entry.state], ago(entry.changed))
    return (
        f'<tr><th scope="row" class="word">{link}</th>'
        + "".join(f'<td class="word">{escape(cell)}</td>' for cell in cells)
        + "</tr>"
    )


def ago(when: float) -> str:
    """How long ago something was."""
    seconds = max(0.0, time.time() - when)
    for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return "just now"


def run_page(entry: Entry) -> str:
    """A run while it plays: its script fills it in."""
    doing = (
        '<form method="post" action="stop"><button>Stop the run</button></form>'
        if entry.state == "running"
        else '<form method="post" action="continue"><button>Continue the run</button></form>'
        if entry.state == "stopped"
        else ""
    )
    body = f"""<p id="counts" role="status">…</p>
<progress id="bar" max="{max(entry.planned, 1)}" value="{entry.stored}" aria-label="Matches played"></progress>
<p><a class="button" href="report.html">Whole report</a> <a class="button" href="matches.html">All matches</a></p>
{doing}
<p id="answer"></p>
<section id="standings" aria-label="Standings"></section>
<section id="faults" aria-label="Faults"></section>
<section id="latest" aria-label="Latest matches"></section>
<noscript><p class="warning">This page needs JavaScript; the report does not.</p></noscript>"""
    return page(entry.name, body, ["dom.js", "live.js"])


def started(title: str, text: str, back: str) -> str:
    """What a command has said."""
    return page(
        title,
        f'<pre tabindex="0">{escape(text)}</pre><p><a href="{escape(back, quote=True)}">Back</a></p>',
    )


def trouble(status: int, line: str) -> str:
    """A page that says what is wrong."""
    return page("That did not work", f'<p class="warning">{escape(line)}</p><p>{status}</p>')


def login(wrong: bool) -> str:
    """Asks for the password."""
    told = '<p class="warning" role="alert">That is not the password.</p>' if wrong else ""
    return page(
        "tabletop arena",
        f'{told}<form method="post" action="/login"><label>Password <input name="password" type="password" '
        'autocomplete="current-password" required autofocus></label> <button>Come in</button></form>',
        home=False,
    )


def play_page(tables: Sequence[Table], saved: Sequence[str], wrong: str = "") -> str:
    """Sit down: a new table, an open one, a saved match."""
    games = "".join(
        f'<option value="{name}">{escape(load_game(name).title)}</option>' for name in game_names()
    )
    told = f'<p class="warning" role="alert">{escape(wrong)}</p>' if wrong else ""
    opened = "".join(
        f'<li><a href="/table/{table.id}">{escape(described(table))}</a></li>' for table in tables
    )
    files = "".join(
        f'<li><form method="post" action="/reopen"><input type="hidden" name="file" value="{escape(name, quote=True)}">'
        f"<code>{escape(name)}</code> <button>Go on</button></form></li>"
        for name in saved
    )
    body = f"""{told}
<section class="panel"><h2>A new table</h2>
<form method="post" action="/play" class="stacked">
<label>Game <select name="game">{games}</select></label>
<label>Seats <input name="seats" value="human,greedy" required maxlength="500">
<span class="note">in order of play: human, or a bot such as greedy, mcts:simulations=500</span></label>
<label>Options <input name="options" placeholder="as printed" maxlength="2000">
<span class="note">e.g. rows=5,connect=3; arena games NAME lists them</span></label>
<label>Names <input name="names" placeholder="none: the match is not stored" maxlength="200">
<span class="note">of the people, in order of play, e.g. Ada, Ben: the match will be stored as human play</span>
</label>
<label><input type="checkbox" name="helped"> with hints and undo
<span class="note">so a name is rated apart from the same name without</span></label>
<label>Seed <input name="seed" inputmode="numeric" pattern="[0-9]*" placeholder="a new deal" maxlength="18"></label>
<button>Sit down</button></form></section>
{f'<section class="panel"><h2>Open tables</h2><ul>{opened}</ul></section>' if opened else ""}
{f'<section class="panel"><h2>Saved matches</h2><ul>{files}</ul></section>' if files else ""}"""
    return page("Play", body)


def table_page(table: Table) -> str:
    """The seats of a table: each person's link, to be handed on."""
    seats = []
    for player, text in enumerate(table.texts):
        where = (
            f'<a href="/seat/{table.id}/{table.tokens[player]}">sit down here</a> '
            "(hand this link to whoever plays this seat; it shows only what that player may know)"
            if player in table.tokens
            else escape(text)
        )
        seats.append(f"<li>Player {player + 1}: {where}</li>")
    close = f'<form method="post" action="/table/{table.id}/close"><button>Close the table</button></form>'
    kept = (
        "<p>When it is over, the match is stored as human play, in "
        f"<code>{PLACE}/{escape(table.match.game.name)}</code>.</p>"
        if table.seated
        else ""
    )
    return page(table.game.title, f"{kept}<ul>{''.join(seats)}</ul>{close}")


def seat_page(table: Table, player: int) -> str:
    """A seat at a table: its script fills it in."""
    sections = rulebook(table.game).sections
    headings = "".join(f"<option>{escape(section.title)}</option>" for section in sections)
    start = json.dumps({"table": table.id}).replace("<", "\\u003c")
    body = f"""<p id="told" role="status">…</p>
<div class="seat">
<section aria-label="Position"><pre id="position" tabindex="0"></pre><div id="picture"></div></section>
<section aria-label="What to do"><h2>Actions</h2>
<p><label>Find <input id="find" autocomplete="off"></label></p>
<div id="actions"></div>
<p class="buttons"><button type="button" id="hint">Hint</button> <button type="button" id="undo">Undo</button>
<button type="button" id="save">Save</button></p><p id="answer" role="status"></p></section>
<section aria-label="History"><h2>So far</h2><ol id="events" tabindex="0"></ol></section>
<section aria-label="Rules"><h2>Rules</h2>
<p><label>Read <select id="rules"><option value="">…</option>{headings}</select></label></p>
<form id="explain"><label>Explain <input id="what" placeholder="a card, a tool, a piece" maxlength="100"></label>
<button>Look up</button></form>
<pre id="ruled" tabindex="0" aria-label="Rules text"></pre></section>
</div>
<script type="application/json" id="start">{start}</script>"""
    return page(
        f"{table.game.title}: {table.name(player)}", body, ["dom.js", "seat.js"], home=False
    )


# --- matches ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """Which matches are looked for; an empty field asks for nothing."""

    bot: str = ""
    opponent: str = ""
    winner: str = ""
    ending: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> "Wanted":
        """From the fields of an address; other fields mean nothing."""
        return cls(*(asked.get(name, "")[:200] for name in ("bot", "opponent", "winner", "ending")))

    def among(self, rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """The rows that fit."""
        for row in rows:
            seats, firsts = row["seating"].split(", "), row["first"].split(", ")
            if (
                all(name in seats for name in (self.bot, self.opponent) if name)
                and (not self.winner or self.winner in firsts)
                and (not self.ending or row["ending"] == self.ending)
            ):
                yield row

    @property
    def query(self) -> str:
        """As the end of an address."""
        said = urlencode({name: value for name, value in asdict(self).items() if value})
        return f"?{said}" if said else ""


def matches_page(name: str, rows: Sequence[dict[str, Any]], wanted: Wanted) -> str:
    """The matches that fit, with a form to look for others."""
    bots = sorted({bot for row in rows for bot in row["seating"].split(", ")})
    choices = {
        "bot": bots,
        "opponent": bots,
        "winner": bots,
        "ending": sorted({r["ending"] for r in rows}),
    }
    fields = "".join(
        f'<label>{field} <select name="{field}"><option value="">any</option>'
        + "".join(
            f"<option{' selected' if value == getattr(wanted, field) else ''}>{escape(value)}</option>"
            for value in values
        )
        + "</select></label> "
        for field, values in choices.items()
    )
    found = list(wanted.among(rows))
    heads = ("match", "game", "deal", "seats", "first", "ending", "turns", "fault")
    lines = "".join(match_row(row, wanted) for row in found[:MOST_LISTED])
    top = "".join(f'<th scope="col" class="word head">{head}</th>' for head in heads)
    shown = f"{len(found):,} matches" + (
        f", the first {MOST_LISTED}" if len(found) > MOST_LISTED else ""
    )
    body = (
        f'<p><a href="./">Live</a> <a href="report.html">Report</a></p>'
        f'<form method="get">{fields}<button>Look</button></form>'
        f'<div class="scroll" tabindex="0" role="group" aria-label="Matches"><table><caption>{shown}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>"
    )
    return page(f"{name}: matches", body)


def match_row(row: dict[str, Any], wanted: Wanted) -> str:
    """A match in the list."""
    link = escape(f"replays/{row['match_id']}.html{wanted.query}", quote=True)
    cells = (
        row["game"],
        row["deal"],
        row["seating"],
        row["first"],
        row["ending"],
        row["turns"],
        row["fault"],
    )
    words = "".join(f'<td class="word">{escape(str(cell))}</td>' for cell in cells)
    return f'<tr><th scope="row" class="word"><a href="{link}">{escape(row["match_id"])}</a></th>{words}</tr>'


def beside(rows: Sequence[dict[str, Any]], wanted: Wanted, match: str) -> list[tuple[str, str]]:
    """Links to the matches before and after one, among those that fit."""
    ids = [row["match_id"] for row in wanted.among(rows)]
    links = [("/", "Runs"), (f"../matches.html{wanted.query}", "Matches")]
    if match in ids:
        at = ids.index(match)
        if at > 0:
            links.append((f"{ids[at - 1]}.html{wanted.query}", "Previous"))
        if at + 1 < len(ids):
            links.append((f"{ids[at + 1]}.html{wanted.query}", "Next"))
    return links

"""The pages of the server as HTML: the list of runs, a run while it plays, tables and seats."""

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from types import MappingProxyType

from arena.authoring.catalogue import options_table
from arena.execution.people import PLACE
from arena.pages.html import foldable
from arena.plan.columns import table
from arena.plan.identity import DEFAULT, variant_label
from arena.plan.wording import counts_text
from arena.playing.rulebook import rulebook
from arena.web.runs import Entry, address, span
from arena.web.shell import page
from arena.web.tables import Table
from bots.registry import bot_kinds
from engines.core import changes, describe_options, game_names, load_game

COLUMNS = ("games", "bots", "matches", "state", "standings", "changed")  # of the list of runs
BUSY = 'data-busy="Playing a few matches to see how long it would take: half a minute at most, mostly less …"'
DOING = {  # what a run's page offers to do with it, by `Entry.doing`
    "": "",
    "stop": '<form method="post" action="stop"><button>Stop the run</button></form>',
    "continue": '<form method="post" action="continue"><button>Continue the run</button> '
    f'<button name="do" value="dry" {BUSY}>What is left?</button></form>',
}
STATES = {
    "people": "♟ human play",
    "running": "▶ running",
    "finished": "✓ finished",
    "decided": "✓ decided",
    "stopped": "◼ stopped",
}


def home(
    entries: Sequence[Entry],
    configs: Sequence[str],
    folder: str,
    begun: Sequence[tuple[str, str]] = (),
    leaders: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> str:
    """The runs below the folder with who leads in each (by path), what can be started, and what was started from here
    (what, its state).
    """
    rows = "".join(run_row(entry, leaders.get(entry.path, ())) for entry in entries)
    listed = (
        '<div class="scroll" tabindex="0" role="group" aria-label="Runs"><table class="runs">'
        "<caption>Runs, those that play first</caption><thead><tr>"
        + "".join(f'<th scope="col" class="word head">{t}</th>' for t in ("run", *COLUMNS))
        + f"</tr></thead><tbody>{rows}</tbody></table></div>"
        if entries
        else "<p>No runs yet. Start one below, or with <code>arena run quickstart</code>.</p>"
    )
    options = "".join(f"<option>{escape(name)}</option>" for name in configs)
    start = (
        '<section class="panel"><h2>Start a run</h2><form method="post" action="/start">'
        f'<label>Config <select name="config">{options}</select></label> '
        '<button name="do" value="run">Start or continue</button> '
        f'<button name="do" value="dry" {BUSY}>What would it be?</button></form></section>'
        if configs
        else ""
    )
    if begun:
        lines = "".join(f"<li>{escape(what)}: {escape(state)}</li>" for what, state in begun)
        start += f'<section class="panel"><h2>Started from here</h2><ul id="begun">{lines}</ul></section>'
    body = f'<p class="note">Below {escape(folder)}</p><div id="runs">{listed}</div>{start}'
    return page("Runs", body, ["dom.js", "home.js"])


def run_row(entry: Entry, leaders: Sequence[str] = ()) -> str:
    """A run in the list, with a line for who leads each of its tables."""
    link = f'<a href="{escape(address(entry.path), quote=True)}">{escape(entry.name)}</a>'
    if not entry.path.endswith(entry.name):  # several runs may share a name, never a folder
        link += f' <span class="note">{escape(entry.path)}</span>'
    if entry.trouble:
        return (
            f'<tr><th scope="row" class="word">{escape(entry.path)}</th>'
            f'<td colspan="6" class="word">{escape(entry.trouble)}</td></tr>'
        )
    count = (
        f"{entry.stored:,}"
        if entry.stored >= entry.planned
        else f"{entry.stored:,} of {entry.planned:,}"
    )
    names = list(dict.fromkeys(entry.bots))  # one name may play other options in another game
    bots = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    games, bots = map(foldable, (", ".join(entry.games), bots))
    told = (games, bots, escape(count), STATES[entry.state])
    cells = (*told, "<br>".join(map(foldable, leaders)), ago(entry.changed))
    named = zip(COLUMNS, cells, strict=True)
    rest = "".join(f'<td class="word" data-label="{name}">{cell}</td>' for name, cell in named)
    return f'<tr><th scope="row" class="word">{link}</th>{rest}</tr>'


def ago(when: float) -> str:
    """How long ago something was."""
    seconds = max(0.0, time.time() - when)
    return "just now" if seconds < 60 else f"{span(seconds)} ago"


def run_page(entry: Entry) -> str:
    """A run while it plays: what is known at once, the rest comes by its script."""
    count = f"{entry.stored:,} of {entry.planned:,} matches"
    told = entry.trouble or f"{entry.state}: {count}"
    body = f"""<p id="counts">{escape(told)}</p>
<p id="state" class="spoken" role="status"></p>
<progress id="bar" max="{max(entry.planned, 1)}" value="{entry.stored}" aria-label="Matches played"></progress>
<div class="doing"><a class="button" href="report.html">Whole report</a>
<a class="button" href="matches.html">All matches</a>
<div id="doing" data-doing="{entry.doing}">{DOING[entry.doing]}</div></div>
<p id="driver">{escape(entry.driver)}</p>
<p id="answer"></p>
<section id="standings" aria-label="Standings"></section>
<section id="faults" aria-label="Faults"></section>
<section id="latest" aria-label="Latest matches"></section>
<section id="machines" aria-label="Machines"></section>
{"".join(f'<template id="to-{name}">{DOING[name]}</template>' for name in entry.later)}
<noscript><p class="warning">This page needs JavaScript; the report does not.</p></noscript>"""
    return page(entry.name, body, ["dom.js", "live.js"])


def estimated(text: str, action: str, fields: Mapping[str, str], name: str, back: str) -> str:
    """What a run would be, and a button (of this name) that begins it."""
    hidden = "".join(
        f'<input type="hidden" name="{field}" value="{escape(value, quote=True)}">'
        for field, value in fields.items()
    )
    form = f'<form method="post" action="{escape(action, quote=True)}">{hidden}<button>{name}</button></form>'
    said = f'<pre class="said" tabindex="0">{escape(text)}</pre>'
    link = f'<p><a href="{escape(back, quote=True)}">Back</a></p>'
    return page("What it would be", f"{said}{form}{link}")


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
        f'<option value="{game.name}">{escape(game.title)}: {counts_text(game.players)}</option>'
        for game in map(load_game, game_names())
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
<span class="note">e.g. rows=5,connect=3; listed below</span></label>
<label>Names <input name="names" placeholder="none: the match is not stored" maxlength="200">
<span class="note">of the people, in order of play, e.g. Ada, Ben: the match will be stored as human play</span>
</label>
<label><input type="checkbox" name="helped"> with hints and undo
<span class="note">so a name is rated apart from the same name without</span></label>
<label>Seed <input name="seed" inputmode="numeric" pattern="[0-9]*" placeholder="a new deal" maxlength="18"></label>
<button>Sit down</button></form></section>
{f'<section class="panel"><h2>Open tables</h2><ul>{opened}</ul></section>' if opened else ""}
{f'<section class="panel"><h2>Saved matches</h2><ul>{files}</ul></section>' if files else ""}
{what_there_is()}"""
    return page("Play", body)


@lru_cache(maxsize=1)
def what_there_is() -> str:
    """The bots that may sit at a table, and the options of each game, folded."""
    kinds = [(name, kind.summary) for name, kind in bot_kinds().items() if kind.plain]
    told = [("Bots", table(kinds))]
    for game in map(load_game, game_names()):
        told.append((f"Options of {game.title}", options_table(describe_options(game.Variant))))
    folded = "".join(
        f'<details><summary>{escape(title)}</summary><pre tabindex="0">{escape(text)}</pre></details>'
        for title, text in told
    )
    return f'<section class="panel"><h2>What there is</h2>{folded}</section>'


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


def described(table: Table) -> str:
    """A table in a line."""
    options = variant_label(changes(table.match.variant))
    state = "over" if table.match.over else f"{len(table.match.past)} actions"
    return f"{table.game.title}{'' if options == DEFAULT else f' ({options})'}, {state}"


def seat_page(table: Table, player: int) -> str:
    """A seat at a table: its script fills it in."""
    sections = rulebook(table.game).sections
    headings = "".join(f"<option>{escape(section.title)}</option>" for section in sections)
    body = f"""<p id="told" role="status">…</p>
<div class="seat">
<section class="board" aria-label="Position"><pre id="position" tabindex="0"></pre><div id="picture"></div>
<p class="note">A click in the picture leaves the actions that speak of it; the last one left is played by another.</p>
</section>
<div class="side">
<section class="todo" aria-label="What to do"><div class="tools"><h2>Actions</h2>
<label>Find <input id="find" autocomplete="off"></label>
<span class="buttons"><button type="button" id="hint">Hint</button> <button type="button" id="undo">Undo</button>
<button type="button" id="save">Save</button></span></div>
<p id="answer" role="status"></p>
<div id="actions"></div></section>
<section aria-label="History"><h2>So far</h2><ol id="events" tabindex="0"></ol></section>
<section aria-label="Rules"><h2>Rules</h2>
<p><label>Read <select id="rules"><option value="">…</option>{headings}</select></label></p>
<form id="explain"><label>Explain <input id="what" placeholder="a card, a tool, a piece" maxlength="100"></label>
<button>Look up</button></form>
<pre id="ruled" role="region" tabindex="0" aria-label="Rules text"></pre></section>
</div>
</div>"""
    return page(
        f"{table.game.title}: {table.name(player)}", body, ["dom.js", "seat.js"], home=False
    )

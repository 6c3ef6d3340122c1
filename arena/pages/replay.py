"""A stored match as a page to step through: what each player saw, or everything."""

from collections.abc import Sequence
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.pages.film import Film, Talks, filmed, packed
from arena.pages.html import asset, code, document, header
from arena.pages.report import PAGE, link_replay, replay_file
from arena.pictures.palette import style
from arena.results.replay import Replay, fault_line, open_replay, result_text, time_text
from arena.results.talks import talks_of
from arena.results.thoughts import Searchers
from arena.store.files import write_text

LINK = "../"
ABOUT_POINTS = "Counted from the whole position, whoever's view is shown: of hidden parts the players know less."
ABOUT_CHANCES = (
    "The game's own quick estimate (evaluate) of what each player sees, one player at a time, scaled so that all sides "
    "add up to 100 %: no search, and nobody at the table knows it."
)
ABOUT_TIMES = "As measured in the match, right to 5 %; forced actions take none."
TALK_PANEL = """<div class="panel"><h2>What was said before the next action</h2>
<p id="talk-none" class="note">No language model decides here, or what it was told is not shown to this player.</p>
<pre id="talk" tabindex="0" aria-label="What a language model was asked and answered" hidden></pre></div>"""
PACES = (("slow", 2000), ("normal", 900), ("fast", 250))


def write_replay(
    folder: Path, match_id: str, out: Path | None = None, estimates: bool = False
) -> Path:
    """Write the page of a match into its run's folder, and let the run's report link to it; or into `out`.

    estimates: the searches at the table think again, and the page shows what they found.

    Raises:
        UserError: as `replay_match`.
    """
    replay = open_replay(folder, match_id)
    full_id = replay.row["match_id"]
    searchers = Searchers(folder, replay) if estimates else None
    talks = talks_of(folder, full_id)
    if out is not None:
        write_text(out / f"{full_id}.html", replay_html(replay, None, searchers, talks))
        return out / f"{full_id}.html"
    file = folder / replay_file(full_id)
    file.parent.mkdir(exist_ok=True)
    back = (f"{LINK}{PAGE}#matches", "Back to the report") if (folder / PAGE).exists() else None
    write_text(file, replay_html(replay, back, searchers, talks))
    link_replay(folder, full_id)
    return file


def replay_html(
    replay: Replay,
    back: tuple[str, str] | None = None,
    searchers: Searchers | None = None,
    talks: Talks = MappingProxyType({}),
) -> str:
    """The page of a match that has just been opened.

    Args:
        replay: the match; it is played to its end.
        back: address and text of a link to where the reader came from.
        searchers: who thinks again.
        talks: what language models were asked and answered.

    Raises:
        UserError: the match does not end as stored.
    """
    film = filmed(replay, searchers, talks)
    result = result_text(replay.game, replay.states, replay.row, replay.names, replay.clock)
    return page_text(replay, film, result, back)


def page_text(replay: Replay, film: Film, result: str, back: tuple[str, str] | None = None) -> str:
    """The page of a match that has been filmed."""
    row, names, game = replay.row, replay.names, replay.game
    title = f"{game.title}: {' against '.join(names)}"
    facts = [f"Deal {row['deal']}, {len(film.moves)} actions. Match {code(row['match_id'])}."]
    if back:
        facts.append(f'<a href="{escape(back[0], quote=True)}">{escape(back[1])}</a>')
    data = {
        **film.plain(),
        "names": names,
        "pictured": game.picture is not None,
        "times": times(row, len(names)),
        "end": end_text(row, names),
    }
    body = f"""{header(title, facts, [])}
<main id="main" class="replay">
{controls(names, len(film.moves), game.picture is not None)}
<p id="told" role="status"></p>
<div class="stage">
{stage(game.picture is not None)}
<div class="panel">
{players_table(len(names), film.timed)}
<h2 id="legal-h">Legal actions</h2><ul id="legal" tabindex="0" aria-labelledby="legal-h"></ul>
<h2 id="moves-h">All actions</h2><ol id="moves" aria-labelledby="moves-h"></ol>
</div>
</div>
<div class="below">
{curve("points", "Points if it ended now", ABOUT_POINTS)}
{curve("estimates", "Chance to win, as each player's own view is judged", ABOUT_CHANCES, half=True)}
{curve("spent", "Time used for each action", ABOUT_TIMES) if film.timed else ""}
{thought_panel() if film.thoughts else ""}
{TALK_PANEL if film.talks else ""}
{fault_panel(row, names)}
<div class="panel"><h2>Result</h2><pre tabindex="0">{escape(result)}</pre>
<p class="note">Keys: left and right arrow, Home, End, space; click into a chart to go there. A dashed frame marks what
the last action changed. Forced actions are those without a choice. Played again from the deal and checked against the
stored result.</p></div>
</div>
</main>
<script type="application/octet-stream" id="film">{packed(data)}</script>"""
    described = f"A match of {game.title}, move by move."
    return document(title, body, ["replay.js"], described, style() + asset("replay.css"))


def controls(names: Sequence[str], last: int, pictured: bool) -> str:
    """Whose view, where in the match, how fast."""
    viewers = ["everything", *(f"what player {p} ({name}) sees" for p, name in enumerate(names, 1))]
    options = "".join(f'<option value="{n}">{escape(v)}</option>' for n, v in enumerate(viewers))
    paces = "".join(
        f'<option value="{pause}"{" selected" * (name == "normal")}>{name}</option>'
        for name, pause in PACES
    )
    safe = '<label><input type="checkbox" id="safe"> colour-blind-safe colours</label>'
    return f"""<div class="controls">
<label>Show <select id="viewer">{options}</select></label>
<span class="buttons">
<button type="button" id="first" title="Home">First</button>
<button type="button" id="back" title="Left arrow">Back</button>
<button type="button" id="play" aria-pressed="false" title="Space">Play</button>
<button type="button" id="next" title="Right arrow">Next</button>
<button type="button" id="last" title="End">Last</button>
</span>
<label>Pace <select id="pace">{paces}</select></label>
<label class="grow">Action <input id="step" type="range" min="0" max="{last}" value="0"></label>
{safe if pictured else ""}
</div>"""


def stage(pictured: bool) -> str:
    """Where the position is shown."""
    if pictured:
        return '<div><p id="words"></p><div id="picture"></div></div>'
    return '<pre id="position" tabindex="0" aria-label="Position"></pre>'


def players_table(players: int, timed: bool) -> str:
    """Points, chances and time of each player at the moment shown."""
    heads = ("player", "points", "chance", "time")
    top = "".join(f'<th scope="col">{head}</th>' for head in heads)
    time = "what a player has used so far" if timed else "a decision's on average"
    return (
        f'<table class="people"><caption>Time is {time}.</caption>'
        f'<thead><tr>{top}</tr></thead><tbody id="players">{"<tr></tr>" * players}</tbody></table>'
    )


def curve(name: str, title: str, about: str = "", half: bool = False) -> str:
    """A chart over the whole match that the script fills, with a note; of shares, with a line at the half."""
    line = '<line class="half" x1="0" x2="1000" y1="80" y2="80"/>' if half else ""
    note = f'<p class="note">{escape(about)}</p>' if about else ""
    label = escape(title, quote=True)
    return (
        f'<div class="panel"><h2>{escape(title)}</h2>'
        f'<svg class="curve" id="{name}" viewBox="0 0 1000 160" preserveAspectRatio="none" role="img" '
        f'aria-label="{label}: a line for each player, the figures stand in the table of players">{line}</svg>'
        f'<div class="ends"><span>start</span><span id="{name}-range"></span><span>end</span></div>{note}</div>'
    )


def thought_panel() -> str:
    """What a search found before its action, filled by the script."""
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("action", "visits", "value"))
    return (
        '<div class="panel"><h2>What the search found before the next action</h2>'
        '<p id="thought-none" class="note">No search decides here, or its thoughts are not shown to this player.</p>'
        f'<table class="people" id="thought" hidden><caption></caption><thead><tr>{heads}</tr></thead>'
        "<tbody></tbody></table></div>"
    )


def times(row: dict[str, Any], players: int) -> list[str]:
    """What each player's decisions took on average, in words."""
    found = []
    for seat in range(players):
        decisions = max(1, int(row["decisions_by_seat"][seat]))
        found.append(time_text(float(row["seconds"][seat]) / decisions))
    return found


def end_text(row: dict[str, Any], names: list[str]) -> str:
    """How the match ended, in a line."""
    seat = int(row["fault_seat"])
    if seat < 0:
        return f"over: {row['reason'].replace('_', ' ')}"
    return fault_line(row, names)


def fault_panel(row: dict[str, Any], names: list[str]) -> str:
    """What a bot that failed said, if one did; or what one did wrong when the match was over."""
    wrote = row["worker_stderr"]
    if int(row["fault_seat"]) < 0:
        return f'<div class="panel"><p>{escape(wrote)}</p></div>' if wrote else ""
    said = (
        f'<h3>Its last words on stderr</h3><pre tabindex="0">{escape(wrote)}</pre>' if wrote else ""
    )
    return (
        f'<div class="panel warning"><h2>Fault</h2><p>{escape(end_text(row, names))}, after the last '
        f"action shown.</p>{said}</div>"
    )

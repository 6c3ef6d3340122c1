"""The report of a run as one HTML file."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import pandas as pd

from arena.pages import charts
from arena.pages.events import event_part
from arena.pages.game import endings, lengths, points, usage
from arena.pages.history import history
from arena.pages.html import (
    Cell,
    Names,
    bullets,
    code,
    document,
    figure,
    header,
    paragraph,
    section,
    table,
    texts,
)
from arena.pages.provenance import provenance, shown_folder
from arena.pages.source import Source, interval
from arena.pages.strength import (
    budgets,
    differences_part,
    duels,
    order_of_play,
    sides,
    standing,
)
from arena.plan.wording import quoted
from arena.results.clocks import clock_lines
from arena.results.endings import FINISHED
from arena.results.findings import Findings
from arena.results.rankings import spans
from arena.results.reading import sample_text
from arena.results.report import (
    KEY,
    Tables,
    group_keys,
    notes,
    of_group,
    records,
)
from arena.results.talks import TALKED, talk_board
from arena.results.telling import most_telling
from arena.results.titles import board_title, group_title
from arena.store.files import write_text
from arena.store.provenance import replay_command

PAGE = "report.html"
REPLAYS = "replays"
MOST_LISTED = 200  # matches in the list of a report
MOST_FAULTS_LISTED = 50


def write_report(made: Tables, found: Findings, file: Path, watch: str = "") -> None:
    """Write the report of a run as one page; `watch` are links to matches to watch, as HTML."""
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, report_html(made, found, file.parent, watch))


def report_html(made: Tables, found: Findings, folder: Path, watch: str = "") -> str:
    """The page; `folder` is where it will lie, for links to replays that are already there."""
    names = Names()
    keys = group_keys(made.standings)
    sections = [
        (
            f"group{number}",
            group_title(made.record, key),
            list(group_parts(Source(made, found, key, names))),
        )
        for number, key in enumerate(keys, 1)
    ]
    for name, title, parts in (
        ("watch", "Matches to watch", [watch] if watch else []),
        ("variants", "Variants side by side", list(variants(found, names))),
        ("faults", "Faults", list(faults(made))),
        ("history", "History", list(history(made.folder, made.record, names))),
        ("matches", "Matches", list(matches(made, folder))),
        ("provenance", "How this was made", list(provenance(made, found, folder))),
    ):
        if parts:
            sections.append((name, title, parts))
    title = board_title(made.record, made.standings) if made.stored else made.record.spec.name
    top = header(title, summary(made, keys), [(name, text) for name, text, _ in sections])
    groups = {f"group{number}": key for number, key in enumerate(keys, 1)}
    body = "\n".join(
        section(name, text, parts, key=groups.get(name)) for name, text, parts in sections
    )
    foot = f"<footer><p>tabletop-arena {escape(made.record.version)}</p></footer>"
    main = f'{top}\n<main id="main">\n{body}\n</main>\n{foot}'
    described = f"Results of the run {made.record.spec.name}."
    return document(title, main, ["page.js"], described)


def summary(made: Tables, keys: list[tuple[str, str, int]]) -> list[str]:
    """The facts at the top: how much was played, by whom, and what is wrong with it."""
    bots = len(made.standings["entrant"].unique())
    games = len({game for game, _, _ in keys})
    said = [
        f"{escape(made.record.spec.name)}: {counted(made.stored, 'match', 'matches')}, "
        f"{counted(bots, 'bot')}, {counted(games, 'game')}. Intervals are 95 %, by deals. Point at a mark, "
        "or move through a chart with the arrow keys; headings of tables sort them."
    ]
    if not made.stored:
        return ["No matches yet: nothing to report."]
    if made.answer:
        said.append(escape(made.answer))
    if made.unfinished:
        said.append(
            f'<span class="warning">{made.progress.text.capitalize()}: {made.stored:,} of '
            f"{made.planned:,} matches are stored.</span>"
        )
    said += [
        f'<span class="warning">{escape(line)}.</span>' for line in (*made.aside_lines, *made.hosts)
    ]
    lost = int(made.faults["faults"].sum()) if len(made.faults) else 0
    if lost:
        said.append(
            f'<span class="warning">{counted(lost, "match", "matches")} lost by a fault: see '
            '<a href="#faults">Faults</a>.</span>'
        )
    return said


def counted(number: int, one: str, more: str = "") -> str:
    """'1 bot', '1,200 matches'."""
    return f"{number:,} {one if number == 1 else more or one + 's'}"


def group_parts(source: Source) -> Iterator[str]:
    """All that a report says about a group."""
    strength = (event_part, standing, duels, differences_part, order_of_play, sides, budgets)
    for part in (*strength, points, lengths, endings, usage):
        yield part(source)
    yield talks(source)
    made, key = source.made, source.key
    clocks = list(clock_lines(of_group(made.standings, key), made.record.spec.clock))
    if clocks:
        yield f'<div class="panel"><h3>The clock</h3>{bullets(clocks)}</div>'
    limits = notes(source.made, source.key)
    if limits:
        yield f'<div class="panel"><h3>What limits these numbers</h3>{bullets(limits)}</div>'


def talks(source: Source) -> str:
    """What language models cost and how they answered."""
    rows = talk_board(source.made.chat, source.key)
    if rows.empty:
        return ""
    return f'<article class="figure"><h3>Language models</h3>{table(rows, TALKED)}</article>'


# --- variants and faults --------------------------------------------------------------------------


def variants(found: Findings, names: Names) -> Iterator[str]:
    """Measures of each variant beside those of the others."""
    for _, rows in found.variants.groupby(["game", "players"], sort=False):
        game, players = str(rows["game"].iloc[0]), int(rows["players"].iloc[0])
        frame = pd.DataFrame(
            {
                "measure": [f"{row['measure']} ({row['unit']})" for row in records(rows)],
                "name": rows["variant"],
                "value": rows["value"],
                "low": rows["low"],
                "high": rows["high"],
                "hover": [
                    f"{row['variant']}: {row['measure']} {row['value']:.1f}"
                    f"{interval(row['low'], row['high'], '{:.1f}')} {row['unit']}"
                    for row in records(rows)
                ],
            }
        )
        shown = pd.DataFrame(
            {
                "variant": rows["variant"],
                "measure": rows["measure"],
                "value": texts(rows["value"], "{:.2f}".format),
                "95 %": spans(rows["low"], rows["high"], "{:.2f}"),
                "unit": rows["unit"],
                "deals": rows["deals"],
            }
        )
        count = rows["variant"].nunique()
        title = f"{game} with {counted(players, 'player')}: {count} variants on common deals"
        beside = table(shown, "Measures of each variant", left=("variant", "measure", "unit"))
        note = "Intervals are of each variant; where two overlap, the difference may still be sure."
        yield figure(names, charts.forest(frame), title, beside, note)


def faults(made: Tables) -> Iterator[str]:
    """Who failed, how often, and an example of each kind."""
    frame = made.faults
    if frame.empty:
        if made.stored:
            yield paragraph("No bot crashed, ran out of time or answered illegally.")
        return
    shown = frame.drop(columns=[name for name in KEY if frame[name].nunique() == 1])
    if "share" in shown:
        shown = shown.assign(share=texts(100 * shown["share"], "{:.2f} %".format))
    said = [Cell(f"<pre>{escape(text)}</pre>" if text else "") for text in shown["stderr"]]
    shown = shown.drop(columns="stderr")
    if any(cell.html for cell in said):
        shown["last on stderr"] = pd.Series(said, index=shown.index, dtype=object)
    shown = shown.rename(columns={"entrant": "bot"})
    words = [name for name in shown.columns if name not in ("faults", "share", "players")]
    yield f'<div class="panel">{table(shown, "Matches lost by a fault", left=words)}</div>'


# --- matches --------------------------------------------------------------------------------------


def matches(made: Tables, folder: Path) -> Iterator[str]:
    """The matches that tell most, each with why and with the command, or a link, that replays it."""
    if not made.stored:
        return
    rows = most_telling(made.results, MOST_LISTED, MOST_FAULTS_LISTED)
    shown = pd.DataFrame({"why": rows["why"], "seats": rows["seating"], "first": rows["first"]})
    if made.standings[KEY].drop_duplicates().shape[0] > 1:
        keys = list(rows[KEY].itertuples(index=False, name=None))
        titles = {key: group_title(made.record, key) for key in set(keys)}
        shown.insert(1, "game", [titles[key] for key in keys])
    run = shown_folder(made.folder, folder)
    shown["ended by"] = [ended(row["ending"], row["reason"]) for row in records(rows)]
    shown["turns"], shown["deal"] = rows["turns"], rows["deal"]
    links = [replay_cell(made.folder, folder, run, match_id) for match_id in rows["match_id"]]
    shown["replay"] = pd.Series(links, index=shown.index, dtype=object)
    left = ("why", "game", "seats", "first", "ended by", "replay")
    listed = f"{len(rows):,} of {made.stored:,} matches, those that tell most first"
    if sampled := sample_text(made.results, made.stored):
        listed = f"{len(rows):,} matches that tell most, {sampled}"
    everything = f"arena matches {quoted(run)} --most {made.stored}"
    yield (
        '<div class="panel">'
        + table(shown, listed, left=left)
        + f'<p class="note">All of them: <code>{escape(everything)}</code>, or <code>arena web</code>.</p></div>'
    )


def ended(ending: str, reason: str) -> str:
    """Why a match ended in the words of the rules; in the referee's where a fault ended it."""
    return (reason if ending == FINISHED else ending).replace("_", " ")


def replay_file(match_id: str) -> str:
    """Where in a run's folder the replay of a match lies."""
    return f"{REPLAYS}/{match_id}.html"


def replay_cell(run: Path, folder: Path, shown: str, match_id: str) -> Cell:
    """The command that makes a replay; before it a link where it is there, else a mark that `link_replay` finds."""
    mark = f'<span data-replay="{match_id}"></span>'
    if folder == run and (run / replay_file(match_id)).exists():
        mark = f'<a href="{replay_file(match_id)}">watch</a>'
    return Cell(f"{mark} {code(f'{replay_command(shown, match_id)} --html')}")


def link_replay(run: Path, match_id: str) -> bool:
    """Let the report of a run link to a replay that has just been written; False if it lists it not."""
    page = run / PAGE
    if not page.exists():
        return False
    text = page.read_text(encoding="utf-8")
    mark = f'<span data-replay="{match_id}"></span>'
    if mark not in text:
        return False
    write_text(page, text.replace(mark, f'<a href="{replay_file(match_id)}">watch</a>', 1))
    return True

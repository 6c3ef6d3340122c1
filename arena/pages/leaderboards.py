"""Boards of several runs as text, Markdown, CSV and one HTML page."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

from arena.pages import charts
from arena.pages.html import Names, document, figure, header, paragraph, section, table, texts
from arena.pages.report import counted
from arena.pages.source import Source, interval
from arena.pages.strength import duels, leader_text, order_of_play, sides, standing
from arena.results import distributions
from arena.results.cells import write_table
from arena.results.findings import Findings
from arena.results.leaderboards import Boards
from arena.results.report import (
    aligned,
    escaped,
    group_keys,
    heading,
    leaderboard,
    markdown,
    of_group,
    records,
    score_grid,
    spans,
)
from arena.statistics.alpha_rank import ALPHA, POPULATION
from arena.store.files import write_text

ALPHA_NOTE = (
    f"Alpha-rank: share in the long run of a population of {POPULATION} that imitates winners "
    f"(alpha {ALPHA:g} a win); where bots beat each other in a circle, it says more than Elo."
)
CHANCE = "One pair in twenty lies outside its interval by chance."
MOST_SHOWN = 10


def write_boards(boards: Boards, folder: Path) -> None:
    """Write leaderboard.html, leaderboard.md and a CSV for each table into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    made = boards.made
    for name, frame in (
        ("standings", made.standings),
        ("head_to_head", made.head_to_head),
        ("surprises", boards.surprises),
        ("circles", boards.circles),
        ("overall", boards.overall),
    ):
        write_table(folder / f"{name}.csv", frame)
    write_text(folder / "leaderboard.md", markdown_text(boards))
    write_text(folder / "leaderboard.html", html_text(boards))


# --- tables as people read them -------------------------------------------------------------------


def board_frame(boards: Boards, key: tuple[str, str, int]) -> pd.DataFrame:
    """The leaderboard of a group with alpha-rank beside Elo."""
    frame = leaderboard(boards.made, key)
    shares = of_group(boards.made.standings, key)["alpha_rank"]
    place = list(frame.columns).index("win share")
    frame.insert(place, "alpha-rank", texts(100 * shares, "{:.1f} %".format))
    return frame


def overall_frame(boards: Boards) -> pd.DataFrame:
    """The board over all games as text."""
    rows = boards.overall
    games = [name for name in rows.columns if name.startswith("elo_") and name not in ENDS]
    return pd.DataFrame(
        {
            "#": range(1, len(rows) + 1),
            "bot": rows["entrant"],
            "Elo": texts(rows["elo"], "{:+.0f}".format),
            "95 %": spans(rows["elo_low"], rows["elo_high"], "{:+.0f}"),
            **{name.removeprefix("elo_"): texts(rows[name], "{:+.0f}".format) for name in games},
        }
    )


ENDS = ("elo_low", "elo_high")


def surprise_frame(rows: pd.DataFrame) -> pd.DataFrame:
    """Pairs against the rating's prediction as text."""
    return pd.DataFrame(
        {
            "bot": rows["entrant"],
            "opponent": rows["opponent"],
            "score": texts(100 * rows["score"], "{:.1f} %".format),
            "95 %": spans(100 * rows["score_low"], 100 * rows["score_high"], "{:.1f}"),
            "predicted": texts(100 * rows["predicted"], "{:.1f} %".format),
            "difference": texts(100 * rows["difference"], "{:+.1f}".format),
            "outside": np.where(rows["outside"], "yes", ""),
        }
    )


def transitivity_text(boards: Boards, key: tuple[str, str, int]) -> str:
    """Whether one number per bot tells who beats whom."""
    pairs, circles = of_group(boards.surprises, key), of_group(boards.circles, key)
    if pairs.empty:
        return ""
    outside = int(pairs["outside"].sum())
    said = f"{outside} of {counted(len(pairs), 'pair')} outside what Elo predicts"
    sure = circles[circles["sure"]]
    if len(sure):
        row = sure.iloc[0]
        around = f"{row['first']} beats {row['second']} beats {row['third']} beats {row['first']}"
        return f"{said}; {counted(len(sure), 'circle')} beyond doubt: {around}"
    if len(circles):
        return f"{said}; {counted(len(circles), 'circle')} that may be chance"
    return f"{said}, no circles"


# --- terminal and Markdown ------------------------------------------------------------------------


def boards_text(boards: Boards) -> str:
    """All boards for the terminal."""
    parts = []
    for key in group_keys(boards.made.standings):
        lines = [heading(key), aligned(board_frame(boards, key)), transitivity_text(boards, key)]
        parts.append("\n".join(filter(None, lines)))
    if len(boards.overall):
        parts.append(f"all games, mean Elo\n{aligned(overall_frame(boards))}")
    return "\n\n".join(parts) or "no matches yet"


def markdown_text(boards: Boards) -> str:
    """All boards in Markdown."""
    parts = ["# Leaderboard", ""]
    if len(boards.overall):
        parts += ["## All games", "", markdown(overall_frame(boards)), ""]
    for key in group_keys(boards.made.standings):
        parts += [f"## {escaped(heading(key))}", "", markdown(board_frame(boards, key)), ""]
        grid = score_grid(boards.made, key)
        if len(grid) > 1:
            parts += ["Score of the row against the column (%):", "", markdown(grid), ""]
        told = escaped(transitivity_text(boards, key))
        parts += [f"{told}.", ""] if told else []
    return "\n".join([*parts, "---", "", ALPHA_NOTE, "", escaped(made_text(boards))]) + "\n"


def made_text(boards: Boards) -> str:
    """From what the boards were made."""
    runs = ", ".join(run.name for run in boards.runs)
    rules = ", ".join(f"{name} {game.rules}" for name, game in boards.made.record.games.items())
    return (
        f"Made by tabletop-arena {', '.join(boards.versions)} from "
        f"{counted(boards.made.stored, 'match', 'matches')} of {runs}. Rules: {rules}."
    )


# --- HTML -----------------------------------------------------------------------------------------


def html_text(boards: Boards) -> str:
    """All boards as one page."""
    names = Names()
    made = boards.made
    budgets = distributions.budgets(made.standings, made.record.entrants.values())
    nothing = pd.DataFrame()
    found = Findings(nothing, nothing, nothing, budgets, nothing, nothing, ())
    sections = [("overall", "All games", list(overall_parts(boards, names)))]
    for number, key in enumerate(group_keys(made.standings), 1):
        parts = list(board_parts(boards, Source(made, found, key, names)))
        sections.append((f"group{number}", heading(key), parts))
    sections = [entry for entry in sections if entry[2]]
    runs = ", ".join(escape(run.name) for run in boards.runs)
    lines = [f"{counted(made.stored, 'match', 'matches')} of {runs}. {escape(ALPHA_NOTE)}"]
    top = header("Leaderboard", lines, [(name, text) for name, text, _ in sections])
    body = "\n".join(section(name, text, parts) for name, text, parts in sections)
    foot = f"<footer>{paragraph(made_text(boards))}</footer>"
    main = f'{top}\n<main id="main">\n{body}\n</main>\n{foot}'
    return document("Leaderboard", main, ["page.js"], "Bots rated over several runs.")


def overall_parts(boards: Boards, names: Names) -> Iterator[str]:
    """The board over all games."""
    rows = boards.overall
    if rows.empty:
        return
    frame = pd.DataFrame(
        {
            "name": rows["entrant"],
            "value": rows["elo"],
            "low": rows["elo_low"],
            "high": rows["elo_high"],
            "hover": [
                f"{row['entrant']}: {row['elo']:+.0f}"
                f"{interval(row['elo_low'], row['elo_high'], '{:+.0f}')}"
                for row in records(rows)
            ],
        }
    )
    beside = table(overall_frame(boards), "Mean Elo over games, of bots that played them all")
    chart = charts.whiskers(frame, "Elo, mean of all games, with 95 % interval")
    note = "Each game counts alike; 0 is the mean of the bots that played everywhere."
    yield figure(names, chart, f"Over all games {leader_text(frame)}", beside, note)


def board_parts(boards: Boards, source: Source) -> Iterator[str]:
    """One group: strength, who beats whom, and what the rating does not tell."""
    key = source.key
    yield standing(source, board_frame(boards, key))
    yield duels(source)
    pairs = of_group(boards.surprises, key).head(MOST_SHOWN)
    if len(pairs):
        shown = table(surprise_frame(pairs), "Pairs farthest from the rating's prediction")
        told = escape(transitivity_text(boards, key))
        yield f'<article class="figure"><h3>{told}</h3>{shown}{paragraph(CHANCE, "note")}</article>'
    yield order_of_play(source)
    yield sides(source)

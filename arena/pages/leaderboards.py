"""Boards of several runs as text, Markdown, CSV and one HTML page."""

from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd

from arena.pages import charts
from arena.pages.history import history
from arena.pages.html import Names, document, figure, header, paragraph, section, table, texts
from arena.pages.report import counted, talks
from arena.pages.source import Source, interval
from arena.pages.strength import differences_part, duels, order_of_play, sides, standing
from arena.results import distributions
from arena.results.cells import write_table
from arena.results.claims import circle_text, fit_text, outside_text
from arena.results.findings import Findings
from arena.results.leaderboards import Boards
from arena.results.overall import missing_bots
from arena.results.rankings import aligned, for_terminal, is_open, leaderboard, rankings, spans
from arena.results.report import (
    design_line,
    escaped,
    group_keys,
    heading,
    markdown,
    of_group,
    records,
    score_grid,
)
from arena.results.talks import TALKED, talk_board, talk_text
from arena.results.titles import board_title, group_title
from arena.statistics.alpha_rank import ALPHA, POPULATION
from arena.store.files import write_text

ALPHA_NOTE = (
    f"Alpha-rank: share in the long run of a population of {POPULATION} that imitates winners "
    f"(alpha {ALPHA:g} a win); where bots beat each other in a circle, it says more than Elo."
)
CHANCE = "By chance fewer than one pair in twenty lies outside: its own matches are among those that rate it."
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
        ("fits", boards.fits),
        ("pairs", made.pairs),
        *([("chat", made.chat)] if len(made.chat) else []),
    ):
        write_table(folder / f"{name}.csv", frame)
    write_text(folder / "leaderboard.md", markdown_text(boards))
    write_text(folder / "leaderboard.html", html_text(boards))


# --- tables as people read them -------------------------------------------------------------------


def board_frames(boards: Boards, key: tuple[str, str, int]) -> list[tuple[str, pd.DataFrame]]:
    """The rankings of a group, each with its title, with alpha-rank beside Elo."""
    found = []
    for title, rows in rankings(of_group(boards.made.standings, key)):
        frame = leaderboard(rows)
        if rows["alpha_rank"].notna().any():
            place = list(frame.columns).index("win share")
            shares = [
                f"{100 * row['alpha_rank']:.1f} %"
                f"{interval(100 * row['alpha_low'], 100 * row['alpha_high'], '{:.1f}')}"
                for row in records(rows)
            ]
            frame.insert(place, "alpha-rank", shares)
        found.append((title, frame))
    return found


def overall_frame(boards: Boards) -> pd.DataFrame:
    """The board over all games as text."""
    rows = boards.overall
    games = [name for name in rows.columns if name.startswith("score_") and name not in ENDS]
    return pd.DataFrame(
        {
            "#": range(1, len(rows) + 1),
            "bot": rows["entrant"],
            "score": texts(100 * rows["score"], "{:.1f} %".format),
            "95 %": spans(100 * rows["score_low"], 100 * rows["score_high"], "{:.1f}"),
            "Elo": texts(rows["elo"].where(~rows.apply(is_open, axis=1)), "{:+.0f}".format),
            "95 % ": spans(rows["elo_low"], rows["elo_high"], "{:+.0f}"),
            **{
                name.removeprefix("score_"): texts(100 * rows[name], "{:.1f} %".format)
                for name in games
            },
        }
    )


ENDS = ("score_low", "score_high")


def overall_note(boards: Boards) -> str:
    """How the board over all games is made, and who is not on it."""
    missing = missing_bots(boards.made.results.groups)
    left = f" Not on it, missing in a game: {', '.join(missing)}." if missing else ""
    return (
        "Mean over games, each counting alike: score (wins and half the draws) and Elo against the "
        f"other bots of this board, all of whom played every game.{left}"
    )


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
    sure, others = circles[circles["sure"]], len(circles) - int(circles["sure"].sum())
    parts = [outside_text(records(pairs)), *map(circle_text, records(sure)[:1])]
    if len(sure) > 1:
        parts.append(f"{counted(len(sure) - 1, 'more circle')} sure")
    if others:
        parts.append(f"{counted(others, 'circle')} undecided: a link or more may go the other way")
    if circles.empty:
        parts.append("no circle among the scores")
    return "; ".join([*parts, *map(fit_text, records(of_group(boards.fits, key)))])


# --- terminal and Markdown ------------------------------------------------------------------------


def boards_text(boards: Boards) -> str:
    """All boards for the terminal."""
    parts = []
    for key in group_keys(boards.made.standings):
        lines = [heading(key)]
        for title, frame in board_frames(boards, key):
            lines += [f"{title}:" if title else "", aligned(for_terminal(frame))]
        lines += [design_line(boards.made, key), transitivity_text(boards, key)]
        lines.append(talk_text(boards.made.chat, key))
        parts.append("\n".join(filter(None, lines)))
    if len(boards.overall):
        parts.append(f"all games\n{aligned(overall_frame(boards))}\n{overall_note(boards)}")
    return "\n\n".join(parts) or "no matches yet"


def markdown_text(boards: Boards) -> str:
    """All boards in Markdown."""
    parts = [f"# {escaped(boards_title(boards))}", ""]
    if len(boards.overall):
        parts += ["## All games", "", markdown(overall_frame(boards)), "", overall_note(boards), ""]
    for key in group_keys(boards.made.standings):
        parts += [f"## {escaped(group_title(boards.made.record, key))}", ""]
        for title, frame in board_frames(boards, key):
            parts += [f"{title}:", ""] if title else []
            parts += [markdown(frame), ""]
        grid = score_grid(boards.made, key)
        if len(grid) > 1:
            parts += ["Score of the row against the column (%):", "", markdown(grid), ""]
        if len(talked := talk_board(boards.made.chat, key)):
            parts += [f"{TALKED}:", "", markdown(talked), ""]
        told = escaped(transitivity_text(boards, key))
        parts += [f"{told}.", ""] if told else []
    return "\n".join([*parts, "---", "", ALPHA_NOTE, "", escaped(made_text(boards))]) + "\n"


def boards_title(boards: Boards) -> str:
    """'Connect Four and Karmaka: leaderboard of 9 bots, of 3 runs'."""
    return f"{board_title(boards.made.record, boards.made.standings)}, of {counted(len(boards.runs), 'run')}"


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
    groups: dict[str, tuple[str, str, int]] = {}
    for number, key in enumerate(group_keys(made.standings), 1):
        parts = list(board_parts(boards, Source(made, found, key, names)))
        sections.append((f"group{number}", group_title(made.record, key), parts))
        groups[f"group{number}"] = key
    sections.append(("history", "History", list(past(boards, names))))
    sections = [entry for entry in sections if entry[2]]
    runs = ", ".join(escape(run.name) for run in boards.runs)
    lines = [f"{counted(made.stored, 'match', 'matches')} of {runs}. {escape(ALPHA_NOTE)}"]
    title = boards_title(boards)
    top = header(title, lines, [(name, text) for name, text, _ in sections])
    body = "\n".join(
        section(name, text, parts, key=groups.get(name)) for name, text, parts in sections
    )
    foot = f"<footer>{paragraph(made_text(boards))}</footer>"
    main = f'{top}\n<main id="main">\n{body}\n</main>\n{foot}'
    return document(title, main, ["page.js"], "Bots rated over several runs.")


def overall_parts(boards: Boards, names: Names) -> Iterator[str]:
    """The board over all games."""
    rows = boards.overall
    if rows.empty:
        return
    frame = pd.DataFrame(
        {
            "name": rows["entrant"],
            "value": 100 * rows["score"],
            "low": 100 * rows["score_low"],
            "high": 100 * rows["score_high"],
            "hover": [
                f"{row['entrant']}: {100 * row['score']:.1f} %"
                f"{interval(100 * row['score_low'], 100 * row['score_high'], '{:.1f}')}"
                for row in records(rows)
            ],
        }
    )
    beside = table(overall_frame(boards), "Mean over games, of bots that played them all")
    chart = charts.whiskers(frame, "score (%), mean of all games, with 95 % interval", par=50)
    first = records(rows)[0]
    title = (
        f"Over all games {first['entrant']} scores {100 * first['score']:.1f} %"
        f"{interval(100 * first['score_low'], 100 * first['score_high'], '{:.1f}')}"
    )
    yield figure(names, chart, title, beside, overall_note(boards))


def past(boards: Boards, names: Names) -> Iterator[str]:
    """How ratings of each run went over time: those of one run say nothing of another's."""
    for run in boards.runs:
        name = run.name if len(boards.runs) > 1 else ""
        yield from history(run, boards.made.record, names, name)


def board_parts(boards: Boards, source: Source) -> Iterator[str]:
    """One group: strength, who beats whom, and what the rating does not tell."""
    key = source.key
    yield standing(source, board_frames(boards, key))
    yield duels(source)
    yield differences_part(source)
    pairs = of_group(boards.surprises, key).head(MOST_SHOWN)
    if len(pairs):
        shown = table(surprise_frame(pairs), "Pairs farthest from the rating's prediction")
        told = escape(transitivity_text(boards, key))
        yield f'<article class="figure"><h3>{told}</h3>{shown}{paragraph(CHANCE, "note")}</article>'
    yield order_of_play(source)
    yield sides(source)
    yield talks(source)

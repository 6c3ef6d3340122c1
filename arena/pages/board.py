"""What is published with a board in Markdown: its page, its pictures, and matches to watch."""

from pathlib import Path

from arena.pages import charts
from arena.pages.drawing import png_bytes
from arena.pages.report import write_report
from arena.pages.strength import duel_chart, elo_chart, elo_rows, leader_text
from arena.pages.watched import watched_list, write_watched
from arena.results.findings import Findings
from arena.results.rankings import rankings
from arena.results.report import (
    MOST_IN_GRID,
    Tables,
    group_keys,
    of_group,
    pictured,
    score_grid,
)
from arena.results.titles import board_title, grid_picture, group_title
from arena.store.files import write_bytes


def write_board_pages(made: Tables, found: Findings, board: Path) -> list[Path]:
    """Write page, pictures and matches to watch beside a board in Markdown that is there, named like it."""
    page, picture = board.with_suffix(".html"), board.with_suffix(".png")
    watched = write_watched(made, board)
    write_report(made, found, page, watched_list(watched))
    files = [page]
    chart = board_chart(made)
    if chart is not None:
        write_bytes(picture, png_bytes(chart))
        files.append(picture)
    return [*files, *grid_pictures(made, board), *(one.file for one in watched)]


def board_chart(made: Tables) -> charts.Chart | None:
    """The leaderboard of a run's first group that has one; None where nobody has an Elo."""
    key = pictured(made)
    if key is None:
        return None
    (_, rows), *_ = rankings(of_group(made.standings, key))
    rated = elo_rows(rows)
    said = leader_text(rated, of_group(made.pairs, key))
    title = [f"{board_title(made.record, made.standings)}, {group_title(made.record, key)}", said]
    return charts.titled(elo_chart(rated, charts.WIDE), title)


def grid_pictures(made: Tables, board: Path) -> list[Path]:
    """Who beats whom as a picture, for each group with more bots than a table holds."""
    files = []
    for number, key in enumerate(group_keys(made.standings), 1):
        order = list(score_grid(made, key)["bot"])
        if len(order) > MOST_IN_GRID:
            file = board.with_name(grid_picture(board.stem, number))
            write_bytes(file, png_bytes(duel_chart(of_group(made.head_to_head, key), order)))
            files.append(file)
    return files

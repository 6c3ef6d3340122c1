"""What is published with a board in Markdown: its page, its picture, and matches to watch."""

from pathlib import Path

from arena.pages import charts
from arena.pages.drawing import png_bytes
from arena.pages.report import write_report
from arena.pages.strength import elo_rows, leader_text
from arena.pages.watched import watched_list, write_watched
from arena.results.findings import Findings
from arena.results.rankings import rankings
from arena.results.report import Tables, heading, of_group, pictured


def write_board_pages(made: Tables, found: Findings, board: Path) -> list[Path]:
    """Write page, picture and matches to watch beside a board in Markdown that is there, named like it."""
    page, picture = board.with_suffix(".html"), board.with_suffix(".png")
    watched = write_watched(made, board)
    write_report(made, found, page, watched_list(watched))
    files = [page, *(one.file for one in watched)]
    chart = board_chart(made)
    if chart is None:
        return files
    picture.write_bytes(png_bytes(chart))
    return [page, picture, *files[1:]]


def board_chart(made: Tables) -> charts.Chart | None:
    """The leaderboard of a run's first group that has one; None where nobody has an Elo."""
    key = pictured(made)
    if key is None:
        return None
    (_, rows), *_ = rankings(of_group(made.standings, key))
    rated = elo_rows(rows)
    chart = charts.whiskers(rated, "Elo, with 95 % interval", width=charts.WIDE)
    return charts.titled(chart, f"{heading(key)}: {leader_text(rated, of_group(made.pairs, key))}")

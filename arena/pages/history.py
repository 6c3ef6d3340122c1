"""How ratings went from one call of a run to the next."""

from collections.abc import Iterator

from arena.pages.html import table, texts
from arena.results.league import read_history
from arena.results.rankings import spans
from arena.results.report import Tables
from arena.results.titles import group_title

LEFT = ("time (UTC)", "bot", "game")


def history(made: Tables) -> Iterator[str]:
    """The history of a run's ratings, newest first; nothing before there are two of them."""
    rows = read_history(made.folder)
    if rows.stored.nunique() < 2:
        return
    newest = rows.iloc[::-1]
    keys = newest[["game", "variant", "players"]].itertuples(index=False, name=None)
    shown = newest[["time", "stored", "entrant"]].rename(
        columns={"time": "time (UTC)", "stored": "matches stored", "entrant": "bot"}
    )
    shown = shown.assign(
        **{
            "time (UTC)": [str(time)[:16].replace("T", " ") for time in newest["time"]],
            "game": [group_title(made.record, key) for key in keys],
            "Elo": texts(newest["elo"], "{:.0f}".format),
            "95 %": spans(newest["elo_low"], newest["elo_high"], "{:.0f}"),
        }
    )
    told = "Ratings after each call that played, newest first; a version is the number behind @"
    yield f'<div class="panel">{table(shown, told, left=LEFT)}</div>'

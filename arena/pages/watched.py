"""Matches that come with a published board, so that a visitor can watch without playing anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from arena.pages.replay import replay_html
from arena.results.replay import open_replay
from arena.results.report import Tables, escaped
from arena.results.telling import Telling, telling_matches
from arena.store.files import write_text

MOST_BYTES = 200_000  # of a page; a longer match gives way to the next one of its kind
TITLES = {"upset": "An upset", "closest": "The closest", "typical": "A typical one"}


@dataclass(frozen=True)
class Watched:
    """A page of a match that was written beside a board."""

    file: Path
    telling: Telling

    @property
    def title(self) -> str:
        """What it is, in words."""
        return f"{TITLES[self.telling.kind]}: {self.telling.why}"


def write_watched(made: Tables, board: Path) -> list[Watched]:
    """Write the pages of three matches a game beside a board in Markdown that is there, and link them from it."""
    found: list[Watched] = []
    games = {key[0] for key in made.standings[["game"]].itertuples(index=False)}
    for candidates in telling_matches(made.results):
        taken = {one.telling.match_id for one in found}
        for telling in candidates:
            if telling.match_id in taken:
                continue
            name = f"{board.stem}-{telling.kind}"
            name = f"{name}-{telling.game}" if len(games) > 1 else name
            back = (f"{board.stem}.html", "Back to the board")
            page = replay_html(open_replay(made.folder, telling.match_id), back)
            if len(page.encode()) <= MOST_BYTES:
                write_text(board.with_name(f"{name}.html"), page)
                found.append(Watched(board.with_name(f"{name}.html"), telling))
                break
    if found:
        lines = [f"* [{escaped(one.title)}]({one.file.name})" for one in found]
        text = "\n".join(["", "## Matches to watch", "", *lines, ""])
        write_text(board, board.read_text(encoding="utf-8").rstrip("\n") + "\n" + text)
    return found


def watched_list(found: Sequence[Watched]) -> str:
    """Links to the pages, for a board's own page."""
    entries = "".join(
        f'<li><a href="{escape(one.file.name, quote=True)}">{escape(one.title)}</a></li>'
        for one in found
    )
    return f'<div class="panel"><ul>{entries}</ul></div>' if entries else ""

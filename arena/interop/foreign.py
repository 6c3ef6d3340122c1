"""Results of other tools, rated as ours are: CSV of placements, PGN of any game (its moves are not read).

CSV: a match a row, `entrant_1`, `entrant_2`, ... in order of play with `rank_1`, `rank_2`, ... (1 is best, ties share).
With columns `game`, `variant` and `deal` each game and variant has a table of its own, and matches of one deal count as
one in intervals. What a smaller table does not need stays empty; of teams every side is listed once. What
`arena export` writes is read back so. PGN: the tags White, Black and Result; `Variant`, if there is one, names the
game. Unfinished games count for nothing.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pandas as pd

from arena.results.rankings import aligned, elo_text, spans
from arena.results.report import records
from arena.results.tables import rating_notes
from arena.statistics.placements import placements
from arena.statistics.ratings import rate
from engines.errors import UserError
from engines.texts import clean

ENDINGS = (".csv", ".pgn")
LONGEST_NAME = 100
LONGEST_NUMBER = 20
DEAL_BITS = 32
MOST = (1 << DEAL_BITS) - 1  # deals of one file lie below those of the next
TAG = re.compile(r'^\s*\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*$')
RANKS = {"1-0": (1, 2), "0-1": (2, 1), "1/2-1/2": (1, 1)}
UNFINISHED = "*"
COLUMNS = (
    *("game", "players", "entrant", "elo", "elo_low", "elo_high"),
    *("matches", "mean_rank", "note"),
)


@dataclass(frozen=True)
class Placing:
    """One match of another tool: the entrants in order of play and their ranks; deal -1: one of its own."""

    game: str
    entrants: tuple[str, ...]
    ranks: tuple[int, ...]
    deal: int = -1


def foreign_standings(files: Sequence[Path]) -> pd.DataFrame:
    """Elo with 95 % intervals of all entrants, one table for each game and number of players, the best first.

    Raises:
        UserError: names the file, the line and what would be right.
    """
    groups: dict[tuple[str, int], list[Placing]] = {}
    for number, file in enumerate(files):
        for placing in read_results(file, number):
            groups.setdefault((placing.game, len(placing.entrants)), []).append(placing)
    frames = [standings_of(*key, matches) for key, matches in groups.items()]
    if not frames:
        raise UserError(f"{', '.join(map(str, files))}: no finished match")
    return pd.concat(frames, ignore_index=True)


def foreign_text(table: pd.DataFrame) -> str:
    """The tables of foreign_standings for the terminal."""
    parts = []
    for (game, players), rows in table.groupby(["game", "players"], sort=False):
        shown = pd.DataFrame(
            {
                "#": range(1, len(rows) + 1),
                "bot": rows["entrant"],
                "Elo": [elo_text(row) for row in records(rows)],
                "95 %": spans(rows["elo_low"], rows["elo_high"], "{:.0f}"),
                "matches": rows["matches"],
                "mean rank": rows["mean_rank"].map("{:.2f}".format),
            }
        )
        notes = [f"{name}: {note}" for name, note in rows[["entrant", "note"]].to_numpy() if note]
        parts.append("\n".join((f"{game}, {players} players\n{aligned(shown)}", *notes)))
    return "\n\n".join(parts)


def standings_of(game: str, players: int, matches: Sequence[Placing]) -> pd.DataFrame:
    """The table of one game and number of players."""
    names = sorted({name for placing in matches for name in placing.entrants})
    sides = np.array([[names.index(name) for name in m.entrants] for m in matches])
    ranks = np.array([m.ranks for m in matches])
    own = max((m.deal for m in matches), default=0) + 1
    deals = [m.deal if m.deal >= 0 else own + number for number, m in enumerate(matches)]
    ratings = rate(placements(names, sides, ranks, deals=deals))
    rows = np.arange(len(names))
    sat = sides[..., None] == rows
    bounded = ~np.isnan(ratings.low)
    table = pd.DataFrame(
        {
            "game": game,
            "players": players,
            "entrant": names,
            "elo": ratings.elo,
            "elo_low": np.where(ratings.open_low & bounded, -np.inf, ratings.low),
            "elo_high": np.where(ratings.open_high & bounded, np.inf, ratings.high),
            "matches": sat.any(axis=1).sum(axis=0),
            "mean_rank": (sat * ranks[..., None]).sum(axis=(0, 1)) / sat.sum(axis=(0, 1)),
            "note": ["; ".join(notes) for notes in rating_notes(ratings)],
        },
        columns=list(COLUMNS),
    )
    return table.sort_values(["elo", "entrant"], ascending=[False, True], ignore_index=True)


def read_results(file: Path, number: int = 0) -> Iterator[Placing]:
    """The finished matches of a file; deals of different files (by `number`) are different ones.

    Raises:
        UserError: names the file, the line and what would be right.
    """
    if file.suffix.lower() not in ENDINGS:
        raise UserError(f"{file}: expected a file that ends in {' or '.join(ENDINGS)}")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UserError(f"{file}: {(error.strerror or str(error)).lower()}") from None
    except UnicodeDecodeError:
        raise UserError(f"{file}: not text in UTF-8") from None
    if file.suffix.lower() == ".pgn":
        yield from read_pgn(text, file)
    else:
        yield from read_csv(text, file, number)


# --- PGN --------------------------------------------------------------------------------------------------


def read_pgn(text: str, file: Path) -> Iterator[Placing]:
    """The finished games of a PGN file."""
    tags: dict[str, str] = {}
    begun = 0
    for line, content in enumerate(text.splitlines(), 1):
        found = TAG.match(content)
        if found is None:
            continue
        if (found[1] == "Event" and tags) or found[1] in tags:
            yield from placing_of(tags, f"{file}:{begun}")
            tags = {}
        begun = begun if tags else line
        tags[found[1]] = re.sub(r"\\(.)", r"\1", found[2])
    if tags:
        yield from placing_of(tags, f"{file}:{begun}")


def placing_of(tags: dict[str, str], where: str) -> Iterator[Placing]:
    """The game of some tags, if it was finished."""
    for name in ("White", "Black", "Result"):
        if name not in tags:
            raise UserError(f"{where}: a game without the tag {name}")
    if tags["Result"] == UNFINISHED:
        return
    if tags["Result"] not in RANKS:
        known = ", ".join((*RANKS, UNFINISHED))
        raise UserError(f"{where}: Result {tags['Result']!r}, expected {known}")
    names = named(tags["White"], where), named(tags["Black"], where)
    yield Placing(named(tags.get("Variant", "pgn"), where), names, RANKS[tags["Result"]])


# --- CSV --------------------------------------------------------------------------------------------------


def read_csv(text: str, file: Path, number: int) -> Iterator[Placing]:
    """The matches of a CSV file."""
    rows = rows_of(text, file)
    _, head = next(rows, (0, []))
    if not head:
        raise UserError(f"{file}: no table: it is empty")
    if twice := sorted({name for name in head if head.count(name) > 1}):
        raise UserError(f"{file}: two columns {clean(twice[0], LONGEST_NAME)!r}")
    seats = [name.removeprefix("entrant_") for name in head if name.startswith("entrant_")]
    missing = [f"rank_{seat}" for seat in seats if f"rank_{seat}" not in head]
    if len(seats) < 2 or missing:
        wanted = missing[0] if missing else "entrant_1 and entrant_2"
        raise UserError(f"{file}: no column {wanted}")
    for line, row in rows:
        if len(row) > len(head):
            raise UserError(f"{file}:{line}: {len(row)} cells, expected {len(head)} at most")
        cells = dict(zip_longest(head, row, fillvalue=""))
        yield placing_in(cells, seats, number, f"{file}:{line}")


def rows_of(text: str, file: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV file, each with the line where it ends; empty lines are none."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise UserError(f"{file}:{reader.line_num}: no table: {error}") from None


def placing_in(row: dict[str, str], seats: Sequence[str], number: int, where: str) -> Placing:
    """The match of a row."""
    filled = [seat for seat in seats if row[f"entrant_{seat}"].strip()]
    if len(filled) < 2:
        raise UserError(f"{where}: {len(filled)} entrants, expected at least 2")
    entrants = tuple(named(row[f"entrant_{seat}"], where) for seat in filled)
    ranks = tuple(whole(row[f"rank_{seat}"], f"rank_{seat}", where) for seat in filled)
    if min(ranks) != 1:
        raise UserError(f"{where}: ranks {', '.join(map(str, ranks))}, expected 1 for the best")
    label = " ".join(filter(None, (row.get("game", ""), row.get("variant", ""))))
    deal = whole(row["deal"], "deal", where) if row.get("deal") else -1
    apart = number << DEAL_BITS  # deals of one file are not those of another
    return Placing(named(label or "csv", where), entrants, ranks, deal + apart if deal >= 0 else -1)


def whole(cell: str, column: str, where: str) -> int:
    """A whole number that is not negative."""
    if not cell.strip().isdecimal() or len(cell) > LONGEST_NUMBER or int(cell) > MOST:
        shown = clean(cell, LONGEST_NUMBER)
        raise UserError(f"{where}: {column} {shown!r}, expected a whole number of at most {MOST}")
    return int(cell)


def named(text: str, where: str) -> str:
    """A name that can be shown."""
    name = clean(text, LONGEST_NAME).strip()
    if not name:
        raise UserError(f"{where}: {text!r} is no name")
    return name

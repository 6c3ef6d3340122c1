"""Matches and seats row by row."""

from typing import Any

import numpy as np
import pandas as pd

from arena.results.groups import Group, Results
from arena.results.sums import key_of, tidy
from arena.statistics.placements import numbered, packed

MATCHES = (
    *("match_id", "game", "variant", "players", "deal", "seating", "first", "ending", "reason"),
    *("capped", "turns", "decisions", "forced", "seconds", "fault", "fault_text"),
)
SEATS = (
    *("match_id", "game", "variant", "players", "deal", "seat", "entrant", "rank", "points"),
    *("win_share", "decisions", "seconds", "fault"),
)


def matches(results: Results) -> pd.DataFrame:
    """Return one row for each match, of a large run for those of its sample; seating and first as names."""
    results = results.sample
    return tidy([_matches(group, results.matches) for group in results.groups], MATCHES)


def seats(results: Results) -> pd.DataFrame:
    """Return one row for each seat (0 begins) of each match."""
    results = results.sample
    return tidy([_seats(group, results.matches) for group in results.groups], SEATS)


def _matches(group: Group, stored: pd.DataFrame) -> dict[str, Any]:
    names = np.array(["", *group.names], dtype=object)
    kept = ("match_id", "ending", "reason", "turns", "decisions", "forced", "fault_text")
    columns = {name: stored[name].iloc[group.rows].to_numpy() for name in kept}
    everybody = np.ones(group.sides.shape, dtype=bool)
    seats = np.arange(len(group.rows)), group.faults
    return {
        **columns,
        **key_of(group),
        "deal": group.deals,
        "seating": _joined(group, everybody),
        "first": _joined(group, group.ranks == 1),
        "capped": group.capped,
        "seconds": group.seconds.sum(axis=1),
        "fault": names[np.where(group.faults >= 0, group.sides[seats] + 1, 0)],
    }


def _joined(group: Group, chosen: np.ndarray[Any, np.dtype[np.bool_]]) -> np.ndarray[Any, Any]:
    """Return the names of the chosen seats of each match (m,), joined once for each combination."""
    base = len(group.names) + 1
    codes, which = numbered(packed(np.where(chosen, group.sides + 1, 0), base))
    digits = codes[:, None] // base ** np.arange(group.players - 1, -1, -1) % base
    texts = [", ".join(group.names[digit - 1] for digit in row if digit) for row in digits]
    return np.array(texts, dtype=object)[which]


def _seats(group: Group, stored: pd.DataFrame) -> dict[str, Any]:
    count, width = group.sides.shape
    seat = np.tile(np.arange(width), count)
    return {
        **key_of(group),
        "match_id": np.repeat(stored["match_id"].iloc[group.rows].to_numpy(), width),
        "deal": np.repeat(group.deals, width),
        "seat": seat,
        "entrant": np.array(group.names, dtype=object)[group.sides.ravel()],
        "rank": group.ranks.ravel(),
        "points": group.points.ravel().astype(np.int64),
        "win_share": group.win_shares.ravel(),
        "decisions": group.decisions.ravel().astype(np.int64),
        "seconds": group.seconds.ravel(),
        "fault": seat == np.repeat(group.faults, width),
    }

"""Matches lost by a fault: how many of which kind, and an example of each."""

from typing import Any

import numpy as np
import pandas as pd

from arena.results.groups import Group, Results
from arena.results.sums import key_of, names, seat_weights, sums, tidy
from arena.statistics.choice_model import Integers
from arena.store.columns import ENDINGS

FAULTS = (
    *("illegal action", "timeout", "memory", "crash", "protocol error", "too long", "out of time"),
)
FAULT_COLUMNS = (
    *("game", "variant", "players", "entrant", "kind", "faults", "share", "example", "stderr"),
)


def faults(results: Results) -> pd.DataFrame:
    """Return one row for each entrant and kind of fault that occurred, with the earliest text.

    share: of all matches of the entrant in the group. stderr: the last that the bot wrote there.
    """
    return tidy([_faults(group, results.matches) for group in results.groups], FAULT_COLUMNS)


def _offences(group: Group, stored: pd.DataFrame) -> tuple[Integers, Integers, list[str]]:
    """Return the matches with a fault (rows of the group), their offenders and their kinds."""
    rows = np.flatnonzero(group.faults >= 0)
    if group.pooled is not None:
        kinds = [ENDINGS[kind] for kind in group.pooled.kinds[rows]]
    else:
        kinds = [str(kind) for kind in stored["ending"].iloc[group.rows[rows]]]
    return rows, group.sides[rows, group.faults[rows]], kinds


def fault_counts(group: Group, stored: pd.DataFrame) -> dict[str, Integers]:
    """Return how many matches each entrant (k,) lost by a fault, in all and by kind."""
    rows, offenders, kinds = _offences(group, stored)
    size, weights = len(group.names), group.weights[rows, 0]
    own = np.array(kinds, dtype=object)

    def count(flags: Any) -> Integers:
        return np.asarray(
            np.bincount(offenders[flags], weights[flags], minlength=size), dtype=np.int64
        )

    counts = {kind.replace(" ", "_"): count(own == kind) for kind in FAULTS}
    return {"faults": count(own == own), **counts}


def _faults(group: Group, stored: pd.DataFrame) -> dict[str, Any]:
    if group.pooled is not None:
        return _pooled_faults(group, stored)
    rows, offenders, kinds = _offences(group, stored)
    frame = pd.DataFrame(
        {
            "number": offenders,
            "kind": kinds,
            "deal": group.deals[rows],
            "id": stored["match_id"].iloc[group.rows[rows]].to_numpy(dtype=object),
            "example": stored["fault_text"].iloc[group.rows[rows]].to_numpy(dtype=object),
            "stderr": _stderr(group, stored)[rows],
        }
    ).sort_values(["number", "kind", "deal", "id"])
    kind = frame.groupby(["number", "kind"], sort=True)
    table = kind["example"].agg(["first", "size"]).reset_index()
    stderr = kind["stderr"].first().reset_index()["stderr"]
    number = table["number"].to_numpy(dtype=np.int64)
    return {
        **key_of(group),
        "entrant": names(group)[number],
        "kind": table["kind"],
        "faults": table["size"],
        "share": table["size"] / sums(group, seat_weights(group))[number],
        "example": table["first"],
        "stderr": stderr,
    }


def _pooled_faults(group: Group, stored: pd.DataFrame) -> dict[str, Any]:
    assert group.pooled is not None
    counts, told = fault_counts(group, stored), group.pooled.examples
    found = sorted(told, key=lambda one: (one[0], ENDINGS[one[1]]))
    number = np.array([who for who, _ in found], dtype=np.int64)
    kinds = [ENDINGS[kind] for _, kind in found]
    faults = [counts[kind.replace(" ", "_")][who] for who, kind in zip(number, kinds, strict=True)]
    once = sums(group, seat_weights(group) * group.weights)
    return {
        **key_of(group),
        "entrant": names(group)[number],
        "kind": kinds,
        "faults": faults,
        "share": np.array(faults) / once[number],
        "example": [told[one][2] for one in found],
        "stderr": [told[one][3] for one in found],
    }


def _stderr(group: Group, stored: pd.DataFrame) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Return what failed bots wrote on stderr, by match of the group."""
    if "worker_stderr" not in stored:
        return np.full(len(group.rows), "", dtype=object)
    return stored["worker_stderr"].iloc[group.rows].to_numpy(dtype=object)

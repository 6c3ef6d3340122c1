"""Names a machine of a cluster whose results or times do not fit those of the others."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from arena.results.meetings import match_scores
from arena.statistics.hosts import misfits
from arena.store.columns import MACHINE
from arena.store.ledger import by_lineup, told_stored
from arena.store.parts import VOID
from arena.store.record import RunRecord

MOST = 2_000_000  # matches: beyond that rows are not read


def host_lines(folder: Path, record: RunRecord, stored: int) -> Iterator[str]:
    """Return a line for each machine that does not fit; none for a run of one machine."""
    if not 0 < stored <= MOST or len(told_stored(folder, record, Machines).names) < 2:
        return
    units = told_stored(folder, record, lambda: Units(record)).table()
    known = sorted(units["machine"].unique())
    number = units["machine"].map({name: place for place, name in enumerate(known)})
    for one in misfits(
        number.to_numpy(dtype=np.int64),
        pd.factorize(units["lineup"])[0].astype(np.int64),
        units["score"].to_numpy(dtype=np.float64),
        units["time"].to_numpy(dtype=np.float64),
    ):
        how = f"chi-square {one.statistic:.1f}, {one.freedom} df, p {one.p:.2g} after Holm"
        slower = f": {one.ratio:.3g} times the others'" if one.what == "times" else ""
        yield f"machine {known[one.machine]}: its {one.what} do not fit{slower} ({how})"


class Machines:
    """The names of the machines that played; told of stored matches batch by batch."""

    columns = (MACHINE,)

    def __init__(self) -> None:
        """None is known yet."""
        self.names: set[str] = set()

    def take_stored(self, table: pa.Table) -> None:
        """Take some matches."""
        self.names |= {name for name in pc.unique(table[MACHINE]).to_pylist() if name}


class Units:
    """Deals as machines played them; told of stored matches batch by batch."""

    columns = ("lineup_id", "deal", "seating", "ranks", "seconds", "decisions", "ending", MACHINE)

    def __init__(self, record: RunRecord) -> None:
        """Nothing has been played yet."""
        self._lineups = tuple(record.lineups.values())
        self._parts: list[pd.DataFrame] = []

    def take_stored(self, table: pa.Table) -> None:
        """Take some matches."""
        known = pc.and_(pc.not_equal(table["ending"], VOID), pc.not_equal(table[MACHINE], ""))
        for lineup, columns in by_lineup(table.filter(known), self._lineups):
            seating, ranks, seconds = (
                columns[name][0].reshape(-1, lineup.players)
                for name in ("seating", "ranks", "seconds")
            )
            frame = pd.DataFrame(
                {
                    "machine": columns[MACHINE],
                    "lineup": lineup.id,
                    "deal": columns["deal"],
                    "matches": 1,
                    "score": match_scores(lineup, seating.astype(np.int64), ranks, "all")[:, 0],
                    "seconds": seconds.sum(axis=1),
                    "decisions": columns["decisions"],
                }
            )
            self._parts.append(added_up(frame))

    def table(self) -> pd.DataFrame:
        """Return a row for each deal as a machine played it: machine, lineup, score of the first entrant, log time."""
        found = added_up(pd.concat(self._parts, ignore_index=True))
        found["score"] /= found["matches"]
        with np.errstate(divide="ignore", invalid="ignore"):
            found["time"] = np.log(found["seconds"] / found["decisions"])
        return found.replace([np.inf, -np.inf], np.nan)


def added_up(frame: pd.DataFrame) -> pd.DataFrame:
    """Sums by machine, line-up and deal."""
    return frame.groupby(["machine", "lineup", "deal"], as_index=False).sum()

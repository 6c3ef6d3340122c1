"""Names a machine of a cluster whose results or times do not fit those of the others."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.results.meetings import match_scores
from arena.statistics.hosts import misfits
from arena.store.columns import MACHINE
from arena.store.parts import VOID
from arena.store.record import RunRecord
from arena.store.run_folder import read_table

COLUMNS = ("lineup_id", "deal", "seating", "ranks", "seconds", "decisions", "ending", MACHINE)
MOST = 2_000_000  # matches: beyond that rows are not read


def host_lines(folder: Path, record: RunRecord, stored: int) -> Iterator[str]:
    """Return a line for each machine that does not fit; none for a run of one machine."""
    if not 0 < stored <= MOST:
        return
    names = read_table(folder, (MACHINE,))[MACHINE].unique().to_pylist()
    if len([name for name in names if name]) < 2:
        return
    units = units_of(read_table(folder, COLUMNS).to_pandas(), record)
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


def units_of(rows: pd.DataFrame, record: RunRecord) -> pd.DataFrame:
    """Return a row for each deal as a machine played it: machine, lineup, score of the first entrant, log time."""
    rows = rows[(rows["ending"] != VOID) & (rows[MACHINE] != "")]
    parts: list[pd.DataFrame] = []
    for name, own in rows.groupby("lineup_id"):
        lineup: Any = record.lineups[str(name)]
        seating = np.stack(own["seating"].to_list()).astype(np.int64)
        ranks = np.stack(own["ranks"].to_list()).astype(np.int64)
        spent = np.array([float(np.sum(one)) for one in own["seconds"]])
        frame = pd.DataFrame(
            {
                "machine": own[MACHINE].to_numpy(),
                "lineup": str(name),
                "deal": own["deal"].to_numpy(),
                "score": match_scores(lineup, seating, ranks, "all")[:, 0],
                "seconds": spent,
                "decisions": own["decisions"].to_numpy(),
            }
        )
        parts.append(frame)
    every = pd.concat(parts, ignore_index=True)
    found = every.groupby(["machine", "lineup", "deal"], as_index=False).agg(
        {"score": "mean", "seconds": "sum", "decisions": "sum"}
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        found["time"] = np.log(found["seconds"] / found["decisions"])
    return found.replace([np.inf, -np.inf], np.nan)

"""How matches ended: a row for each reason that occurred, so that draws are told apart."""

from typing import Any

import numpy as np
import pandas as pd

from arena.results.groups import Group, Results
from arena.results.sums import key_of, tidy

FINISHED = "finished"  # the referee's word for a match that the game's own rules ended
ENDINGS = (*("game", "variant", "players", "reason", "matches", "share", "mean_turns", "capped"),)


def endings(results: Results) -> pd.DataFrame:
    """Return one row for each reason in each group, the most frequent first.

    reason: the game's own, or the referee's where a fault ended the match. mean_turns: as the game
    counts them. capped: whether only a cap ended these matches.
    """
    return tidy([_endings(group, results.matches) for group in results.groups], ENDINGS)


def _endings(group: Group, stored: pd.DataFrame) -> dict[str, Any]:
    if group.pooled is not None:
        return _pooled_endings(group)
    rows = stored.iloc[group.rows]
    finished = rows["ending"].to_numpy(dtype=object) == FINISHED
    reason = np.where(finished, rows["reason"], rows["ending"])
    frame = pd.DataFrame(
        {"reason": reason, "turns": rows["turns"].to_numpy(), "capped": group.capped}
    )
    table = (
        frame.groupby("reason", sort=True)
        .agg(matches=("turns", "size"), mean_turns=("turns", "mean"), capped=("capped", "any"))
        .reset_index()
        .sort_values("matches", ascending=False, kind="stable")
    )
    columns = {name: table[name].to_numpy() for name in table.columns}
    return {**columns, **key_of(group), "share": columns["matches"] / len(frame)}


def _pooled_endings(group: Group) -> dict[str, Any]:
    assert group.pooled is not None
    facts = sorted(group.pooled.reasons.items(), key=lambda one: (-one[1][0], one[0]))
    matches = np.array([count for _, (count, _, _) in facts])
    return {
        **key_of(group),
        "reason": [word for word, _ in facts],
        "matches": matches,
        "share": matches / group.matches,
        "mean_turns": np.array([turns for _, (_, turns, _) in facts]) / matches,
        "capped": [capped > 0 for _, (_, _, capped) in facts],
    }

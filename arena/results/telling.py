"""Which stored matches are worth watching: of each game an upset, the closest one and the most typical one."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import pandas as pd

from arena.results import listings
from arena.results.groups import Results

UPSET, CLOSEST, TYPICAL = "upset", "closest", "typical"
NAMES = {UPSET: "upset", CLOSEST: "close", TYPICAL: "typical"}
MOST_LOOKED_AT = 50_000  # matches of a run, the first ones
KEY = ["game", "variant", "players"]
SURPRISING = 0.2  # of the win share: so much stronger is one whose loss is an upset


@dataclass(frozen=True)
class Telling:
    """A match worth watching, and why in words."""

    game: str
    kind: str  # UPSET, CLOSEST or TYPICAL
    match_id: str
    why: str


def telling_matches(
    results: Results, most: int = 20, listed: pd.DataFrame | None = None
) -> Iterator[list[Telling]]:
    """For each game and each kind the matches that are most so, the best first; matches with faults are none.

    listed: `listings.matches` of the results, where they are at hand.
    """
    seats = listings.seats(results)
    known = seats["match_id"].unique()[:MOST_LOOKED_AT]
    seats = seats[seats["match_id"].isin(set(known))]
    faulty = seats.loc[seats["fault"], "match_id"].unique()
    seats = seats[~seats["match_id"].isin(set(faulty))]
    if seats.empty:
        return
    frame = measured(seats, listings.matches(results) if listed is None else listed)
    for game, rows in frame.groupby("game", sort=True):
        for kind in (UPSET, CLOSEST, TYPICAL):
            ordered = rows[rows["won"]].sort_values([kind, "match_id"]).head(most)
            if kind == UPSET and (ordered[UPSET] < 0).any():
                ordered = ordered[ordered[UPSET] < 0]
            yield [
                Telling(str(game), kind, row["match_id"], row[f"{kind}_why"])
                for _, row in ordered.iterrows()
            ]


def most_telling(results: Results, most: int, faulty: int) -> pd.DataFrame:
    """Return the matches to list, at most `most`: rows of `listings.matches` with `why` in words.

    First those with faults (at most `faulty`), then of each game in turn the next upset, close match and typical
    one; where that leaves room, others, evenly from all.
    """
    rows = listings.matches(results)
    failed = rows[rows["fault"] != ""].head(faulty)
    why = {
        id_: f"fault of {name}"
        for id_, name in zip(failed["match_id"], failed["fault"], strict=True)
    }
    kinds = [
        [(one.match_id, f"{NAMES[one.kind]}: {one.why}") for one in own]
        for own in telling_matches(results, most, rows)
    ]
    for entry in (entry for step in zip_longest(*kinds) for entry in step if entry):
        if len(why) < most:
            why.setdefault(*entry)
    rest = rows[(rows["fault"] == "") & ~rows["match_id"].isin(why)]
    places = np.linspace(0, len(rest) - 1, min(len(rest), most - len(why)))
    why |= dict.fromkeys(rest["match_id"].iloc[np.unique(places.astype(np.int64))], "")
    found: pd.DataFrame = rows.set_index("match_id").loc[list(why)].reset_index()
    return found.assign(why=list(why.values()))


def upsets(results: Results) -> set[str]:
    """The matches that a bot won alone over one that wins 20 points more of its matches, faults left out."""
    seats = listings.seats(results)
    seats = seats[~seats.groupby("match_id")["fault"].transform("any")]
    if seats.empty:
        return set()
    found = measured(seats, listings.matches(results))
    return set(found.loc[found["won"] & (found[UPSET] <= -SURPRISING), "match_id"])


def measured(seats: pd.DataFrame, matches: pd.DataFrame) -> pd.DataFrame:
    """A row for each match: how much it is of each kind (less is more), and why in words.

    The strength of a bot is its mean win share in the group of the match.
    """
    strength = seats.groupby([*KEY, "entrant"])["win_share"].mean().rename("strength")
    seats = seats.join(strength, on=[*KEY, "entrant"])
    first = (
        seats[seats["rank"] == 1]
        .groupby("match_id")
        .agg(
            winners=("entrant", "size"),
            winner=("entrant", "first"),
            own=("strength", "first"),
            most=("points", "max"),
        )
    )
    rest = (
        seats[seats["rank"] > 1]
        .sort_values("strength", ascending=False)
        .groupby("match_id")
        .agg(loser=("entrant", "first"), other=("strength", "first"), next=("points", "max"))
    )
    found = first.join(rest).join(matches.set_index("match_id")[[*KEY, "turns"]])
    found["won"] = (found["winners"] == 1) & found["other"].notna()
    gap = (found["most"] - found["next"]).abs()
    lead = found["own"] - found["other"]
    found[UPSET] = lead
    found[CLOSEST] = gap - found["turns"] / (1 + found["turns"].max())
    turns, usual = (off_median(values, found) for values in (found["turns"], gap))
    found[TYPICAL] = turns + usual + (lead < 0)
    percent = [f"{100 * share:.0f} %" if share == share else "" for share in found["own"]]
    found["upset_why"] = [
        f"{winner} (wins {own} of its matches) beats {loser}"
        for winner, own, loser in zip(found["winner"], percent, found["loser"], strict=True)
    ]
    found["closest_why"] = [
        f"{winner} wins {n:.0f} : {m:.0f} after {t} turns"
        for winner, n, m, t in zip(
            found["winner"], found["most"], found["next"], found["turns"], strict=True
        )
    ]
    found["typical_why"] = [
        f"{winner} wins, as usual, after {t} turns"
        for winner, t in zip(found["winner"], found["turns"], strict=True)
    ]
    return found.reset_index()


def off_median(values: pd.Series, found: pd.DataFrame) -> pd.Series:
    """How far each value is from the median of its group, in quartile ranges."""
    groups = values.groupby([found[name] for name in KEY])
    spread = groups.transform(lambda part: np.subtract(*np.percentile(part, [75, 25])))
    return (values - groups.transform("median")).abs() / spread.clip(lower=1)

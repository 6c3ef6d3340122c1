"""Several runs as one: a board for each game, one over all games, and who beats whom against it.

How runs join: see `merged`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from arena.results import pairs, tables
from arena.results.endings import endings
from arena.results.groups import Group, Results
from arena.results.league import hidden, shown
from arena.results.merged import merged_record, merged_results, source_of
from arena.results.overall import overall
from arena.results.report import Tables, group_keys, of_group, records
from arena.results.sums import key_of, totals
from arena.results.talks import talk_table
from arena.statistics.alpha_rank import alpha_rank
from arena.statistics.choice_model import Floats
from arena.statistics.resampling import FEWEST_DEALS, batches_of, multiplicities, percentiles
from arena.statistics.scale import ELO
from arena.statistics.shares import score_of_elo
from arena.statistics.transitivity import circular_parts
from arena.store.run_folder import load_spec

ALPHA_RESAMPLES = 200  # quantiles of a share of the population: two digits are enough

SURPRISES = (
    *("game", "variant", "players", "entrant", "opponent", "matches", "score", "score_low"),
    *("score_high", "deals", "predicted", "difference", "outside"),
)
FITS = (
    *("game", "variant", "players", "circular_share", "p_value", "circular", "circular_low"),
    *("circular_high", "deals", "first", "second", "part", "part_low", "part_high"),
)
CIRCLES = (
    *("game", "variant", "players", "first", "second", "third", "least", "least_low"),
    *("least_high", "deals", "sure"),
)


@dataclass(frozen=True)
class Boards:
    """What several runs say together.

    made: their tables, the standings with alpha-rank. surprises: every pair, its score and what the
    ratings predict. circles: three that beat each other in turn. overall, fits: see there.
    """

    runs: tuple[Path, ...]
    versions: tuple[str, ...]
    made: Tables
    surprises: pd.DataFrame
    circles: pd.DataFrame
    overall: pd.DataFrame
    fits: pd.DataFrame


def make_boards(folders: Sequence[Path]) -> Boards:
    """Merge the runs in these folders and rate them.

    Raises:
        UserError: no run in a folder, or two whose matches do not belong together; one line.
    """
    stored = [load_spec(folder) for folder in folders]
    record = merged_record(stored, folders)
    results, matches = merged_results(record, stored, folders)
    anchor = record.spec.anchor
    standings = tables.standings(
        results, anchor=(anchor.bot, anchor.elo) if anchor else None, left_out=hidden(record)
    )
    duels = tables.head_to_head(results)
    made = Tables(
        folders[0],
        record,
        matches,
        matches,
        shown(standings.join(alpha_shares(standings, results)), hidden(record)),
        shown(duels, hidden(record)),
        shown(pairs.pairs(results), hidden(record)),
        tables.seat_advantage(results),
        tables.sides(results),
        tables.faults(results),
        endings(results),
        results,
        chat=talk_table(record, zip(folders, map(source_of, stored), strict=True)),
    )
    versions = tuple(dict.fromkeys(one.version for one in stored))
    found = surprises(standings, duels)
    return Boards(
        tuple(folders),
        versions,
        made,
        found,
        circles(found),
        overall(results.groups),
        fits(results),
    )


# --- who beats whom -------------------------------------------------------------------------------


def alpha_shares(standings: pd.DataFrame, results: Results) -> pd.DataFrame:
    """The alpha-rank of each row of the standings, with 95 % of what resampled deals give.

    nan in groups where two have not met, ends nan below 10 deals.
    """
    columns = ["alpha_rank", "alpha_low", "alpha_high"]
    shares = pd.DataFrame(np.nan, index=standings.index, columns=columns)
    for group in results.groups:
        rows = of_group(standings, (group.game, group.variant, group.players))
        order = [group.names.index(name) for name in rows["entrant"]]
        if group.players > 1 and (found := alpha_of(group, order)) is not None:
            shares.loc[rows.index, columns] = found
    return shares


def alpha_of(group: Group, order: Sequence[int], resamples: int = ALPHA_RESAMPLES) -> Floats | None:
    """The alpha-rank of the entrants in `order`, low and high (k, 3); None where two have not met."""
    got, met = scores_by_deal(group, order)
    deals, rows = counted_deals(group), np.ones((1, len(got)))
    if deals >= FEWEST_DEALS:
        drawn = multiplicities(len(got), resamples, np.random.default_rng(0)).T
        rows = np.concatenate([rows, drawn])
    matrix, tried = (np.tensordot(rows, each, 1) for each in (got, met))
    own = np.arange(len(order))
    matrix[:, own, own], tried[:, own, own] = 0.5, 1.0
    known = tried.min(axis=(1, 2)) > 0
    if len(order) < 2 or not known[0]:
        return None
    found = alpha_rank(matrix[known] / tried[known])
    whole, ends = found[0], np.full((2, len(order)), np.nan)
    if len(found) > 1:
        ends = np.quantile(found[1:], percentiles(deals), axis=0)
    return np.column_stack([whole, np.minimum(ends[0], whole), np.maximum(ends[1], whole)])


def scores_by_deal(group: Group, order: Sequence[int]) -> tuple[Floats, Floats]:
    """Scores of row against column, and what they are out of (batches, k, k), of entrants in `order`."""
    size = len(group.names)
    cells, values, weights = tables.pair_scores(group)
    known = weights * ~np.isnan(values) * group.weights
    batches = batches_of(group.deals)
    number = batches.batch[:, None] * size**2 + cells
    got, met = (
        totals(number, each, batches.columns * size**2).reshape(-1, size, size)
        for each in (known * np.nan_to_num(values), known)
    )
    rows = np.ix_(range(batches.columns), order, order)
    return got[rows], met[rows]


def counted_deals(group: Group) -> int:
    """How many deals say something new."""
    together = np.zeros((len(group.deals), 1), np.int64)
    return int(group.deals_seen(together, group.counted[:, None], 1)[0])


def fits(results: Results) -> pd.DataFrame:
    """Return one row for each group whose log odds can be taken apart: how far circles go, and the fit.

    circular_share: of the squared log odds of pairs, what no strengths explain. p_value: that nothing
    does, the goodness of fit of the ratings. circular: how far pairs go in circles (root mean square),
    with the interval of that test; first, second: the pair with the largest part; in Elo.
    """
    rows = []
    for group in results.groups:
        order = [group.names.index(name) for own in group.ratings.groups[:1] for name in own]
        if len(group.leaders) < 2 or len(group.ratings.groups) > 1:
            continue
        found = circular_parts(*scores_by_deal(group, order), counted_deals(group))
        if found is not None:
            one, other = np.unravel_index(int(np.argmax(found.part)), found.part.shape)
            named = (group.names[order[int(one)]], group.names[order[int(other)]])
            part = (ELO * each[one, other] for each in (found.part, found.low, found.high))
            size = (ELO * each for each in (found.size, found.size_low, found.size_high))
            tested = (found.share, found.p_value, *size, counted_deals(group))
            rows.append((*key_of(group).values(), *tested, *named, *part))
    return pd.DataFrame(rows, columns=list(FITS))


def surprises(standings: pd.DataFrame, duels: pd.DataFrame) -> pd.DataFrame:
    """Return each pair once, the higher rated first, those farthest from the prediction on top.

    predicted: by the Elo of both. outside: the prediction lies outside the interval of the score;
    fewer than one pair in twenty does by chance.
    """
    key = ["game", "variant", "players"]
    elo = standings.set_index([*key, "entrant"])["elo"]
    order = standings.groupby(key, sort=False).cumcount()
    place = pd.Series(order.to_numpy(), index=elo.index)
    own = pd.MultiIndex.from_frame(duels[[*key, "entrant"]])
    other = pd.MultiIndex.from_frame(duels[[*key, "opponent"]])
    rows = duels.assign(
        predicted=score_of_elo(elo.reindex(own).to_numpy() - elo.reindex(other).to_numpy())
    )
    first = place.reindex(own).to_numpy() < place.reindex(other).to_numpy()
    rows = rows[first & rows["score"].notna()]
    rows = rows.assign(
        difference=rows["score"] - rows["predicted"],
        outside=(rows["predicted"] < rows["score_low"]) | (rows["predicted"] > rows["score_high"]),
    )
    far = rows["difference"].abs().sort_values(ascending=False, kind="stable").index
    return rows.loc[far, list(SURPRISES)].reset_index(drop=True)


def circles(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return every three that beat each other in turn: first > second > third > first.

    least: the weakest link, whose interval begins lowest. sure: all three intervals lie above one half.
    """
    found = []
    for key in group_keys(pairs):
        rows = records(of_group(pairs, key))
        beats = {}
        for row in rows:
            scores = row["score"], row["score_low"], row["score_high"], row["deals"]
            turned = (*(1 - scores[end] for end in (0, 2, 1)), row["deals"])
            beats[row["entrant"], row["opponent"]] = scores
            beats[row["opponent"], row["entrant"]] = turned
        names = sorted({name for pair in beats for name in pair})
        for a, b, c in combinations(names, 3):
            for one, two, three in ((a, b, c), (a, c, b)):
                steps = [beats.get(p) for p in ((one, two), (two, three), (three, one))]
                if all(step is not None and step[0] > 0.5 for step in steps):
                    known = [step for step in steps if step]
                    weakest = min(known, key=lambda step: -1.0 if np.isnan(step[1]) else step[1])
                    found.append((*key, one, two, three, *weakest, weakest[1] > 0.5))
    frame = pd.DataFrame(found, columns=list(CIRCLES))
    return frame.sort_values(["sure", "least"], ascending=False).reset_index(drop=True)

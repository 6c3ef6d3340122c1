"""Do intervals hold the truth as often as they say, and do tests cry wolf as seldom?

Simulates runs (luck of the deal, seat effects, ties, first places only, teams, roles; few and many deals),
makes every interval and test that the product prints, and counts. Counts add up: run it in parts, as long
as you like, and it goes on where it stopped.

What is dear stands in few cells: alpha-rank, boards over several games, what more thinking adds.

    python benchmarks/coverage.py --seconds 900            # all cells in turn, then the page
    python benchmarks/coverage.py --cells "2 bots" --repetitions 500

Writes results/coverage.csv (counts) and results/coverage.md (the page).
"""

import argparse
import functools
import itertools
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from arena.balance.inference import (
    Statistic,
    change_of_shares,
    compare,
    estimate,
    paired,
    ratio,
)
from arena.balance.luck import luck
from arena.balance.samples import LeftOut, Sample
from arena.balance.skill import doubling, neighbours
from arena.balance.usage import lift_of, seats_of
from arena.plan.schedule import LineUp
from arena.results import leaderboards
from arena.results.adaptive import Part
from arena.results.groups import Group
from arena.results.overall import overall
from arena.results.report import markdown
from arena.results.seats import seat_test
from arena.results.sums import shares_of
from arena.results.tables import mean_points, pair_scores
from arena.statistics import sequential
from arena.statistics.allocation import Goal
from arena.statistics.claims import claim
from arena.statistics.contrasts import differences, rank_ranges
from arena.statistics.hosts import misfits
from arena.statistics.ratings import ELO, Ratings, rate, seat_effect
from arena.statistics.resampling import FEWEST_DEALS
from arena.statistics.sequential import Hypotheses
from arena.statistics.shares import normalised_elo, score_of_elo
from arena.statistics.stopping import estimate_after_stopping
from arena.statistics.transitivity import circular_parts

FOLDER = Path("results")
TRUTH = 60_000  # matches from which the true values of a cell come
WANTED = 500  # repetitions of a cell
SURE = 4000  # repetitions of the tests that stop: their errors to within 0.01
RESAMPLES = 100  # only intervals of bots that the prior holds need them
FAR = 150.0  # Elo from the next bot: from there on some win or lose all
SLICE = 60.0  # seconds between two writings


@dataclass(frozen=True)
class Cell:
    """One kind of run: bots `step` Elo apart, luck of each seat in a deal and a first seat worth `seat`, in Elo.

    tie: how coarsely strength on the day is rounded. team: the side of each seat. star: all meet the first bot
    only, so that the others are compared through it. adaptive: the deals of a line-up follow from results.
    """

    bots: int
    deals: int
    luck: float = 0.0
    step: float = 50.0
    seat: float = 0.0
    tie: float = 0.0
    winner: bool = False
    team: tuple[int, ...] = (0, 1)
    dear: bool = False
    star: bool = False
    adaptive: bool = False

    @property
    def sides(self) -> int:
        """How many sides play."""
        return len(set(self.team))

    @property
    def name(self) -> str:
        """The cell in words."""
        kind = (
            "" if len(self.team) == self.sides else ", roles" if len(self.team) == 3 else ", teams"
        )
        said = {
            ", first place only": self.winner,
            ", ties": self.tie,
            f", luck {self.luck:.0f}, seat {self.seat:.0f}, {self.step:.0f} Elo apart": True,
            f", {self.deals} deals": True,
            ", all against one": self.star,
            ", adaptive schedule": self.adaptive,
            ", alpha-rank and all games": self.dear,
        }
        told = "".join(words for words, true in said.items() if true)
        return f"{self.bots} bots, {len(self.team)} players{kind}{told}"


THREE, FOUR = (0, 1, 2), (0, 1, 2, 3)
CELLS = (
    *(Cell(bots, 50, luck) for bots in (2, 5) for luck in (0.0, 100.0, 200.0)),
    *(Cell(2, deals, 100.0, step=0.0) for deals in (12, 200)),
    Cell(5, 50, 100.0, step=0.0),
    *(Cell(2, deals, 100.0, 100.0, 60.0) for deals in (12, 29, 30, 200)),
    Cell(5, 200, 100.0, 100.0, 60.0),
    Cell(2, 50, 0.0, 400.0),
    Cell(3, 50, 100.0, 300.0, star=True),
    Cell(4, 50, 100.0, 250.0),
    Cell(4, 30, 100.0, adaptive=True),
    Cell(4, 30, 100.0, team=(0,)),
    *(Cell(3, 50, luck, dear=True) for luck in (0.0, 200.0)),
    *(Cell(4, deals, luck, team=THREE) for deals, luck in ((12, 200.0), (50, 0.0))),
    *(Cell(4, deals, luck, team=FOUR) for deals, luck in ((12, 200.0), (50, 100.0))),
    *(Cell(4, 50, 100.0, tie=tie, team=team) for team, tie in ((THREE, 2.0), (FOUR, 1.0))),
    Cell(3, 50, 100.0, tie=1.5),
    *(Cell(4, 50, 100.0, winner=True, team=team) for team in (THREE, FOUR)),
    Cell(4, 50, 100.0, team=FOUR, seat=80.0),
    Cell(3, 50, 100.0, team=(0, 1, 0, 1)),
    Cell(3, 50, 100.0, seat=120.0, team=(0, 1, 1)),
)


def simulate(cell: Cell, rng: np.random.Generator, deals: int) -> Group:
    """Return the matches of a round robin in all rotations of the sides."""
    if cell.adaptive:
        pairs = len(list(itertools.combinations(range(cell.bots), 2)))
        return adapted(simulate(replace(cell, adaptive=False), rng, pairs * deals), deals)
    line_ups = np.array(list(itertools.combinations(range(cell.bots), cell.sides)))
    if cell.star:
        line_ups = line_ups[line_ups[:, 0] == 0]
    turned = np.stack([np.roll(line_ups, shift, axis=1) for shift in range(cell.sides)], axis=1)
    entrants = np.tile(turned.reshape(-1, cell.sides), (deals, 1))
    line_up = np.tile(np.repeat(np.arange(len(line_ups)), cell.sides), deals)
    deal = np.repeat(np.arange(deals), len(line_ups) * cell.sides)
    worth = -cell.step * entrants + rng.normal(0, cell.luck, (deals, cell.sides))[deal]
    worth[:, 0] += cell.seat
    day = worth / ELO + rng.gumbel(size=worth.shape)
    if cell.tie:
        day = np.round(day / cell.tie)
    ranks = 1 + (day[:, None, :] > day[:, :, None]).sum(axis=2)
    if cell.winner:
        ranks = np.minimum(ranks, 2)
    team, size = np.array(cell.team), len(deal)
    nothing = np.zeros((size, len(team)))
    return Group(
        *("simulated", "default", len(team), "winner" if cell.winner else "all"),
        tuple(f"bot {number}" for number in range(cell.bots)),
        *(np.arange(size), line_up, entrants[:, team], ranks[:, team].astype(np.int64)),
        *(np.round(10 * day)[:, team], nothing, nothing, nothing, deal, np.full(size, -1)),
        *(np.zeros(size, bool), np.ones(size, bool), cell.team),
    )


@dataclass
class Played:
    """Deals that are played as soon as they are asked for: scores (line-ups, deals, 2) of the bots of a line-up."""

    members: list[tuple[str, ...]]
    scores: np.ndarray

    def deal_scores(self, lineup: LineUp, deal: int) -> dict[str, float]:
        """The scores of a deal."""
        number = int(lineup.id)
        return dict(zip(self.members[number], self.scores[number, deal].tolist(), strict=True))

    def offences(self, lineup: LineUp, deals: range) -> tuple[int, Counter[str]]:
        """Nobody fails here."""
        return len(deals), Counter()


def adapted(group: Group, deals: int) -> Group:
    """Return what `schedule: adaptive` would have played of a group, with so many deals a line-up on average."""
    pairs = list(itertools.combinations(range(len(group.names)), 2))
    members = [(str(one), str(other)) for one, other in pairs]
    scores = np.zeros((len(pairs), int(group.deals.max()) + 1, 2))
    for side in (0, 1):
        own = np.array([pair[side] for pair in pairs])[group.line_up]
        won = (group.win_shares * (group.sides == own[:, None])).sum(axis=1) / 2
        np.add.at(scores, (group.line_up, group.deals, side), won)
    lineups = [
        LineUp(str(number), "simulated", {}, 2, own, (0, 1), deals)
        for number, own in enumerate(members)
    ]
    part = Part(lineups, [str(bot) for bot in range(len(group.names))], Goal())
    part.due(Played(members, scores))
    return group.kept(group.deals < part.deals[group.line_up])


# --- what is printed: name -> values with low and high, in one order ------------------------------


@dataclass(frozen=True)
class Made:
    """Estimates and the ends of their intervals (k,)."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def printed(group: Group, ratings: Ratings) -> dict[str, Made]:
    """Return every interval of a group that tables and pages print."""
    size = len(group.names)
    if group.players == 1:
        return {"mean points": Made(*mean_points(group))}
    shares = shares_of(group, group.sides, group.win_shares, np.ones(group.sides.shape), size)
    cells, scores, weights = pair_scores(group)
    known = weights * ~np.isnan(scores)
    duels = shares_of(group, cells, known * np.nan_to_num(scores), known, size * size)
    upper = np.flatnonzero(np.triu(np.ones((size, size)), 1))
    seat = np.broadcast_to(np.arange(group.players), group.sides.shape)
    seats = shares_of(group, seat, group.win_shares, np.ones(seat.shape), group.players)
    tested = seat_test(group, group.win_shares[:, group.leaders])
    points = mean_points(group)
    found = {
        "win share": Made(shares.share, shares.low, shares.high),
        "score of a pair": Made(*(each[upper] for each in (duels.share, duels.low, duels.high))),
        "win share of a seat": Made(seats.share, seats.low, seats.high),
        "mean points": Made(*points),
        "how far seats lie from par": one_made(*(tested[f"uneven{end}"] for end in ENDS)),
        "Elo": Made(
            ratings.elo,
            np.where(ratings.open_low, -np.inf, ratings.low),
            np.where(ratings.open_high, np.inf, ratings.high),
        ),
    }
    effect = seat_effect(group.placements)
    found["Elo of a seat"] = Made(effect.elo, effect.low, effect.high)
    if ratings.roles is not None:
        found["Elo of a role"] = Made(ratings.roles.elo, ratings.roles.low, ratings.roles.high)
    gap = (ratings.elo[:, None] - ratings.elo[None, :]).ravel()[upper]
    gaps = None if ratings.spread is None else differences(ratings.spread)
    ends = (gap, gap) if gaps is None else (ELO * e.ravel()[upper] for e in (gaps.low, gaps.high))
    found["difference of two Elo"] = Made(gap, *ends)
    return found


def one_made(value: float, low: float, high: float) -> Made:
    """Return a single interval."""
    return Made(*(np.array([each], dtype=np.float64) for each in (value, low, high)))


def balance_parts(group: Group) -> dict[str, Made]:
    """Return the measures of skill and luck that balance pages print."""
    sample = sample_of(group)
    budgets = {name: 2**place for place, name in enumerate(sample.ladder)}
    found = list(doubling(sample, neighbours(sample), budgets))
    found += luck(sample) if len(group.names) == 2 else []
    return {
        measure.name: one_made(made.value, made.low, made.high)
        for measure in found
        for made in [estimate(measure.statistic)]
    }


def dear_parts(group: Group, other: Group) -> dict[str, Made]:
    """Return what takes long: alpha-rank, circles, and a board over two games; other: the second game."""
    order = list(range(len(group.names)))
    found = {}
    ranked = leaderboards.alpha_of(group, order)
    if ranked is not None:
        found["alpha-rank"] = Made(*ranked.T)
    deals = leaderboards.counted_deals(group)
    circles = circular_parts(*leaderboards.scores_by_deal(group, order), deals)
    upper = np.triu_indices(len(order), 1)
    if circles is not None:
        found["circular part of a pair"] = Made(
            *(ELO * each[upper] for each in (circles.part, circles.low, circles.high))
        )
    board = overall([group, replace(other, game="another")]).sort_values("entrant")
    for name in ("score", "elo"):
        ends = (board[f"{name}{end}"].to_numpy(dtype=np.float64) for end in ENDS)
        found[f"{name} over all games"] = Made(*ends)
    return found


def sample_of(group: Group) -> Sample:
    """Return the group as balance takes it."""
    block = group.deals * (int(group.line_up.max()) + 1) + group.line_up
    empty = pd.DataFrame()
    return Sample(group, empty, group.names[::-1], "", block, LeftOut(len(block), 0, 0))


# --- counting -------------------------------------------------------------------------------------

ENDS = ("", "_low", "_high")
Count = tuple[str, str, float, int, int]  # quantity, kind, nominal, hits, trials


def all_made(cell: Cell, group: Group, other: Group, ratings: Ratings) -> dict[str, Made]:
    """Return every interval of a cell."""
    made = printed(group, ratings)
    if (
        cell.adaptive
    ):  # who meets whom follows from results: what is of all matches has no true value
        made = {name: own for name, own in made.items() if "Elo" in name or "pair" in name}
    if cell.sides == 2 == len(cell.team) and not (cell.star or cell.adaptive):
        made |= balance_parts(group)
    return made | (dear_parts(group, other) if cell.dear else {})


def one_run(cell: Cell, rng: np.random.Generator, truth: dict[str, np.ndarray]) -> Iterator[Count]:
    """Simulate a run once and count what held."""
    group, other = simulate(cell, rng, cell.deals), simulate(cell, rng, cell.deals)
    ratings = rate(group.placements, resamples=RESAMPLES if cell.step > FAR else 1)
    made = all_made(cell, group, other, ratings)
    for name, own in made.items():
        true = truth[name]
        known = ~np.isnan(own.low) & ~np.isnan(own.high)
        inside = (own.low <= true) & (true <= own.high)
        yield name, "coverage", 0.95, int(inside[known].sum()), int(known.sum())
    spread = ratings.spread
    if spread is not None:
        best, worst = rank_ranges(spread)
        place = 1 + np.arange(cell.bots)
        held = (
            (best <= place) & (place <= worst) if cell.step else (best == 1) | (worst == cell.bots)
        )
        yield "ranks", "coverage, at least", 0.95, int(held.sum()), cell.bots
    if not cell.seat and cell.sides > 1:
        p = seat_test(group, group.win_shares[:, group.leaders])["p_value"]
        yield "order of play matters", "false alarm", 0.05, int(p < 0.05), 1
    if not cell.step:
        gaps = made["difference of two Elo"]
        wrong = (gaps.low > 0) | (gaps.high < 0)
        yield "one of two equal bots is stronger", "false alarm", 0.05, int(wrong.sum()), wrong.size
        chance = differences(spread).stronger[np.triu_indices(cell.bots, 1)]
        sure = (chance > 0.95).sum() + (chance < 0.05).sum()
        yield "chance of being stronger above 95 %", "false alarm", 0.05, int(sure), 2 * chance.size
    if cell.dear and not cell.luck:
        fit = circular_parts(
            *leaderboards.scores_by_deal(group, list(range(cell.bots))), cell.deals
        )
        yield "ratings do not fit", "false alarm", 0.05, int(fit.p_value < 0.05), 1
    if not cell.adaptive:
        yield from compared(group, other)
    if cell.sides > 1:
        yield from predictions(group, ratings, made)
        if cell.bots > 2:
            yield from circles_said(made["score of a pair"], cell)
        yield from used(group, rng)


def circles_said(scores: Made, cell: Cell) -> Iterator[Count]:
    """Count claims that three beat each other in turn, where they never do."""
    ones, others = np.triu_indices(cell.bots, 1)
    pairs = pd.DataFrame(
        {
            "game": "simulated",
            "variant": "default",
            "players": cell.sides,
            "entrant": ones.astype(str),
            "opponent": others.astype(str),
            "score": scores.value,
            "score_low": scores.low,
            "score_high": scores.high,
            "deals": cell.deals,
        }
    )
    wrong = bool(leaderboards.circles(pairs).sure.any())
    yield "three surely beat each other in turn", "false alarm", 0.05, int(wrong), 1


def predictions(group: Group, ratings: Ratings, made: dict[str, Made]) -> Iterator[Count]:
    """Count pairs whose score lies outside what their ratings predict."""
    upper = np.triu_indices(len(group.names), 1)
    gaps = (ratings.elo[:, None] - ratings.elo[None, :])[upper]
    predicted, own = score_of_elo(gaps), made["score of a pair"]
    known = ~np.isnan(own.low)
    outside = (predicted < own.low) | (predicted > own.high)
    yield (
        "a pair lies outside what Elo predicts",
        "false alarm",
        0.05,
        int(outside[known].sum()),
        int(known.sum()),
    )


def compared(group: Group, other: Group) -> Iterator[Count]:
    """Compare two equal variants as balance does: a share, and a mean."""
    for values, name, share in (
        (lambda g: g.win_shares[:, 0], "shares", True),
        (lambda g: g.points[:, 0], "means", False),
    )[group.players == 1 :]:
        sums = [
            Statistic(
                np.stack([np.bincount(g.deals, values(g)), np.bincount(g.deals)], axis=1) * 1.0,
                ratio,
                int(g.deals.max()) + 1,
                share=share,
            )
            for g in (group, other)
        ]
        found = compare(*sums)
        inside = found.low <= 0 <= found.high
        yield f"difference of {name} of two variants", "coverage", 0.95, int(inside), 1
        wrong = found.p_value < 0.05
        yield f"{name} of two equal variants differ", "false alarm", 0.05, int(wrong), 1


def used(group: Group, rng: np.random.Generator) -> Iterator[Count]:
    """Ask how those fare who use a card that changes nothing."""
    seats = seats_of(sample_of(group))
    found = lift_of(rng.random(len(seats.won)) < 0.3, seats.won, seats)
    low, high = found.ends()
    if not np.isnan(low):
        yield "lift of a card", "coverage", 0.95, int(low <= 0 <= high), 1
        yield (
            "a card that changes nothing is out of line",
            "false alarm",
            0.05,
            int(found.p_value < 0.05),
            1,
        )


def just_beyond(rng: np.random.Generator) -> Iterator[Count]:
    """Compare variants that differ by the margin: they are not equivalent within it."""
    deals = 3000
    ones = np.full(deals, 4.0)
    for margin, edge in ((0.03, 0.03), (0.03, -0.03)):
        both = [rng.binomial(4, 0.5 + shift, size=deals) for shift in (edge, 0.0)]
        sums = [Statistic(np.stack([x, ones], axis=1), ratio, deals, share=True) for x in both]
        r = paired(*sums)
        change = sums[0].estimate - sums[1].estimate
        ends = change_of_shares(*sums, r, 0.95)
        made = claim(change, ends, deals=deals, method="paired by deal", margin=margin)
        wrong = made.outcome == "equivalent"
        yield "equivalent, though as different as the margin", "false alarm", 0.05, int(wrong), 1


def sequential_runs(rng: np.random.Generator) -> Iterator[Count]:
    """Judge equal and unequal bots by the tests that stop when they are sure."""
    scores = rng.binomial(2, 0.5, size=600) / 2
    wrong = sequential.first_exclusion(scores, 0.95, fewest=FEWEST_DEALS) > 0
    yield "--until 95 decides equal bots, whenever one looks", "false alarm", 0.05, int(wrong), 1
    yield "--until 95 orders three equal bots", "false alarm", 0.05, int(ordered(rng)), 1
    for gap, alike in ((GAP, 0.0), (GAP, 1.0), (4 * GAP, 0.0)):
        yield from ratio_test(rng, gap, alike)
    yield from just_beyond(rng)


def ordered(rng: np.random.Generator) -> bool:
    """Whether of three equal bots in a round robin some pair is told apart at some look, as `Contest` judges it."""
    won = rng.binomial(2, 0.5, size=(300, 3)) / 2  # of the pairs (0, 1), (0, 2), (1, 2)
    scores = np.stack([won[:, 0] + won[:, 1], 1 - won[:, 0] + won[:, 2], 2 - won[:, 1:].sum(1)], 1)
    gaps = [(scores[:, i] - scores[:, j]) / 4 + 0.5 for i, j in ((0, 1), (0, 2), (1, 2))]
    sure = 1 - 0.05 / 3
    return any(sequential.first_exclusion(gap, sure, fewest=FEWEST_DEALS) > 0 for gap in gaps)


def ratio_test(rng: np.random.Generator, gap: float, alike: float) -> Iterator[Count]:
    """Test gap against 0 Elo where either is true; alike: the share of deals that decide both their matches."""
    share = float(score_of_elo(gap))
    test, bounds = Hypotheses(0.5, share), sequential.decision_bounds()
    kind = f"[0, {gap:.0f}]{', the deal decides' if alike else ''}"
    for truth, name in ((0.5, "alpha"), (share, "beta")):
        won = rng.random((MOST_DEALS, 2)) < truth
        scores = np.where(rng.random(MOST_DEALS) < alike, won[:, 0], won.mean(axis=1))
        stopped = sequential.first_acceptance(scores, test, bounds, FEWEST_DEALS)
        ratio = sequential.ratio_of_scores(scores[:stopped], test)
        wrong = int((ratio > 0) == (truth == 0.5))
        yield f"{name} of --sprt {kind}", "error of a test that stops", 0.05, wrong, 1
        if rng.random() > ESTIMATED:
            continue
        found = estimate_after_stopping(scores[:stopped], test, bounds)
        held = found[1] <= truth <= found[2]
        yield f"share after --sprt {kind}", "coverage", 0.95, int(held), 1
        if (deviation := float(scores[:stopped].std())) == 0:
            continue  # nothing is said then
        own = normalised_elo(found, deviation, 2)
        spread = np.sqrt(truth * (1 - truth) * (1 + alike) / 2)
        true = normalised_elo((truth,), float(spread), 2)[0]
        held = own[1] <= true <= own[2]
        yield f"normalised Elo after --sprt {kind}", "coverage", 0.95, int(held), 1


def hosts(rng: np.random.Generator) -> Iterator[Count]:
    """Ask which of machines that are alike does not fit; each has half as many deals as the one before it."""
    for machines, line_ups, deals, sure in HOSTS_ASKED:
        size = line_ups * deals
        strata = np.repeat(np.arange(line_ups), deals)
        chance = np.full(line_ups, sure) if sure else np.linspace(0.3, 0.7, line_ups)
        share = 0.5 ** np.minimum(np.arange(1, machines + 1), machines - 1)
        own = rng.choice(machines, size, p=share)
        scores = rng.binomial(2, chance[strata]) / 2
        times = rng.normal(strata, 0.5)  # log seconds: line-ups think unequally long
        wrong = bool(misfits(own, strata, scores, times))
        kind = f"{machines} machines, {line_ups} line-ups of {deals} deals{', one-sided' if sure else ''}"
        yield f"a machine does not fit: {kind}", "false alarm", 0.05, int(wrong), 1


HOSTS = "machines that play alike: results and times of each"
HOSTS_ASKED = ((2, 3, 100, 0.0), (3, 6, 60, 0.0), (3, 6, 60, 0.95), (8, 10, 1000, 0.0))
SEQUENTIAL = "tests that stop, and equivalence: 2 matches a deal"
APART = {SEQUENTIAL: sequential_runs, HOSTS: hosts}  # cells of their own kind
GAP = 50.0  # Elo between the hypotheses of the ratio test
MOST_DEALS = 4000  # that a ratio test may take
ESTIMATED = 1 / 16  # of ratio tests: their estimates take long


@functools.lru_cache(maxsize=64)
def true_values(cell: Cell) -> dict[str, np.ndarray]:
    """Return what the intervals of a cell should hold, from very many matches."""
    each = len(list(itertools.combinations(range(cell.bots), cell.sides))) * cell.sides
    cell = replace(cell, adaptive=False)
    group = simulate(cell, np.random.default_rng(1), max(TRUTH // each, 20 * cell.deals))
    other = simulate(cell, np.random.default_rng(2), int(group.deals.max()) + 1)
    made = all_made(cell, group, other, rate(group.placements, resamples=0))
    found = {name: own.value for name, own in made.items()}
    if not cell.step and "variance by strength" in found:
        found["variance by strength"] = np.zeros(1)
    if not cell.seat and cell.sides > 1:
        found["how far seats lie from par"] = np.zeros(1)
        found |= {"variance by the seat": np.zeros(1)} if "variance by the seat" in found else {}
    return found


COLUMNS = ["cell", "quantity", "kind", "nominal", "hits", "trials", "repetitions"]


def measured(
    names: list[str], repetitions: int, seconds: float, before: pd.DataFrame
) -> pd.DataFrame:
    """Go on with these cells in turn until each has its repetitions, or time is up."""
    counts = {
        (r.cell, r.quantity, r.kind, r.nominal): [r.hits, r.trials] for r in before.itertuples()
    }
    done = before.groupby("cell").repetitions.max().to_dict() if len(before) else {}
    end = time.monotonic() + seconds
    cells = {cell.name: cell for cell in CELLS}
    truths = {}
    wanted = {name: repetitions * (SURE // WANTED if name in APART else 1) for name in names}
    while time.monotonic() < end and any(done.get(name, 0) < wanted[name] for name in names):
        for name in sorted(names, key=lambda each: done.get(each, 0) / wanted[each]):
            if done.get(name, 0) >= wanted[name] or time.monotonic() >= end:
                continue
            if name in cells and name not in truths:
                truths[name] = true_values(cells[name])
            for _ in range(min(25, wanted[name] - done.get(name, 0))):
                rng = np.random.default_rng([zlib.crc32(name.encode()), done.get(name, 0)])
                found = (
                    one_run(cells[name], rng, truths[name]) if name in cells else APART[name](rng)
                )
                for quantity, kind, nominal, hits, trials in found:
                    count = counts.setdefault((name, quantity, kind, nominal), [0, 0])
                    count[0] += hits
                    count[1] += trials
                done[name] = done.get(name, 0) + 1
                if time.monotonic() >= end:
                    break
    rows = [(*key, *count, done[key[0]]) for key, count in counts.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


# --- the page -------------------------------------------------------------------------------------


def judged(counts: pd.DataFrame) -> pd.DataFrame:
    """Return nominal beside measured, and whether it is as it should be (within two standard errors)."""
    rate = counts.hits / counts.trials.clip(lower=1)
    seen = np.minimum(counts.repetitions, counts.trials).clip(lower=1)
    error = 2 * np.sqrt(counts.nominal * (1 - counts.nominal) / seen)
    low = counts.kind.map(
        {"coverage": 0.93, "coverage, at least": 0.95, "error of a test that stops": 0.04}
    )
    high = counts.kind.map({"coverage": 0.97, "coverage, at least": 1.0}).fillna(0.06)
    low = low.fillna(0.0)
    well = (rate >= low - error) & (rate <= high + error)
    return counts.assign(measured=rate, low=low, high=high, well=well)


def pooled(counts: pd.DataFrame) -> pd.DataFrame:
    """Return nominal beside measured of each quantity over all cells."""
    together = counts.groupby(["quantity", "kind", "nominal"], as_index=False)[["hits", "trials"]]
    rows = together.sum().sort_values(["kind", "quantity"], kind="stable")
    return pd.DataFrame(
        {
            "quantity": rows.quantity,
            "kind": rows.kind,
            "nominal": rows.nominal.map("{:.2f}".format),
            "measured": (rows.hits / rows.trials.clip(lower=1)).map("{:.3f}".format),
            "intervals or tests": rows.trials,
        }
    )


def page(counts: pd.DataFrame) -> str:
    """Return the table in Markdown, what is not as it should be first."""
    rows = judged(counts).sort_values(["cell", "kind", "quantity"], kind="stable")
    told = pd.DataFrame(
        {
            "quantity": rows.quantity,
            "kind": rows.kind,
            "nominal": rows.nominal.map("{:.2f}".format),
            "measured": rows.measured.map("{:.3f}".format),
            "intervals or tests": rows.trials,
            "as promised": np.where(rows.well, "yes", "no"),
        }
    )
    runs = counts.groupby("cell").repetitions.max()
    whole = int((runs >= WANTED).sum())
    parts = [
        "# Nominal and measured",
        "",
        "Made by `python benchmarks/coverage.py`: simulated runs, every interval and test that is printed. "
        "As promised: coverage .93 to .97 (ranks: .95 or more), false alarms at most .06, errors of the ratio test .04 "
        "to .06, each give or take two standard errors of the repetitions. Wider intervals than promised are not "
        "as promised either.",
        "",
        f"{int(rows.well.sum())} of {len(rows)} rows are as promised. {whole} of {len(CELLS) + len(APART)} cells have "
        f"{WANTED} runs or more ({runs.sum():,} runs in all); what the others say is preliminary.",
        "",
    ]
    parts += ["## All cells together", "", markdown(pooled(counts)), ""]
    for name, own in told.groupby(rows.cell, sort=False):
        runs = int(rows[rows.cell == name].repetitions.max())
        parts += [f"## {name}", "", f"{runs} runs.", "", markdown(own), ""]
    return "\n".join(parts).rstrip() + "\n"


def main() -> None:
    """Run what is asked for and write counts and page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cells", default="", help="only cells whose name holds this text")
    parser.add_argument("--repetitions", type=int, default=WANTED)
    parser.add_argument("--seconds", type=float, default=900.0)
    parser.add_argument(
        "--anew", action="store_true", help="forget what these cells counted before"
    )
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    names = [name for name in (*APART, *(c.name for c in CELLS)) if options.cells in name]
    file = options.out / "coverage.csv"
    before = pd.read_csv(file) if file.exists() else pd.DataFrame(columns=COLUMNS)
    if options.anew:  # a method has changed: what its old form gave is no longer to be counted
        before = before[~before.cell.isin(names)]
    options.out.mkdir(parents=True, exist_ok=True)
    counts, end = before, time.monotonic() + options.seconds
    while (left := end - time.monotonic()) > 0:
        grown = measured(names, options.repetitions, min(left, SLICE), counts)
        if grown.equals(counts):
            break
        counts = grown
        counts.to_csv(file, index=False)
        (options.out / "coverage.md").write_text(page(counts), encoding="utf-8")
    bad = judged(counts)
    bad = bad[~bad.well]
    print(f"{len(counts) - len(bad)} of {len(counts)} rows as promised; the others:")
    print(bad[["cell", "quantity", "kind", "measured", "repetitions"]].to_string(index=False))


if __name__ == "__main__":
    main()

"""How many matches an adaptive schedule saves, and whether intervals stay honest under it; by simulation.

    python benchmarks/adaptive.py [--runs 200] [--goal order] [--deals 40] [--out results/adaptive.md]

With --goal or --deals only those rows are measured, and others that the page has stay. A run of 40 deals
takes about 0.2 s.

Twelve bots 50 Elo apart meet at tables of two; every match is drawn from Bradley-Terry, every deal is
two matches. A round robin of N deals a pair is compared with an adaptive schedule of half its deals,
for each goal: the order, the first three, and all against the sixth. Both are rated and judged as a
run is: by `statistics.ratings` and `contrasts.differences`.
"""

import argparse
from itertools import combinations, product
from pathlib import Path

import numpy as np

from arena.statistics.allocation import Goal, allocate, targets
from arena.statistics.contrasts import differences
from arena.statistics.placements import Placements
from arena.statistics.ratings import rate
from arena.statistics.scale import ELO

BOTS, APART = 12, 50.0
PAIRS = list(combinations(range(BOTS), 2))
FIRST, SHARE, GROWTH = 1, 2, 10  # as in arena.results.adaptive
DEALS = 20, 40, 80  # of a round robin
TRUE = -np.arange(BOTS) * APART
GOALS = {"order": Goal(), "top: 3": Goal(top=3), "versus: the sixth": Goal(versus=5)}
WINS = 1 / (1 + 10 ** (-(TRUE[:, None] - TRUE[None, :]) / 400))


def play(pair, deals, generator):
    """Whether the first of a pair won (deals, 2): one match in each seating."""
    return generator.random((deals, 2)) < WINS[PAIRS[pair]]


def round_robin(deals, generator):
    """The outcomes of each pair."""
    return [play(pair, deals, generator) for pair in range(len(PAIRS))]


def adaptive(total, goal, generator):
    """The outcomes of each pair where `total` deals are spent as an adaptive run spends them."""
    outcomes = round_robin(FIRST, generator)
    while (played := np.array([len(own) for own in outcomes])).sum() < total:
        counts, won = np.zeros((BOTS, BOTS)), np.zeros((BOTS, BOTS))
        for (i, j), own in zip(PAIRS, outcomes, strict=True):
            counts[[i, j], [j, i]] = own.size
            won[i, j], won[j, i] = own.sum(), own.size - own.sum()
        steps = max(len(PAIRS) // SHARE, int(played.sum()) // GROWTH)
        steps = min(steps, total - int(played.sum()))
        given = allocate(counts, won, goal, PAIRS, played, steps, 2.0)
        for pair in np.flatnonzero(given):
            more = play(pair, int(given[pair]), generator)
            outcomes[pair] = np.concatenate([outcomes[pair], more])
    return outcomes


def judged(outcomes, goal):
    """Pairs that the goal asks for: of the ranking those told apart, of the truth those whose interval holds it."""
    sides, ranks, deals = [], [], []
    for pair, own in zip(PAIRS, outcomes, strict=True):
        for seat in range(2):
            sides.append(np.tile(pair if seat == 0 else pair[::-1], (len(own), 1)))
            first = own[:, seat] if seat == 0 else ~own[:, seat]
            ranks.append(np.stack([np.where(first, 1, 2), np.where(first, 2, 1)], axis=1))
            deals.append(np.arange(len(own)))
    size = sum(map(len, deals))
    placed = Placements(
        names=tuple(f"{number:02}" for number in range(BOTS)),
        sides=np.concatenate(sides),
        ranks=np.concatenate(ranks),
        deals=np.concatenate(deals),
        weights=np.ones(size),
        faults=np.full(size, -1),
        places="all",
        roles=False,
    )
    ratings = rate(placed, resamples=1)  # none of them is in a difference
    found = differences(ratings.spread)
    low, high = ELO * found.low, ELO * found.high
    better, worse = targets(ratings.elo, goal).T
    decided = int((low[better, worse] > 0).sum())
    ahead, behind = targets(TRUE, goal).T
    gap = TRUE[ahead] - TRUE[behind]
    held = (low[ahead, behind] <= gap) & (gap <= high[ahead, behind])
    return decided, float(held.mean())


def measured(deals, goal, runs, generator):
    """Means of decided pairs and of coverage: of a round robin, and of an adaptive run of half its deals."""
    even = np.array([judged(round_robin(deals, generator), goal) for _ in range(runs)])
    half = deals * len(PAIRS) // 2
    spent = np.array([judged(adaptive(half, goal, generator), goal) for _ in range(runs)])
    return even.mean(axis=0), spent.mean(axis=0), spent[:, 1].std() / np.sqrt(runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--goal", choices=list(GOALS))
    parser.add_argument("--deals", type=int, choices=DEALS)
    given = parser.parse_args()
    before = given.out.read_text(encoding="utf-8") if given.out and given.out.exists() else ""
    lines = [
        "# What an adaptive schedule saves",
        "",
        f"Twelve bots {APART:g} Elo apart, tables of two, simulated (`python benchmarks/adaptive.py`). "
        "Decided: of the pairs that the goal asks for (neighbours in the ranking; the first "
        "three against the others; all against one), those whose difference is told from 0 at 95 %. "
        "Coverage: how often the 95 % interval of such a pair holds the truth, give or take a standard error.",
        "",
        "| goal | deals of a round robin, a pair | its pairs decided | adaptive with half the matches | of | "
        "coverage, round robin | coverage, adaptive | runs |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for (number, (name, goal)), deals in product(enumerate(GOALS.items()), DEALS):
        if given.goal not in (None, name) or given.deals not in (None, deals):
            lines += [
                line for line in before.splitlines() if line.startswith(f"| {name} | {deals} |")
            ]
            continue
        generator = np.random.default_rng([2026, number, deals])
        even, spent, error = measured(deals, goal, given.runs, generator)
        lines.append(
            f"| {name} | {deals} | {even[0]:.2f} | {spent[0]:.2f} | {len(targets(TRUE, goal))} | {even[1]:.3f} | "
            f"{spent[1]:.3f} ± {error:.3f} | {given.runs} |"
        )
        print(lines[-1], flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

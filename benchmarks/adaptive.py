"""How many matches an adaptive schedule saves, and whether intervals stay honest under it; by simulation.

    python benchmarks/adaptive.py [--runs 200] [--out results/adaptive.md]

Twelve bots 50 Elo apart meet at tables of two; every match is drawn from Bradley-Terry, every deal is
two matches. A round robin of N deals a pair is compared with an adaptive schedule of half its deals,
both rated and judged as a run is: by `statistics.ratings` and `contrasts.differences`.
"""

import argparse
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np

from arena.statistics.allocation import Goal, allocate
from arena.statistics.contrasts import differences
from arena.statistics.placements import Placements
from arena.statistics.ratings import rate
from arena.statistics.scale import ELO

BOTS, APART = 12, 50.0
PAIRS = list(combinations(range(BOTS), 2))
FIRST, SHARE, GROWTH = 1, 2, 10  # as in arena.results.adaptive
TRUE = -np.arange(BOTS) * APART
WINS = 1 / (1 + 10 ** (-(TRUE[:, None] - TRUE[None, :]) / 400))


def play(pair, deals, generator):
    """Whether the first of a pair won (deals, 2): one match in each seating."""
    return generator.random((deals, 2)) < WINS[PAIRS[pair]]


def round_robin(deals, generator):
    """The outcomes of each pair."""
    return [play(pair, deals, generator) for pair in range(len(PAIRS))]


def adaptive(total, generator):
    """The outcomes of each pair where `total` deals are spent as an adaptive run spends them."""
    outcomes = round_robin(FIRST, generator)
    while (played := np.array([len(own) for own in outcomes])).sum() < total:
        counts, won = np.zeros((BOTS, BOTS)), np.zeros((BOTS, BOTS))
        for (i, j), own in zip(PAIRS, outcomes, strict=True):
            counts[[i, j], [j, i]] = own.size
            won[i, j], won[j, i] = own.sum(), own.size - own.sum()
        steps = max(len(PAIRS) // SHARE, int(played.sum()) // GROWTH)
        steps = min(steps, total - int(played.sum()))
        given = allocate(counts, won, Goal(), PAIRS, played, steps, 2.0)
        for pair in np.flatnonzero(given):
            more = play(pair, int(given[pair]), generator)
            outcomes[pair] = np.concatenate([outcomes[pair], more])
    return outcomes


def judged(outcomes):
    """Neighbours in the ranking that are told apart, and true neighbours whose interval holds 50 Elo."""
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
    ratings = rate(placed)
    found = differences(ratings.spread)
    low, high = ELO * found.low, ELO * found.high
    order = np.argsort(-ratings.elo)
    decided = sum(bool(low[one, other] > 0) for one, other in pairwise(order))
    held = [low[one, one + 1] <= APART <= high[one, one + 1] for one in range(BOTS - 1)]
    return decided, float(np.mean(held))


def measured(deals, runs, generator):
    """Means of decided neighbours and of coverage: of a round robin, and of an adaptive run of half its deals."""
    even = np.array([judged(round_robin(deals, generator)) for _ in range(runs)])
    half = deals * len(PAIRS) // 2
    spent = np.array([judged(adaptive(half, generator)) for _ in range(runs)])
    return even.mean(axis=0), spent.mean(axis=0), spent[:, 1].std() / np.sqrt(runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    generator = np.random.default_rng(2026)
    lines = [
        "# What an adaptive schedule saves",
        "",
        f"Twelve bots {APART:g} Elo apart, tables of two, {given.runs} simulated runs a row "
        "(`python benchmarks/adaptive.py`). Neighbours: of 11 in the ranking, those whose difference is told from 0 "
        "at 95 %. Coverage: how often the 95 % interval of two true neighbours holds the truth.",
        "",
        "| deals of a round robin, a pair | its neighbours decided | adaptive with half the matches | "
        "coverage, round robin | coverage, adaptive |",
        "|---:|---:|---:|---:|---:|",
    ]
    for deals in (20, 40, 80):
        even, spent, error = measured(deals, given.runs, generator)
        lines.append(
            f"| {deals} | {even[0]:.2f} | {spent[0]:.2f} | {even[1]:.3f} | {spent[1]:.3f} ± {error:.3f} |"
        )
        print(lines[-1], flush=True)
    if given.out:
        given.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

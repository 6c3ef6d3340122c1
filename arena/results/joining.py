"""Several pools as one: sums add up, whatever parts the matches came from."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.results.pools import DEAL_BITS, Frame, Pool, empty_pool
from arena.statistics.choice_model import Integers
from arena.statistics.resampling import MOST_BATCHES


def joined(pools: Sequence[Pool], frame: Frame) -> Pool:
    """The sums over the matches of several pools, whose line-ups are all in the frame."""
    pools = [moved(pool, frame) for pool in pools]
    total = empty_pool(frame)
    if not pools:
        return total
    for name in (
        "by_entrant",
        "points_by_group",
        "by_group",
        "side_points",
        "whole_points",
        "capped",
    ):
        setattr(total, name, sum(getattr(pool, name) for pool in pools))
    for name in ("cells", "points", "turns"):
        setattr(total, name, added([getattr(pool, name) for pool in pools]))
    total.open = np.unique(np.concatenate([pool.open for pool in pools]))
    total.hashes = np.concatenate([pool.hashes.reshape(-1, 2) for pool in pools])
    total.outcomes = widest([pool.outcomes for pool in pools])
    for pool in pools:
        for word, facts in pool.reasons.items():
            known = total.reasons.get(word, [0, 0, 0])
            total.reasons[word] = [a + b for a, b in zip(known, facts, strict=True)]
        for key, example in pool.examples.items():
            total.examples[key] = min(example, total.examples.get(key, example))
    return total


def later(pool: Pool, deals: int) -> Pool:
    """The same sums, had there been so many deals before; complete blocks stay what they are."""
    group = deals % MOST_BATCHES
    cell, own = np.divmod(pool.cells[0], MOST_BATCHES)
    codes = cell * MOST_BATCHES + (own + group) % MOST_BATCHES
    return replace(
        pool,
        cells=added([(codes, pool.cells[1])]),
        points_by_group=np.roll(pool.points_by_group, group, axis=0),
        by_group=np.roll(pool.by_group, group, axis=1),
        examples={key: (one[0] + deals, *one[1:]) for key, one in pool.examples.items()},
        open=pool.open + deals,
    )


def added(parts: Sequence[tuple[Integers, Integers]]) -> tuple[Integers, Integers]:
    """Codes and their counts from several, each code once."""
    codes = np.concatenate([part[0] for part in parts])
    counts = np.concatenate([part[1] for part in parts])
    if not codes.size:
        return codes, counts
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    first = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    return codes[first], np.add.reduceat(counts[order], first)


def widest(parts: Sequence[tuple[Integers, Any, Any]]) -> tuple[Integers, Any, Any]:
    """Least and largest hashes of several, each code once."""
    codes, low, high = (np.concatenate(each) for each in zip(*parts, strict=True))
    if not codes.size:
        return codes, low, high
    order = np.argsort(codes, kind="stable")
    first = np.flatnonzero(np.concatenate([[True], codes[order][1:] != codes[order][:-1]]))
    ends = np.minimum.reduceat(low[order], first), np.maximum.reduceat(high[order], first)
    return codes[order][first], *ends


def moved(pool: Pool, frame: Frame) -> Pool:
    """The same sums in a frame with more line-ups and entrants."""
    old = pool.frame
    if old.lineups == frame.lineups:
        return pool
    lineup = np.array([frame.lineups.index(one) for one in old.lineups])
    entrant = np.array([frame.entrants.index(one) for one in old.entrants])
    size = len(frame.entrants)

    def spread(values: NDArray[Any], axis: int, places: Integers, length: int) -> NDArray[Any]:
        shape = list(values.shape)
        shape[axis] = length
        made = np.zeros(shape, values.dtype)
        index: list[Any] = [slice(None)] * values.ndim
        index[axis] = places
        made[tuple(index)] = values
        return made

    block = frame.seatings * frame.orders * frame.faults * 2 * MOST_BATCHES

    def renumbered(codes: Integers, width: int) -> Integers:
        number, rest = np.divmod(codes, width)
        return np.asarray(lineup[number] * width + rest)

    cells = renumbered(pool.cells[0], block)
    outcomes = renumbered(pool.outcomes[0], frame.seatings)
    hashes = pool.hashes.reshape(-1, 2).copy()
    hashes[:, 0] = lineup.astype(np.uint64)[hashes[:, 0].astype(np.int64)]
    side, value = pool.points[0] >> 32, pool.points[0] & ((1 << 32) - 1)
    return Pool(
        frame,
        (cells, pool.cells[1]),
        spread(pool.by_entrant, 1, entrant, size),
        spread(pool.points_by_group, 1, entrant, size),
        pool.by_group,
        spread(pool.side_points, 0, entrant, size),
        pool.whole_points,
        spread(pool.capped, 0, lineup, len(frame.lineups)),
        pool.reasons,
        (entrant[side] << 32 | value, pool.points[1]),
        pool.turns,
        hashes,
        (outcomes, *pool.outcomes[1:]),
        {(int(entrant[who]), kind): each for (who, kind), each in pool.examples.items()},
        renumbered(pool.open, 1 << DEAL_BITS),
    )

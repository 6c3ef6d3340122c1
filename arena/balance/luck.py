"""What luck decides: how much of who wins between two bots is strength, seat and deal.

Shares of the variance of win shares, a random-effects decomposition (Searle, Casella & McCulloch 1992, chapter 4).
What a bot or a seat wins is a squared effect: its noise, by deals, is taken off, and its interval is that of
`squares`. The deal's part is the mean product of what two seatings of one deal leave over for the same seat: the luck
that both seatings share (cards dealt, bags filled); what later chance decides stays in the rest. No part is below 0.
"""

import functools
from collections.abc import Iterator

import numpy as np

from arena.balance.inference import Ends, Statistic, error
from arena.balance.measures import SHARE, Measure
from arena.balance.samples import Sample
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.placements import numbered
from arena.statistics.shares import share_interval
from arena.statistics.squares import squared_length


def luck(sample: Sample) -> Iterator[Measure]:
    """Shares of the variance of win shares between the two strongest: by bot, by seat, by deal."""
    number = cells(sample)
    about = sample.shares - 1 / sample.sides
    seat = np.broadcast_to(np.arange(sample.sides), about.shape)
    for name, cell in (("strength", number), ("the seat", seat)):
        yield squared_measure(sample, f"variance by {name}", about, cell)
    rest = about - means_of(about, number) - about.mean(axis=0)
    facts = ((about**2).sum(axis=1), np.ones(sample.size), *pair_products(sample, rest))
    statistic = sample.statistic(facts, deal_part, least=0.0, own_ends=deal_ends)
    yield Measure("skill", "variance by the deal", SHARE, statistic, sample.size)


def squared_measure(sample: Sample, name: str, about: Floats, cell: Integers) -> Measure:
    """The share of the squares of `about` (m, sides) that the means of cells (m, sides) explain.

    Near 0 a square has no gradient, so a difference of two is worked out anew for every exchange.
    """
    here = cell[:, :, None] == np.arange(int(cell.max()) + 1)
    won, sizes = (about[:, :, None] * here).sum(axis=1), here.sum(axis=1)
    columns = np.concatenate([(about**2).sum(axis=1)[:, None], won, sizes], axis=1)
    sums = sample.statistic(columns).sums
    noise = float(np.trace(effects(sums)[1])) / max(float(sums[:, 0].sum()), 1e-12)
    value = functools.partial(squared_part, noise=noise)
    statistic = sample.statistic(columns, value, smooth=False, least=0.0, own_ends=squared_ends)
    return Measure("skill", name, SHARE, statistic, sample.size)


def squared_part(sums: Floats, noise: float) -> Floats:
    """The share of squares that cells explain, less the noise: from sums (..., 1 + 2 c) of `squared_measure`."""
    won, sizes = np.split(sums[..., 1:], 2, axis=-1)
    between = (won**2 / np.maximum(sizes, 1.0)).sum(axis=-1)
    return np.asarray(between / np.maximum(sums[..., 0], 1e-12) - noise)


def squared_ends(sums: Floats, deals: int, confidence: float) -> Ends:
    """The interval of that share."""
    _, low, high = squared_length(*effects(sums), deals, confidence)
    whole = max(float(sums[:, 0].sum()), 1e-12)
    return min(low / whole, 1.0), min(high / whole, 1.0)


def effects(sums: Floats) -> tuple[Floats, Floats]:
    """What cells win beyond par over the roots of their sizes (c,), and its covariance by deals (c, c).

    As everywhere, the spread is at least that of one deal a third away.
    """
    won, sizes = np.split(sums[:, 1:], 2, axis=1)
    roots = np.sqrt(np.maximum(sizes.sum(axis=0), 1.0))
    mean = won.sum(axis=0) / roots**2
    parts = (won - mean * sizes) / roots
    deals = len(sums)
    covariance = deals / max(deals - 1, 1) * parts.T @ parts
    least = (roots**2).mean() / (9 * deals * max(deals - 1, 1))
    own = float(np.trace(covariance)) / len(mean)
    if own < least:
        covariance = covariance + (least - own) * np.eye(len(mean))
    return mean * roots, covariance


def cells(sample: Sample) -> Integers:
    """(m, sides): a number for each entrant at each table of entrants."""
    code = sample.group.line_up[:, None] * len(sample.group.names) + sample.entrants
    return np.asarray(numbered(code.ravel())[1]).reshape(code.shape)


def means_of(values: Floats, cell: Integers) -> Floats:
    """The mean of each cell at each place (m, sides)."""
    flat = cell.ravel()
    totals = np.bincount(flat, weights=values.ravel())
    counts = np.bincount(flat)
    return np.asarray((totals / np.maximum(counts, 1))[flat]).reshape(values.shape)


def pair_products(sample: Sample, rest: Floats) -> tuple[Floats, Floats]:
    """(m,): products of what is left over in pairs of matches of one block, and how many pairs.

    Both stand at the first match of the block and count each pair once.
    """
    first = np.unique(sample.block, return_index=True)[1]
    number = numbered(sample.block)[1]
    counts = np.bincount(number).astype(np.float64)
    products = np.zeros(counts.size)
    for side in range(sample.sides):
        total = np.bincount(number, weights=rest[:, side])
        squares = np.bincount(number, weights=rest[:, side] ** 2)
        products += (total**2 - squares) / 2
    found, pairs = np.zeros(sample.size), np.zeros(sample.size)
    found[first], pairs[first] = products, counts * (counts - 1) / 2
    return found, pairs


def deal_part(sums: Floats) -> Floats:
    """The share of variance between deals, from sums (..., 4)."""
    each = sums[..., 2] / np.maximum(sums[..., 3], 1e-12)
    total = sums[..., 0] / np.maximum(sums[..., 1], 1.0)
    return np.asarray(each / np.maximum(total, 1e-12))


def deal_ends(sums: Floats, deals: int, confidence: float) -> Ends:
    """The interval of the deal's part.

    With two seatings it is the correlation r of what they leave over: (1 + r) / 2 is the share of deals that both
    seatings decide for one seat, and its interval is that of a share. Student's is too narrow with few deals.
    """
    statistic = Statistic(sums, deal_part, deals)
    middle = float(np.clip(deal_part(sums.sum(axis=0)), -1.0, 1.0))
    low, high = share_interval((1 + middle) / 2, (error(statistic) / 2) ** 2, deals, confidence)
    return max(2 * float(low) - 1, 0.0), max(2 * float(high) - 1, 0.0)

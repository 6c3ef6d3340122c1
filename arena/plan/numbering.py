"""The matches of a line-up as numbers, so that what is stored is a bitmap and what is missing is an array.

A line-up has S circular orders with P seatings in all; deal d plays those of order d mod S. Match number =
(d div S) P + the first number of that order + the place of the seating in its block: so numbers ascend with the deals,
more deals come at the end, and nothing depends on how many there are.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.plan.schedule import LineUp, Seating, block_seatings

Integers = NDArray[np.int64]
UNKNOWN = -1  # the number of a seating that the deal does not have


@dataclass(frozen=True, eq=False)
class Numbering:
    """Numbers for the matches of a line-up.

    seatings (P, seats): order by order. sizes, firsts (S,): of each order, how many seatings, and the first of them.
    codes (P,): ascending, of order and seating, and of which seating each is (P,).
    """

    seatings: NDArray[np.int8]
    sizes: Integers
    firsts: Integers
    codes: Integers
    places: Integers
    base: int

    @property
    def period(self) -> int:
        """S, after how many deals the seatings come again."""
        return len(self.sizes)

    def numbers(self, deals: Integers, seats: Integers) -> Integers:
        """The numbers (m,) of matches, by deals (m,) and seats (m, players).

        UNKNOWN where a deal has no such seating.
        """
        order = deals % self.period
        inside = ((seats >= 0) & (seats < self.base)).all(axis=1) & (deals >= 0)
        code = packed(order, seats, self.base)
        place = np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)
        known = inside & (self.codes[place] == code)
        number = deals // self.period * len(self.seatings) + self.places[place]
        return np.where(known, number, UNKNOWN)

    def matches(self, numbers: Integers) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Deals (m,) and seats (m, players) of the matches with these numbers."""
        rounds, place = np.divmod(numbers, len(self.seatings))
        return (rounds * self.period + self.order_of(place)).astype(np.int32), self.seatings[place]

    def order_of(self, place: Integers) -> Integers:
        """The order to which a seating belongs, by its place among all."""
        return np.asarray(np.searchsorted(self.firsts, place, side="right") - 1)

    def deals(self, numbers: Integers) -> Integers:
        """The deals of the matches with these numbers."""
        rounds, place = np.divmod(numbers, len(self.seatings))
        return np.asarray(rounds * self.period + self.order_of(place))

    def count(self, deals: int) -> int:
        """How many matches the first deals have: all with smaller numbers."""
        rounds, rest = divmod(deals, self.period)
        return int(rounds * len(self.seatings) + self.sizes[:rest].sum())


def packed(order: Integers, seats: Integers, base: int) -> Integers:
    """One code for the order and the seating of each match."""
    code = order.astype(np.int64)
    for seat in seats.T:
        code = code * base + seat
    return code


def numbering(lineup: LineUp) -> Numbering:
    """The numbers of a line-up's matches."""
    return _numbering(lineup.pattern, lineup.sides)


@functools.lru_cache(maxsize=4096)
def _numbering(pattern: Seating, sides: tuple[int, ...]) -> Numbering:
    orders = block_seatings(pattern, sides)
    sizes = np.array([len(order) for order in orders])
    seatings = np.array([seating for order in orders for seating in order], np.int8)
    base = max(pattern) + 1
    codes = packed(np.repeat(np.arange(len(orders)), sizes), seatings.astype(np.int64), base)
    places = np.argsort(codes)
    firsts = np.cumsum(sizes) - sizes
    return Numbering(seatings, sizes, firsts, codes[places], places, base)

"""Where components lie: the zones of a record, what lies in none of them, and the zone that takes the rest."""

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.errors import PositionError
from engines.piles import HIDDEN
from engines.records.layout import Bag, Layout, Pile, Rest, usual_mask
from engines.records.states import NOBODY, State
from engines.rng import seeded, shuffle


def add_rest(
    states: State, given: Mapping[str, Any], layout: Layout, rest: Rest, seed: int | None
) -> None:
    """Put every component that lies nowhere into the rest zone, unless the text has given that zone itself."""
    left = unplaced(states, rest)
    check_supply(states, layout, rest, left)
    if rest.zone.split(".")[0] in given and "." not in rest.zone:
        return
    codec = layout.fields[rest.zone]
    target = next(zones(states[0], rest.zone))
    if isinstance(codec, Bag):
        target += left.astype(target.dtype)
        return
    cards = np.repeat(np.arange(len(left)), left)
    if seed is not None:
        shuffle(seeded(int(seed)), cards, len(cards))
    target["count"] = len(cards)
    target["card"][: len(cards)] = cards
    target["known"][: len(cards)] = usual_mask(codec, NOBODY, NOBODY)  # type: ignore[arg-type]


def check_supply(states: State, layout: Layout, rest: Rest, left: NDArray[np.int64]) -> None:
    """Refuse more copies of a component than there are; in a View also more hidden ones than are left."""
    codec = layout.fields[rest.zone]
    assert isinstance(codec, Pile | Bag)
    for number in np.flatnonzero(left < 0):
        most = int(rest.supply(states)[number])
        have = most - int(left[number])
        raise PositionError(
            f"position: {have} copies of {codec.words[int(number)]}, there are only {most}"
        )
    hidden = sum(count_hidden(record) for zone in rest.among for record in zones(states[0], zone))
    if hidden > left.sum():
        raise PositionError(
            f"position.{rest.zone}: {hidden} hidden components with those of its other zones, "
            f"only {int(left.sum())} are not seen"
        )


def unplaced(states: State, rest: Rest) -> NDArray[np.int64]:
    """Copies per component number that lie in none of the zones; less than 0: more than there are."""
    left = np.array(rest.supply(states), np.int64)
    for zone in rest.among:
        for record in zones(states[0], zone):
            count_zone(record, left)
    return left


def zones(record: Any, path: str) -> Iterator[Any]:
    """Every pile or bag that a path without indices means: "seat.hand" in each seat."""
    return walk_zones(record, path.split("."))


def walk_zones(record: Any, names: list[str]) -> Iterator[Any]:
    """The same for a path in its parts."""
    value = record[names[0]]
    shape = value.shape if value.dtype.names is not None else ()
    for index in itertools.product(*map(range, shape)):
        inner = value[index] if shape else value
        if len(names) > 1:
            yield from walk_zones(inner, names[1:])
        else:
            yield inner


def count_zone(zone: Any, left: NDArray[np.int64]) -> None:
    """Take the components of a zone out of what is left."""
    if zone.dtype.names is None:
        left -= zone
        return
    for card in zone["card"][: int(zone["count"])].tolist():
        if card > 0:
            left[card] -= 1


def count_hidden(zone: Any) -> int:
    """How many cards of a zone a View hides."""
    if zone.dtype.names is None:
        return 0
    return int(zone["card"][: int(zone["count"])].tolist().count(HIDDEN))

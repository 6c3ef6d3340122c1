"""A State from plain JSON: what is missing takes its start value."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.errors import PositionError, nearest
from engines.piles import EVERYBODY, HIDDEN, UNSEEN
from engines.records.layout import (
    UNKNOWN_CARD,
    Bag,
    Codec,
    Custom,
    Derived,
    Grid,
    Layout,
    Pile,
    Rest,
    Words,
    usual_mask,
)
from engines.records.states import NOBODY, SEATS, State, copy
from engines.rng import seeded, shuffle


def from_dict(blank: State, data: Mapping[str, Any], layout: Layout) -> State:
    """A State from plain data.

    Args:
        blank: the header and rules of the variant, start values elsewhere, no component placed.
        data: what differs from it; `seed: n` shuffles the rest zones. Missing zones are empty.

    Raises:
        PositionError: with the path and the value, e.g. more copies of a card than there are.
    """
    states = copy(blank)
    data = dict(data)
    seed = data.pop("seed", None)
    players = _whole(data.get("players", int(states["players"][0])), "players", 1, SEATS)
    if players != int(states["players"][0]):
        raise PositionError(
            f"position.players: {players}, but the table has {int(states['players'][0])}"
        )
    viewer = _whole(data.get("viewer", NOBODY), "viewer", NOBODY, players - 1)
    seed = None if seed is None else _whole(seed, "seed", -(1 << 63), (1 << 64) - 1)
    _write_record(states[0], data, layout, "", NOBODY, players, viewer)
    if viewer == NOBODY:
        for rest in layout.rest:
            _write_rest(states, data, layout, rest, seed)
    layout.settle(states)
    return states


def _write_record(
    record: Any, data: Any, layout: Layout, path: str, owner: int, players: int, viewer: int
) -> None:
    if not isinstance(data, Mapping):
        raise PositionError(
            f"position.{path}: {data!r}, expected fields {', '.join(record.dtype.names)}"
        )
    for name, given in data.items():
        inner = f"{path}.{name}" if path else str(name)
        codec = layout.fields.get(inner)
        if name not in record.dtype.names or isinstance(codec, Derived):
            raise PositionError(
                f"position.{inner}: unknown{nearest(str(name), record.dtype.names)}"
            )
        value = record[name]
        if inner in layout.per_player:
            entries = _listed(given, inner, players)
            if value[:1].dtype.names is None and codec is None:
                _assign(value, slice(0, len(entries)), entries, inner)
                continue
            for p, entry in enumerate(entries):
                _write_value(value, p, entry, codec, layout, inner, p, players, viewer)
        else:
            _write_value(record, name, given, codec, layout, inner, owner, players, viewer)


def _listed(given: Any, path: str, length: int) -> list[Any]:
    if not isinstance(given, list | tuple) or len(given) > length:
        raise PositionError(f"position.{path}: {given!r}, expected a list of at most {length}")
    return list(given)


def _write_value(
    parent: Any,
    key: Any,
    given: Any,
    codec: Codec | None,
    layout: Layout,
    path: str,
    owner: int,
    players: int,
    viewer: int,
) -> None:
    value = parent[key]
    match codec:
        case Words():
            _assign(parent, key, _map_words(given, codec, path), path)
        case Pile():
            if value.shape:
                for i, pile in enumerate(_listed(given, path, len(value))):
                    _write_pile(value[i], pile, codec, path, owner, viewer)
            else:
                _write_pile(value, given, codec, path, owner, viewer)
        case Bag():
            _write_bag(value, given, codec, path)
        case Grid():
            _assign(parent, key, _letter_numbers(given, codec, path), path)
        case Custom():
            codec.write(parent if codec.whole else value, given, path)
        case _:
            if getattr(value, "dtype", None) is not None and value.dtype.names is not None:
                if value.shape:
                    for i, entry in enumerate(_listed(given, path, len(value))):
                        _write_record(value[i], entry, layout, path, owner, players, viewer)
                else:
                    _write_record(value, given, layout, path, owner, players, viewer)
            else:
                _assign(parent, key, given, path)


def _assign(parent: Any, key: Any, given: Any, path: str) -> None:
    target = parent[key]
    try:
        plain = np.asarray(given)
        if plain.size and plain.dtype.kind not in "iu":
            raise TypeError
        numbers = plain.astype(np.int64)
        if target.shape and numbers.ndim == 1 and numbers.size < target.size and target.ndim == 1:
            target[: numbers.size] = numbers  # a shorter list: the rest keeps its start value
            return
        info = np.iinfo(target.dtype)
        if numbers.size and (numbers.min() < info.min or numbers.max() > info.max):
            raise OverflowError
        parent[key] = numbers.reshape(target.shape)
    except (TypeError, ValueError, OverflowError):
        shape = (
            "a whole number" if not target.shape else f"whole numbers in the shape {target.shape}"
        )
        raise PositionError(f"position.{path}: {given!r}, expected {shape}") from None


def _whole(given: Any, path: str, low: int, high: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        raise PositionError(f"position.{path}: {given!r}, expected a whole number {low} to {high}")
    return given


def _letter_numbers(given: Any, codec: Grid, path: str) -> list[int]:
    rows = _listed(given, path, 1 << 16)
    for row in rows:
        if not isinstance(row, str) or len(row) != codec.width or set(row) - set(codec.letters):
            raise PositionError(
                f"position.{path}: {row!r}, expected {codec.width} of {codec.letters!r}"
            )
    return [codec.letters.index(letter) + codec.first for letter in "".join(rows)]


def _map_words(given: Any, codec: Words, path: str) -> Any:
    if isinstance(given, list | tuple):
        return [_map_words(g, codec, path) for g in given]
    return _number(str(given), codec.words, path) + codec.first


def _number(word: str, words: Sequence[str], path: str) -> int:
    for number, known in enumerate(words):
        if known == word:
            return number
    raise PositionError(f"position.{path}: {word!r} is unknown{nearest(word, words)}")


def _write_pile(value: Any, given: Any, codec: Pile, path: str, owner: int, viewer: int) -> None:
    cards = _listed(given, path, len(value["card"]))
    usual = usual_mask(codec, owner, viewer)
    slots = []
    for entry in cards:
        word, marked, who = str(entry).partition("@")
        if word == UNKNOWN_CARD:
            slots.append((HIDDEN, UNSEEN))
            continue
        card = _number(word, codec.words, path)
        if card == 0 or (set(who) - set("0123") and who != "all"):
            raise PositionError(
                f"position.{path}: {entry!r}, expected a card, card@all, card@ or card@02"
            )
        mask = EVERYBODY if who == "all" else sum(1 << int(p) for p in set(who))
        slots.append((card, mask if marked else usual))
    if codec.hand:
        slots = _nested(slots)
    value["count"] = len(slots)
    value["card"][:] = 0
    value["known"][:] = 0
    for i, (card, known) in enumerate(slots):
        value["card"][i] = card
        value["known"][i] = known


def _nested(slots: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A hand in its own order: the first copy of a card is known to all who know at least one, and so on."""
    masks: dict[int, list[int]] = {}
    for card, known in slots:
        masks.setdefault(card, []).append(known)
    found = []
    for card, all_known in sorted(masks.items()):
        copies = [sum(known >> p & 1 for known in all_known) for p in range(SEATS)]
        nested = [sum(1 << p for p in range(SEATS) if copies[p] > i) for i in range(len(all_known))]
        found += [(card, known) for known in nested]
    return found


def _write_bag(value: Any, given: Any, codec: Bag, path: str) -> None:
    if not isinstance(given, Mapping):
        raise PositionError(f"position.{path}: {given!r}, expected counts by name")
    value[:] = 0
    for word, count in given.items():
        number = _number(str(word), codec.words, path)
        value[number] = _whole(count, f"{path}.{word}", 0, int(np.iinfo(value.dtype).max))


def _write_rest(
    states: State, data: Mapping[str, Any], layout: Layout, rest: Rest, seed: int | None
) -> None:
    left = unplaced(states, rest)
    codec = layout.fields[rest.zone]
    assert isinstance(codec, Pile | Bag)
    for number in np.flatnonzero(left < 0):
        most = int(rest.supply(states)[number])
        have = most - int(left[number])
        raise PositionError(
            f"position: {have} copies of {codec.words[int(number)]}, there are only {most}"
        )
    if rest.zone.split(".")[0] in data and "." not in rest.zone:
        return
    target = next(zones(states[0], rest.zone))
    if isinstance(codec, Bag):
        target += left.astype(target.dtype)
        return
    cards = np.repeat(np.arange(len(left)), left)
    if seed is not None:
        shuffle(seeded(int(seed)), cards, len(cards))
    target["count"] = len(cards)
    target["card"][: len(cards)] = cards
    target["known"][: len(cards)] = usual_mask(codec, NOBODY, NOBODY)


def unplaced(states: State, rest: Rest) -> NDArray[np.int64]:
    """Copies per component number that lie in none of the zones; less than 0: more than there are."""
    left = np.array(rest.supply(states), np.int64)
    for zone in rest.among:
        for record in zones(states[0], zone):
            _count_zone(record, left)
    return left


def zones(record: Any, path: str) -> Iterator[Any]:
    """Every pile or bag that a path without indices means: "seat.hand" in each seat."""
    return _zones(record, path.split("."))


def _zones(record: Any, names: list[str]) -> Iterator[Any]:
    value = record[names[0]]
    shape = value.shape if value.dtype.names is not None else ()
    for index in itertools.product(*map(range, shape)):
        inner = value[index] if shape else value
        if len(names) > 1:
            yield from _zones(inner, names[1:])
        else:
            yield inner


def _count_zone(zone: Any, left: NDArray[np.int64]) -> None:
    if zone.dtype.names is None:
        left -= zone
        return
    for card in zone["card"][: int(zone["count"])]:
        if card > 0:
            left[int(card)] -= 1

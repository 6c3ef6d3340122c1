"""A State from plain JSON: what is missing takes its start value, what cannot be is a PositionError."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engines.errors import PositionError, nearest
from engines.piles import EVERYBODY, HIDDEN, UNSEEN
from engines.records.components import add_rest, check_supply, unplaced
from engines.records.layout import (
    TOLD,
    UNKNOWN_CARD,
    Bag,
    Codec,
    Custom,
    Derived,
    Grid,
    Layout,
    Number,
    Pile,
    Player,
    Words,
    usual_mask,
)
from engines.records.reading import read_field
from engines.records.states import NOBODY, SEATS, State, copy
from engines.texts import brief

SEEDS = Number(-(1 << 63), (1 << 64) - 1)


@dataclass(frozen=True)
class Target:
    """What a text is read into: the record of the whole State, and whose text it is."""

    record: Any
    layout: Layout
    players: int
    viewer: int


def from_dict(blank: State, data: Mapping[str, Any], layout: Layout) -> State:
    """A State from plain data.

    Every value is held against its codec; then `settle` works out what follows, and refuses what cannot stand
    together.

    Args:
        blank: the header and rules of the variant, start values elsewhere, no component placed.
        data: what differs from it; `seed: n` shuffles the rest zones. Missing zones are empty. Where a rest zone
            is given, components that lie nowhere are out of the game.

    Raises:
        PositionError: with the path, the value and what would be right.
    """
    if not isinstance(data, Mapping):
        raise PositionError(f"position: {brief(data)}, expected a mapping of fields")
    states = copy(blank)
    given = {name: value for name, value in data.items() if name != "seed"}
    players = int(states["players"][0])
    if "players" in given and given["players"] != players:
        raise PositionError(
            f"position.players: {brief(given['players'])}, but the table has {players}"
        )
    viewer = whole(given.get("viewer", NOBODY), "viewer", NOBODY, players - 1)
    seed = data.get("seed")
    if seed is not None:
        seed = whole(seed, "seed", SEEDS.low, SEEDS.high)
    target = Target(states[0], layout, players, viewer)
    write_record(target, states[0], given, "", "", NOBODY)
    for rest in layout.rest:
        if viewer == NOBODY:
            add_rest(states, given, layout, rest, seed)
        else:
            check_supply(states, layout, rest, unplaced(states, rest))
    layout.settle(states)
    for name, value in given.items():
        check_kept(target, name, value)
    layout.run_on(states)
    return states


def check_kept(target: Target, name: str, given: Any) -> None:
    """A value that was given says what `settle` makes of the rest of the position."""
    codec = target.layout.codec(name)
    if isinstance(codec, Number | Player | Words | Bag) and not isinstance(given, list | tuple):
        found = read_field(target.record, name, target.layout, target.players)
        if isinstance(codec, Bag):
            given = {str(word): count for word, count in given.items() if count}
        if found != (str(given) if isinstance(codec, Words) else given):
            raise PositionError(
                f"position.{name}: {brief(given)}, but with the rest of the position it is {found!r}"
            )


# --- records ----------------------------------------------------------------------------------------------


def write_record(target: Target, record: Any, data: Any, path: str, where: str, owner: int) -> None:
    """Fill a record. `path` leads to it without indices, `where` is how messages call it."""
    if not isinstance(data, Mapping):
        raise PositionError(
            f"position.{where}: {brief(data)}, expected fields {', '.join(record.dtype.names)}"
        )
    for name, given in data.items():
        inner = f"{path}.{name}" if path else str(name)
        here = f"{where}.{name}" if where else str(name)
        codec = target.layout.codec(inner)
        if name not in record.dtype.names or isinstance(codec, Derived):
            raise PositionError(f"position.{here}: unknown{nearest(str(name), record.dtype.names)}")
        if inner in TOLD:
            check_told(given, read_field(record, inner, target.layout, target.players), here)
        elif inner in target.layout.per_player:
            write_per_player(target, record[name], given, codec, inner, here)
        else:
            write_value(target, record, name, given, codec, inner, here, owner)


def check_told(given: Any, told: Any, where: str) -> None:
    """What the variant says may be told in a position, but not be changed there."""
    if given == told:
        return
    if isinstance(given, Mapping) and isinstance(told, Mapping):
        for name, value in given.items():
            if name not in told:
                raise PositionError(f"position.{where}.{name}: unknown{nearest(str(name), told)}")
            check_told(value, told[name], f"{where}.{name}")
    else:
        raise PositionError(
            f"position.{where}: {brief(given)}, cannot be changed here: the variant says {brief(told)}"
        )


def write_per_player(
    target: Target, value: Any, given: Any, codec: Codec | None, path: str, where: str
) -> None:
    """Fill an array with one element for each player."""
    for player, entry in enumerate(listed(given, where, target.players)):
        here = f"{where}[{player}]"
        write_value(target, value, player, entry, codec, path, here, player)


def write_value(
    target: Target,
    parent: Any,
    key: Any,
    given: Any,
    codec: Codec | None,
    path: str,
    where: str,
    owner: int,
) -> None:
    """Fill one field, or one element of an array."""
    value = parent[key]
    match codec:
        case Words():
            assign(parent, key, map_words(given, codec, where, target.viewer), where)
        case Pile():
            if value.shape:
                for i, pile in enumerate(listed(given, where, len(value))):
                    write_pile(target, value[i], pile, codec, f"{where}[{i}]", owner)
            else:
                write_pile(target, value, given, codec, where, owner)
        case Bag():
            write_bag(value, given, codec, where)
        case Grid():
            assign(parent, key, letter_numbers(given, codec, where), where)
        case Custom():
            assert codec.write is not None, f"{path}: cannot be written"
            codec.write(parent if codec.whole else value, given, where)
        case _ if getattr(value, "dtype", None) is None or value.dtype.names is None:
            assign(parent, key, given, where, allowed(target, codec))
        case _ if value.shape:
            for i, entry in enumerate(listed(given, where, len(value))):
                write_record(target, value[i], entry, path, f"{where}[{i}]", owner)
        case _:
            write_record(target, value, given, path, where, owner)


# --- numbers ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Allowed:
    """The range of a number, and how messages put it."""

    low: int
    high: int
    words: str


def allowed(target: Target, codec: Codec | None) -> Allowed | None:
    """What a number may be at this table; None: all that its field has room for."""
    match codec:
        case Number():
            low, high = codec.limits(target.record)
            return Allowed(low, high, f"{low} to {high}")
        case Player():
            last = target.players - 1
            nobody = codec.nobody or (codec.hidden and target.viewer != NOBODY)
            words = f"a player from 0 to {last}{', or -1 for nobody' if nobody else ''}"
            return Allowed(NOBODY if nobody else 0, last, words)
    return None


def assign(parent: Any, key: Any, given: Any, where: str, span: Allowed | None = None) -> None:
    """Put a number, or an array of them, into a field; of a shorter list the rest keeps its start value."""
    target = parent[key]
    span = span or room(target.dtype)
    shape: tuple[int, ...] = getattr(target, "shape", ())
    if not shape and type(given) is int and span.low <= given <= span.high:  # what most are
        parent[key] = given
        return
    try:
        numbers = np.asarray(given)
        if numbers.size and (numbers.dtype.kind not in "iu" or holds_truth(given)):
            raise TypeError
        if numbers.size and not (
            span.low <= int(numbers.min()) and int(numbers.max()) <= span.high
        ):
            raise OverflowError
        if numbers.ndim == 1 and len(shape) == 1 and numbers.size < shape[0]:
            target[: numbers.size] = numbers
        else:
            parent[key] = numbers.reshape(shape)
    except (TypeError, ValueError, OverflowError):
        what = f"{span.words} in the shape {shape}" if shape else span.words
        raise PositionError(f"position.{where}: {brief(given)}, expected {what}") from None


@functools.cache
def room(dtype: Any) -> Allowed:
    """All that a field has room for."""
    info = np.iinfo(dtype)
    return Allowed(int(info.min), int(info.max), "a whole number")


def holds_truth(given: Any) -> bool:
    """Whether a value is true or false, or a list with one of them: NumPy would make numbers of these."""
    if isinstance(given, list | tuple):
        return any(holds_truth(item) for item in given)
    return isinstance(given, bool)


def whole(given: Any, where: str, low: int, high: int) -> int:
    """A whole number within a range."""
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        raise PositionError(f"position.{where}: {brief(given)}, expected {low} to {high}")
    return given


def letter_numbers(given: Any, codec: Grid, where: str) -> list[int]:
    """The numbers that rows of letters stand for."""
    rows = listed(given, where, 1 << 16)
    for row in rows:
        if not isinstance(row, str) or len(row) != codec.width or set(row) - set(codec.letters):
            raise PositionError(
                f"position.{where}: {brief(row)}, expected {codec.width} of {codec.letters!r}"
            )
    return [codec.letters.index(letter) + codec.first for letter in "".join(rows)]


# --- words ------------------------------------------------------------------------------------------------


def listed(given: Any, where: str, length: int) -> list[Any]:
    """A list of at most so many entries."""
    if not isinstance(given, list | tuple) or len(given) > length:
        raise PositionError(
            f"position.{where}: {brief(given)}, expected a list of at most {length}"
        )
    return list(given)


def map_words(given: Any, codec: Words, where: str, viewer: int) -> Any:
    """The numbers of a word or of a list of words."""
    if isinstance(given, list | tuple):
        return [map_words(g, codec, where, viewer) for g in given]
    if given == UNKNOWN_CARD and viewer == NOBODY:
        raise PositionError(f"position.{where}: '?', only a View hides what stands here")
    return number_of(str(given), codec.words, where) + codec.first


def number_of(word: str, words: Sequence[str], where: str) -> int:
    """The place of a word among the known ones."""
    try:
        return words.index(word)
    except ValueError:
        told = f"position.{where}: {word!r} is unknown{nearest(word, words)}"
        raise PositionError(told) from None


def write_pile(target: Target, value: Any, given: Any, codec: Pile, where: str, owner: int) -> None:
    """Fill a pile or hand."""
    capacity = len(value["card"])
    most = capacity if codec.most is None else min(capacity, codec.most(target.record))
    cards = listed(given, where, most)
    slots = [read_card(target, entry, codec, where, owner) for entry in cards]
    if codec.hand:
        slots = nested(slots)
    value["count"] = len(slots)
    rest = [0] * (capacity - len(slots))
    value["card"][:] = [card for card, _ in slots] + rest
    value["known"][:] = [known for _, known in slots] + rest


def read_card(target: Target, entry: Any, codec: Pile, where: str, owner: int) -> tuple[int, int]:
    """A card written "name", "name@all" or "name@02" as its number and the mask of who knows it."""
    word, marked, who = str(entry).partition("@")
    if word == UNKNOWN_CARD and not marked:
        if target.viewer == NOBODY:
            raise PositionError(f"position.{where}: '?', only a View hides cards")
        return HIDDEN, UNSEEN
    card = number_of(word, codec.words, where)
    if card and not marked:
        return card, usual_mask(codec, owner, target.viewer)
    seats = "0123"[: target.players]
    if card == 0 or (set(who) - set(seats) and who != "all"):
        raise PositionError(
            f"position.{where}: {brief(entry)}, expected a card, card@all, card@ or card@{seats[:2]}"
        )
    return card, EVERYBODY if who == "all" else sum(1 << int(p) for p in set(who))


def nested(slots: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A hand in its own order: the first copy of a card is known to all who know at least one, and so on."""
    masks: dict[int, list[int]] = {}
    for card, known in slots:
        masks.setdefault(card, []).append(known)
    found = []
    for card, all_known in sorted(masks.items()):
        copies = [sum(known >> p & 1 for known in all_known) for p in range(SEATS)]
        masked = [sum(1 << p for p in range(SEATS) if copies[p] > i) for i in range(len(all_known))]
        found += [(card, known) for known in masked]
    return found


def write_bag(value: Any, given: Any, codec: Bag, where: str) -> None:
    """Fill an array of counts."""
    if not isinstance(given, Mapping):
        raise PositionError(f"position.{where}: {brief(given)}, expected counts by name")
    value[:] = 0
    for word, count in given.items():
        number = number_of(str(word), codec.words, where)
        value[number] = whole(count, f"{where}.{word}", 0, codec.most)

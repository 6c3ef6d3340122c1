"""A State or View as plain JSON in the rules' own words."""

from collections.abc import Callable
from typing import Any

from engines.piles import EVERYBODY, HIDDEN
from engines.records.layout import (
    UNKNOWN_CARD,
    Bag,
    Codec,
    Custom,
    Derived,
    Grid,
    Layout,
    Pile,
    Words,
    usual_mask,
)
from engines.records.states import NOBODY, SEATS, State


def to_dict(states: State, layout: Layout) -> dict[str, Any]:
    """A State or View as plain JSON in the rules' own words."""
    return _read_record(
        states[0], layout, "", NOBODY, int(states["players"][0]), int(states["viewer"][0])
    )


def read_field(record: Any, path: str, layout: Layout, players: int) -> Any:
    """One field of a State's record, e.g. its rules."""
    codec, value = layout.codec(path), record[path]
    if path in layout.per_player:
        value = value[:players]
    return _read_value(value, codec, layout, path, NOBODY, players, NOBODY)


def _read_record(
    record: Any, layout: Layout, path: str, owner: int, players: int, viewer: int
) -> dict[str, Any]:
    found = {}
    for name in record.dtype.names:
        inner = f"{path}.{name}" if path else name
        codec = layout.fields.get(inner)
        if isinstance(codec, Derived):
            continue
        value = record[name]
        if isinstance(codec, Custom) and codec.whole:
            value = record
        if inner in layout.per_player:
            value = value[:players]
            found[name] = [
                _read_value(v, codec, layout, inner, p, players, viewer)
                for p, v in enumerate(value)
            ]
        else:
            found[name] = _read_value(value, codec, layout, inner, owner, players, viewer)
    return found


def _read_value(
    value: Any,
    codec: Codec | None,
    layout: Layout,
    path: str,
    owner: int,
    players: int,
    viewer: int,
) -> Any:
    match codec:
        case Words():
            return _map(value, lambda n: codec.words[n - codec.first])
        case Pile():
            if value.shape:
                return [_read_value(v, codec, layout, path, owner, players, viewer) for v in value]
            return _read_pile(value, codec, owner, viewer)
        case Bag():
            return {codec.words[i]: int(n) for i, n in enumerate(value) if n}
        case Grid():
            letters = "".join(codec.letters[int(n) - codec.first] for n in value.reshape(-1))
            return [letters[i : i + codec.width] for i in range(0, len(letters), codec.width)]
        case Custom():
            return codec.read(value)
    if value.dtype.names is not None:
        if value.shape:
            return [_read_record(v, layout, path, owner, players, viewer) for v in value]
        return _read_record(value, layout, path, owner, players, viewer)
    return value.tolist()


def _map(value: Any, word: Callable[[int], Any]) -> Any:
    if getattr(value, "shape", ()):
        return [_map(v, word) for v in value]
    return word(int(value))


def _read_pile(value: Any, codec: Pile, owner: int, viewer: int) -> list[str]:
    usual = usual_mask(codec, owner, viewer)
    cards = []
    count = int(value["count"])
    for card, known in zip(
        value["card"][:count].tolist(), value["known"][:count].tolist(), strict=True
    ):
        if card == HIDDEN:
            cards.append(UNKNOWN_CARD)
        elif known == usual:
            cards.append(codec.words[card])
        elif known == EVERYBODY:
            cards.append(f"{codec.words[card]}@all")
        else:
            who = "".join(str(p) for p in range(SEATS) if known & (1 << p))
            cards.append(f"{codec.words[card]}@{who}")
    return cards

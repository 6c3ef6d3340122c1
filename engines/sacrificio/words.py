"""How parts of a position of Sacrificio read and are written."""

from typing import Any

import numpy as np

from engines.errors import PositionError, UserError, nearest
from engines.records import Custom, State

from .actions import ACTION_KIND, ACTIONS, Kind
from .tables import (
    CARD_CODES,
    MOST_PILE,
    PRIEST_SLOTS,
    SLOT_NAMES,
    SLOTS,
    TEMPLE_NAMES,
    TEMPLES,
    Card,
    Phase,
)

PHASES = tuple(phase.name.lower() for phase in Phase)
EMPTY = CARD_CODES[0]
ACTIVE = "!"  # after a curse that is active
BAR = "|"  # between priest and victim slots
SPOTS = ("none", *SLOT_NAMES, "cenote")


def number_of(word: Any, words: tuple[str, ...], path: str) -> int:
    """The number of a word."""
    if word in words:
        return words.index(word)
    raise PositionError(f"position.{path}: {word!r} is unknown{nearest(str(word), words)}")


def listed(given: Any, most: int, path: str) -> list[Any]:
    """A list of at most so many entries."""
    if not isinstance(given, list) or len(given) > most:
        raise PositionError(f"position.{path}: {given!r}, expected a list of at most {most}")
    return given


def read_slots(slots: Any) -> str:
    """The seven priest slots and the three victim slots: 'PA PB -- -- -- -- -- | VM -- --'."""
    words = [CARD_CODES[int(card)] for card in slots]
    return " ".join([*words[:PRIEST_SLOTS], BAR, *words[PRIEST_SLOTS:]])


def write_slots(slots: Any, given: Any, path: str) -> None:
    """Fill the slots; what is left out at the right of either part is empty."""
    if not isinstance(given, str):
        raise PositionError(f"position.{path}: {given!r}, expected a text like 'PA PB | VM'")
    priests, _, victims = given.partition(BAR)
    slots[:] = 0
    parts = ((0, PRIEST_SLOTS, priests), (PRIEST_SLOTS, SLOTS - PRIEST_SLOTS, victims))
    for start, size, part in parts:
        cards = [number_of(word, CARD_CODES, path) for word in part.split()]
        if len(cards) > size:
            raise PositionError(f"position.{path}: {given!r}, expected at most {size} of {part!r}")
        slots[start : start + len(cards)] = cards


def read_spirits(piles: Any) -> list[list[str]]:
    """The piles on the three temples, bottom first; an active curse is written 'CU!'."""
    found = []
    for pile in piles:
        words = [CARD_CODES[int(card)] for card in pile["card"][: int(pile["count"])]]
        if pile["cursed"]:
            words[-1] += ACTIVE
        found.append(words)
    return found


def write_spirits(piles: Any, given: Any, path: str) -> None:
    """Fill the piles on the three temples."""
    for site, words in enumerate(listed(given, len(piles), path)):
        where = f"{path}[{site}]"
        names = [str(word) for word in listed(words, MOST_PILE, where)]
        cursed = bool(names) and names[-1] == CARD_CODES[Card.CU] + ACTIVE
        if cursed:
            names[-1] = CARD_CODES[Card.CU]
        piles[site]["count"] = len(names)
        piles[site]["cursed"] = cursed
        piles[site]["card"] = 0
        piles[site]["card"][: len(names)] = [number_of(n, CARD_CODES, where) for n in names]


def temples_in(mask: int) -> list[str]:
    """The temples of a mask."""
    return [name for number, name in enumerate(TEMPLE_NAMES) if mask >> number & 1]


def temple_set(field: str) -> Custom:
    """How a mask of temples reads: as the list of their names."""

    def write(record: Any, given: Any, path: str) -> None:
        names = listed(given, len(TEMPLES), path)
        record[field] = sum({1 << number_of(name, TEMPLE_NAMES[1:], path) + 1 for name in names})

    return Custom(lambda record: temples_in(int(record[field])), write, whole=True)


def read_pending(state: Any) -> str:
    """The move that awaits an answer, in words."""
    pending = int(state["pending"])
    return ACTIONS.text(pending - 1) if pending else "none"


def write_pending(state: Any, given: Any, path: str) -> None:
    """Set the move that awaits an answer."""
    if given == "none":
        state["pending"] = 0
        return
    try:
        action = ACTIONS.number(str(given))
    except UserError as error:
        raise PositionError(f"position.{path}: {error}") from None
    if ACTION_KIND[action] > Kind.SOLAR and ACTION_KIND[action] != Kind.WIPE:
        raise PositionError(f"position.{path}: {given!r}, nobody can answer that")
    state["pending"] = action + 1


def mask_counts(mask: Any) -> np.ndarray:
    """1 for each temple of a mask, by number."""
    return np.array([int(mask) >> number & 1 for number in range(len(TEMPLE_NAMES))], np.int64)


def readable(states: State) -> Any:
    """The record with its fields as attributes, as kernels without a compiler need it."""
    return states.view(np.dtype((np.record, states.dtype)))[0]

"""Tiles and cards as short texts, such as `M01 1k : 2m 2end`, and as numbers."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from engines.errors import OptionError, nearest

from .tables import (
    CAMP,
    HERITAGE,
    HERITAGE_NAMES,
    MARKET,
    MARKET_NAMES,
    MOST_OPTIONS,
    OFFERING_NAMES,
    OFFERING_WORKERS,
    OFFERINGS,
    SLOTS,
    TILE_NAMES,
    TILES,
    Takes,
)

MOST_AMOUNT = 9  # of a resource, or of VP tokens, that one gain or cost names
MOST_POINTS = 30  # of a card at the end
TOKEN = re.compile(r"(\d+)(m|h|k|VP|end|sacrifice)")
LETTERS = {"m": "maize", "h": "hide", "k": "mask", "VP": "vp"}
OUT = "out"  # instead of what a component does: it is not in the game
RELEASE = "release"
ACTIONS = {"MKT": Takes.MARKET, "HER": Takes.HERITAGE}


class Gain(NamedTuple):
    """What a player gets, or pays."""

    maize: int = 0
    hide: int = 0
    mask: int = 0
    vp: int = 0  # tokens
    takes: int = Takes.NOTHING

    @property
    def has_goods(self) -> bool:
        """Whether there are resources in it."""
        return self.maize + self.hide + self.mask > 0


class Space(NamedTuple):
    """A slot or camp: one of its options is chosen."""

    options: tuple[Gain, ...]
    marked: bool = False


class Tile(NamedTuple):
    """The spaces of a tile by slot: a, b, c, d and the camp; None where there is none."""

    spaces: tuple[Space | None, ...]


class Card(NamedTuple):
    """A market, heritage or offering card."""

    cost: Gain = Gain()
    gain: Gain = Gain()
    end: int = 0  # points at the end
    sacrifice: int = 0  # workers
    release: bool = False


# --- reading ----------------------------------------------------------------------------------------------


def read_gain(text: str, extra: Sequence[str] = ()) -> tuple[Gain, dict[str, int]]:
    """A gain such as `2m 1VP`, and what of `extra` (end, sacrifice, release) stands with it."""
    found: dict[str, int] = {}
    for word in text.split():
        match = TOKEN.fullmatch(word)
        if match:
            name, amount = match[2], int(match[1])
        elif word in ACTIONS or word == RELEASE:
            name, amount = word, 1
        else:
            raise OptionError(f"{word!r}, expected words such as 2m 1h 1k 1VP")
        most = {"end": MOST_POINTS, "sacrifice": OFFERING_WORKERS}.get(name, MOST_AMOUNT)
        if amount > most:
            raise OptionError(f"{word!r}, at most {most}")
        if name in found or (name not in LETTERS and name not in extra):
            raise OptionError(f"{word!r}, it may not stand here")
        found[name] = amount
    takes = next((int(ACTIONS[name]) for name in found if name in ACTIONS), int(Takes.NOTHING))
    goods = {LETTERS[name]: amount for name, amount in found.items() if name in LETTERS}
    return Gain(**goods, takes=takes), found


def read_option(text: str) -> Gain:
    """One option of a space."""
    gain, found = read_gain(text, tuple(ACTIONS))
    check_option(gain, "MKT" in found and "HER" in found)
    return gain


def check_option(gain: Gain, both: bool) -> None:
    """R34 A market or heritage action stands alone, or with VP, so that what it costs is plain."""
    if both:
        raise OptionError("market and heritage in one option, expected one of them")
    if gain.takes != Takes.NOTHING and gain.has_goods:
        action = "market" if gain.takes == Takes.MARKET else "heritage"
        raise OptionError(f"{action} with resources in one option, expected it alone or with VP")
    if gain == Gain():
        raise OptionError("an option without any gain")


def read_tile(text: str) -> Tile:
    """A tile such as `a* 1h / 2m; b* 1h; camp 1VP 1k / MKT`."""
    spaces: list[Space | None] = [None] * len(SLOTS)
    for part in filter(None, map(str.strip, text.split(";"))):
        head, _, options = part.partition(" ")
        name = head.rstrip("*")
        if name not in SLOTS:
            raise OptionError(f"{head!r}, expected a slot a, b, c, d or camp")
        at = SLOTS.index(name)
        if spaces[at] is not None:
            raise OptionError(f"{name!r} stands twice")
        gains = tuple(read_option(option) for option in options.split("/"))
        if len(gains) > MOST_OPTIONS:
            raise OptionError(f"{name}: {len(gains)} options, at most {MOST_OPTIONS}")
        spaces[at] = Space(gains, head.endswith("*"))
    if all(space is None for space in spaces[:CAMP]):
        raise OptionError("no basic slot")
    return Tile(tuple(spaces))


def read_card(text: str, extra: Sequence[str], paid: bool = True) -> Card:
    """A card such as `1k : 2m 2end`; without a cost nothing stands before the colon."""
    before, colon, after = text.partition(":")
    if not colon or ":" in after:
        raise OptionError(f"{text!r}, expected COST : GAIN")
    cost, _ = read_gain(before)
    if cost.vp or (not paid and cost.has_goods):
        raise OptionError(f"{before.strip()!r}, it may not stand before the colon")
    gain, found = read_gain(after, extra)
    return Card(
        cost,
        gain,
        found.get("end", 0),
        found.get("sacrifice", 0),
        RELEASE in found,
    )


def read_offering(text: str) -> Card:
    """An offering: only points at the end, and workers to be sacrificed."""
    card = read_card(text, ("end", "sacrifice"))
    if card.gain != Gain():
        raise OptionError("an offering has no gain, only points at the end")
    return card


# --- writing ----------------------------------------------------------------------------------------------


def gain_text(gain: Gain) -> str:
    """A gain in its usual order: `2m 1VP`."""
    amounts = zip(gain[:3], ("m", "h", "k"), strict=True)
    goods = [f"{amount}{letter}" for amount, letter in amounts if amount]
    words = [word for word, takes in ACTIONS.items() if takes == gain.takes]
    return " ".join([f"{gain.vp}VP"] * (gain.vp > 0) + goods + words)


def tile_text(tile: Tile) -> str:
    """A tile as `read_tile` takes it."""
    parts = []
    for name, space in zip(SLOTS, tile.spaces, strict=True):
        if space is not None:
            options = " / ".join(gain_text(gain) for gain in space.options)
            parts.append(f"{name}{'*' * space.marked} {options}")
    return "; ".join(parts)


def card_text(card: Card) -> str:
    """A card as `read_card` takes it."""
    words = [gain_text(card.cost), ":", gain_text(card.gain)]
    words += [f"{card.end}end"] * (card.end > 0)
    words += [f"{card.sacrifice}sacrifice"] * (card.sacrifice > 0)
    words += [RELEASE] * card.release
    return " ".join(filter(None, words))


# --- sets of components -----------------------------------------------------------------------------------


class Part(NamedTuple):
    """One set of components: how its texts are read and written, and what is printed."""

    option: str  # of the Variant
    names: tuple[str, ...]
    printed: tuple[str, ...]
    read: Callable[[str], Any]
    write: Callable[[Any], str]


PARTS = (
    Part("tiles", TILE_NAMES, TILES, read_tile, tile_text),
    Part("offerings", OFFERING_NAMES, OFFERINGS, read_offering, card_text),
    Part(
        "market",
        MARKET_NAMES,
        MARKET,
        lambda text: read_card(text, ("end", RELEASE)),
        card_text,
    ),
    Part(
        "heritage",
        HERITAGE_NAMES,
        HERITAGE,
        lambda text: read_card(text, ("end",), False),
        card_text,
    ),
)


def entry(name: str, part: Part, content: Any) -> str:
    """A component with its name; None: it is out of the game."""
    return f"{name} {OUT if content is None else part.write(content)}"


def read_entries(part: Part, texts: Iterable[str]) -> dict[str, Any]:
    """What each of these texts says of a component; None: it is out of the game.

    Raises:
        OptionError: with the text that is wrong.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, _, rest = text.strip().partition(" ")
        if name not in part.names[1:]:
            known = f", expected {part.names[1]} to {part.names[-1]}"
            hint = nearest(name, part.names[1:]) or known
            raise OptionError(f"{part.option}: {text!r}: {name!r} is unknown{hint}")
        if name in found:
            raise OptionError(f"{part.option}: {name} stands twice")
        try:
            found[name] = None if rest.strip() == OUT else part.read(rest)
        except OptionError as error:
            raise OptionError(f"{part.option}: {text!r}: {error}") from None
    return found


PRINTED = {part.option: read_entries(part, part.printed) for part in PARTS}


def differences(part: Part, components: dict[str, Any]) -> tuple[str, ...]:
    """The texts of the components that are not as printed, in order."""
    printed = PRINTED[part.option]
    return tuple(
        entry(name, part, components[name])
        for name in part.names[1:]
        if name in components and components[name] != printed.get(name)
    )


def in_game(part: Part, changed: Iterable[str]) -> dict[str, Any]:
    """Every component of a set that is in the game, by name."""
    both = {**PRINTED[part.option], **read_entries(part, changed)}
    return {name: both[name] for name in part.names[1:] if both.get(name) is not None}

"""Where components lie: conserved, tidy, and known cards in their places."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from arena.authoring.checks.walks import SAMPLE, Position, Setting, guesses, positions, seen
from engines.core import Game
from engines.pictures import player_name
from engines.piles import HIDDEN, UNSEEN
from engines.records import Bag, Pile, State, unplaced, zones


def components_are_conserved(setting: Setting) -> Iterator[str]:
    """Every component lies in exactly one zone, in the State and in all that players imagine."""
    for position in positions(setting):
        yield from (f"{position.where}: {x}" for x in misplaced(setting.game, position.states))
    for position, player, _, guess in guesses(setting):
        yield from (
            f"{position.where}: {player_name(player)} imagines {x}"
            for x in misplaced(setting.game, guess)
        )


def piles_are_tidy(setting: Setting) -> Iterator[str]:
    """Slots above a pile are blank, hands are sorted, and of copies the better known come first."""
    for position in positions(setting, SAMPLE):
        yield from (f"{position.where}: {x}" for x in untidy(setting.game, position.states))
    for position, player, view, guess in guesses(setting):
        problems = itertools.chain(untidy(setting.game, guess), untidy(setting.game, view))
        yield from (f"{position.where}: {player_name(player)} imagines {x}" for x in problems)


def known_cards_stay_put(setting: Setting) -> Iterator[str]:
    """A card whose mask names a player shows in his View and lies there in all he imagines."""
    for position, player, view, guess in guesses(setting):
        for name, codec in piles(setting.game):
            others = (("sees", view), ("imagines", guess))
            for verb, other in others:
                yield from moved_cards(position, player, name, codec.hand, verb, other)


def views_show_what_masks_allow(setting: Setting) -> Iterator[str]:
    """In a View a pile shows a card exactly if its mask names the viewer, and names nobody else."""
    for position in positions(setting, SAMPLE * 2):
        for player in range(setting.players):
            view = seen(setting.game, position.states, player)
            for name, _ in piles(setting.game):
                for pile in zones(view[0], name):
                    if not all(slot_is_right(slot, player) for slot in slots_of(pile)):
                        slots = slots_of(pile)
                        yield f"{position.where}: {player_name(player)} sees (card, mask) {slots} in {name}"


def slots_of(pile: Any) -> list[tuple[int, int]]:
    """(card, mask) of every slot up to the top."""
    count = int(pile["count"])
    return list(zip(pile["card"][:count].tolist(), pile["known"][:count].tolist(), strict=True))


def slot_is_right(slot: tuple[int, int], viewer: int) -> bool:
    """Whether a slot in a View is hidden with an empty mask or shown with the viewer's bit alone."""
    card, mask = slot
    return mask == (UNSEEN if card == HIDDEN else 1 << viewer)


def moved_cards(
    position: Position, player: int, zone: str, is_hand: bool, verb: str, other: State
) -> Iterator[str]:
    """Where a player's known cards in a zone are others than in the true State."""
    pairs = zip(zones(position.states[0], zone), zones(other[0], zone), strict=True)
    for true, found in pairs:
        known, shown = known_cards(true, player, is_hand), known_cards(found, player, is_hand)
        if known != shown:
            yield f"{position.where}: {player_name(player)} knows {known} in {zone} and {verb} {shown}"


def known_cards(pile: Any, player: int, is_hand: bool) -> list[tuple[int, int]]:
    """The cards whose masks name the player: (slot, card), slot 0 in a hand, which has no order."""
    masks = pile["known"][: int(pile["count"])].tolist()
    known = [i for i, mask in enumerate(masks) if mask >> player & 1]
    cards = pile["card"].tolist() if known else []
    return sorted((0 if is_hand else i, cards[i]) for i in known)


def misplaced(game: Game, states: State) -> Iterator[str]:
    """Components with fewer or more copies in all zones together than there are."""
    for rest in game.layout.rest:
        codec = game.layout.fields[rest.zone]
        words = codec.words if isinstance(codec, Pile | Bag) else ()
        left = unplaced(states, rest)
        for number in np.flatnonzero(left):
            missing = int(left[number])
            yield f"{abs(missing)} {words[int(number)]} {'missing' if missing > 0 else 'too many'}"


def untidy(game: Game, states: State) -> Iterator[str]:
    """Piles with something above their top, unsorted hands, copies whose masks do not nest."""
    for name, codec in piles(game):
        for pile in zones(states[0], name):
            count = int(pile["count"])
            card, known = pile["card"].tolist(), pile["known"].tolist()
            if any(card[count:]) or any(known[count:]):
                yield f"{name}: something lies above its {count} cards"
            if codec.hand:
                yield from disorder(name, card[:count], known[:count])


def disorder(name: str, card: list[int], known: list[int]) -> Iterator[str]:
    """What is wrong with the order of a hand."""
    if card != sorted(card):
        yield f"{name}: {card} is not sorted"
    if any(card[i] == card[i - 1] and known[i] & ~known[i - 1] for i in range(1, len(card))):
        yield f"{name}: masks {known} of {card} do not nest"


def piles(game: Game) -> list[tuple[str, Pile]]:
    """The piles and hands of a game's record, by path."""
    return [(name, codec) for name, codec in game.layout.fields.items() if isinstance(codec, Pile)]


CHECKS = (
    components_are_conserved,
    piles_are_tidy,
    known_cards_stay_put,
    views_show_what_masks_allow,
)

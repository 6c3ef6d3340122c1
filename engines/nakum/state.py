"""The position of a game of Nakum, its options, and an empty table."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from engines.core import Option
from engines.errors import OptionError
from engines.piles import pile
from engines.records import HEADER, NOBODY, State

from .notation import (
    PARTS,
    Card,
    Gain,
    Part,
    Space,
    differences,
    in_game,
    read_entries,
)
from .tables import (
    CAMP,
    CUBES,
    GROW_SPACE,
    MOST_GOODS,
    MOST_HAND,
    MOST_HERITAGE,
    MOST_MARKET,
    MOST_OFFERINGS,
    MOST_OPTIONS,
    MOST_PLAYERS,
    MOST_ROUNDS,
    MOST_ROW,
    MOST_TILES,
    MOST_USES,
    MOST_WORKERS,
    PILE_SIZE,
    PYRAMID_SPACES,
    SLOT_NAMES,
    SPACE_NAMES,
    SPACES_OF_A_TILE,
    TILE_SPACES,
    Phase,
    Takes,
)

CHOICES = ("canonical", "free")
SACRIFICES = ("placed", "additional")


@dataclass(frozen=True)
class Variant:
    """The options of Nakum; RULES.md says which rule each one changes."""

    offerings_to_end: Annotated[int, Option("offerings of a player that end the game", 1, 8)] = 2
    active_workers: Annotated[int, Option("workers at the start", 2, MOST_WORKERS)] = 2
    reserve_workers: Annotated[int, Option("workers in the reserve at the start", 0, 6)] = 2
    storage_limit: Annotated[
        tuple[int, ...], Option("most maize, hides and masks of a player", 0, MOST_GOODS)
    ] = (6, 4, 3)
    per_vp: Annotated[
        tuple[int, ...], Option("maize, hides, masks for a point at the end, 0 = worthless", 0, 9)
    ] = (3, 2, 1)
    market_row: Annotated[int, Option("market cards face up", 0, MOST_ROW)] = 5
    offering_row: Annotated[int, Option("offerings face up", 0, MOST_ROW)] = 2
    outer_tiles_in_play: Annotated[int, Option("tiles around the pyramid", 1, MOST_TILES)] = 8
    tiles_revealed_at_start: Annotated[
        tuple[int, ...], Option("tiles turned up at the start with 2, 3, 4 players", 0, MOST_TILES)
    ] = (1, 2, 2)
    heritage_hand: Annotated[int, Option("heritage cards dealt to a player", 0, MOST_HAND)] = 3
    heritage_played_at_start: Annotated[int, Option("of them played before round 1", 0, 2)] = 1
    min_clan_after_offering: Annotated[
        int, Option("workers that a sacrifice must leave", 0, MOST_WORKERS)
    ] = 0
    sacrifice_from: Annotated[
        str, Option("sacrificed workers are among the two placed, or besides", choices=SACRIFICES)
    ] = "placed"
    grow_first_round_allowed: Annotated[bool, Option("the clan may grow in round 1")] = False
    grow_m4: Annotated[bool, Option("two of four players may grow on one day")] = True
    camp_m4: Annotated[bool, Option("every camp is marked for four players")] = False
    marked_slots: Annotated[
        tuple[str, ...] | None,
        Option("slots marked for four players; none = as on the tiles", choices=SLOT_NAMES),
    ] = None
    camp_exhaust: Annotated[bool, Option("cubes stay on camps after the day")] = True
    explore_vp: Annotated[int, Option("VP tokens for exploring", 0, 9)] = 1
    explore_choice: Annotated[str, Option("lowest face-down tile, or any one", choices=CHOICES)] = (
        "canonical"
    )
    pituk_vp: Annotated[int, Option("VP tokens for a favour of Pituk", 0, 9)] = 1
    pituk_uses_per_favour: Annotated[int, Option("cubes that use up a favour", 1, MOST_USES)] = 1
    pituk_market_reveal: Annotated[int, Option("market cards he reveals", 0, MOST_ROW)] = 5
    pituk_offering_reveal: Annotated[int, Option("offerings he reveals", 0, MOST_ROW)] = 2
    release_targets_pituk: Annotated[bool, Option("his cubes may be released too")] = True
    offering_deck_recycle: Annotated[bool, Option("discarded offerings form a new deck")] = True
    seat_bonus_vp: Annotated[
        tuple[int, ...], Option("VP tokens of each seat at the start", 0, 99)
    ] = (0, 0, 0, 0)
    stall_end: Annotated[bool, Option("the game ends if no player has two workers")] = True
    max_rounds: Annotated[int, Option("the game ends after so many rounds", 1, MOST_ROUNDS)] = 20
    tiles: Annotated[tuple[str, ...], Option("tiles not as printed (RULES.md, R34)")] = ()
    offerings: Annotated[tuple[str, ...], Option("offerings not as printed")] = ()
    market: Annotated[tuple[str, ...], Option("market cards not as printed")] = ()
    heritage: Annotated[tuple[str, ...], Option("heritage cards not as printed")] = ()

    def __post_init__(self) -> None:
        """Check lists; write components one way only, so that equal variants are equal."""
        lengths = {"storage_limit": 3, "per_vp": 3, "tiles_revealed_at_start": 3}
        for name, length in {**lengths, "seat_bonus_vp": MOST_PLAYERS}.items():
            given = getattr(self, name)
            if len(given) != length:
                raise OptionError(f"{name}: {'+'.join(map(str, given))}, expected {length} numbers")
        for part in PARTS:
            found = read_entries(part, getattr(self, part.option))
            object.__setattr__(self, part.option, differences(part, found))
        if self.marked_slots is not None:
            ordered = tuple(name for name in SLOT_NAMES if name in self.marked_slots)
            object.__setattr__(self, "marked_slots", ordered)


PILE = pile(PILE_SIZE)

GOODS = np.dtype([("maize", np.int8), ("hide", np.int8), ("mask", np.int8)])
GAIN = np.dtype(
    [
        ("maize", np.int8),
        ("hide", np.int8),
        ("mask", np.int8),
        ("vp", np.int8),  # tokens
        ("takes", np.int8),  # a Takes
    ]
)
SPACE = np.dtype(
    [
        ("options", np.int8),  # how many there are; 0: no such space
        ("option", GAIN, (MOST_OPTIONS,)),
    ]
)
MARKET_CARD = np.dtype(
    [
        ("copies", np.int8),  # 0: not in the game
        ("cost", GOODS),
        ("gain", GAIN),
        ("end", np.int8),  # points at the end
        ("release", np.int8),
    ]
)
OFFERING_CARD = np.dtype(
    [("copies", np.int8), ("cost", GOODS), ("sacrifice", np.int8), ("end", np.int8)]
)
HERITAGE_CARD = np.dtype([("copies", np.int8), ("gain", GAIN), ("end", np.int8)])

RULES = np.dtype(
    [
        ("offerings_to_end", np.int8),
        ("active", np.int8),  # workers at the start
        ("reserve", np.int8),
        ("limit", GOODS),
        ("per_vp", GOODS),
        ("market_row", np.int8),
        ("offering_row", np.int8),
        ("tiles_in_play", np.int8),
        ("revealed", np.int8),  # tiles at the start
        ("hand_size", np.int8),
        ("played_at_start", np.int8),
        ("clan_left", np.int8),  # after a sacrifice
        ("additional", np.int8),  # 1: sacrificed workers are placed besides the two
        ("early_growth", np.int8),  # 1: in round 1 too
        ("camp_exhaust", np.int8),
        ("explore_vp", np.int8),
        ("free_choice", np.int8),  # 1: of a face-down tile
        ("pituk_vp", np.int8),
        ("pituk_uses", np.int8),
        ("pituk_market", np.int8),
        ("pituk_offerings", np.int8),
        ("release_pituk", np.int8),
        ("recycle", np.int8),
        ("stall_end", np.int8),
        ("max_rounds", np.int8),
        ("seat_bonus", np.int8, (MOST_PLAYERS,)),
        ("tile_copies", np.int8, (MOST_TILES + 1,)),  # 0: not in the game
        ("tile_spaces", np.int64, (MOST_TILES + 1,)),  # masks of the spaces of each tile
        ("marked", np.int64),  # mask of the spaces that take two different players
        ("plain", np.int64),  # mask of the slots with an option that takes no card
        ("selling", np.int64),  # mask of the spaces with a market action
        ("space", SPACE, (TILE_SPACES,)),
        ("market", MARKET_CARD, (MOST_MARKET + 1,)),
        ("offering", OFFERING_CARD, (MOST_OFFERINGS + 1,)),
        ("heritage", HERITAGE_CARD, (MOST_HERITAGE + 1,)),
    ]
)

SEAT = np.dtype(
    [
        ("maize", np.int8),
        ("hide", np.int8),
        ("mask", np.int8),
        ("vp", np.int16),  # tokens
        ("card_points", np.int16),  # of offerings, market and heritage cards owned
        ("active", np.int8),  # workers of the day
        ("reserve", np.int8),
        ("placed", np.int8),  # of the active ones
        ("stands_on", np.int64),  # mask of the spaces with his workers
        ("grown", np.int8),  # from the reserve, usable from the next round
        ("sacrificed", np.int8),  # of the placed ones
        ("offerings_made", np.int8),
        ("first_offering_at", np.int16),  # number of the action, 0: none yet
        ("hand", PILE),  # heritage cards, a hand
        ("heritage_played", PILE),  # a hand; before the reveal known to its owner only
        ("market_owned", np.int8, (MOST_MARKET + 1,)),  # copies of each card
        ("offerings", np.int8, (MOST_OFFERINGS + 1,)),
    ]
)

STATE = np.dtype(
    [
        *HEADER,
        ("rules", RULES),  # the variant
        ("phase", np.int8),  # a Phase: what to_act decides
        ("current_round", np.int8),  # from 1
        ("start_token", np.int8),  # who holds it
        ("end_triggered", np.int8),  # 1: the game ends after this day
        ("action_counter", np.int16),  # actions of all days so far
        ("board", PILE),  # tiles by position; known to all if face up
        ("tile_box", PILE),  # tiles not in play
        ("open_spaces", np.int64),  # mask of the spaces of the pyramid and of face-up tiles
        ("unexplored", np.int8),  # face-down tiles on the board
        ("explorer", np.int8, (MOST_TILES,)),  # player on each position, or NOBODY
        ("cubes", np.int8, (CUBES,)),  # on each option of a camp and favour
        ("waiting_cube", np.int8),  # 1 + the cube that a camp under way will get, 0: none
        ("market_row", PILE),  # a hand: kept sorted
        ("market_deck", PILE),  # drawn from the top, known to nobody
        ("offering_row", PILE),
        ("offering_deck", PILE),
        ("offering_discard", np.int8, (MOST_OFFERINGS + 1,)),  # copies of each card
        ("heritage_removed", PILE),  # not dealt, known to nobody
        ("seat", SEAT, (MOST_PLAYERS,)),
        ("ending", np.int8),  # an Ending
    ]
)


def blank(players: int, variant: Variant) -> State:
    """An empty table of the variant: nothing dealt, player 0 about to act on day 1.

    Raises:
        OptionError: the variant cannot be played by so many, or contradicts itself.
    """
    if not 2 <= players <= MOST_PLAYERS:
        raise OptionError(f"players: {players}, Nakum has 2 to {MOST_PLAYERS}")
    states = np.zeros(1, STATE)
    states["players"] = players
    states["viewer"] = NOBODY
    states["team"] = np.arange(MOST_PLAYERS)
    states["phase"] = Phase.DAY
    states["current_round"] = 1
    states["explorer"] = NOBODY
    states["open_spaces"] = PYRAMID_SPACES
    rules = states["rules"][0]
    write_numbers(rules, players, variant)
    write_components(rules, players, variant)
    check_options(rules, players, variant)
    states["seat"]["active"][0, :players] = variant.active_workers
    states["seat"]["reserve"][0, :players] = variant.reserve_workers
    return states


def write_numbers(rules: Any, players: int, variant: Variant) -> None:
    """Put everything but the components into the record that the rules read."""
    same = ("offerings_to_end", "market_row", "offering_row", "camp_exhaust", "explore_vp")
    for name in (*same, "pituk_vp", "stall_end", "max_rounds"):
        rules[name] = getattr(variant, name)
    rules["active"] = variant.active_workers
    rules["reserve"] = variant.reserve_workers
    rules["limit"] = variant.storage_limit
    rules["per_vp"] = variant.per_vp
    rules["tiles_in_play"] = variant.outer_tiles_in_play
    rules["revealed"] = min(
        variant.tiles_revealed_at_start[players - 2], variant.outer_tiles_in_play
    )
    rules["hand_size"] = variant.heritage_hand
    rules["played_at_start"] = variant.heritage_played_at_start
    rules["clan_left"] = variant.min_clan_after_offering
    rules["additional"] = variant.sacrifice_from == "additional"
    rules["early_growth"] = variant.grow_first_round_allowed
    rules["free_choice"] = variant.explore_choice == "free"
    rules["pituk_uses"] = variant.pituk_uses_per_favour
    rules["pituk_market"] = variant.pituk_market_reveal
    rules["pituk_offerings"] = variant.pituk_offering_reveal
    rules["release_pituk"] = variant.release_targets_pituk
    rules["recycle"] = variant.offering_deck_recycle
    rules["seat_bonus"] = variant.seat_bonus_vp


def write_components(rules: Any, players: int, variant: Variant) -> None:
    """Put tiles and cards into the record that the rules read."""
    tiles, offerings, market, heritage = (components(part, variant) for part in PARTS)
    marks = 1 << GROW_SPACE if variant.grow_m4 else 0
    for number, tile in tiles.items():
        rules["tile_copies"][number] = 1
        for slot, space in enumerate(tile.spaces):
            if space is not None:
                here = (number - 1) * SPACES_OF_A_TILE + slot
                rules["tile_spaces"][number] |= 1 << here
                write_space(rules, here, space)
                marks |= int(is_marked(variant, here, space.marked)) << here
    rules["marked"] = marks if players == MOST_PLAYERS else 0
    for name, cards in (("market", market), ("offering", offerings), ("heritage", heritage)):
        for number, card in cards.items():
            write_card(rules[name][number], card)


def write_space(rules: Any, here: int, space: Space) -> None:
    """A slot or camp with its options."""
    rules["space"][here]["options"] = len(space.options)
    for option, gain in enumerate(space.options):
        rules["space"][here]["option"][option] = tuple(gain)
        if gain.takes == Takes.MARKET:
            rules["selling"] |= 1 << here
        if gain.takes == Takes.NOTHING and here % SPACES_OF_A_TILE != CAMP:
            rules["plain"] |= 1 << here


def write_card(written: Any, card: Card) -> None:
    """What a card says, as far as cards of its set can say it."""
    facts = {
        "copies": 1,
        "cost": goods_of(card.cost),
        "gain": tuple(card.gain),
        "end": card.end,
        "sacrifice": card.sacrifice,
        "release": card.release,
    }
    for name in written.dtype.names:
        written[name] = facts[name]


def components(part: Part, variant: Variant) -> dict[int, Any]:
    """The components of a set that are in the game, by number."""
    found = in_game(part, getattr(variant, part.option))
    return {part.names.index(name): content for name, content in found.items()}


def goods_of(gain: Gain) -> tuple[int, ...]:
    """The resources of a cost."""
    return (gain.maize, gain.hide, gain.mask)


def is_marked(variant: Variant, space: int, printed: bool) -> bool:
    """Whether a space of a tile takes two of four players."""
    if space % SPACES_OF_A_TILE == CAMP:
        return printed or variant.camp_m4
    if variant.marked_slots is None:
        return printed
    return SPACE_NAMES[space] in variant.marked_slots


def check_options(rules: Any, players: int, variant: Variant) -> None:
    """Refuse what cannot be played, in one line that says why."""
    tiles = int(rules["tile_copies"].sum())
    if variant.outer_tiles_in_play > tiles:
        raise OptionError(f"outer_tiles_in_play: {variant.outer_tiles_in_play}, there are {tiles}")
    if variant.active_workers + variant.reserve_workers > MOST_WORKERS:
        whole = variant.active_workers + variant.reserve_workers
        raise OptionError(f"reserve_workers: {whole} workers in all, at most {MOST_WORKERS}")
    if variant.heritage_played_at_start > variant.heritage_hand:
        raise OptionError(
            f"heritage_played_at_start: {variant.heritage_played_at_start}, "
            f"a hand has {variant.heritage_hand}"
        )
    cards = int(rules["heritage"]["copies"].sum())
    if players * variant.heritage_hand > cards:
        raise OptionError(
            f"heritage_hand: {variant.heritage_hand}, there are {cards} cards for {players} players"
        )
    limit = np.array(variant.storage_limit)
    costs = [card["cost"].tolist() for card in rules["offering"] if card["copies"]]
    if not any(np.all(np.array(cost) <= limit) for cost in costs):
        raise OptionError(
            f"storage_limit: {'+'.join(map(str, variant.storage_limit))}, no offering in the game "
            "can be paid from so little"
        )
    if not variant.offering_row and not variant.pituk_offering_reveal:
        raise OptionError("offering_row: 0, and Pituk reveals none: no offering could be made")
    for name in variant.marked_slots or ():
        if not rules["space"]["options"][SPACE_NAMES.index(name)]:
            raise OptionError(f"marked_slots: {name!r}, there is no such slot")

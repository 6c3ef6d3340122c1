"""The position of a game of Sagrada, its options and its setup."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from engines.core import Option
from engines.errors import OptionError
from engines.piles import pile
from engines.records import HEADER, NOBODY, State

from .tables import (
    CELLS,
    COLOUR_NAMES,
    COLOURS,
    DICE_IN_ALL,
    MOST_CARDS,
    MOST_PLAYERS,
    MOST_POOL,
    MOST_ROUNDS,
    MOST_TOKENS,
    OBJECTIVE_NAMES,
    PATTERN_NAMES,
    PIPS,
    TOOL_NAMES,
    Phase,
)


@dataclass(frozen=True)
class Variant:
    """The options of Sagrada; RULES.md says which rule each one changes."""

    rounds: Annotated[int, Option("rounds in the game", 1, MOST_ROUNDS)] = 10
    dice_per_player: Annotated[int, Option("dice drawn each round for every player", 1, 4)] = 2
    extra_dice: Annotated[int, Option("dice drawn each round besides", 0, 4)] = 1
    solo_dice: Annotated[int, Option("alone: dice drawn each round", 1, 9)] = 4
    public_objectives: Annotated[int, Option("public objectives face up", 0, 10)] = 3
    solo_public_objectives: Annotated[int, Option("alone: the same", 0, 10)] = 2
    solo_private_objectives: Annotated[
        int, Option("alone: private objectives, of which the best counts", 1, 5)
    ] = 2
    tools: Annotated[int, Option("tools face up", 0, 12)] = 3
    solo_tools: Annotated[int, Option("alone: tools face up, 1 = hard, 5 = easy", 0, 12)] = 3
    fixed_objectives: Annotated[
        tuple[str, ...],
        Option("public objectives that are always among them", choices=OBJECTIVE_NAMES[1:]),
    ] = ()
    fixed_tools: Annotated[
        tuple[str, ...], Option("tools that are always among them", choices=TOOL_NAMES[1:])
    ] = ()
    fixed_windows: Annotated[
        tuple[str, ...],
        Option(
            "patterns of the players in seat order, again from the front; none = they choose",
            choices=PATTERN_NAMES[1:],
        ),
    ] = ()
    private_objectives: Annotated[
        tuple[str, ...],
        Option("colours of the private objectives in the game", choices=COLOUR_NAMES[1:]),
    ] = COLOUR_NAMES[1:]
    tokens_by_difficulty: Annotated[
        bool, Option("favor tokens as many as the pattern is difficult")
    ] = True
    tokens: Annotated[int, Option("favor tokens of every player otherwise", 0, MOST_TOKENS)] = 4
    first_cost: Annotated[int, Option("favor tokens to use a tool without tokens", 0, 6)] = 1
    later_cost: Annotated[int, Option("favor tokens to use a tool that holds some", 0, 6)] = 2
    gap_penalty: Annotated[int, Option("points lost for an empty space", 0, 10)] = 1
    solo_gap_penalty: Annotated[int, Option("alone: the same", 0, 10)] = 3
    reveal_before_choice: Annotated[
        bool, Option("tools, objectives and who begins are known when windows are chosen")
    ] = False
    returned_die_spends_draft: Annotated[
        bool, Option("a die returned by Flux Brush or Flux Remover was the turn's draft")
    ] = True
    two_dice_moves: Annotated[
        str,
        Option(
            "two dice of Lathekin or Tap Wheel: moved one by one, or lifted together, then placed",
            choices=("one_by_one", "together"),
        ),
    ] = "one_by_one"
    first_player: Annotated[str, Option("who begins", choices=("0", "random"))] = "0"


SHOWN_BY = {"fixed_objectives": "public_objectives", "fixed_tools": "tools"}
CARD_PILE = pile(MOST_CARDS)
BAG = pile(DICE_IN_ALL)

RULES = np.dtype(
    [
        ("rounds", np.int8),
        ("dice", np.int8),  # drawn each round
        ("public_objectives", np.int8),
        ("private_objectives", np.int8),  # of each player
        ("tools", np.int8),
        ("public_fixed", np.int8, (len(OBJECTIVE_NAMES),)),  # 1: always face up
        ("tool_fixed", np.int8, (len(TOOL_NAMES),)),  # 1: always face up
        ("pattern_fixed", np.int8, (MOST_PLAYERS,)),  # the pattern of each player, 0: he chooses
        ("private_copies", np.int8, (COLOURS + 1,)),  # 1: this private objective is in the game
        ("tokens", np.int8),  # of every player, or NOBODY: as many as the pattern is difficult
        ("first_cost", np.int8),
        ("later_cost", np.int8),
        ("gap_penalty", np.int8),
        ("reveal_first", np.int8),  # 1: the table is revealed before windows are chosen
        ("return_spends", np.int8),  # 1: a returned die was the turn's draft
        ("together", np.int8),  # 1: two dice that a tool moves are lifted before they are placed
        ("random_start", np.int8),  # 1: the player who begins is drawn by lot
    ]
)

DICE_LIST = np.dtype(
    [  # sorted by colour, then value
        ("count", np.int8),  # dice in the list; the slots above are 0
        ("card", np.int8, (MOST_POOL,)),  # colours; so named for the shared checks of components
        ("value", np.int8, (MOST_POOL,)),
    ]
)

TRACK = np.dtype(
    [  # sorted by slot, then colour, then value
        ("count", np.int8),
        ("slot", np.int8, (DICE_IN_ALL,)),  # the round whose dice these are, from 1
        ("card", np.int8, (DICE_IN_ALL,)),  # colours
        ("value", np.int8, (DICE_IN_ALL,)),
    ]
)

WINDOW = np.dtype(
    [
        ("die", np.int8, (CELLS,)),  # die number in each space, 0 = empty
        ("filled", np.int32),  # mask of the spaces with a die
        ("colour", np.int32, (COLOURS + 1,)),  # masks of the spaces with dice of each colour
        ("pips", np.int32, (PIPS + 1,)),  # masks of the spaces with dice of each value
        ("tally", np.int8, (COLOURS + 1,)),  # dice of each colour
    ]
)

SEAT = np.dtype(
    [
        ("pattern", np.int8),  # 0: not chosen yet; HIDDEN in a View: chosen, not shown yet
        ("tokens", np.int8),
        ("skips", np.int8),  # 1: the second turn of this round falls away
        ("private", CARD_PILE),  # a hand of private objectives, by colour
        ("options", CARD_PILE),  # a hand: the window cards to choose from
        ("window", WINDOW),
    ]
)

STATE = np.dtype(
    [
        *HEADER,
        ("rules", RULES),  # the variant
        ("phase", np.int8),  # a Phase: what to_act decides
        ("start", np.int8),  # who begins round 1; NOBODY in a View before the reveal
        ("current_round", np.int8),  # from 1; 0 while windows are chosen
        ("turn", np.int8),  # of the round, 0 to 2n - 1; from n on it is the second pass
        ("turns", np.int16),  # begun so far
        ("drafted", np.int8),  # 1: the draft of this turn is spent
        ("tool_used", np.int8),  # 1: so is its tool
        ("tool", np.int8),  # the tool that is being carried out, 0: none
        ("tool_colour", np.int8),  # the colour that Tap Wheel moves, 0: not chosen
        ("moved", np.int8),  # 1 + the cell of the first die moved by the tool, 0: none yet
        # Dice moved together: 1 + the cell where the first will go; till then it lies where it was.
        ("landing", np.int8),
        ("held", DICE_LIST),  # the drafted die, not yet placed
        ("pool", DICE_LIST),
        ("spent", DICE_LIST),  # alone: dice that paid for tools
        ("track", TRACK),
        ("bag", BAG),  # colours; drawn from the top, known to nobody
        ("bag_tally", np.int8, (COLOURS + 1,)),  # dice of each colour in the bag: public
        ("rolls", np.int8, (DICE_IN_ALL,)),  # first value of each die in the bag, 0 in a View
        ("tools", CARD_PILE),  # face up, a hand: kept sorted
        ("tool_box", CARD_PILE),  # out of the game
        ("tool_tokens", np.int8, (len(TOOL_NAMES),)),  # favor tokens on each tool
        ("publics", CARD_PILE),  # face up, a hand
        ("public_box", CARD_PILE),
        ("private_box", CARD_PILE),
        ("window_box", CARD_PILE),  # not dealt; emptied when the windows are chosen
        ("seat", SEAT, (MOST_PLAYERS,)),
        ("ending", np.int8),  # an Ending
    ]
)


def blank(players: int, variant: Variant) -> State:
    """An empty table of the variant: nothing dealt, player 0 about to take the first turn.

    Raises:
        OptionError: the variant cannot be played by so many, or contradicts itself.
    """
    check_options(players, variant)
    states = np.zeros(1, STATE)
    states["players"] = players
    states["viewer"] = NOBODY
    states["team"] = np.arange(MOST_PLAYERS)
    states["phase"] = Phase.MAIN
    states["current_round"] = 1
    write_rules(states["rules"][0], players, variant)
    return states


def check_options(players: int, variant: Variant) -> None:
    """Refuse what cannot be played, in one line that says why."""
    if not 1 <= players <= MOST_PLAYERS:
        raise OptionError(f"players: {players}, Sagrada has 1 to {MOST_PLAYERS}")
    solo = players == 1
    drawn = dice_each_round(players, variant)
    if drawn > MOST_POOL or drawn * variant.rounds > DICE_IN_ALL:
        most = min(MOST_POOL, DICE_IN_ALL // variant.rounds)
        names = "solo_dice" if solo else "dice_per_player, extra_dice"
        raise OptionError(
            f"{names}: {drawn} dice a round, with {variant.rounds} rounds at most {most}"
        )
    shown = {
        "fixed_objectives": variant.solo_public_objectives if solo else variant.public_objectives,
        "fixed_tools": variant.solo_tools if solo else variant.tools,
    }
    for name, most in shown.items():
        fixed = getattr(variant, name)
        if len(set(fixed)) != len(fixed) or len(fixed) > most:
            raise OptionError(
                f"{name}: {', '.join(fixed)}, expected at most {most} different ones "
                f"({'solo_' if solo else ''}{SHOWN_BY[name]})"
            )
    colours = variant.private_objectives
    needed = players * (variant.solo_private_objectives if solo else 1)
    if len(set(colours)) != len(colours) or len(colours) < needed:
        dealt = " (solo_private_objectives)" if solo else ""
        raise OptionError(
            f"private_objectives: {', '.join(colours) or 'none'}, "
            f"expected at least {needed} different ones{dealt}"
        )


def dice_each_round(players: int, variant: Variant) -> int:
    """How many dice are drawn for a round."""
    if players == 1:
        return variant.solo_dice
    return variant.dice_per_player * players + variant.extra_dice


def write_rules(rules: Any, players: int, variant: Variant) -> None:
    """Put a variant into the record that the rules read."""
    solo = players == 1
    rules["rounds"] = variant.rounds
    rules["dice"] = dice_each_round(players, variant)
    rules["public_objectives"] = (
        variant.solo_public_objectives if solo else variant.public_objectives
    )
    rules["private_objectives"] = variant.solo_private_objectives if solo else 1
    rules["tools"] = variant.solo_tools if solo else variant.tools
    rules["gap_penalty"] = variant.solo_gap_penalty if solo else variant.gap_penalty
    rules["tokens"] = NOBODY if variant.tokens_by_difficulty else variant.tokens
    if solo:
        rules["tokens"] = 0
    for field, given, names in (
        ("public_fixed", variant.fixed_objectives, OBJECTIVE_NAMES),
        ("tool_fixed", variant.fixed_tools, TOOL_NAMES),
        ("private_copies", variant.private_objectives, COLOUR_NAMES),
    ):
        rules[field] = [int(name in given) for name in names]
    windows = [PATTERN_NAMES.index(name) for name in variant.fixed_windows]
    for player in range(players if windows else 0):
        rules["pattern_fixed"][player] = windows[player % len(windows)]
    rules["first_cost"] = variant.first_cost
    rules["later_cost"] = variant.later_cost
    rules["reveal_first"] = variant.reveal_before_choice
    rules["return_spends"] = variant.returned_die_spends_draft
    rules["together"] = variant.two_dice_moves == "together"
    rules["random_start"] = variant.first_player == "random"

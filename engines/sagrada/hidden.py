"""What the players know, and what a viewer may suppose of the rest."""

import numpy as np

from engines.kernel import kernel
from engines.keys import NOTHING, mix, mix_pile
from engines.piles import (
    EVERYBODY,
    HIDDEN,
    UNSEEN,
    count_out,
    deal_hand,
    deal_pile,
    fill_pool,
    redact_hand,
    redact_pile,
)
from engines.records import NOBODY, OVER
from engines.rng import below

from .rules.dice import die_at, die_on_track
from .tables import (
    CARDS,
    CELLS,
    COLOURS,
    MOST_CARDS,
    PIPS,
    Objective,
    Phase,
    Tool,
)

TOOLS = len(Tool)
OBJECTIVES = len(Objective)


@kernel
def witnesses(states, action):
    """R4, R53 A choice of window is seen by its player alone, the last one by all: it reveals everything."""
    player = int(states[0].to_act)
    return EVERYBODY if player + 1 == states[0].players else 1 << player


@kernel
def observe(states, player, views):
    """R53, R54 Blank other private objectives, window cards and choices, the order of the bag, rolls to come."""
    views[0] = states[0]
    view = views[0]
    view.viewer = player
    choosing = view.phase == Phase.WINDOW
    for other in range(int(view.players)):
        seat = view.seat[other]
        redact_hand(seat.private, player)
        redact_hand(seat.options, player)
        if choosing and other != player and seat.pattern != 0:
            seat.pattern = HIDDEN
    redact_hand(view.tools, player)
    redact_hand(view.publics, player)
    redact_pile(view.tool_box, player)
    redact_pile(view.public_box, player)
    redact_pile(view.private_box, player)
    redact_pile(view.window_box, player)
    if choosing and view.rules.random_start and not view.rules.reveal_first:
        view.start = NOBODY
    blank_bag(view)


@kernel
def blank_bag(view):
    """R54 How many dice of each colour the bag holds is known, their order and rolls are not."""
    for i in range(int(view.bag.count)):
        view.bag.card[i] = HIDDEN
        view.rolls[i] = 0


# --- what a viewer may suppose ----------------------------------------------------------------------------


@kernel
def determinize(views, rng, states):
    """R55 A random position that the viewer holds for possible: what he cannot see is pooled and dealt back."""
    states[0] = views[0]
    state = states[0]
    state.viewer = NOBODY
    supply = np.empty(MOST_CARDS + 1, np.int64)
    pool = np.empty(MOST_CARDS, np.int64)
    imagine_privates(state, supply, pool, rng)
    if state.phase == Phase.WINDOW:
        imagine_windows(state, supply, pool, rng)
    if state.phase == Phase.WINDOW and not state.rules.reveal_first:
        imagine_table(state, supply, pool, rng)
    else:
        share(state.tools, EVERYBODY)
        share(state.publics, EVERYBODY)
        share(state.tool_box, EVERYBODY)
        share(state.public_box, EVERYBODY)
    imagine_bag(state, rng)


@kernel
def imagine_privates(state, supply, pool, rng):
    """R55 The others' private objectives are dealt from those not seen."""
    supply[:] = 0
    for colour in range(1, COLOURS + 1):
        supply[colour] = state.rules.private_copies[colour]
    count_out(state.private_box, supply)
    for player in range(int(state.players)):
        count_out(state.seat[player].private, supply)
    left = fill_pool(supply, pool)
    for player in range(int(state.players)):
        owners = EVERYBODY if state.to_act == OVER else 1 << player
        left = deal_hand(state.seat[player].private, pool, left, rng, owners)
    deal_pile(state.private_box, pool, left, rng)


@kernel
def imagine_windows(state, supply, pool, rng):
    """R55 The others' window cards, and a choice for those who have made theirs."""
    supply[:] = 0
    supply[1 : CARDS + 1] = 1
    for player in range(int(state.players)):
        count_out(state.seat[player].options, supply)
    left = fill_pool(supply, pool)
    for player in range(int(state.players)):
        seat = state.seat[player]
        left = deal_hand(seat.options, pool, left, rng, 1 << player)
        if seat.pattern == HIDDEN:
            card = int(seat.options.card[below(rng, int(seat.options.count))])
            seat.pattern = 2 * card - below(rng, 2)
    deal_pile(state.window_box, pool, left, rng)


@kernel
def imagine_table(state, supply, pool, rng):
    """R55 Tools, objectives and the start player before they are revealed."""
    supply[:] = 0
    supply[1 : TOOLS + 1] = 1
    count_out(state.tools, supply)
    left = fill_pool(supply, pool)
    left = deal_hand(state.tools, pool, left, rng, UNSEEN)
    deal_pile(state.tool_box, pool, left, rng)
    supply[:] = 0
    supply[1 : OBJECTIVES + 1] = 1
    count_out(state.publics, supply)
    left = fill_pool(supply, pool)
    left = deal_hand(state.publics, pool, left, rng, UNSEEN)
    deal_pile(state.public_box, pool, left, rng)
    share_known(state.tools)
    share_known(state.publics)
    if state.start == NOBODY:
        state.start = below(rng, int(state.players))


@kernel
def share(pile, owners):
    """The owners know all cards of a pile."""
    for i in range(int(pile.count)):
        pile.known[i] = owners


@kernel
def share_known(pile):
    """What the viewer knows before the reveal everybody knows: the variant fixes it."""
    for i in range(int(pile.count)):
        if pile.known[i] > 0:
            pile.known[i] = EVERYBODY


@kernel
def imagine_bag(state, rng):
    """R55 The dice of the bag in random order with random first rolls."""
    at = 0
    for colour in range(1, COLOURS + 1):
        for _ in range(int(state.bag_tally[colour])):
            state.bag.card[at] = colour
            at += 1
    for i in range(at - 1, -1, -1):
        chance = below(rng, (i + 1) * PIPS)  # one number for the place and the roll
        j = chance // PIPS
        colour = int(state.bag.card[i])
        state.bag.card[i] = state.bag.card[j]
        state.bag.card[j] = colour
        state.rolls[i] = 1 + chance % PIPS


# --- key --------------------------------------------------------------------------------------------------


@kernel
def key(states):
    """Equal for positions with the same future: everything but who knows what and how many turns there were."""
    state = states[0]
    mixed = mix(NOTHING, int(state.current_round))
    mixed = mix(mixed, int(state.to_act) + 1)
    mixed = mix(mixed, int(state.phase) * 8 + int(state.turn))
    mixed = mix(mixed, (int(state.drafted) * 2 + int(state.tool_used)) * 8 + int(state.start) + 1)
    tool = int(state.landing) * 16 + int(state.tool)
    mixed = mix(mixed, (tool * 8 + int(state.tool_colour)) * 32 + int(state.moved))
    mixed = mix_dice(mixed, state.held)
    mixed = mix_dice(mixed, state.pool)
    mixed = mix_pile(mixed, state.tools)
    mixed = mix_pile(mixed, state.publics)
    for tool in range(1, TOOLS + 1):
        mixed = mix(mixed, int(state.tool_tokens[tool]))
    for i in range(int(state.track.count)):
        mixed = mix(mixed, int(state.track.slot[i]) * 32 + die_on_track(state.track, i))
    for i in range(int(state.bag.count)):
        mixed = mix(mixed, (int(state.bag.card[i]) + 1) * 8 + int(state.rolls[i]))
    for player in range(int(state.players)):
        mixed = mix_seat(mixed, state.seat[player])
    return mixed


@kernel
def mix_dice(mixed, dice):
    """A list of dice in a hash, their number first."""
    mixed = mix(mixed, int(dice.count))
    for i in range(int(dice.count)):
        mixed = mix(mixed, die_at(dice, i))
    return mixed


@kernel
def mix_seat(mixed, seat):
    """What a player has on the table and in hand."""
    mixed = mix(mixed, (int(seat.pattern) + 1) * 2 + int(seat.skips))
    mixed = mix(mixed, int(seat.tokens))
    mixed = mix_pile(mixed, seat.private)
    mixed = mix_pile(mixed, seat.options)
    for cell in range(CELLS):
        mixed = mix(mixed, int(seat.window.die[cell]))
    return mixed

"""What the players know, and what a viewer may suppose of the rest."""

import numpy as np

from engines.kernel import kernel
from engines.keys import NOTHING, mix, mix_pile
from engines.piles import (
    EVERYBODY,
    count_out,
    deal_hand,
    deal_pile,
    fill_pool,
    redact_hand,
    redact_pile,
)
from engines.records import NOBODY

from .tables import (
    CUBES,
    MOST_HERITAGE,
    MOST_MARKET,
    MOST_OFFERINGS,
    MOST_TILES,
    MOST_TOKENS,
    PILE_SIZE,
    Phase,
)


@kernel
def witnesses(states, action):
    """R4, R32 A first heritage card is seen by its player alone, the last one by all: it reveals everything."""
    state = states[0]
    player = int(state.to_act)
    laid = int(state.seat[player].heritage_played.count) + 1
    if player + 1 == state.players and laid == state.rules.played_at_start:
        return EVERYBODY
    return 1 << player


@kernel
def observe(states, player, views):
    """R32 Blank face-down tiles, decks, other hands, cards out of the game, and choices not yet revealed."""
    views[0] = states[0]
    view = views[0]
    view.viewer = player
    redact_pile(view.board, player)
    redact_pile(view.tile_box, player)
    redact_pile(view.market_deck, player)
    redact_pile(view.offering_deck, player)
    redact_pile(view.heritage_removed, player)
    redact_hand(view.market_row, player)
    redact_hand(view.offering_row, player)
    for other in range(int(view.players)):
        redact_hand(view.seat[other].hand, player)
        redact_hand(view.seat[other].heritage_played, player)


# --- what a viewer may suppose ----------------------------------------------------------------------------


@kernel
def determinize(views, rng, states):
    """R33 A random position that the viewer holds for possible: what he cannot see is pooled and dealt back."""
    states[0] = views[0]
    state = states[0]
    state.viewer = NOBODY
    supply = np.empty(PILE_SIZE + 1, np.int64)
    pool = np.empty(PILE_SIZE, np.int64)
    share(state.market_row)
    share(state.offering_row)
    imagine_tiles(state, supply, pool, rng)
    imagine_decks(state, supply, pool, rng)
    imagine_heritage(state, supply, pool, rng)


@kernel
def share(pile):
    """What the viewer sees of a public pile all players see."""
    for i in range(int(pile.count)):
        if pile.known[i] > 0:
            pile.known[i] = EVERYBODY


@kernel
def imagine_tiles(state, supply, pool, rng):
    """R33 Face-down tiles, and those that are not in play."""
    supply[:] = 0
    for tile in range(1, MOST_TILES + 1):
        supply[tile] = state.rules.tile_copies[tile]
    count_out(state.board, supply)
    left = fill_pool(supply, pool)
    left = deal_pile(state.board, pool, left, rng)
    deal_pile(state.tile_box, pool, left, rng)
    share(state.board)


@kernel
def imagine_decks(state, supply, pool, rng):
    """R33 The order of the two decks; everything else about their cards is public."""
    supply[:] = 0
    for card in range(1, MOST_MARKET + 1):
        supply[card] = state.rules.market[card].copies
        for player in range(int(state.players)):
            supply[card] -= state.seat[player].market_owned[card]
    count_out(state.market_row, supply)
    deal_pile(state.market_deck, pool, fill_pool(supply, pool), rng)
    supply[:] = 0
    for card in range(1, MOST_OFFERINGS + 1):
        supply[card] = int(state.rules.offering[card].copies) - int(state.offering_discard[card])
        for player in range(int(state.players)):
            supply[card] -= state.seat[player].offerings[card]
    count_out(state.offering_row, supply)
    deal_pile(state.offering_deck, pool, fill_pool(supply, pool), rng)


@kernel
def imagine_heritage(state, supply, pool, rng):
    """R33 Other hands, cards laid face down before the reveal, and cards out of the game."""
    supply[:] = 0
    for card in range(1, MOST_HERITAGE + 1):
        supply[card] = state.rules.heritage[card].copies
    for player in range(int(state.players)):
        count_out(state.seat[player].hand, supply)
        count_out(state.seat[player].heritage_played, supply)
    left = fill_pool(supply, pool)
    for player in range(int(state.players)):
        seat = state.seat[player]
        owner = 1 << player
        left = deal_hand(seat.hand, pool, left, rng, owner)
        shown = owner if state.phase == Phase.HERITAGE else EVERYBODY
        left = deal_hand(seat.heritage_played, pool, left, rng, shown)
    deal_pile(state.heritage_removed, pool, left, rng)


# --- key --------------------------------------------------------------------------------------------------


@kernel
def key(states):
    """Equal for positions with the same future: everything but who knows what and how many actions there were."""
    state = states[0]
    mixed = mix(NOTHING, int(state.current_round))
    mixed = mix(mixed, (int(state.to_act) + 1) * 8 + int(state.phase))
    mixed = mix(mixed, int(state.start_token) * 2 + int(state.end_triggered))
    mixed = mix(mixed, int(state.open_spaces) * 64 + int(state.waiting_cube))
    for position in range(int(state.board.count)):
        mixed = mix(mixed, int(state.explorer[position]) + 1)
    for cube in range(CUBES):
        if state.cubes[cube] > 0:
            mixed = mix(mixed, 1024 + cube * 16 + int(state.cubes[cube]))
    for card in range(1, MOST_OFFERINGS + 1):
        mixed = mix(mixed, int(state.offering_discard[card]))
    mixed = mix_pile(mixed, state.board)
    mixed = mix_pile(mixed, state.market_row)
    mixed = mix_pile(mixed, state.market_deck)
    mixed = mix_pile(mixed, state.offering_row)
    mixed = mix_pile(mixed, state.offering_deck)
    for player in range(int(state.players)):
        mixed = mix_seat(mixed, state.seat[player])
    return mixed


@kernel
def mix_seat(mixed, seat):
    """One player's goods, workers and cards in a hash."""
    goods = (int(seat.maize) * 128 + int(seat.hide)) * 128 + int(seat.mask)
    mixed = mix(mixed, goods * (MOST_TOKENS + 1) + int(seat.vp))
    workers = (int(seat.active) * 16 + int(seat.reserve)) * 16 + int(seat.placed)
    mixed = mix(mixed, (workers * 16 + int(seat.grown)) * 16 + int(seat.sacrificed))
    mixed = mix(mixed, int(seat.card_points) * 16 + int(seat.offerings_made))
    mixed = mix(mixed, int(seat.first_offering_at))
    mixed = mix(mixed, int(seat.stands_on))
    mixed = mix_pile(mixed, seat.hand)
    return mix_pile(mixed, seat.heritage_played)

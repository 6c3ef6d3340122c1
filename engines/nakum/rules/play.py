"""Carrying out an action."""

from engines.kernel import kernel
from engines.piles import take_seen

from ..actions import (
    ACTION_KIND,
    CARDS,
    DISCOVER,
    EXPLORE,
    HERITAGE0,
    OFFERING,
    PITUK,
    PLACE,
    RELEASE,
    Kind,
)
from ..tables import (
    CAMP,
    CAMP_CUBES,
    GROW_SPACE,
    GROW_WORKERS,
    MOST_MARKET,
    MOST_OPTIONS,
    OFFERING_WORKERS,
    PITUK_SPACE,
    RESHUFFLE,
    SPACES_OF_A_TILE,
    START_SPACE,
    Phase,
    Takes,
)
from .day import pass_turn, replace_offerings, reshuffle_market
from .goods import buy, pay, play_heritage, receive
from .setup import commit, discover


@kernel
def apply(states, action, rng):
    """Carry out one legal action; the caller guarantees legality."""
    state = states[0]
    player = int(state.to_act)
    kind = int(ACTION_KIND[action])
    following = player + 1
    if kind == Kind.HERITAGE0:
        commit(state, player, action - HERITAGE0)
    elif kind == Kind.DISCOVER:
        discover(state, action - DISCOVER)
        following = int(state.start_token)
    elif kind == Kind.RELEASE:
        release(state, action - RELEASE)
    else:
        state.action_counter += 1
        act(state, player, kind, action, rng)
    if state.phase == Phase.DAY:
        pass_turn(state, following, rng)


@kernel
def act(state, player, kind, action, rng):
    """R6 One action of the day."""
    if kind == Kind.PLACE:
        use_space(state, player, action - PLACE)
    elif kind == Kind.EXPLORE:
        explore(state, player, action - EXPLORE)
    elif kind == Kind.OFFERING:
        make_offering(state, player, action - OFFERING)
    elif kind == Kind.PITUK:
        ask_pituk(state, player, action - PITUK, rng)
    elif kind == Kind.START_PLAYER:
        put_worker(state, player, START_SPACE, 1)
        state.start_token = player  # R20
    else:
        grow(state, player)


@kernel
def put_worker(state, player, space, count):
    """R10 Workers of a player stand on a space."""
    seat = state.seat[player]
    seat.stands_on |= 1 << space
    seat.placed += count


@kernel
def use_space(state, player, code):
    """R11, R12, R26 A worker on a slot or camp takes an option: resources and tokens first, then a card."""
    card = code % CARDS
    option = code // CARDS % MOST_OPTIONS
    space = code // (CARDS * MOST_OPTIONS)
    put_worker(state, player, space, 1)
    seat = state.seat[player]
    gain = state.rules.space[space].option[option]
    receive(state, seat, gain)
    if space % SPACES_OF_A_TILE == CAMP:
        state.waiting_cube = 1 + space // SPACES_OF_A_TILE * MOST_OPTIONS + option
    releases = False
    if gain.takes == Takes.MARKET:
        releases = buy(state, seat, card)
    elif gain.takes == Takes.HERITAGE:
        play_heritage(state, seat, card - MOST_MARKET)
    if releases:
        state.phase = Phase.RELEASE
    else:
        cover_option(state)


@kernel
def cover_option(state):
    """R13 After all else a cube covers the option of the camp that was used."""
    if state.waiting_cube > 0:
        state.cubes[int(state.waiting_cube) - 1] += 1
        state.waiting_cube = 0


@kernel
def release(state, cube):
    """R24 A cube leaves the board; the option or favour is usable again."""
    state.cubes[cube] -= 1
    state.phase = Phase.DAY
    cover_option(state)


@kernel
def explore(state, player, position):
    """R14 A worker on a face-down tile: VP at once, the tile at night."""
    seat = state.seat[player]
    state.explorer[position] = player
    seat.placed += 1
    seat.vp += state.rules.explore_vp


@kernel
def make_offering(state, player, card):
    """R15, R27 Place, sacrifice, pay, take the card; enough of them end the game after this day."""
    seat = state.seat[player]
    facts = state.rules.offering[card]
    given = int(facts.sacrifice)
    seat.placed += OFFERING_WORKERS
    if state.rules.additional:
        seat.placed += given
    seat.sacrificed += given
    pay(seat, facts.cost)
    take_seen(state.offering_row, card)
    seat.offerings[card] += 1
    seat.card_points += facts.end
    seat.offerings_made += 1
    if seat.offerings_made == 1:
        seat.first_offering_at = state.action_counter
    if seat.offerings_made >= state.rules.offerings_to_end:
        state.end_triggered = 1


@kernel
def ask_pituk(state, player, favour, rng):
    """R17 VP, the favour, a cube on it."""
    put_worker(state, player, PITUK_SPACE, 1)
    state.seat[player].vp += state.rules.pituk_vp
    if favour == RESHUFFLE:
        reshuffle_market(state, rng)
    else:
        replace_offerings(state, rng)
    state.cubes[CAMP_CUBES + favour] += 1


@kernel
def grow(state, player):
    """R21 Two workers, and a third from the reserve that is usable from the next round on."""
    put_worker(state, player, GROW_SPACE, GROW_WORKERS)
    seat = state.seat[player]
    seat.reserve -= 1
    seat.grown += 1

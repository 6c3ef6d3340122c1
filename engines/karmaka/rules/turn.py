"""The course of a turn: draw, play, karmic cost, further plays; and the one entry for all actions."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, push, take_at, take_seen
from engines.records import OVER

from ..actions import ACTION_FIELD, ACTION_KIND, Kind
from ..tables import Ending, Phase
from .effects import (
    clear_play,
    copy_exposed,
    deny,
    keep,
    pick_from_ruins,
    put_back,
    resolve,
    ruin_for_roulette,
    steal,
    strike,
    transmigrate,
)
from .life import finish, finish_life, points_missing
from .questions import ask, ask_again, drop_frame, has_options
from .sides import is_offered, left_of, partner_of
from .zones import (
    draw_from_deck,
    draw_from_well,
    ruin_from_hand,
    score,
    store,
)


@kernel
def apply(states, action, rng):
    """Carry out one legal action, then everything up to the next decision."""
    state = states[0]
    player = int(state.to_act)
    kind = int(ACTION_KIND[action])
    field = int(ACTION_FIELD[action])
    if kind <= Kind.DECLINE:
        play(state, player, kind, field, rng)
    else:
        answer(state, player, kind, field, rng)
    advance(state, rng)


@kernel
def begin_turn(states, rng):
    """Run from the start of the turn of `to_act` up to the next decision."""
    state = states[0]
    start_turn(state, int(state.to_act), rng)
    advance(state, rng)


@kernel
def play(state, player, kind, card, rng):
    """R8 One of the ways to play a card, or not to."""
    if kind == Kind.DEED:
        score(state, player, card)
    elif kind == Kind.FUTURE or kind == Kind.ALLY_FUTURE:
        owner = player if kind == Kind.FUTURE else partner_of(state, player)
        store(state, player, card, owner)
    elif kind == Kind.ABILITY:
        play_ability(state, player, card, rng)


@kernel
def play_ability(state, player, card, rng):
    """R11 Show the card and follow its text; the karmic cost waits until that is done."""
    take_seen(state.seat[player].hand, card)
    state.table = card
    state.plays += 1
    ask(state, Phase.OFFER, left_of(state, player), 1)
    resolve(state, player, card, rng)


@kernel
def answer(state, player, kind, field, rng):
    """An answer to what an ability, the karmic cost or a death asks."""
    if kind == Kind.TARGET:
        if state.phase == Phase.MIMIC_RIVAL:
            copy_exposed(state, player, field, rng)
        else:
            strike(state, player, field, rng)
    elif kind == Kind.COPY:
        resolve(state, player, field, rng)
    elif kind == Kind.TRANSMIGRATE:
        transmigrate(state, player, field)
    elif kind == Kind.KEEP:
        keep(state, player, field)
        ask_again(state)
    elif kind == Kind.RETURN:
        put_back(state, player, field)
        ask_again(state)
    elif kind == Kind.STEAL:
        steal(state, player, field)
    elif kind == Kind.PICK:
        pick_from_ruins(state, player, field)
    elif kind == Kind.SOW:
        store(state, player, field, player)
        ask_again(state)
    elif kind == Kind.JUBILEE:
        score(state, player, field)
        ask_again(state)
    elif kind == Kind.RUIN:
        ruin(state, player, field, rng)
    elif kind == Kind.RUIN_DEED:
        push(state.ruins, take_at(state.seat[player].deeds, field)[0], EVERYBODY)
    elif kind == Kind.DRAW:
        draw_from_well(state, player, 1, rng)
        ask_again(state)
    elif kind == Kind.TAKE:
        push(state.seat[player].future, int(state.table), EVERYBODY)
        end_play(state)
    elif kind == Kind.LEAVE:
        ask(state, Phase.OFFER, left_of(state, player), 1)
    elif kind == Kind.SPEND_RINGS or kind == Kind.SAVE_RINGS:
        missing = points_missing(state, player)
        finish_life(state, player, missing if kind == Kind.SPEND_RINGS else 0, rng)


@kernel
def ruin(state, player, card, rng):
    """R31, R33, R48 A Hand card is ruined for Dwindle, Roulette or Denial."""
    if state.phase == Phase.DENIAL_RUIN:
        deny(state, player, card, rng)
    elif state.phase == Phase.ROULETTE_RUIN:
        ruin_for_roulette(state, player, card)
        ask_again(state)
    else:
        ruin_from_hand(state, player, card)


@kernel
def advance(state, rng):
    """Run on until somebody has something to decide or the game is over."""
    while state.to_act != OVER:
        if state.depth == 0:
            end_turn(state, rng)
        else:
            phase, player, left = drop_frame(state)
            if phase == Phase.OFFER:
                player = next_offered(state, player)
            if phase == Phase.OFFER and player == state.active:
                push(state.ruins, int(state.table), EVERYBODY)
                end_play(state)
            elif has_options(state, phase, player):
                state.phase = phase
                state.to_act = player
                state.left = left
                return


@kernel
def next_offered(state, player):
    """R24 The next player in turn order to be offered the card, or the active one: nobody is left."""
    active = int(state.active)
    while player != active and not is_offered(state, active, player):
        player = left_of(state, player)
    return player


@kernel
def end_play(state):
    """R12, R59 After the karmic cost an ability with +play grants another play."""
    if state.again and state.plays < state.rules.most_plays:
        ask(state, Phase.BONUS, int(state.active), 1)
    clear_play(state)


@kernel
def end_turn(state, rng):
    """R13, R58, R60 The turn passes on, unless the turns have run out."""
    state.turn += 1
    if state.turn >= state.rules.most_turns:
        finish(state, Ending.TURN_CAP)
    else:
        start_turn(state, left_of(state, int(state.active)), rng)


@kernel
def start_turn(state, player, rng):
    """R7, R14 Draw a card and play; with neither Hand nor Deck the turn is spent in Limbo."""
    state.active = player
    state.plays = 0
    seat = state.seat[player]
    if seat.hand.count == 0 and seat.deck.count == 0:
        die(state, player, rng)
    else:
        if seat.deck.count > 0:
            draw_from_deck(state, player)
        ask(state, Phase.MAIN, player, 1)


@kernel
def die(state, player, rng):
    """R17 Rings help only if they suffice; then the player may still save them."""
    missing = points_missing(state, player)
    rings_help = 0 < missing <= state.seat[player].rings
    if rings_help and not state.rules.auto_rings:
        ask(state, Phase.RINGS, player, 1)
    else:
        finish_life(state, player, missing if rings_help else 0, rng)

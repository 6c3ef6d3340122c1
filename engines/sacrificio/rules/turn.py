"""The course of a turn: moves, answers, arranging, taking, drawing; and the one entry for all actions."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, UNSEEN, clear, insert, pop, push, shuffle_pile, take_seen
from engines.records import OVER

from ..actions import (
    ACTION_CARD,
    ACTION_KIND,
    ACTION_OWNER,
    ACTION_SPOT,
    SPENT_CARD,
    Kind,
)
from ..state import REMOVED
from ..tables import LAST_DECK_CARD, LAST_TAKEABLE, Card, Ending, Phase, Timing
from .moves import (
    add_curse,
    after_discard,
    after_wipe,
    answer,
    ask_next,
    exchange,
    reposition,
    spend,
)
from .questions import can_add_zero, can_arrange, can_collect
from .ritual import finish
from .setup import choose_temple
from .zones import discard, left_of


@kernel
def apply(states, action, rng):
    """Carry out one legal action, then everything up to the next decision."""
    state = states[0]
    player = int(state.to_act)
    kind = int(ACTION_KIND[action])
    if kind != Kind.PASS:  # nobody else learns of a pass, so it is not counted
        state.decisions += 1
    card = int(SPENT_CARD[action])
    if card > 0:
        take_seen(state.seat[player].hand, card)
    if kind == Kind.DISCARD or kind == Kind.ZERO or kind == Kind.PAY:
        discard(state, player, card)
    begins = kind <= Kind.SOLAR or kind == Kind.WIPE
    if begins:
        state.pending = action + 1
    if begins or kind == Kind.PASS:
        ask_next(state, player)
    else:
        choose(state, player, kind, action, rng)
    while state.to_act != OVER and not is_waiting(state):
        go_on(state, rng)
    if state.to_act != OVER and state.decisions >= state.rules.most_decisions:
        finish(state, Ending.DECISION_CAP)
    if state.to_act == OVER:
        state.phase = Phase.NONE


@kernel
def choose(state, player, kind, action, rng):
    """The actions that nobody can answer."""
    card = int(ACTION_CARD[action])
    if kind == Kind.REPOSITION:
        state.source = ACTION_SPOT[action] + 1
        state.phase = Phase.GOAL
    elif kind == Kind.GOAL or kind == Kind.REMOVE:
        state.goal = REMOVED if kind == Kind.REMOVE else ACTION_SPOT[action] + 1
        state.phase = Phase.PAY
    elif kind == Kind.PAY:
        reposition(state, player, card)
    elif kind == Kind.EXCHANGE:
        exchange(state, player, card)
    elif kind == Kind.DISCARD:
        after_discard(state, card)
    elif kind == Kind.ZERO:
        state.moves_left += 1  # R39
        state.phase = Phase.MOVE
    elif kind == Kind.REACT:
        answer(state, card)
    elif kind == Kind.CURSE:
        add_curse(state, int(ACTION_SPOT[action]))
    elif kind == Kind.TOP:
        put_on_top(state, player, card)
    elif kind == Kind.TAKE:
        collect(state, player, int(ACTION_OWNER[action]))
    elif kind == Kind.STOP:
        stop(state)
    else:
        choose_temple(state, player, card, rng)


@kernel
def stop(state):
    """No wipe, no further discard, no zero, no further card from a cenote."""
    if state.phase == Phase.WIPE:
        after_wipe(state)
    elif state.phase == Phase.MORE:
        end_discards(state)
    elif state.phase == Phase.EXTRA:
        state.phase = Phase.ARRANGE
    else:
        state.steps = state.rules.take_most


@kernel
def end_discards(state):
    """R37 The cards discarded together were one move."""
    state.steps = 0
    spend(state)


@kernel
def is_waiting(state):
    """Whether somebody has to decide in this phase; then `to_act` is set."""
    phase = int(state.phase)
    if phase == Phase.REACT or phase == Phase.SETUP:
        return True
    player = int(state.active)
    hand = state.seat[player].hand
    state.to_act = player
    if phase == Phase.MOVE:
        return state.moves_left > 0 and hand.count > 0
    if phase == Phase.MORE:
        return state.steps < state.rules.discard_most and hand.count > 0
    if phase == Phase.ARRANGE:
        return can_arrange(state)
    if phase == Phase.COLLECT:
        return can_collect(state)
    return True


@kernel
def go_on(state, rng):
    """R12 From a phase in which nothing is to be decided to the next."""
    phase = int(state.phase)
    if phase == Phase.MORE:
        end_discards(state)
    elif phase == Phase.MOVE:
        hand = state.seat[state.active].hand
        state.phase = Phase.EXTRA if can_add_zero(state, hand) else Phase.ARRANGE
    elif phase == Phase.ARRANGE:
        state.steps = 0
        state.phase = Phase.COLLECT
    else:
        refill(state, int(state.active), rng)
        end_turn(state)


@kernel
def end_turn(state):
    """R13, R51, R53 The turn passes on, unless the game is to end here."""
    state.turn += 1
    ends_round = state.turn % state.players == 0
    if state.closing != Ending.RUNNING and (ends_round or state.rules.timing == Timing.END_OF_TURN):
        finish(state, int(state.closing))
    elif state.turn >= state.rules.most_turns:
        finish(state, Ending.TURN_CAP)
    else:
        state.active = left_of(state, int(state.active))
        state.fresh = state.seat[state.active].cenote.count
        state.moves_left = state.rules.moves
        state.rituals = 0
        state.steps = 0
        state.phase = Phase.MOVE


# --- cenotes and the deck ---------------------------------------------------------------------------------


@kernel
def put_on_top(state, player, card):
    """R47 The chosen card comes to lie on those of this turn that are not yet in order."""
    cenote = state.seat[player].cenote
    at = int(cenote.count) - int(state.steps) - 1
    found = at
    while cenote.card[found] != card:
        found -= 1
    for i in range(found, at):
        cenote.card[i] = cenote.card[i + 1]
    cenote.card[at] = card
    state.steps += 1


@kernel
def collect(state, player, owner):
    """R48 The top card of a rival's cenote comes to the hand before everybody's eyes."""
    insert(state.seat[player].hand, pop(state.seat[owner].cenote)[0], EVERYBODY)
    state.steps += 1


@kernel
def refill(state, player, rng):
    """R49, R50 Draw up to the hand size; after a cannibalism perhaps all do so."""
    eaten = False
    other = player
    for i in range(int(state.players)):
        if i == 0 or (eaten and state.rules.all_redraw > 0):
            if draw_up(state, other, i == 0, rng):
                eaten = True
        other = left_of(state, other)


@kernel
def draw_up(state, player, hungry, rng):
    """R49, R50 One player draws; returns whether a cannibalism had its effect."""
    hand = state.seat[player].hand
    eaten = False
    while hand.count < state.rules.hand_size and (state.deck.count > 0 or recycle(state, rng)):
        card = pop(state.deck)[0]
        if card != Card.CA:
            insert(hand, card, 1 << player)
        else:
            state.seat[player].under[card] += 1
            if hungry and not eaten:
                eaten = True
                eat_hands(state, player)
        if state.rules.early_deck and state.deck.count == 0:
            recycle(state, rng)
    return eaten


@kernel
def eat_hands(state, player):
    """R50 Every hand goes to its player's cenote, clockwise from the one who drew the cannibalism."""
    other = player
    for _ in range(int(state.players)):
        hand = state.seat[other].hand
        for i in range(int(hand.count)):
            discard(state, other, int(hand.card[i]))
        clear(hand)
        other = left_of(state, other)


@kernel
def recycle(state, rng):
    """R49 All cenotes become the new deck, if there is a card in them that can be drawn; returns whether."""
    found = 0
    for player in range(int(state.players)):
        seat = state.seat[player]
        found += int(seat.cenote.count)
        for card in range(LAST_TAKEABLE + 1, LAST_DECK_CARD):
            found += int(seat.under[card])
    if found == 0:
        return False
    for player in range(int(state.players)):
        seat = state.seat[player]
        for i in range(int(seat.cenote.count)):
            push(state.deck, int(seat.cenote.card[i]), UNSEEN)
        clear(seat.cenote)
        for card in range(LAST_TAKEABLE + 1, LAST_DECK_CARD + 1):
            for _ in range(int(seat.under[card])):
                push(state.deck, card, UNSEEN)
            seat.under[card] = 0
    shuffle_pile(rng, state.deck)
    return True

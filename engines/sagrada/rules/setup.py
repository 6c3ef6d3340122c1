"""The setup of a game: all chance that the table can settle beforehand."""

import numpy as np

from engines.kernel import kernel
from engines.piles import EVERYBODY, UNSEEN, insert, push
from engines.rng import below, shuffle

from ..tables import (
    CARDS,
    COLOURS,
    DICE_IN_ALL,
    DICE_OF_A_COLOUR,
    OFFERED_CARDS,
    PIPS,
    Objective,
    Phase,
    Tool,
)
from .turn import begin_play, show_table

TOOLS = len(Tool)
OBJECTIVES = len(Objective)


@kernel
def deal(states, rng):
    """R3, R7 Settle bag, first rolls, tools, objectives and windows; every deck is shuffled whole.

    So equal seeds give equal dice and equal orders of cards to every variant and number of players.
    """
    state = states[0]
    fill_bag(state, rng)
    deck = np.empty(DICE_IN_ALL, np.int64)
    shuffle_deck(deck, TOOLS, rng)
    rules = state.rules
    deal_face_down(state.tools, state.tool_box, rules.tool_fixed, int(rules.tools), deck, TOOLS)
    shuffle_deck(deck, OBJECTIVES, rng)
    deal_face_down(
        state.publics,
        state.public_box,
        rules.public_fixed,
        int(rules.public_objectives),
        deck,
        OBJECTIVES,
    )
    shuffle_deck(deck, COLOURS, rng)
    deal_privates(state, deck)
    shuffle_deck(deck, CARDS, rng)
    starter = below(rng, int(state.players))
    state.start = starter if state.rules.random_start else 0
    if state.rules.pattern_fixed[0] > 0:
        for player in range(int(state.players)):
            state.seat[player].pattern = state.rules.pattern_fixed[player]
        begin_play(state)
    else:
        deal_windows(state, deck)


@kernel
def fill_bag(state, rng):
    """R3, R7 All dice in random order, each with the value of its first roll."""
    dice = np.empty(DICE_IN_ALL, np.int64)
    for i in range(DICE_IN_ALL):
        dice[i] = 1 + i // DICE_OF_A_COLOUR
    shuffle(rng, dice, DICE_IN_ALL)
    for i in range(DICE_IN_ALL):
        state.bag.card[i] = dice[i]
        state.rolls[i] = 1 + below(rng, PIPS)
    state.bag.count = DICE_IN_ALL
    for colour in range(1, COLOURS + 1):
        state.bag_tally[colour] = DICE_OF_A_COLOUR


@kernel
def shuffle_deck(deck, count, rng):
    """The cards 1..count in random order."""
    for i in range(count):
        deck[i] = i + 1
    shuffle(rng, deck, count)


@kernel
def deal_face_down(shown, box, fixed, wanted, deck, count):
    """R3 The cards that the variant fixes, known to all, then random ones; the rest stays in the box."""
    left = wanted
    for card in range(1, count + 1):
        if fixed[card]:
            insert(shown, card, EVERYBODY)
            left -= 1
    for i in range(count):
        card = int(deck[i])
        if not fixed[card]:
            if left > 0:
                insert(shown, card, UNSEEN)
                left -= 1
            else:
                push(box, card, UNSEEN)


@kernel
def deal_privates(state, deck):
    """R3, R48 One private objective for each player; alone more, face up."""
    players = int(state.players)
    needed = players * int(state.rules.private_objectives)
    dealt = 0
    for i in range(COLOURS):
        colour = int(deck[i])
        if state.rules.private_copies[colour]:
            if dealt < needed:
                player = dealt % players
                insert(state.seat[player].private, colour, 1 << player)
                dealt += 1
            else:
                push(state.private_box, colour, UNSEEN)


@kernel
def deal_windows(state, deck):
    """R3, R4, R6 Two window cards for each player; the choice comes first unless the variant says otherwise."""
    players = int(state.players)
    for i in range(CARDS):
        player = i // OFFERED_CARDS
        if player < players:
            insert(state.seat[player].options, int(deck[i]), 1 << player)
        else:
            push(state.window_box, int(deck[i]), UNSEEN)
    if state.rules.reveal_first:
        show_table(state)
    state.current_round = 0
    state.phase = Phase.WINDOW
    state.to_act = 0

"""Dice outside the windows: pool, hand, bag, track, and dice that paid for tools."""

from engines.kernel import kernel
from engines.rng import below

from ..tables import DIE_COLOUR, DIE_VALUE, PIPS


@kernel
def die_number(colour, value):
    """The number of a die, from 1."""
    return (colour - 1) * PIPS + value


@kernel
def die_at(dice, index):
    """The number of a die in a list."""
    return die_number(int(dice.card[index]), int(dice.value[index]))


@kernel
def die_on_track(track, index):
    """The number of a die on the track."""
    return die_number(int(track.card[index]), int(track.value[index]))


@kernel
def add_die(dice, die):
    """Put a die into a sorted list."""
    at = int(dice.count)
    while at > 0 and die_at(dice, at - 1) > die:
        dice.card[at] = dice.card[at - 1]
        dice.value[at] = dice.value[at - 1]
        at -= 1
    dice.card[at] = DIE_COLOUR[die]
    dice.value[at] = DIE_VALUE[die]
    dice.count += 1


@kernel
def remove_die(dice, die):
    """Take one copy of a die out of a list that holds it."""
    at = 0
    while die_at(dice, at) != die:
        at += 1
    last = int(dice.count) - 1
    for i in range(at, last):
        dice.card[i] = dice.card[i + 1]
        dice.value[i] = dice.value[i + 1]
    dice.card[last] = 0
    dice.value[last] = 0
    dice.count = last


@kernel
def hold(state, die):
    """The die in hand becomes this one."""
    state.held.count = 1
    state.held.card[0] = DIE_COLOUR[die]
    state.held.value[0] = DIE_VALUE[die]


@kernel
def release(state):
    """The die leaves the hand; returns it."""
    die = die_at(state.held, 0)
    state.held.count = 0
    state.held.card[0] = 0
    state.held.value[0] = 0
    return die


@kernel
def set_value(state, value):
    """The held die shows another value."""
    state.held.value[0] = value


@kernel
def roll_pool(state):
    """R7 Draw the dice of a round off the top of the bag; their values are already settled.

    A game has dice for all its rounds; only a position given as text can run out of them.
    """
    for _ in range(min(int(state.rules.dice), int(state.bag.count))):
        at = int(state.bag.count) - 1
        colour = int(state.bag.card[at])
        add_die(state.pool, die_number(colour, int(state.rolls[at])))
        state.bag_tally[colour] -= 1
        state.bag.card[at] = 0
        state.rolls[at] = 0
        state.bag.count = at


@kernel
def roll_again(state, rng):
    """R29 Every die in the pool gets a new value."""
    pool = state.pool
    count = int(pool.count)
    pool.count = 0
    for i in range(count):  # the list in front of i is sorted again, i itself not read any more
        add_die(pool, die_number(int(pool.card[i]), 1 + below(rng, PIPS)))


@kernel
def change_bag_die(state, rng):
    """R33 The held die goes into the bag, a random one comes out of it; it waits for its value.

    The die that comes out leaves its place, and the first roll settled for it, to the one that went in.
    """
    at = below(rng, int(state.bag.count) + 1)
    if at < int(state.bag.count):
        given = int(state.held.card[0])
        colour = int(state.bag.card[at])
        state.bag.card[at] = given
        state.bag_tally[given] += 1
        state.held.card[0] = colour
        state.bag_tally[colour] -= 1


@kernel
def clear_pool(state):
    """R10 The dice left in the pool go to the slot of the round."""
    track = state.track
    pool = state.pool
    for i in range(int(pool.count)):
        at = int(track.count)
        track.slot[at] = state.current_round
        track.card[at] = pool.card[i]
        track.value[at] = pool.value[i]
        track.count = at + 1
        pool.card[i] = 0
        pool.value[i] = 0
    pool.count = 0


@kernel
def swap_with_track(state, slot, die):
    """R27 The held die takes the place of a die on the track, which is now held; both keep their values."""
    track = state.track
    at = 0
    while track.slot[at] != slot or die_on_track(track, at) != die:
        at += 1
    given = release(state)
    hold(state, die)
    track.card[at] = DIE_COLOUR[given]
    track.value[at] = DIE_VALUE[given]
    while at > 0 and track.slot[at - 1] == slot and die_on_track(track, at - 1) > given:
        exchange(track, at - 1)
        at -= 1
    while (
        at + 1 < track.count and track.slot[at + 1] == slot and die_on_track(track, at + 1) < given
    ):
        exchange(track, at)
        at += 1


@kernel
def exchange(track, at):
    """Two neighbouring dice of the track change places."""
    colour = int(track.card[at])
    value = int(track.value[at])
    track.card[at] = track.card[at + 1]
    track.value[at] = track.value[at + 1]
    track.card[at + 1] = colour
    track.value[at + 1] = value


@kernel
def colours_on_track(state):
    """The colours of the dice on the track, a bit each."""
    found = 0
    for i in range(int(state.track.count)):
        found |= 1 << int(state.track.card[i])
    return found

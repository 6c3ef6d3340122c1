"""Who is whose rival, what stands in a zone, and where cards go when they are done with."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, push

from ..tables import (
    ANY_CARD,
    CARD_LOOK,
    CARD_VICTIM,
    LAST_DECK_CARD,
    LAST_TAKEABLE,
    LOOKS,
    OPEN_SLOTS,
    PRIEST_SLOTS,
    SITES,
    SLOTS,
    SUITED_TEMPLES,
    TEMPLE_HEART,
    VICTIM_LOOKS,
    Card,
    Foreign,
)


@kernel
def left_of(state, player):
    """The next player in turn order."""
    player += 1
    return player if player < state.players else 0


@kernel
def are_rivals(state, player, other):
    """R2, R61 Whether two players are on different sides."""
    return state.team[player] != state.team[other]


# --- zones ------------------------------------------------------------------------------------------------


@kernel
def standing_temples(seat):
    """The mask of sites with a temple."""
    sites = 0
    for site in range(SITES):
        if seat.temple[site] != 0:
            sites |= 1 << site
    return sites


@kernel
def slots_with(seat, cards):
    """The mask of the slots of a zone, of priests and victims, that hold one of the cards of a mask."""
    slots = 0
    for slot in range(SLOTS):  # without a branch: which slots are taken is hard to foresee
        slots |= (cards >> int(seat.slots[slot]) & 1) << slot
    return slots


@kernel
def free_slots(seat):
    """R14 The mask of empty slots, of priests and victims, next to a temple."""
    return OPEN_SLOTS[standing_temples(seat)] & ~slots_with(seat, ANY_CARD)


@kernel
def victim_row(seat):
    """Which victims stand in a zone, as a row of VICTIM_SITES."""
    row = 0
    for site in range(SITES):
        row = row * VICTIM_LOOKS + CARD_VICTIM[seat.slots[PRIEST_SLOTS + site]]
    return row


@kernel
def is_ready(seat, site):
    """R17-R19, R25 Whether a temple needs nothing but a dagger."""
    if seat.temple[site] == 0 or seat.slots[PRIEST_SLOTS + site] == 0 or seat.spirits[site].cursed:
        return False
    looks = 0
    for slot in range(2 * site, 2 * site + 3):  # left, below, right
        looks = looks * LOOKS + CARD_LOOK[seat.slots[slot]]
    return SUITED_TEMPLES[looks] >> int(seat.temple[site]) & 1 > 0


@kernel
def may_finish(state, player, owner):
    """R27 Whether a player may still complete a temple in a rival's zone."""
    finished = int(state.seat[player].finished)
    rule = int(state.rules.foreign)
    if rule == Foreign.NEVER or not are_rivals(state, player, owner):
        return False
    if rule == Foreign.ONCE_PER_RIVAL:
        return finished >> owner & 1 == 0
    return rule == Foreign.UNLIMITED or finished == 0


# --- where cards go ---------------------------------------------------------------------------------------


@kernel
def discard(state, owner, card):
    """R36 A card goes to a cenote: on top, or underneath if it is an action card; a supreme to the centre."""
    if card > LAST_DECK_CARD:
        state.centre[card] += 1
    elif card > LAST_TAKEABLE:
        state.seat[owner].under[card] += 1
    else:
        push(state.seat[owner].cenote, card, EVERYBODY)


@kernel
def stack(spirits, card):
    """R23, R24 A card on top of a temple's pile; it covers what lies there, and a covered curse is dead."""
    spirits.card[spirits.count] = card
    spirits.count += 1
    spirits.cursed = 1 if card == Card.CU else 0


@kernel
def drop_spirits(state, owner, site):
    """R29, R34 All cards of a temple's pile go underneath the cenote of the zone."""
    spirits = state.seat[owner].spirits[site]
    under = state.seat[owner].under
    for i in range(int(spirits.count)):
        under[spirits.card[i]] += 1
        spirits.card[i] = 0
    spirits.count = 0
    spirits.cursed = 0


@kernel
def show_top(state):
    """R8 The back of the top temple of the pile is seen by all."""
    state.top_heart = 0
    count = int(state.temples.count)
    if state.rules.top_seen and count > 0:
        state.top_heart = TEMPLE_HEART[state.temples.card[count - 1]]


@kernel
def is_pile_left(state):
    """Whether cards are piled up on any temple."""
    for player in range(int(state.players)):
        for site in range(SITES):
            if state.seat[player].spirits[site].count > 0:
                return True
    return False

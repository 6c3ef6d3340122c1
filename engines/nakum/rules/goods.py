"""Resources, tokens and cards: what players gain and pay."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, insert, take_seen

from ..tables import CAMP_CUBES, CUBES


@kernel
def can_pay(seat, cost):
    """R23 Whether a player owns what a cost asks for."""
    return seat.maize >= cost.maize and seat.hide >= cost.hide and seat.mask >= cost.mask


@kernel
def pay(seat, cost):
    """R15, R23 The resources of a cost go to the supply."""
    seat.maize -= cost.maize
    seat.hide -= cost.hide
    seat.mask -= cost.mask


@kernel
def receive(state, seat, gain):
    """R22 Resources up to the storage limit, and VP tokens."""
    limit = state.rules.limit
    seat.maize = min(int(limit.maize), int(seat.maize) + int(gain.maize))
    seat.hide = min(int(limit.hide), int(seat.hide) + int(gain.hide))
    seat.mask = min(int(limit.mask), int(seat.mask) + int(gain.mask))
    seat.vp += gain.vp


@kernel
def payable(state, seat):
    """R23 The market cards that a player can pay for, a bit each."""
    found = 0
    row = state.market_row
    for i in range(int(row.count)):
        card = int(row.card[i])
        if can_pay(seat, state.rules.market[card].cost):
            found |= 1 << card
    return found


@kernel
def buy(state, seat, card):
    """R23 A market card: pay, then gain. Returns whether a cube is to be released (R24)."""
    facts = state.rules.market[card]
    take_seen(state.market_row, card)
    pay(seat, facts.cost)
    receive(state, seat, facts.gain)
    seat.market_owned[card] += 1
    seat.card_points += facts.end
    return facts.release == 1 and has_target(state)


@kernel
def has_target(state):
    """R24 Whether a cube lies on the board that may be removed."""
    for cube in range(CUBES):
        if may_release(state, cube):
            return True
    return False


@kernel
def may_release(state, cube):
    """R24 Whether this cube is there and may be removed."""
    return state.cubes[cube] > 0 and (cube < CAMP_CUBES or state.rules.release_pituk == 1)


@kernel
def play_heritage(state, seat, card):
    """R25 A heritage card from the hand: face up, its gain at once."""
    take_seen(seat.hand, card)
    insert(seat.heritage_played, card, EVERYBODY)
    credit_heritage(state, seat, card)


@kernel
def credit_heritage(state, seat, card):
    """R4, R25 What a heritage card brings when it is shown."""
    facts = state.rules.heritage[card]
    receive(state, seat, facts.gain)
    seat.card_points += facts.end

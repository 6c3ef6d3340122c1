"""What the player to act may do; every list is written in ascending order."""

from engines.kernel import kernel
from engines.piles import list_cards
from engines.records import NOBODY, OVER

from ..actions import (
    ABILITY,
    ALLY_FUTURE,
    COPY,
    DECLINE,
    DEED,
    DRAW,
    FUTURE,
    JUBILEE,
    KEEP,
    LEAVE,
    PASS,
    PICK,
    RETURN,
    RUIN,
    RUIN_DEED,
    SAVE_RINGS,
    SOW,
    SPEND_RINGS,
    STEAL,
    STOP,
    TAKE,
    TARGET,
    TRANSMIGRATE,
)
from ..tables import KINDS_OF_CARDS, OFFERED_RUINS, Phase
from .sides import is_rival, may_hit, partner_of


@kernel
def legal_actions(states, out):
    """Write the legal actions of `to_act` to `out`, ascending; returns how many."""
    state = states[0]
    if state.to_act == OVER:
        return 0
    player = int(state.to_act)
    phase = int(state.phase)
    seat = state.seat[player]
    if phase == Phase.MAIN or phase == Phase.BONUS:
        return list_plays(state, player, out)
    if phase == Phase.OFFER:
        return list_two(TAKE, LEAVE, out)
    if phase == Phase.RIVAL or phase == Phase.PLAYER or phase == Phase.MIMIC_RIVAL:
        return list_targets(state, player, out)
    if phase == Phase.ROULETTE_RUIN:
        return with_stop(list_cards(seat.hand, RUIN, out, 0), out)
    if phase == Phase.ROULETTE_DRAW:
        return list_two(DRAW, STOP, out)
    if phase == Phase.DENIAL_RUIN or phase == Phase.DWINDLE_RUIN:
        return list_cards(seat.hand, RUIN, out, 0)
    if phase == Phase.CRISIS_RUIN:
        return list_range(RUIN_DEED, int(seat.deeds.count), out)
    if phase == Phase.RUINS_PICK:
        return list_range(PICK, min(OFFERED_RUINS, int(state.ruins.count)), out)
    if phase == Phase.SOW:
        return list_cards(seat.hand, SOW, out, 0)
    if phase == Phase.JUBILEE:
        return with_stop(list_cards(seat.hand, JUBILEE, out, 0), out)
    if phase == Phase.FUTURE_POSITION:
        return list_range(TRANSMIGRATE, int(seat.future.count), out)
    if phase == Phase.DESTINY_TAKE:
        return with_stop(list_cards(state.held, KEEP, out, 0), out)
    if phase == Phase.DESTINY_ORDER:
        return list_cards(state.held, RETURN, out, 0)
    if phase == Phase.SWINDLE_TAKE:
        return list_cards(state.held, STEAL, out, 0)
    if phase == Phase.OWN_DEED:
        return list_deeds(seat.deeds, out)
    return list_two(SPEND_RINGS, SAVE_RINGS, out)


@kernel
def list_plays(state, player, out):
    """R8, R12, R55 Ways to play each card; PASS with cards left in the Deck, DECLINE a further play."""
    seat = state.seat[player]
    n = list_cards(seat.hand, DEED, out, 0)
    n = list_cards(seat.hand, FUTURE, out, n)
    if state.rules.ally_future and partner_of(state, player) != NOBODY:
        n = list_cards(seat.hand, ALLY_FUTURE, out, n)
    n = list_cards(seat.hand, ABILITY, out, n)
    if state.phase == Phase.BONUS:
        out[n] = DECLINE
        return n + 1
    if seat.deck.count > 0:
        out[n] = PASS
        return n + 1
    return n


@kernel
def list_targets(state, player, out):
    """R26-R28 Mimic reaches every rival; rival abilities all but the opposite; others also the own side."""
    n = 0
    for other in range(int(state.players)):
        if state.phase == Phase.MIMIC_RIVAL:
            allowed = is_rival(state, player, other)
        elif state.phase == Phase.RIVAL:
            allowed = may_hit(state, player, other)
        else:
            allowed = may_hit(state, player, other) or not is_rival(state, player, other)
        if allowed:
            out[n] = TARGET + other
            n += 1
    return n


@kernel
def list_deeds(deeds, out):
    """R51 Each distinct card among the own Deeds."""
    n = 0
    for card in range(1, KINDS_OF_CARDS):
        for i in range(int(deeds.count)):
            if deeds.card[i] == card:
                out[n] = COPY + card
                n += 1
                break
    return n


@kernel
def list_range(base, count, out):
    """The first `count` actions of a kind."""
    for i in range(count):
        out[i] = base + i
    return count


@kernel
def list_two(first, second, out):
    """A choice of two."""
    out[0] = first
    out[1] = second
    return 2


@kernel
def with_stop(n, out):
    """Add STOP to n actions."""
    out[n] = STOP
    return n + 1

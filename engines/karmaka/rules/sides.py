"""Who is whose rival, partner or possible target."""

from engines.kernel import kernel
from engines.records import NOBODY

from ..tables import Mode


@kernel
def left_of(state, player):
    """R13 The next player in turn order."""
    return player + 1 if player + 1 < state.players else 0


@kernel
def is_rival(state, player, other):
    """R26 A rival is whoever is on another side."""
    return int(state.team[player]) != int(state.team[other])


@kernel
def is_opposite(state, player, other):
    """R27 Four players without teams: the one who does not sit beside you."""
    if state.rules.mode != Mode.FREE_FOR_ALL or state.players != 4:
        return False
    return (player + 2) % 4 == other


@kernel
def may_hit(state, player, other):
    """R27 A rival ability may be played on every rival but the opposite one."""
    return is_rival(state, player, other) and not is_opposite(state, player, other)


@kernel
def is_offered(state, player, other):
    """R23-R25 The victim alone is offered a card; without a victim all rivals are."""
    if state.victim != NOBODY:
        return other == state.victim
    if not is_rival(state, player, other):
        return False
    return bool(state.rules.opposite_gets_offer) or not is_opposite(state, player, other)


@kernel
def partner_of(state, player):
    """The other player on the same side, or NOBODY."""
    for other in range(int(state.players)):
        if other != player and not is_rival(state, player, other):
            return other
    return NOBODY

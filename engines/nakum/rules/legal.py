"""What the player to act may do; every list is written in ascending order."""

from engines.kernel import kernel
from engines.piles import list_cards
from engines.records import NOBODY, OVER

from ..actions import (
    CARDS,
    DISCOVER,
    EXPLORE,
    GROW,
    HERITAGE0,
    OFFERING,
    PITUK,
    PLACE,
    RELEASE,
    START_PLAYER,
)
from ..tables import (
    CAMP,
    CAMP_CUBES,
    CUBES,
    EVERY_CAMP,
    EVERY_SLOT,
    EVERY_SPACE_OF_A_TILE,
    GROW_SPACE,
    GROW_WORKERS,
    MOST_MARKET,
    MOST_OFFERINGS,
    MOST_OPTIONS,
    MOST_TILES,
    OFFERING_WORKERS,
    PITUK_SPACE,
    REPLACE,
    RESHUFFLE,
    SPACES_OF_A_TILE,
    START_SPACE,
    TILE_SPACES,
    Phase,
    Takes,
)
from .goods import can_pay, may_release, payable


@kernel
def legal_actions(states, out):
    """Write the legal actions of `to_act` to `out`, ascending; returns how many."""
    state = states[0]
    if state.to_act == OVER:
        return 0
    player = int(state.to_act)
    if state.phase == Phase.DAY:
        return list_day(state, player, out)
    if state.phase == Phase.RELEASE:
        return list_cubes(state, out)
    if state.phase == Phase.HERITAGE:
        return list_cards(state.seat[player].hand, HERITAGE0, out, 0)
    return list_positions(state, DISCOVER, True, out, 0)


@kernel
def list_cubes(state, out):
    """R24 The cubes that may be removed."""
    n = 0
    for cube in range(CUBES):
        if may_release(state, cube):
            out[n] = RELEASE + cube
            n += 1
    return n


@kernel
def list_positions(state, base, all_of_them, out, n):
    """R5, R14 Face-down tiles without an explorer: all, or only the lowest position."""
    for position in range(int(state.board.count)):
        if can_explore(state, position):
            out[n] = base + position
            n += 1
            if not all_of_them:
                break
    return n


@kernel
def list_day(state, player, out):
    """R6 All actions of the day; one worker must be left, for some two."""
    seat = state.seat[player]
    left = int(seat.active) - int(seat.placed)
    free = free_spaces(state, player)
    n = list_spaces(state, seat, free, out)
    if state.unexplored > 0:
        n = list_positions(state, EXPLORE, state.rules.free_choice == 1, out, n)
    if left >= OFFERING_WORKERS:
        row = state.offering_row
        for i in range(int(row.count)):
            if can_offer(state, seat, int(row.card[i]), left):
                out[n] = OFFERING + int(row.card[i])
                n += 1
    if state.unexplored == 0 and free >> PITUK_SPACE & 1:
        for favour in range(2):
            if is_favour_left(state, favour):
                out[n] = PITUK + favour
                n += 1
    if can_take_token(state, player, free):
        out[n] = START_PLAYER
        n += 1
    if can_grow(state, seat, free, left):
        out[n] = GROW
        n += 1
    return n


@kernel
def list_spaces(state, seat, free, out):
    """R11, R12 Slots and camps with every option that can be carried out, and every card it may take."""
    cards = payable(state, seat) if free & int(state.rules.selling) else 0
    n = 0
    for tile in range(MOST_TILES):
        here = free >> SPACES_OF_A_TILE * tile & EVERY_SPACE_OF_A_TILE
        slot = 0
        while here != 0:
            if here & 1:
                space = tile * SPACES_OF_A_TILE + slot
                facts = state.rules.space[space]
                for option in range(int(facts.options)):
                    if slot != CAMP or state.cubes[tile * MOST_OPTIONS + option] == 0:
                        base = PLACE + (space * MOST_OPTIONS + option) * CARDS
                        takes = int(facts.option[option].takes)
                        if takes == Takes.NOTHING:
                            out[n] = base
                            n += 1
                        else:
                            n = list_choices(state, seat, takes, base, cards, out, n)
            here >>= 1
            slot += 1
    return n


@kernel
def list_choices(state, seat, takes, base, cards, out, n):
    """R23, R25, R26 An option once for each card that it may take."""
    if takes == Takes.HERITAGE:
        return list_cards(seat.hand, base + MOST_MARKET, out, n)
    row = state.market_row
    for i in range(int(row.count)):
        card = int(row.card[i])
        if cards >> card & 1:
            out[n] = base + card
            n += 1
    return n


# --- single rules -----------------------------------------------------------------------------------------


@kernel
def free_spaces(state, player):
    """R10, R12 The spaces with room for this player's worker, a bit each; a camp needs somebody on its tile."""
    taken = 0
    twice = 0
    for other in range(int(state.players)):
        here = int(state.seat[other].stands_on)
        twice |= taken & here
        taken |= here
    full = taken & ~int(state.rules.marked) | twice | int(state.seat[player].stands_on)
    slots = taken & EVERY_SLOT
    camps = (slots << 4 | slots << 3 | slots << 2 | slots << 1) & EVERY_CAMP  # from a, b, c, d
    return int(state.open_spaces) & ~full & (camps | ~EVERY_CAMP)


@kernel
def can_act(state, player):
    """R6 Whether a player has an unplaced worker and anything to do with it."""
    seat = state.seat[player]
    left = int(seat.active) - int(seat.placed)
    if left == 0:
        return False
    free = free_spaces(state, player)
    if free & int(state.rules.plain) or can_take_token(state, player, free):
        return True
    if can_grow(state, seat, free, left) or has_option(state, seat, free):
        return True
    for position in range(int(state.board.count)):
        if can_explore(state, position):
            return True
    for i in range(int(state.offering_row.count)):
        if can_offer(state, seat, int(state.offering_row.card[i]), left):
            return True
    pituk = state.unexplored == 0 and free >> PITUK_SPACE & 1
    return pituk and (is_favour_left(state, RESHUFFLE) or is_favour_left(state, REPLACE))


@kernel
def has_option(state, seat, free):
    """R11, R12 Whether one of these spaces has an option that can be carried out."""
    cards = payable(state, seat)
    for space in range(TILE_SPACES):
        if free >> space & 1:
            facts = state.rules.space[space]
            for option in range(int(facts.options)):
                cube = space // SPACES_OF_A_TILE * MOST_OPTIONS + option
                if space % SPACES_OF_A_TILE != CAMP or state.cubes[cube] == 0:
                    takes = int(facts.option[option].takes)
                    if takes == Takes.NOTHING:
                        return True
                    if takes == Takes.MARKET and cards != 0:
                        return True
                    if takes == Takes.HERITAGE and seat.hand.count > 0:
                        return True
    return False


@kernel
def can_explore(state, position):
    """R14 Whether a tile lies face down without an explorer."""
    return state.board.known[position] == 0 and state.explorer[position] == NOBODY


@kernel
def can_offer(state, seat, card, left):
    """R15, R16 Whether a player has the workers and resources for an offering."""
    facts = state.rules.offering[card]
    given = int(facts.sacrifice)
    needed = OFFERING_WORKERS + given if state.rules.additional else OFFERING_WORKERS
    clan = int(seat.active) + int(seat.grown) - int(seat.sacrificed) - given
    return (
        left >= needed
        and (given == 0 or clan >= state.rules.clan_left)
        and can_pay(seat, facts.cost)
    )


@kernel
def is_favour_left(state, favour):
    """R17-R19 Whether a favour is not used up and has something to act on."""
    if state.cubes[CAMP_CUBES + favour] >= state.rules.pituk_uses:
        return False
    if favour == RESHUFFLE:
        return int(state.market_row.count) + int(state.market_deck.count) > 0
    if int(state.offering_row.count) + int(state.offering_deck.count) > 0:
        return True
    for card in range(1, MOST_OFFERINGS + 1):
        if state.offering_discard[card] > 0:
            return True
    return False


@kernel
def can_take_token(state, player, free):
    """R20 Whether the start-player token can be taken."""
    return player != state.start_token and free >> START_SPACE & 1 == 1


@kernel
def can_grow(state, seat, free, left):
    """R21 Whether the clan can grow."""
    if left < GROW_WORKERS or seat.reserve == 0:
        return False
    if state.current_round == 1 and state.rules.early_growth == 0:
        return False
    return free >> GROW_SPACE & 1 == 1

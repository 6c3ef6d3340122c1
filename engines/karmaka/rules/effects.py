"""What the 23 abilities do."""

from engines.kernel import kernel
from engines.piles import EVERYBODY, insert, pop, push, show_hand, take_at, take_seen, take_unseen
from engines.records import NOBODY
from engines.rng import below

from ..tables import CARD_AGAIN, CARD_DRAWS, CARD_ON, Card, On, Phase
from .questions import ask
from .sides import is_rival
from .zones import (
    deal_to_deck,
    draw_from_well,
    fill_well,
    ruin_from_hand,
    ruin_top,
)

EMBODY_SEEN = 1
MIMIC_SEEN = 2


@kernel
def resolve(state, player, card, rng):
    """R11 Follow the text of an ability: ask for its target or its choices, or do it at once."""
    state.ability = card
    if CARD_AGAIN[card]:
        state.again = 1
    draw_from_well(state, player, CARD_DRAWS[card], rng)  # R37, R41, R42
    if CARD_ON[card] == On.RIVAL:
        ask(state, Phase.RIVAL, player, 1)
    elif CARD_ON[card] == On.PLAYER:
        ask(state, Phase.PLAYER, player, 1)
    elif card == Card.ROULETTE:
        ask(state, Phase.ROULETTE_DRAW, player, 1)
        ask(state, Phase.ROULETTE_RUIN, player, 2)
    elif card == Card.RECYCLE or card == Card.SALVAGE:
        ask(state, Phase.RUINS_PICK, player, 1)
    elif card == Card.SOWING:
        ask(state, Phase.SOW, player, 2)
    elif card == Card.JUBILEE:
        ask(state, Phase.JUBILEE, player, 2)
    elif card == Card.TRANSMIGRATE:
        ask(state, Phase.FUTURE_POSITION, player, 1)
    elif card == Card.DESTINY:
        foresee(state, player, rng)
    elif card == Card.DENIAL:
        ask(state, Phase.DENIAL_RUIN, player, 1)
    elif card == Card.EMBODY:
        embody(state, player)
    elif card == Card.MIMIC:
        mimic(state, player)


@kernel
def strike(state, player, target, rng):
    """R23 The chosen target of an ability; a rival becomes its victim."""
    card = int(state.ability)
    if is_rival(state, player, target):
        state.victim = target
    seat = state.seat[target]
    if card == Card.PANIC:  # R30
        ruin_top(state, seat.deck)
    elif card == Card.DWINDLE:  # R31
        ask(state, Phase.DWINDLE_RUIN, target, 1)
    elif card == Card.CRISIS:  # R32
        ask(state, Phase.CRISIS_RUIN, target, 1)
    elif card == Card.HELLS_HEART:  # R34
        ruin_top(state, seat.future)
        ruin_top(state, seat.future)
    elif card == Card.VENGEANCE:  # R35
        ruin_top(state, seat.deeds)
    elif card == Card.SPITE:
        spite(state, target, rng)
    elif card == Card.LONGEVITY:  # R40
        deal_to_deck(state, target, 2, rng)
    elif card == Card.PEEK:  # R45
        show_hand(seat.hand, 1 << player)
    elif card == Card.STOLEN_DREAMS:
        steal_dream(state, player, target)
    elif card == Card.SWINDLE:
        swindle(state, player, target, rng)
    elif card == Card.THIEVERY:
        thieve(state, player, target)


# --- red --------------------------------------------------------------------------------------------------


@kernel
def spite(state, target, rng):
    """R36 Two random cards of the rival's Hand go to the Ruins one after the other."""
    hand = state.seat[target].hand
    for _ in range(2):
        if hand.count > 0:
            ruin_from_hand(state, target, int(hand.card[below(rng, int(hand.count))]))


@kernel
def ruin_for_roulette(state, player, card):
    """R33 Each card ruined allows one more draw; the draws wait right below."""
    ruin_from_hand(state, player, card)
    state.pending[state.depth - 1].left += 1


# --- green ------------------------------------------------------------------------------------------------


@kernel
def pick_from_ruins(state, player, depth):
    """R38, R39 One of the top three Ruins cards goes onto the Future (Recycle) or to the Hand (Salvage)."""
    card = take_at(state.ruins, int(state.ruins.count) - 1 - depth)[0]
    if state.ability == Card.RECYCLE:
        push(state.seat[player].future, card, EVERYBODY)
    else:
        insert(state.seat[player].hand, card, EVERYBODY)


# --- blue -------------------------------------------------------------------------------------------------


@kernel
def transmigrate(state, player, position):
    """R44 One card of the own Future, wherever it lies, goes to the Hand; its place is public."""
    card, known = take_at(state.seat[player].future, position)
    insert(state.seat[player].hand, card, known | (1 << player))


@kernel
def foresee(state, player, rng):
    """R46 Destiny: up to three Well cards are looked at, two may be kept, the rest goes back."""
    for _ in range(3):
        if fill_well(state, rng):
            card, known = pop(state.well)
            insert(state.held, card, known | (1 << player))
    ask(state, Phase.DESTINY_ORDER, player, 3)
    ask(state, Phase.DESTINY_TAKE, player, 2)


@kernel
def keep(state, player, card):
    """R46 A card that Destiny shows goes onto the own Future."""
    take_unseen(state.held, card, 1 << player)
    push(state.seat[player].future, card, 1 << player)


@kernel
def put_back(state, player, card):
    """R46 A card that Destiny shows goes back onto the Well."""
    take_unseen(state.held, card, 1 << player)
    push(state.well, card, 1 << player)


@kernel
def steal_dream(state, player, target):
    """R47 The top card of the rival's Future goes onto the own one; both know it."""
    future = state.seat[target].future
    if future.count > 0:
        card, known = pop(future)
        push(state.seat[player].future, card, known | (1 << player))


@kernel
def swindle(state, player, target, rng):
    """R49 Up to three random cards of the rival's Hand are held out; both players see them."""
    hand = state.seat[target].hand
    seen_by = (1 << player) | (1 << target)
    for _ in range(3):
        if hand.count > 0:
            card = int(hand.card[below(rng, int(hand.count))])
            take_unseen(hand, card, seen_by)
            insert(state.held, card, seen_by)
    ask(state, Phase.SWINDLE_TAKE, player, 1)


@kernel
def steal(state, player, card):
    """R49 One of the cards held out goes to the swindler's Hand, the others go back."""
    victim = int(state.victim)
    seen_by = (1 << player) | (1 << victim)
    take_seen(state.held, card)
    insert(state.seat[player].hand, card, seen_by)
    while state.held.count > 0:
        insert(state.seat[victim].hand, pop(state.held)[0], seen_by)


@kernel
def thieve(state, player, target):
    """R50 The rival's exposed Deed goes to the own Hand."""
    deeds = state.seat[target].deeds
    if deeds.count > 0:
        insert(state.seat[player].hand, pop(deeds)[0], EVERYBODY)


# --- copies -----------------------------------------------------------------------------------------------


@kernel
def deny(state, player, card, rng):
    """R48, R53 Denial: a Hand card is ruined and its ability resolved; having paid, one may copy again."""
    ruin_from_hand(state, player, card)
    state.chain = 0
    resolve(state, player, card, rng)


@kernel
def embody(state, player):
    """R51, R53 Embody copies one of the own Deeds; a second Embody in a chain fizzles."""
    if int(state.chain) & EMBODY_SEEN == 0:
        state.chain |= EMBODY_SEEN
        ask(state, Phase.OWN_DEED, player, 1)


@kernel
def mimic(state, player):
    """R52, R53 Mimic copies a rival's exposed Deed; a second Mimic in a chain fizzles."""
    if int(state.chain) & MIMIC_SEEN == 0:
        state.chain |= MIMIC_SEEN
        ask(state, Phase.MIMIC_RIVAL, player, 1)


@kernel
def copy_exposed(state, player, rival, rng):
    """R52 The exposed Deed stays where it is; its owner is no victim yet."""
    deeds = state.seat[rival].deeds
    if deeds.count > 0:
        resolve(state, player, int(deeds.card[int(deeds.count) - 1]), rng)


@kernel
def clear_play(state):
    """Nothing of a finished ability is left."""
    state.table = 0
    state.ability = 0
    state.chain = 0
    state.victim = NOBODY
    state.again = 0

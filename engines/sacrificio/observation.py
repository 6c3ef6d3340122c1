"""What the fields of a position mean to learners, besides what the Layout says."""

from engines.observations import Bits, Cards, Declared, Facts, Players, Skip
from engines.records import FLAG, State, Words

from .actions import ACTION_CARD, ACTION_KIND, Kind
from .tables import CARD_CODES, TEMPLE_NAMES


def observation(states: State) -> Declared:
    """The move that awaits an answer by kind and card, temples by name, cards in their slots."""
    temples = Bits(TEMPLE_NAMES[1:], range(1, len(TEMPLE_NAMES)))
    kinds = [0, *(1 + int(kind) for kind in ACTION_KIND)]  # `pending` is 1 + an action
    last = len(CARD_CODES) - 1
    cards = [0, *(min(max(0, int(card)), last) for card in ACTION_CARD)]
    return {
        "pending": (
            Facts(("none", *(kind.name.lower() for kind in Kind)), kinds),
            Facts(CARD_CODES, cards),
        ),
        "temples": Cards(),
        "gone": temples,
        "seat.hearts": temples,
        "seat.finished": Players(),
        "seat.slots": Words(CARD_CODES),
        "seat.spirits": Cards(top=1, words=CARD_CODES),
        "seat.spirits.cursed": FLAG,
        "seat.cenote": Cards(top=2),
        "seat.options": temples,
        "seat.rejects": temples,
        "ending": Skip(),
    }

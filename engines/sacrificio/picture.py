"""Sacrificio to look at."""

from typing import Any

from engines.pictures import (
    Card,
    Cell,
    Grid,
    Panel,
    Part,
    Picture,
    Pile,
    Strip,
    Token,
    counted,
    player_colour,
    player_name,
)
from engines.piles import HIDDEN
from engines.records import OVER, View

from .actions import ACTIONS
from .tables import (
    CARDS,
    HEART_NAMES,
    PRIEST_SLOTS,
    SITES,
    SLOT_NAMES,
    TEMPLE_NAMES,
    TEMPLES,
    Ending,
    Family,
    Phase,
)
from .words import temples_in

HEART_COLOURS = dict(zip(HEART_NAMES, ("grey", "red", "green", "blue", "black"), strict=True))
FAMILY_COLOURS = {
    Family.VICTIM: "orange",
    Family.PRIEST: "teal",
    Family.DAGGER: "grey",
    Family.ACTION: "purple",
    Family.SUPREME: "yellow",
}
DAGGER_COLOURS = {"DR": "red", "DG": "green", "DB": "blue"}
FORMS = {
    Family.DAGGER: "dagger",
    Family.ACTION: "star",
    Family.SUPREME: "hexagon",
    Family.VICTIM: "meeple",
}
QUESTIONS = {
    Phase.SETUP: "chooses a temple",
    Phase.MOVE: "makes a move",
    Phase.GOAL: "chooses where the card goes",
    Phase.PAY: "pays for the reposition",
    Phase.WIPE: "chooses a pile to wipe",
    Phase.MORE: "may discard one more",
    Phase.REACT: "may answer",
    Phase.EXTRA: "may play a zero",
    Phase.ARRANGE: "arranges the discards",
    Phase.COLLECT: "may take from a cenote",
}


def picture(view: View) -> Picture:
    """The centre, then each player's temples, hand and cenote."""
    state = view[0]
    players = range(int(state["players"]))
    return Picture((centre(state), *(player_panel(state, p) for p in players)), words(state))


def words(state: Any) -> str:
    """Whose turn it is and what is decided, or how the game ended."""
    turn = int(state["turn"])
    if state["to_act"] == OVER:
        return f"Over after {turn} turns: {Ending(int(state['ending'])).name.lower().replace('_', ' ')}"
    phase, asked = Phase(int(state["phase"])), player_name(int(state["to_act"]))
    if phase == Phase.SETUP:
        return f"Before the first turn: {asked} chooses a temple"
    moves = int(state["moves_left"])
    pending = int(state["pending"])
    what = f" {ACTIONS.told(pending - 1)!r}" if pending and phase == Phase.REACT else ""
    return (
        f"Turn {turn + 1} of {player_name(int(state['active']))}, {counted(moves, 'move')} left: "
        f"{asked} {QUESTIONS[phase]}{what}"
    )


# --- cards and temples ------------------------------------------------------------------------------------


def card_title(card: int) -> str:
    """The name of a card as people say it."""
    family, _, kind = CARDS[card - 1].name.capitalize().partition("_")
    return f"{family} {kind.upper() if len(kind) == 1 else kind}".strip()


def card_colour(card: int) -> str:
    """Daggers have colours of their own, other cards that of their family."""
    facts = CARDS[card - 1]
    return DAGGER_COLOURS.get(facts.code, FAMILY_COLOURS[facts.family])


def face(card: int) -> Card:
    """A card of a hand or cenote, or its back."""
    if card == HIDDEN:
        return Card("", back=True)
    facts = CARDS[card - 1]
    title, text = card_title(card), f"{facts.code}, {facts.family.name.lower()}"
    return Card(title, card_colour(card), text=text, brief=f"{title} {facts.code}")


def piece(card: int, mark: str = "", words: str = "") -> Token:
    """A card that lies in a slot or on a temple."""
    facts = CARDS[card - 1]
    form = FORMS.get(facts.family, "disc")
    text = facts.code[1] if facts.family == Family.PRIEST else facts.code
    said = words or card_title(card)
    return Token(card_colour(card), text, form, said, mark=mark, brief=facts.code)


def temple_card(temple: int, site: int, pile: Any = None) -> Card:
    """A temple with what it asks for, and the cards piled up on it."""
    if temple == HIDDEN:
        return Card("", back=True, text=f"temple {site}, chosen, not shown yet")
    facts = TEMPLES[temple - 1]
    heart = HEART_NAMES[facts.heart]
    asks = [Token("teal", letter, words=f"asks for priest {letter}") for letter in facts.priests]
    dagger = facts.dagger.name
    asks.append(
        Token(
            DAGGER_COLOURS[dagger],
            "",
            "dagger",
            f"and a {DAGGER_COLOURS[dagger]} dagger",
            brief=dagger,
        )
    )
    cards = [int(card) for card in pile["card"][: int(pile["count"])]] if pile is not None else []
    for place, card in enumerate(cards):
        cursed = bool(pile["cursed"]) and place == len(cards) - 1
        asks.append(
            piece(
                card,
                "chosen" if cursed else "faded",
                f"{card_title(card)} on it{', active' * cursed}",
            )
        )
    return Card(facts.name, HEART_COLOURS[heart], heart, tuple(asks), f"a {heart} heart")


def small_temple(name: str, mark: str = "") -> Card:
    """A temple in a list: a heart, or one to choose from."""
    facts = TEMPLES[TEMPLE_NAMES.index(name) - 1]
    heart = HEART_NAMES[facts.heart]
    text = f"{heart} heart, priests {facts.priests}, {DAGGER_COLOURS[facts.dagger.name]} dagger"
    return Card(f"{name} {facts.priests}", HEART_COLOURS[heart], text=text, mark=mark)


# --- the centre -------------------------------------------------------------------------------------------


def centre(state: Any) -> Panel:
    """What belongs to nobody."""
    hollow, top = int(state["hollow"]), HEART_NAMES[int(state["top_heart"])]
    temples = int(state["temples"]["count"])
    shown = [
        Pile("Deck", int(state["deck"]["count"])),
        Pile("Temples", temples, HEART_COLOURS[top]),
    ]
    hearts = hollow_hearts(hollow)
    parts: list[Part] = [
        Strip((*shown, hearts), "Deck, temples by the heart on top, hollow hearts")
    ]
    pending = int(state["pending"])
    if pending:
        parts.append(
            Strip((Cell(name=ACTIONS.told(pending - 1), mark="chosen"),), "Awaits an answer")
        )
    supremes = bag(state["centre"])
    if supremes:
        parts.append(Strip(supremes, "Supremes", small=True, counted=True))
    gone = tuple(small_temple(name, "faded") for name in temples_in(int(state["gone"])))
    if gone:
        parts.append(Strip(gone, "Temples out of the game", small=True))
    return Panel("Centre", tuple(parts))


def hollow_hearts(count: int) -> Token:
    """Hollow hearts, so many."""
    return Token("white", str(count), "heart", f"{count} hollow hearts", brief=f"{count} hollow")


def bag(counts: Any) -> tuple[Card, ...]:
    """Cards of which only the numbers matter, each of them."""
    return tuple(face(card) for card, count in enumerate(counts.tolist()) for _ in range(count))


# --- players ----------------------------------------------------------------------------------------------


def player_panel(state: Any, player: int) -> Panel:
    """A player's zone, hand, cenote and hearts."""
    seat = state["seat"][player]
    temples = [int(temple) for temple in seat["temple"]]
    cards = tuple(
        temple_card(temple, site, seat["spirits"][site])
        for site, temple in enumerate(temples)
        if temple
    )
    parts: list[Part] = [Strip(cards, "Temples")] if cards else []
    parts.append(slots(seat))
    hand = tuple(face(card) for card in cards_in(seat["hand"]))
    if hand:
        parts.append(Strip(hand, "Hand", small=True, counted=True))
    cenote = tuple(face(card) for card in cards_in(seat["cenote"]))
    if cenote:
        parts.append(Strip(cenote, "Cenote, the top one last", small=True, counted=True))
    under = bag(seat["under"])
    if under:
        parts.append(Strip(under, "Under the cenote", small=True, counted=True))
    parts += hearts(seat)
    for name, caption in (("options", "Temples to choose from"), ("rejects", "Temples rejected")):
        shown = tuple(small_temple(temple) for temple in temples_in(int(seat[name])))
        if shown:
            parts.append(Strip(shown, caption, small=True))
    teams = len(set(state["team"][: int(state["players"])].tolist())) < int(state["players"])
    side = f", side {int(state['team'][player]) + 1}" if teams else ""
    title = f"{player_name(player).capitalize()}{side}"
    return Panel(title, tuple(parts), player, int(state["to_act"]) == player)


def slots(seat: Any) -> Grid:
    """The seven priest slots, and below the temples the three victim slots."""
    cards = seat["slots"].tolist()
    cells = [
        Cell((piece(card),) if card else (), name=name)
        for card, name in zip(cards, SLOT_NAMES, strict=True)
    ]
    victims: list[Cell | None] = [None] * PRIEST_SLOTS
    for site in range(SITES):
        victims[2 * site + 1] = cells[PRIEST_SLOTS + site]
    rows = (tuple(cells[:PRIEST_SLOTS]), tuple(victims))
    return Grid(rows, caption="Priest slots s0 to s6, victim slots V0 to V2", most=38)


def hearts(seat: Any) -> list[Part]:
    """Completed temples, hollow hearts, and in whose zone the player has completed one."""
    parts: list[Part] = []
    won = tuple(small_temple(name) for name in temples_in(int(seat["hearts"])))
    if won:
        parts.append(Strip(won, "Hearts", small=True, counted=True))
    count = int(seat["hollow"])
    tokens = [hollow_hearts(count)] * bool(count)
    for other in range(4):
        if int(seat["finished"]) >> other & 1:
            name = player_name(other)
            tokens.append(
                Token(
                    player_colour(other),
                    str(other + 1),
                    "ring",
                    f"finished a temple of {name}",
                    brief=name,
                )
            )
    if tokens:
        parts.append(
            Strip(tuple(tokens), "Hollow hearts, and rivals of whom a temple was finished")
        )
    return parts


def cards_in(pile: Any) -> list[int]:
    """The cards of a pile, bottom first; a hidden one is HIDDEN."""
    return [int(card) for card in pile["card"][: int(pile["count"])]]

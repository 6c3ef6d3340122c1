"""Karmaka to look at."""

from collections.abc import Iterator
from typing import Any

from engines.pictures import (
    Card,
    Panel,
    Part,
    Picture,
    Pile,
    Step,
    Strip,
    Token,
    Track,
    counted,
    player_colour,
    player_name,
)
from engines.piles import HIDDEN
from engines.records import NOBODY, OVER, View

from .positions import ENDINGS
from .tables import (
    CARD_AGAIN,
    CARD_COLOUR,
    CARD_POINTS,
    CARD_TEXTS,
    CARDS,
    RUNGS,
    TRANSCENDENCE,
    Colour,
    Mode,
    Phase,
)

COLOURS = {Colour.RED: "red", Colour.GREEN: "green", Colour.BLUE: "blue", Colour.MOSAIC: "purple"}
LETTERS = {Colour.RED: "R", Colour.GREEN: "G", Colour.BLUE: "B", Colour.MOSAIC: "*"}
ZONES = {"hand": "Hand", "deeds": "Deeds, the exposed one last", "future": "Future"}
SIDES = ("first", "second", "third", "fourth")
QUESTIONS = {
    Phase.NONE: "has nothing to decide",
    Phase.START: "begins the turn",
    Phase.MAIN: "decides main move",
    Phase.BONUS: "plays one card more or declines",
    Phase.RIVAL: "chooses a rival",
    Phase.PLAYER: "chooses a player",
    Phase.MIMIC_RIVAL: "chooses whose exposed Deed to copy",
    Phase.OWN_DEED: "chooses which own Deed to copy",
    Phase.FUTURE_POSITION: "chooses a card of the own Future",
    Phase.DESTINY_TAKE: "may keep cards for the own Future",
    Phase.DESTINY_ORDER: "puts cards back onto the Well",
    Phase.DENIAL_RUIN: "chooses a Hand card to ruin and to use",
    Phase.SWINDLE_TAKE: "chooses which card held out to keep",
    Phase.RUINS_PICK: "chooses one of the top three Ruins cards",
    Phase.SOW: "puts a Hand card onto the own Future",
    Phase.JUBILEE: "may put a Hand card onto the own Deeds",
    Phase.DWINDLE_RUIN: "chooses a Hand card to ruin",
    Phase.CRISIS_RUIN: "chooses an own Deed to ruin",
    Phase.ROULETTE_RUIN: "may ruin a Hand card",
    Phase.ROULETTE_DRAW: "may draw a card",
    Phase.OFFER: "takes the played card or leaves it",
    Phase.RINGS: "spends rings to climb or saves them",
}


def picture(view: View) -> Picture:
    """Well, ladder and what is being played; each player's cards; the Ruins."""
    state = view[0]
    players = range(int(state["players"]))
    sides = [player_panel(state, player) for player in players]
    return Picture((table(state), *sides, ruins(state)), words(state))


def words(state: Any) -> str:
    """Whose turn it is and what is decided, or how the game ended."""
    if state["to_act"] == OVER:
        return f"Turn {int(state['turn'])}, over: {ENDINGS[int(state['ending'])].replace('_', ' ')}"
    question = QUESTIONS[Phase(int(state["phase"]))]
    times = f" ({int(state['left'])} left)" if state["left"] > 1 else ""
    who, asked = player_name(int(state["active"])), player_name(int(state["to_act"]))
    victim = int(state["victim"])
    target = f", played on {player_name(victim)}" if state["table"] and victim != NOBODY else ""
    return f"Turn {int(state['turn']) + 1} of {who}: {asked} {question}{times}{target}"


# --- the table --------------------------------------------------------------------------------------------


def table(state: Any) -> Panel:
    """What belongs to nobody."""
    parts: list[Part] = []
    played, ability = int(state["table"]), int(state["ability"])
    if played:
        copied = f", used as {CARDS[ability - 1].title}" if ability not in (0, played) else ""
        parts.append(Strip((face(played, "chosen"),), f"Played{copied}"))
    held = cards_in(state["held"])
    if held:
        parts.append(Strip(tuple(map(face, held)), "Held out"))
    parts.append(Strip(stack(state["well"], "Well")))
    parts.append(ladder(state))
    return Panel("Table", tuple(parts))


def ruins(state: Any) -> Panel:
    """The Ruins, all face up."""
    cards = tuple(map(face, cards_in(state["ruins"])))
    return Panel("Ruins", (Strip(cards, "The top one last", small=True, counted=True),))


def stack(pile: Any, name: str) -> tuple[Pile | Card, ...]:
    """A face-down pile, and the cards at its top down to the last one that the viewer knows.

    Whoever knows it whole is shown it as a pile: its order tells nothing that anybody may use.
    """
    cards = cards_in(pile)
    known = [place for place, card in enumerate(cards) if card != HIDDEN]
    if not known or len(known) == len(cards) > 3:
        return (Pile(name, len(cards)),)
    return (Pile(name, known[0]), *(face(card) for card in reversed(cards[known[0] :])))


def ladder(state: Any) -> Track:
    """The rungs with what it takes to leave them, and who stands there with how many rings."""
    steps = []
    for rung in range(TRANSCENDENCE, -1, -1):
        need = (
            f", {int(state['rules']['thresholds'][rung])} to leave" if rung < TRANSCENDENCE else ""
        )
        steps.append(Step(f"{RUNGS[rung]}{need}", tuple(standing(state, rung))))
    return Track(tuple(steps), "Ladder", down=True)


def standing(state: Any, rung: int) -> Iterator[Token]:
    """The players on a rung, each with his rings."""
    for player in range(int(state["players"])):
        seat = state["seat"][player]
        if int(seat["rung"]) == rung:
            name, rings = player_name(player), int(seat["rings"])
            yield Token(player_colour(player), str(player + 1), "meeple", name, name, brief=name)
            if rings:
                said = f"{counted(rings, 'ring')} of {name}"
                brief = counted(rings, "ring")
                yield Token(player_colour(player), str(rings), "ring", said, brief=brief)


# --- players ----------------------------------------------------------------------------------------------


def player_panel(state: Any, player: int) -> Panel:
    """One player's cards."""
    seat = state["seat"][player]
    parts: list[Part] = []
    for name, caption in ZONES.items():
        cards = tuple(map(face, cards_in(seat[name])))
        if cards:
            parts.append(Strip(cards, caption, small=name == "future", counted=True))
    parts.append(Strip(stack(seat["deck"], "Deck")))
    side = ""
    if state["rules"]["mode"] == Mode.TWO_AGAINST_TWO:
        side = f", {SIDES[int(state['team'][player])]} pair"
    elif state["rules"]["mode"] == Mode.BIG_BAD_WOLF:
        side = ", pair" if state["team"][player] else ", wolf"
    active = int(state["to_act"]) == player
    return Panel(f"{player_name(player).capitalize()}{side}", tuple(parts), player, active)


def cards_in(pile: Any) -> list[int]:
    """The numbers of the cards in a pile, bottom first; a hidden one is HIDDEN."""
    return [int(card) for card in pile["card"][: int(pile["count"])]]


def face(card: int, mark: str = "") -> Card:
    """A card, or its back."""
    if card == HIDDEN:
        return Card("", back=True)
    colour = Colour(int(CARD_COLOUR[card]))
    kind = "mosaic" if colour == Colour.MOSAIC else COLOURS[colour]
    again = "; play again" if CARD_AGAIN[card] else ""
    text = f"{kind}, {CARD_TEXTS[card]}{again}"
    title, points = CARDS[card - 1].title, str(int(CARD_POINTS[card]))
    brief = f"{title} {LETTERS[colour]}{points}"
    return Card(title, COLOURS[colour], points, text=text, mark=mark, brief=brief)

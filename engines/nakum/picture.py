"""Nakum to look at."""

from collections.abc import Iterator
from typing import Any

from engines.pictures import (
    Card,
    Cell,
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
from engines.piles import HIDDEN, UNSEEN
from engines.records import NOBODY, OVER, View

from .tables import (
    CAMP,
    CAMP_CUBES,
    CUBE_NAMES,
    FAVOURS,
    GROW_SPACE,
    HERITAGE_NAMES,
    MARKET_NAMES,
    MOST_OPTIONS,
    OFFERING_NAMES,
    PITUK_SPACE,
    SLOTS,
    SPACES_OF_A_TILE,
    START_SPACE,
    TILE_NAMES,
    Ending,
    Phase,
    Takes,
)

GOODS = {  # colour, form, name and letter
    "maize": ("yellow", "drop", "maize", "m"),
    "hide": ("brown", "square", "hide", "h"),
    "mask": ("green", "diamond", "jade mask", "k"),
    "vp": ("orange", "star", "victory point", "VP"),
}
PIECES = ("mask", "vp")  # of which one says how many; maize and hide are told by the measure
TAKES = {Takes.MARKET: "market", Takes.HERITAGE: "heritage"}
QUESTIONS = {
    Phase.HERITAGE: "chooses a first heritage card",
    Phase.DISCOVER: "turns up a tile",
    Phase.DAY: "acts",
    Phase.RELEASE: "releases a cube",
}


def picture(view: View) -> Picture:
    """The tiles, the pyramid with market and offerings, each player's clan."""
    state = view[0]
    players = range(int(state["players"]))
    clans = [clan(state, player) for player in players]
    return Picture((tiles(state), pyramid(state), *clans), words(state))


def words(state: Any) -> str:
    """The day, and what is decided, or how the game ended."""
    where = f"Day {int(state['current_round'])}, start {player_name(int(state['start_token']))}"
    if state["to_act"] == OVER:
        return f"{where}: over, {Ending(int(state['ending'])).name.lower().replace('_', ' ')}"
    last = ", the last day" if state["end_triggered"] else ""
    asked = player_name(int(state["to_act"]))
    return f"{where}{last}: {asked} {QUESTIONS[Phase(int(state['phase']))]}"


# --- icons ------------------------------------------------------------------------------------------------


def goods(amounts: Any, price: bool = False) -> Iterator[Token]:
    """Resources and tokens of a gain or cost, each kind with its number."""
    for name in amounts.dtype.names:
        if name in GOODS and amounts[name]:
            yield good(name, int(amounts[name]), "costs " if price else "")
    if "takes" in amounts.dtype.names and amounts["takes"]:
        yield Token("white", TAKES[Takes(int(amounts["takes"]))], "text", "takes a card")


def good(name: str, amount: int, before: str = "") -> Token:
    """So many of one resource."""
    colour, form, said, letter = GOODS[name]
    told = counted(amount, said) if name in PIECES else f"{amount} {said}"
    return Token(colour, str(amount), form, f"{before}{told}", brief=f"{amount}{letter}")


def text(words: str, said: str = "") -> Token:
    """Words among icons."""
    return Token("white", words, "text", said or words, mark="faded")


def worker(player: int, mark: str = "", said: str = "a worker") -> Token:
    """A worker of a player."""
    words, brief = f"{said} of {player_name(player)}", f"({player + 1})"
    return Token(player_colour(player), "", "meeple", words, mark=mark, brief=brief)


def cube(count: int = 1) -> tuple[Token, ...]:
    """Cubes that cover something."""
    return (Token("black", "", "square", "a cube on it", brief="cube"),) * count


# --- tiles ------------------------------------------------------------------------------------------------


def tiles(state: Any) -> Panel:
    """The tiles around the pyramid by position: spaces with what they offer, workers and cubes."""
    parts = []
    for position, tile in enumerate(cards_in(state["board"])):
        if tile != HIDDEN and int(state["board"]["known"][position]) != UNSEEN:
            spaces = tuple(tile_spaces(state, tile - 1))
            parts.append(Strip(spaces, f"{position} {TILE_NAMES[tile]}"))
            continue
        player = int(state["explorer"][position])
        known = "" if tile == HIDDEN else f": {TILE_NAMES[tile]}"
        face_down = Card("", "brown", back=True, text=f"tile {position}, face down{known}")
        explorer = (worker(player, said="an explorer"),) if player != NOBODY else ()
        parts.append(Strip((face_down, *explorer), f"{position} face down{known}"))
    return Panel("Tiles", tuple(parts))


def tile_spaces(state: Any, tile: int) -> Iterator[Cell]:
    """The slots and the camp of a tile."""
    for slot in range(SPACES_OF_A_TILE):
        space = tile * SPACES_OF_A_TILE + slot
        facts = state["rules"]["space"][space]
        icons: list[Token] = []
        for option in range(int(facts["options"])):
            icons += [text("/", "or")] * bool(option) + list(goods(facts["option"][option]))
            if slot == CAMP:
                icons += cube(int(state["cubes"][tile * MOST_OPTIONS + option]))
        if icons:
            mark = " two" if int(state["rules"]["marked"]) >> space & 1 else ""
            yield Cell((*icons, *workers_on(state, space)), name=SLOTS[slot] + mark)


def workers_on(state: Any, space: int) -> tuple[Token, ...]:
    """The workers on a space."""
    seats = state["seat"][: int(state["players"])]
    return tuple(worker(p) for p, seat in enumerate(seats) if int(seat["stands_on"]) >> space & 1)


# --- pyramid, market, offerings ---------------------------------------------------------------------------


def pyramid(state: Any) -> Panel:
    """The pyramid's actions, the market and the offerings."""
    favours: list[Token] = []
    for number, favour in enumerate(FAVOURS):
        favours += [text("/", "or")] * bool(number) + [text(favour.replace("_", " "))]
        favours += cube(int(state["cubes"][CAMP_CUBES + number]))
    spaces = (
        Cell((*favours, *workers_on(state, PITUK_SPACE)), name="Pituk"),
        Cell(workers_on(state, START_SPACE), name="start player"),
        Cell(workers_on(state, GROW_SPACE), name="grow"),
    )
    parts: list[Part] = [Strip(spaces, "Pyramid")]
    waits = int(state["waiting_cube"])
    if waits:
        used = Cell(cube(), name=CUBE_NAMES[waits - 1].replace("_", " "), mark="chosen")
        parts.append(Strip((used,), "In use"))
    market = tuple(market_card(state, card) for card in cards_in(state["market_row"]))
    offered = tuple(offering_card(state, card) for card in cards_in(state["offering_row"]))
    decks = [Pile("Market", int(state["market_deck"]["count"]), "teal")]
    decks.append(Pile("Offerings", int(state["offering_deck"]["count"]), "purple"))
    parts += [Strip(market, "Market")] * bool(market) + [Strip(offered, "Offerings")] * bool(
        offered
    )
    parts.append(Strip(tuple(decks), "Decks"))
    out = owned(state, "offering", state["offering_discard"])
    if out:
        parts.append(Strip(out, "Offerings discarded", small=True))
    return Panel("Pyramid", tuple(parts))


def market_card(state: Any, card: int) -> Card:
    """A market card: cost, arrow, gain; points at its corner."""
    facts = state["rules"]["market"][card]
    cost = tuple(goods(facts["cost"], price=True))
    gain = tuple(goods(facts["gain"]))
    held = (*cost, *([text("→", "gives")] if cost and gain else []), *gain)
    if facts["release"]:
        held = (*held, text("release", "releases a cube"))
    end = int(facts["end"])
    said = f"{counted(end, 'point')} at the end" if end else "no points"
    return Card(MARKET_NAMES[card], "teal", f"+{end}" if end else "", held, said)


def offering_card(state: Any, card: int) -> Card:
    """An offering: cost, workers sacrificed; points at its corner."""
    facts = state["rules"]["offering"][card]
    dead = int(facts["sacrifice"])
    held = list(goods(facts["cost"], price=True))
    if dead:
        held.append(
            Token(
                "red",
                str(dead),
                "meeple",
                f"{counted(dead, 'worker')} sacrificed",
                brief=f"{dead} sacrificed",
            )
        )
    said = f"{counted(int(facts['end']), 'point')} at the end"
    return Card(OFFERING_NAMES[card], "purple", str(int(facts["end"])), tuple(held), said)


def heritage_card(state: Any, card: int) -> Card:
    """A heritage card, or its back."""
    if card == HIDDEN:
        return Card("", "orange", back=True, text="a hidden heritage card")
    facts = state["rules"]["heritage"][card]
    end = int(facts["end"])
    return Card(
        HERITAGE_NAMES[card], "orange", f"+{end}" if end else "", tuple(goods(facts["gain"]))
    )


def owned(state: Any, kind: str, counts: Any) -> tuple[Card, ...]:
    """Each card of a bag."""
    card_of = {"market": market_card, "offering": offering_card}[kind]
    numbers = enumerate(counts.tolist())
    return tuple(card_of(state, card) for card, count in numbers for _ in range(count))


# --- clans ------------------------------------------------------------------------------------------------


def clan(state: Any, player: int) -> Panel:
    """A player's stores, workers and cards."""
    seat, limit = state["seat"][player], state["rules"]["limit"]
    stores = []
    for name in ("maize", "hide", "mask"):
        amount, most = int(seat[name]), int(limit[name])
        colour, form, said, letter = GOODS[name]
        brief = f"{amount}{letter}"
        stores.append(
            Cell(
                (
                    Token(
                        colour, str(amount), form, f"{amount} of at most {most} {said}", brief=brief
                    ),
                    text(f"of {most}"),
                )
            )
        )
    stores.append(Cell((good("vp", int(seat["vp"])),)))
    if seat["card_points"]:
        points = int(seat["card_points"])
        stores.append(
            Cell(
                (
                    Token(
                        "purple",
                        str(points),
                        "star",
                        f"{counted(points, 'point')} on cards",
                        brief=counted(points, "point"),
                    ),
                )
            )
        )
    parts: list[Part] = [Strip(tuple(stores), "Stores, tokens and points on cards")]
    parts += workers(seat, player, int((state["explorer"] == player).sum()))
    hand = tuple(heritage_card(state, card) for card in cards_in(seat["hand"]))
    played = tuple(heritage_card(state, card) for card in cards_in(seat["heritage_played"]))
    market = owned(state, "market", seat["market_owned"])
    made = owned(state, "offering", seat["offerings"])
    for cards, caption in (
        (hand, "Heritage in hand"),
        (played, "Heritage played"),
        (market, "Market"),
        (made, "Offerings made"),
    ):
        if cards:
            parts.append(Strip(cards, caption, small=True, counted=True))
    title = player_name(player).capitalize()
    return Panel(title, tuple(parts), player, int(state["to_act"]) == player)


def workers(seat: Any, player: int, exploring: int) -> Iterator[Part]:
    """The workers that stand on no space: still to place, at work, reserve, grown, sacrificed."""
    left = int(seat["active"]) - int(seat["placed"])
    standing = int(seat["stands_on"]).bit_count() + exploring
    busy = int(seat["placed"]) - standing - int(seat["sacrificed"])
    groups = (
        (left, "", "Workers to place"),
        (busy, "", "At work for offerings, or growing"),
        (int(seat["reserve"]), "faded", "Reserve"),
        (int(seat["grown"]), "", "Grown, for the next day"),
        (int(seat["sacrificed"]), "faded", "Sacrificed"),
    )
    for count, mark, caption in groups:
        if count:
            yield Strip((worker(player, mark),) * count, caption, counted=True)


def cards_in(pile: Any) -> list[int]:
    """The numbers of the cards in a pile, bottom first; a hidden one is HIDDEN."""
    return [int(card) for card in pile["card"][: int(pile["count"])]]

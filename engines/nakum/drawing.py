"""The table of Nakum drawn for people."""

from collections.abc import Iterator
from typing import Any

from engines.pictures import player_name
from engines.piles import HIDDEN, UNSEEN
from engines.records import NOBODY, OVER, View

from .notation import Gain, gain_text
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
)

FACE_DOWN = "#"
NAME_WIDTH = 10


def cards_in(pile: Any) -> list[int]:
    """The numbers of the cards in a pile, bottom to top."""
    return [int(card) for card in pile["card"][: int(pile["count"])]]


def render(view: View) -> str:
    """The table as one player sees it: (12) workers of players 1 and 2 on a space, [x] a cube on an option."""
    state = view[0]
    lines = [headline(state), *board_lines(state), *pyramid_lines(state)]
    lines.append(
        f"  Market: {'  '.join(market_texts(state)) or 'empty'}{deck_text(state, 'market')}"
    )
    offered = "  ".join(offering_text(state, card) for card in cards_in(state["offering_row"]))
    discarded = [OFFERING_NAMES[c] for c, n in enumerate(state["offering_discard"]) if n]
    out = f", discarded {' '.join(discarded)}" if discarded else ""
    lines.append(f"  Offerings: {offered or 'empty'}{deck_text(state, 'offering')}{out}")
    for player in range(int(state["players"])):
        lines += seat_lines(state, player)
    return "\n".join(lines)


def headline(state: Any) -> str:
    """Round, start player, and what is to be decided, or how the game ended."""
    viewer = "" if state["viewer"] == NOBODY else f", seen by {player_name(int(state['viewer']))}"
    where = f"Round {int(state['current_round'])}, start {player_name(int(state['start_token']))}{viewer}"
    if state["to_act"] == OVER:
        reason = Ending(int(state["ending"])).name.lower().replace("_", " ")
        return f"{where}: over, {reason}"
    question = {
        Phase.HERITAGE: "chooses a first heritage card",
        Phase.DISCOVER: "turns up a tile",
        Phase.DAY: "acts",
        Phase.RELEASE: "releases a cube",
    }[Phase(int(state["phase"]))]
    last = ", the last day" if state["end_triggered"] else ""
    return f"{where}: {player_name(int(state['to_act']))} {question}{last}"


# --- the board --------------------------------------------------------------------------------------------


def board_lines(state: Any) -> Iterator[str]:
    """A line for every position."""
    for position, tile in enumerate(cards_in(state["board"])):
        if tile != HIDDEN and int(state["board"]["known"][position]) != UNSEEN:
            yield f"  {position} {TILE_NAMES[tile]:{NAME_WIDTH}}{spaces_text(state, tile - 1)}"
        else:
            player = int(state["explorer"][position])
            known = f" ({TILE_NAMES[tile]})" if tile != HIDDEN else ""
            explorer = f" ({player + 1}) explores" if player != NOBODY else ""
            yield f"  {position} {FACE_DOWN * 5}{known}{explorer}"


def spaces_text(state: Any, tile: int) -> str:
    """The slots and the camp of a tile with their options, workers and cubes."""
    found = []
    for slot in range(SPACES_OF_A_TILE):
        space = tile * SPACES_OF_A_TILE + slot
        facts = state["rules"]["space"][space]
        options = []
        for option in range(int(facts["options"])):
            text = gain_text(Gain(*(int(n) for n in facts["option"][option].tolist())))
            covered = slot == CAMP and state["cubes"][tile * MOST_OPTIONS + option] > 0
            options.append(f"[{text}]" if covered else text)
        if options:
            mark = "*" if int(state["rules"]["marked"]) >> space & 1 else ""
            worker = workers_text(state, space)
            found.append(f"{SLOTS[slot]}{mark} {' / '.join(options)}{worker}")
    return "   ".join(found)


def workers_text(state: Any, space: int) -> str:
    """The players on a space: ' (12)', or nothing."""
    seats = state["seat"][: int(state["players"])]
    players = "".join(str(p) for p, s in enumerate(seats, 1) if int(s["stands_on"]) >> space & 1)
    return f" ({players})" if players else ""


def pyramid_lines(state: Any) -> list[str]:
    """The pyramid's special actions."""
    favours = []
    for number, favour in enumerate(FAVOURS):
        cubes = int(state["cubes"][CAMP_CUBES + number])
        favours.append(f"[{favour}]" * cubes if cubes else favour)
    pituk = f"Pituk {' / '.join(favours)}{workers_text(state, PITUK_SPACE)}"
    token = f"start player{workers_text(state, START_SPACE)}"
    line = f"  Pyramid: {pituk}   {token}   grow{workers_text(state, GROW_SPACE)}"
    waits = int(state["waiting_cube"])
    return [line + (f"   in use: {CUBE_NAMES[waits - 1]}" if waits else "")]


# --- cards ------------------------------------------------------------------------------------------------


def goods_text(cost: Any) -> str:
    """Resources: '2m 1k'."""
    return gain_text(Gain(*(int(n) for n in cost.tolist())))


def market_texts(state: Any) -> list[str]:
    """The market row: 'M01(1k: 2m +2)'."""
    texts = []
    for card in cards_in(state["market_row"]):
        facts = state["rules"]["market"][card]
        cost = goods_text(facts["cost"])
        words = [f"{cost}:"] * bool(cost) + [goods_text(facts["gain"])]
        words += [f"+{int(facts['end'])}"] * bool(facts["end"])
        words += ["release"] * bool(facts["release"])
        texts.append(f"{MARKET_NAMES[card]}({' '.join(filter(None, words))})")
    return texts


def offering_text(state: Any, card: int) -> str:
    """An offering: 'O01(2m 3h, 1 sacrifice: 10)'."""
    facts = state["rules"]["offering"][card]
    sacrifice = f", {int(facts['sacrifice'])} sacrificed" if facts["sacrifice"] else ""
    return f"{OFFERING_NAMES[card]}({goods_text(facts['cost'])}{sacrifice}: {int(facts['end'])})"


def deck_text(state: Any, name: str) -> str:
    """How many cards a deck holds."""
    return f"   deck {int(state[f'{name}_deck']['count'])}"


def heritage_text(state: Any, card: int) -> str:
    """A heritage card: 'H01(4m)'."""
    if card == HIDDEN:
        return "?"
    facts = state["rules"]["heritage"][card]
    end = f" +{int(facts['end'])}" if facts["end"] else ""
    return f"{HERITAGE_NAMES[card]}({goods_text(facts['gain'])}{end})"


def seat_lines(state: Any, player: int) -> list[str]:
    """One player's workers, stores and cards."""
    seat, limit = state["seat"][player], state["rules"]["limit"]
    sign = ">" if int(state["to_act"]) == player else " "
    stores = ", ".join(
        f"{name} {int(seat[name])}/{int(limit[name])}" for name in ("maize", "hide", "mask")
    )
    left = int(seat["active"]) - int(seat["placed"])
    workers = f"workers {left} of {int(seat['active'])}, reserve {int(seat['reserve'])}"
    for name in ("grown", "sacrificed"):
        workers += f", {name} {int(seat[name])}" if seat[name] else ""
    lines = [
        f"{sign} {player_name(player).capitalize()}: {int(seat['vp'])} VP, {stores}; {workers}"
    ]
    hand = " ".join(heritage_text(state, card) for card in cards_in(seat["hand"]))
    played = " ".join(heritage_text(state, card) for card in cards_in(seat["heritage_played"]))
    bought = " ".join(MARKET_NAMES[c] for c, n in enumerate(seat["market_owned"]) if n)
    made = " ".join(OFFERING_NAMES[c] for c, n in enumerate(seat["offerings"]) if n)
    cards = {"hand": hand, "played": played, "market": bought, "offerings": made}
    text = "; ".join(f"{name} {words}" for name, words in cards.items() if words)
    points = f" ({int(seat['card_points'])} points)" if seat["card_points"] else ""
    return lines + ([f"      {text}{points}"] if text else [])

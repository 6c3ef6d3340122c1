"""The table of Sagrada drawn for people."""

from typing import Any

from engines.pictures import player_name
from engines.piles import HIDDEN
from engines.records import NOBODY, OVER, View

from .tables import (
    CARD_NAMES,
    COLOUR_LETTERS,
    COLOUR_NAMES,
    COLUMNS,
    DIE_NAMES,
    OBJECTIVE_NAMES,
    OBJECTIVE_POINTS,
    PATTERN_NAMES,
    ROWS,
    SPACES,
    TOOL_COLOUR,
    TOOL_NAMES,
    TOOLS,
    Ending,
    Phase,
)

ROW_NAMES = "ABCD"
WINDOW_WIDTH = 24


def render(view: View) -> str:
    """The table as one player sees it: dice read R3, a space that asks for red (R), for a four (4)."""
    state = view[0]
    lines = [headline(state), f"  Pool: {dice_text(state['pool']) or 'empty'}{in_hand(state)}"]
    lines += [f"  Track: {track_text(state['track']) or 'empty'}", f"  Bag: {bag_text(state)}"]
    lines += [f"  Tool: {line}" for line in tool_lines(state)]
    cards = ", ".join(objective_text(card) for card in cards_in(state["publics"]))
    lines.append(f"  Objectives: {cards or 'none'}")
    players = int(state["players"])
    blocks = [window_lines(state, player) for player in range(players)]
    lines += ["".join(parts).rstrip() for parts in zip(*blocks, strict=True)]
    lines += [line for player in range(players) for line in option_lines(state, player)]
    return "\n".join(lines)


def headline(state: Any) -> str:
    """Where the game is and what is to be decided, or how it ended."""
    viewer = "" if state["viewer"] == NOBODY else f", seen by {player_name(int(state['viewer']))}"
    if state["to_act"] == OVER:
        reason = Ending(int(state["ending"])).name.lower().replace("_", " ")
        return f"Over after {int(state['turns'])} turns{viewer}: {reason}"
    phase = Phase(int(state["phase"])).name.lower()
    tool = f" for {TOOL_NAMES[int(state['tool'])]}" if state["tool"] else ""
    decides = f"{player_name(int(state['to_act']))} decides {phase}{tool}"
    if state["phase"] == Phase.WINDOW:
        return f"Before the first round{viewer}: {decides}"
    number = int(state["turn"])
    half = "second" if number >= int(state["players"]) else "first"
    where = f"Round {int(state['current_round'])} of {int(state['rules']['rounds'])}"
    return f"{where}, {half} pass, turn {number + 1}{viewer}: {decides}"


def dice_text(dice: Any) -> str:
    """A list of dice."""
    pairs = list(zip(dice["card"], dice["value"], strict=True))[: int(dice["count"])]
    return " ".join(f"{COLOUR_LETTERS[c]}{v}" for c, v in pairs)


def in_hand(state: Any) -> str:
    """The drafted die, and dice that paid for tools."""
    held, spent = state["held"], state["spent"]
    text = f"   in hand: {dice_text(held)}" if held["count"] else ""
    return text + (f"   paid: {dice_text(spent)}" if spent["count"] else "")


def track_text(track: Any) -> str:
    """The dice of each slot."""
    slots: dict[int, list[str]] = {}
    for i in range(int(track["count"])):
        name = f"{COLOUR_LETTERS[track['card'][i]]}{track['value'][i]}"
        slots.setdefault(int(track["slot"][i]), []).append(name)
    return " | ".join(f"{slot}: {' '.join(words)}" for slot, words in slots.items())


def bag_text(state: Any) -> str:
    """How many dice of each colour the bag holds."""
    tally = state["bag_tally"]
    counts = [f"{COLOUR_LETTERS[i]} {tally[i]}" for i in range(1, len(tally))]
    return f"{int(state['bag']['count'])} dice: {', '.join(counts)}"


def tool_lines(state: Any) -> list[str]:
    """Each tool face up, what it costs and does; alone the colour of the die that pays."""
    lines = []
    for tool in cards_in(state["tools"]):
        if tool == HIDDEN:
            lines.append("not shown yet")
            continue
        tokens = int(state["tool_tokens"][tool])
        price = int(state["rules"]["later_cost" if tokens else "first_cost"])
        cost = f"{tokens} tokens on it, costs {price}"
        if state["players"] == 1:
            cost = f"costs a die {COLOUR_LETTERS[TOOL_COLOUR[tool]]}"
        lines.append(f"{TOOL_NAMES[tool]} ({cost}): {TOOLS[tool - 1].text}")
    return lines


def objective_text(card: int) -> str:
    """A public objective and its points."""
    if card == HIDDEN:
        return "not shown yet"
    return f"{OBJECTIVE_NAMES[card]} {OBJECTIVE_POINTS[card]}"


def window_lines(state: Any, player: int) -> list[str]:
    """One player's name plate and window, each line as wide as the next."""
    seat = state["seat"][player]
    pattern = int(seat["pattern"])
    name = "chosen, not shown" if pattern == HIDDEN else PATTERN_NAMES[pattern]
    sign = ">" if int(state["to_act"]) == player else " "
    skips = ", skips" if seat["skips"] else ""
    tokens = "" if state["players"] == 1 else f"{int(seat['tokens'])} tokens{skips}"
    plates = [
        f"{sign} {player_name(player).capitalize()}",
        f"  {name}",
        f"  {private_text(seat)}",
        f"  {tokens}".rstrip(),
    ]
    header = "    " + "".join(f"{column + 1:^4}" for column in range(COLUMNS))
    lines = [text.ljust(WINDOW_WIDTH)[:WINDOW_WIDTH] for text in (*plates[:3], plates[3], header)]
    spaces = SPACES[max(pattern, 0)]
    for row in range(ROWS):
        cells = range(row * COLUMNS, (row + 1) * COLUMNS)
        drawn = "".join(space_text(int(seat["window"]["die"][c]), spaces[c]) for c in cells)
        lines.append(f"  {ROW_NAMES[row]} {drawn}")
    return lines


def private_text(seat: Any) -> str:
    """The private objectives, as far as they are known."""
    cards = cards_in(seat["private"])
    if HIDDEN in cards:
        return "secret"
    return f"Shades of {', '.join(COLOUR_NAMES[card] for card in cards)}" if cards else ""


def space_text(die: int, asked: str) -> str:
    """One space, four characters wide: its die, what it asks for, or a dot."""
    if die:
        return f" {DIE_NAMES[die]} "
    if asked == ".":
        return "  . "
    return f"({asked}) "


def option_lines(state: Any, player: int) -> list[str]:
    """The window cards that a player chooses from, as far as they are known."""
    cards = [card for card in cards_in(state["seat"][player]["options"]) if card != HIDDEN]
    names = [number for card in cards for number in (2 * card - 1, 2 * card)]
    lines = (
        [
            f"  {player_name(player).capitalize()} chooses from {'; '.join(CARD_NAMES[c] for c in cards)}"
        ]
        if cards
        else []
    )
    for row in range(-1, ROWS if cards else -1):
        lines.append("    " + "   ".join(pattern_row(number, row) for number in names))
    return lines


def pattern_row(number: int, row: int) -> str:
    """One line of an empty pattern; -1: its name."""
    if row < 0:
        return PATTERN_NAMES[number].ljust(COLUMNS * 4)
    return "".join(space_text(0, SPACES[number][row * COLUMNS + c]) for c in range(COLUMNS))


def cards_in(pile: Any) -> list[int]:
    """The numbers of the cards in a pile; a hidden one is HIDDEN."""
    return [int(card) for card in pile["card"][: int(pile["count"])]]

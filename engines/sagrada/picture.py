"""Sagrada to look at."""

from typing import Any

from engines.pictures import (
    Card,
    Cell,
    Die,
    Grid,
    Panel,
    Part,
    Picture,
    Step,
    Strip,
    Token,
    Track,
    counted,
    player_name,
)
from engines.piles import HIDDEN
from engines.records import OVER, View

from .tables import (
    CELL_NAMES,
    COLOUR_LETTERS,
    COLOUR_NAMES,
    COLUMNS,
    DIE_COLOUR,
    DIE_VALUE,
    DIFFICULTY,
    OBJECTIVES,
    PATTERN_NAMES,
    ROWS,
    SPACES,
    TOOL_COLOUR,
    TOOL_NAMES,
    TOOLS,
    Ending,
    Phase,
)

COLOURS = tuple(name.lower() for name in COLOUR_NAMES)  # by number; 0 is none
ROW_NAMES = tuple("ABCD")
COLUMN_NAMES = tuple(str(column + 1) for column in range(COLUMNS))
OBJECTIVE_TEXTS = (  # R38 to R45, in the order of OBJECTIVES
    "for each full row of five different colours",
    "for each full column of four different colours",
    "for each full row of five different values",
    "for each full column of four different values",
    "for each 1 with a 2, anywhere",
    "for each 3 with a 4, anywhere",
    "for each 5 with a 6, anywhere",
    "for each set of all six values",
    "for each set of all five colours",
    "for each die that touches one of its colour at a corner",
)
QUESTIONS = {
    Phase.WINDOW: "chooses a window",
    Phase.MAIN: "drafts, uses a tool or ends the turn",
    Phase.HAND: "places the drafted die",
    Phase.PAY: "chooses the die that pays",
    Phase.ADJUST: "turns the die up or down",
    Phase.SWAP: "chooses a die on the track",
    Phase.APART: "chooses a space apart",
    Phase.VALUE: "chooses a value",
    Phase.KEEP: "places the die or returns it",
    Phase.AGAIN: "drafts a second die",
    Phase.MOVE: "moves a die",
    Phase.COLOUR: "chooses a colour",
}


def picture(view: View) -> Picture:
    """Pool, track and bag; tools and objectives; each player's window."""
    state = view[0]
    players = range(int(state["players"]))
    sides = [player_panel(state, player) for player in players]
    return Picture((table(state), cards(state), *sides), words(state))


def words(state: Any) -> str:
    """Round, turn and what is decided, or how the game ended."""
    if state["to_act"] == OVER:
        reason = Ending(int(state["ending"])).name.lower().replace("_", " ")
        return f"Over after {int(state['turns'])} turns: {reason}"
    phase = Phase(int(state["phase"]))
    tool = f" with {TOOL_NAMES[int(state['tool'])]}" if state["tool"] else ""
    asked = f"{player_name(int(state['to_act']))} {QUESTIONS[phase]}{tool}"
    if phase == Phase.WINDOW:
        return f"Before the first round: {asked}"
    half = "second" if int(state["turn"]) >= int(state["players"]) else "first"
    where = f"Round {int(state['current_round'])} of {int(state['rules']['rounds'])}, {half} pass"
    return f"{where}: {asked}"


# --- the table --------------------------------------------------------------------------------------------


def table(state: Any) -> Panel:
    """Dice that are in nobody's window."""
    parts: list[Part] = []
    for name, caption in (("held", "In hand"), ("pool", "Draft pool"), ("spent", "Paid for tools")):
        dice = dice_of(state[name])
        if dice or name == "pool":
            parts.append(Strip(dice, caption))
    parts += [track(state), bag(state)]
    return Panel("Dice", tuple(parts))


def dice_of(listed: Any) -> tuple[Die, ...]:
    """A list of dice."""
    pairs = zip(listed["card"].tolist(), listed["value"].tolist(), strict=True)
    return tuple(die(colour, value) for colour, value in list(pairs)[: int(listed["count"])])


def die(colour: int, value: int) -> Die:
    """One die."""
    return Die(COLOURS[colour], value)


def track(state: Any) -> Track:
    """The round track: the dice left over from each round."""
    slots: dict[int, list[Die]] = {}
    listed = state["track"]
    for place in range(int(listed["count"])):
        shown = die(int(listed["card"][place]), int(listed["value"][place]))
        slots.setdefault(int(listed["slot"][place]), []).append(shown)
    steps = tuple(
        Step(
            str(number),
            tuple(slots.get(number, ())),
            mark="chosen" if number == int(state["current_round"]) else "",
        )
        for number in range(1, int(state["rules"]["rounds"]) + 1)
    )
    return Track(steps, "Round track")


def bag(state: Any) -> Strip:
    """How many dice of each colour are in the bag."""
    tally = [int(count) for count in state["bag_tally"]]
    tokens = tuple(
        Token(
            COLOURS[colour],
            str(tally[colour]),
            "square",
            f"{tally[colour]} {COLOURS[colour]} dice",
            brief=f"{COLOUR_LETTERS[colour]} {tally[colour]}",
        )
        for colour in range(1, len(tally))
    )
    return Strip(tokens, "In the bag")


def cards(state: Any) -> Panel:
    """Tools with their tokens, and public objectives."""
    tools = tuple(tool_card(state, tool) for tool in cards_in(state["tools"]))
    publics = tuple(objective_card(card) for card in cards_in(state["publics"]))
    parts = [Strip(tools, "Tools")] * bool(tools) + [Strip(publics, "Public objectives")] * bool(
        publics
    )
    return Panel("Cards", tuple(parts))


def tool_card(state: Any, tool: int) -> Card:
    """A tool with what it costs at its corner and the tokens that lie on it."""
    if tool == HIDDEN:
        return Card("", back=True, text="a tool that is not shown yet")
    facts, solo = TOOLS[tool - 1], int(state["players"]) == 1
    colour, tokens = COLOURS[int(TOOL_COLOUR[tool])], int(state["tool_tokens"][tool])
    price = str(int(state["rules"]["later_cost" if tokens else "first_cost"]))
    mark = "chosen" if int(state["tool"]) == tool else ""
    held = (favour(tokens, " on it"),) * bool(tokens)
    cost = f"costs a {colour} die" if solo else f"costs {price}"
    text = f"{cost}; {facts.text}"
    brief = f"{facts.name} {cost}"
    return Card(facts.name, colour, "" if solo else price, held, text, mark=mark, brief=brief)


def favour(tokens: int, where: str = "") -> Token:
    """Favor tokens of a player or on a tool."""
    words = f"{counted(tokens, 'favor token')}{where}"
    return Token("teal", str(tokens), words=words, brief=counted(tokens, "token"))


def objective_card(card: int) -> Card:
    """A public objective with its points."""
    if card == HIDDEN:
        return Card("", back=True, text="a public objective that is not shown yet")
    facts = OBJECTIVES[card - 1]
    return Card(facts.name, "grey", str(facts.points), text=OBJECTIVE_TEXTS[card - 1])


# --- players ----------------------------------------------------------------------------------------------


def player_panel(state: Any, player: int) -> Panel:
    """One player's window, cards and tokens."""
    seat = state["seat"][player]
    parts: list[Part] = []
    pattern = int(seat["pattern"])
    choosing = state["phase"] == Phase.WINDOW and pattern == 0
    if choosing:
        parts += options(seat)
    else:
        parts.append(window(seat))
    beside: list[Card | Token] = [private_card(card) for card in cards_in(seat["private"])]
    if int(state["players"]) > 1 and not choosing and pattern != HIDDEN:
        beside.append(favour(int(seat["tokens"])))
    if seat["skips"]:
        beside.append(Token("grey", "skips", "text", "skips the second turn"))
    parts.append(Strip(tuple(beside), "Private objectives and favor tokens"))
    title, active = player_name(player).capitalize(), int(state["to_act"]) == player
    return Panel(title, tuple(parts), player, active)


def private_card(card: int) -> Card:
    """A private objective."""
    if card == HIDDEN:
        return Card("", back=True, text="a secret private objective")
    colour = COLOURS[card]
    text = f"the sum of all your {colour} dice"
    return Card(f"Shades of {colour.capitalize()}", colour, text=text)


def window(seat: Any) -> Grid:
    """A window with its dice; an unchosen or unseen pattern asks for nothing."""
    pattern = int(seat["pattern"])
    name = "chosen, not shown yet" if pattern == HIDDEN else PATTERN_NAMES[pattern]
    spaces = SPACES[max(pattern, 0)]
    cells = [
        space(spaces[cell], int(seat["window"]["die"][cell]), CELL_NAMES[cell])
        for cell in range(ROWS * COLUMNS)
    ]
    rows = tuple(tuple(cells[row * COLUMNS : (row + 1) * COLUMNS]) for row in range(ROWS))
    return Grid(rows, ROW_NAMES, COLUMN_NAMES, caption=f"Window: {name}")


def space(asked: str, placed: int, name: str) -> Cell:
    """One space: tinted where it asks for a colour, with a figure where it asks for a value."""
    held = (die(int(DIE_COLOUR[placed]), int(DIE_VALUE[placed])),) if placed else ()
    if asked in COLOUR_LETTERS[1:]:
        colour = COLOURS[COLOUR_LETTERS.index(asked)]
        return Cell(held, colour, asked, name=name, asks=f"for {colour}")
    if asked.isdigit():
        return Cell(held, "", asked, name=name, asks=f"for a {asked}")
    return Cell(held, name=name)


def options(seat: Any) -> list[Part]:
    """The window cards to choose from, both sides beside each other, as far as they are known."""
    found: list[Part] = []
    for card in cards_in(seat["options"]):
        if card == HIDDEN:
            back = Card("", back=True, text="a secret window card")
            found.append(Strip((back,)))
            continue
        sides = (2 * card - 1, 2 * card)
        names = " / ".join(f"{PATTERN_NAMES[side]} ({int(DIFFICULTY[side])})" for side in sides)
        rows = tuple(
            (*pattern_row(sides[0], row), None, *pattern_row(sides[1], row)) for row in range(ROWS)
        )
        found.append(Grid(rows, caption=names))
    return found


def pattern_row(pattern: int, row: int) -> tuple[Cell, ...]:
    """A row of an empty pattern."""
    cells = range(row * COLUMNS, (row + 1) * COLUMNS)
    name = PATTERN_NAMES[pattern]
    return tuple(space(SPACES[pattern][cell], 0, f"{name} {CELL_NAMES[cell]}") for cell in cells)


def cards_in(pile: Any) -> list[int]:
    """The numbers of the cards in a pile; a hidden one is HIDDEN."""
    return [int(card) for card in pile["card"][: int(pile["count"])]]

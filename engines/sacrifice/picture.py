"""Sacrifice to look at."""

from typing import Any

from engines.pictures import (
    Bar,
    Cell,
    Grid,
    Label,
    Panel,
    Part,
    Picture,
    Strip,
    Token,
    counted,
    player_name,
)
from engines.records import NOBODY, View

from .tables import (
    CELL_NAMES,
    CELLS,
    CHARACTERS,
    DEAD,
    KIND_RACE,
    LETTERS,
    MINERAL,
    MOST_WIDTH,
    NONE,
    SLOT_KIND,
    SLOTS,
    UPRIGHT,
    Ending,
    Kind,
    Phase,
    Race,
)
from .words import SIDES, read_mask

COLOURS = ("blue", "orange")  # South begins
FORMS = {Race.GOD: "hexagon", Race.HUMAN: "disc", Race.ANIMAL: "diamond"}
KIND_NAMES = tuple(kind.name.lower() for kind in Kind)
QUESTIONS = {
    Phase.IMMORTAL: "cancels the attack or accepts it",
    Phase.COST: "chooses who dies for cancelling",
    Phase.SACRIFICE: "chooses the sacrifice",
}


def picture(view: View) -> Picture:
    """The board, and beside it what each side has left and lost."""
    state = view[0]
    sides = (1, 0)  # as the board lies: North above
    return Picture((board(state), *(side_panel(state, player) for player in sides)), words(state))


def words(state: Any) -> str:
    """Whose turn it is, what is decided and with how many points, or how the game ended."""
    turn, mover = int(state["turn"]), SIDES[int(state["mover"])]
    if state["to_act"] == NOBODY:
        reason = Ending(int(state["ending"])).name.lower().replace("_", " ")
        result = f"{mover} wins" if state["ending"] == Ending.RACES else f"a draw, {reason}"
        return f"Over after {turn} turns: {result}"
    points = int(state["points"])
    text = f"Turn {turn + 1}, {mover}, {counted(points, 'point')} left"
    phase = Phase(int(state["phase"]))
    if phase == Phase.MAIN:
        return text
    text += f": {SIDES[int(state['to_act'])]} {QUESTIONS[phase]}"
    if phase == Phase.IMMORTAL:
        asked = CHARACTERS[int(state["attacker"])], CHARACTERS[int(state["victim"])]
        return f"{text}, {asked[0]} attacks {asked[1]}"
    return f"{text}, one of {' '.join(read_mask(state['candidates']))}"


# --- the board --------------------------------------------------------------------------------------------


def board(state: Any) -> Panel:
    """The board with South below: zones tinted, pieces, walls between the cells."""
    width, height = int(state["rules"]["width"]), int(state["rules"]["height"])
    pieces = pieces_on(state)
    rows = tuple(
        tuple(
            Cell(tuple(pieces.get(cell, ())), zone(state, row), name=CELL_NAMES[cell])
            for cell in range(row * MOST_WIDTH, row * MOST_WIDTH + width)
        )
        for row in range(height - 1, -1, -1)
    )
    row_names = tuple(str(row + 1) for row in range(height - 1, -1, -1))
    bars = tuple(wall_bar(state, int(wall)) for wall in state["wall"][: int(state["standing"])])
    grid = Grid(rows, row_names, tuple("abcdefghijkl"[:width]), bars)
    return Panel("Board", (grid,), wide=True)


def zone(state: Any, row: int) -> str:
    """The tint of a row: elevation zones in the colour of their side, deployment zones of sand, nothing between."""
    rules = state["rules"]
    elevation, deployment = int(rules["elevation"]), int(rules["deployment"])
    from_rim = min(row, int(rules["height"]) - 1 - row)
    if from_rim < elevation:
        return COLOURS[int(row >= elevation)]
    return "sand" if from_rim < elevation + deployment else ""


def pieces_on(state: Any) -> dict[int, list[Token]]:
    """What stands on each cell: characters, then minerals."""
    found: dict[int, list[Token]] = {}
    for player in range(2):
        for slot, cell in enumerate(state["cell"][player].tolist()):
            if cell != DEAD:
                found.setdefault(cell, []).append(character(player, slot))
    for player in range(2):
        for number, cell in enumerate(state["mineral"][player].tolist()):
            if cell != NONE:
                found.setdefault(cell, []).append(mineral(player, number))
    return found


def character(player: int, slot: int) -> Token:
    """A character: its side by colour, its race by form, its kind by letter."""
    kind = int(SLOT_KIND[slot])
    name = f"{SIDES[player]}'s {KIND_NAMES[kind]} {CHARACTERS[slot]}"
    form = FORMS[Race(int(KIND_RACE[kind]))]
    letter = LETTERS[kind]
    identity, brief = f"{player}{CHARACTERS[slot]}", letter.lower() if player else letter
    return Token(COLOURS[player], letter, form, name, identity, brief=brief)


def mineral(player: int, number: int) -> Token:
    """A mineral."""
    name = f"{SIDES[player]}'s mineral {number + 1}"
    brief = MINERAL.lower() if player else MINERAL
    return Token(COLOURS[player], MINERAL, "square", name, f"{player}O{number}", brief=brief)


def wall_bar(state: Any, wall: int) -> Bar:
    """A wall: level on the north side of its cell, upright on the east side, going on to the east or north."""
    upright, anchor = wall // CELLS == UPRIGHT, wall % CELLS
    length = int(state["rules"]["wall_length"])
    row = int(state["rules"]["height"]) - 1 - anchor // MOST_WIDTH  # counted from above
    column = anchor % MOST_WIDTH
    words = f"{'an upright' if upright else 'a level'} wall at {CELL_NAMES[anchor]}"
    if upright:
        return Bar(row - length + 1, column + 1, length, True, words)
    return Bar(row, column, length, False, words)


# --- sides ------------------------------------------------------------------------------------------------


def side_panel(state: Any, player: int) -> Panel:
    """What a side has lost, its walls left and elevated races."""
    placed = zip(state["cell"][player].tolist(), state["rules"]["start"].tolist(), strict=True)
    dead = [slot for slot, (cell, start) in enumerate(placed) if cell == DEAD and start != DEAD]
    walls = int(state["walls_left"][player])
    parts: list[Part] = []
    if dead:
        captured = tuple(character(player, slot) for slot in dead[:SLOTS])
        parts.append(Strip(captured, "Captured or sacrificed", counted=True))
    wall = Token("brown", "", "square", "a wall not built yet", brief="wall")
    parts.append(Strip((wall,) * walls, "Walls left", counted=True))
    risen = elevated(state, player)
    parts.append(Label(f"Elevated: {', '.join(risen) or 'nothing yet'}"))
    title = f"{SIDES[player]}, {player_name(player)}"
    return Panel(title, tuple(parts), player, int(state["to_act"]) == player)


def elevated(state: Any, player: int) -> list[str]:
    """R34, R36 What a side has in the enemy's elevation zone."""
    height, deep = int(state["rules"]["height"]), int(state["rules"]["elevation"])
    rows = range(deep) if player else range(height - deep, height)
    found = [
        CHARACTERS[slot]
        for slot, cell in enumerate(state["cell"][player].tolist())
        if cell != DEAD and cell // MOST_WIDTH in rows
    ]
    minerals = [
        c for c in state["mineral"][player].tolist() if c != NONE and c // MOST_WIDTH in rows
    ]
    return found + [MINERAL] * len(minerals)

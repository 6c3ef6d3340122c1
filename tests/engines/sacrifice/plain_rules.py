"""A slow second reading of the rules of displacement and building: sets and recursion, nothing of the engine's code.

A Position is made from the JSON of a State; `legal_texts` gives every legal action as text. Cells are (x, y).
It reads R1, R2, R6-R21, R24, R31-R35, R37-R43.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

Cell = tuple[int, int]
DIRECTIONS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
CORNERS = ((1, 1), (1, -1), (-1, -1), (-1, 1))
GODS, CARRIERS = "PEI", "FBMS"
CHEETAH, FALCON = "G", "V"


@dataclass(frozen=True)
class Position:
    """What the rules ask for; `me` moves, characters by (player, name), minerals as (player, cell)."""

    rules: Mapping[str, Any]
    me: int
    phase: str
    to_act: int
    points: int
    displaced: bool
    jumped: frozenset[str]
    gait: Mapping[str, str]
    characters: Mapping[tuple[int, str], Cell]
    minerals: tuple[tuple[int, Cell], ...]
    walls: tuple[tuple[str, Cell], ...]
    walls_left: int
    candidates: tuple[str, ...]
    victim: str

    # --- the board ------------------------------------------------------------------------------------------

    def on_board(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.rules["width"] and 0 <= cell[1] < self.rules["height"]

    def goal(self, player: int, cell: Cell) -> bool:
        """Whether a cell is in the zone where a player elevates pieces."""
        depth = self.rules["elevation"]
        rows = range(depth) if player else range(self.rules["height"] - depth, self.rules["height"])
        return self.on_board(cell) and cell[1] in rows

    def at(self, cell: Cell) -> list[tuple[int, str]]:
        return [who for who, where in self.characters.items() if where == cell]

    def friends(self, cell: Cell) -> list[str]:
        return [name for player, name in self.at(cell) if player == self.me]

    def enemies(self, cell: Cell) -> list[str]:
        return [name for player, name in self.at(cell) if player != self.me]

    def load(self, cell: Cell) -> int:
        return sum(where == cell for _, where in self.minerals)

    def heap(self) -> Cell | None:
        """The cell with three minerals."""
        return next((cell for _, cell in self.minerals if self.load(cell) > 2), None)

    def shared(self) -> Cell | None:
        cells = [cell for (player, _), cell in self.characters.items() if player == self.me]
        return next((cell for cell in cells if cells.count(cell) == 2), None)

    def blocked(self) -> set[frozenset[Cell]]:
        """The pairs of cells that walls separate."""
        return {pair for wall in self.walls for pair in pairs(wall, self.rules["wall_length"])}

    def can_walk(self, cell: Cell, other: Cell) -> bool:
        return self.on_board(other) and frozenset((cell, other)) not in self.blocked()


def pairs(wall: tuple[str, Cell], length: int) -> list[frozenset[Cell]]:
    kind, (x, y) = wall
    if kind == "H":
        return [frozenset(((x + i, y), (x + i, y + 1))) for i in range(length)]
    return [frozenset(((x, y + i), (x + 1, y + i))) for i in range(length)]


def corners_of_wall(wall: tuple[str, Cell], length: int) -> list[Cell]:
    kind, (x, y) = wall
    if kind == "H":
        return [(x + i, y + 1) for i in range(length + 1)]
    return [(x + 1, y + i) for i in range(length + 1)]


def corners_of_cell(cell: Cell) -> set[Cell]:
    return {(cell[0] + i, cell[1] + j) for i in (0, 1) for j in (0, 1)}


def plus(cell: Cell, way: Cell, times: int = 1) -> Cell:
    return cell[0] + times * way[0], cell[1] + times * way[1]


def named(cell: Cell) -> str:
    return f"{'abcdefghijkl'[cell[0]]}{cell[1] + 1}"


def parsed(name: str) -> Cell:
    return "abcdefghijkl".index(name[0]), int(name[1:]) - 1


def read_position(data: Mapping[str, Any]) -> Position:
    """The Position of a State's JSON."""
    me = data["mover"]
    return Position(
        rules=data["rules"],
        me=me,
        phase=data["phase"],
        to_act=data["to_act"],
        points=data["points"],
        displaced=data["displacements"] > 0,
        jumped=frozenset(data["jumped"]),
        gait={f"G{i + 1}": gait for i, gait in enumerate(data["gait"])},
        characters={
            (player, name): parsed(cell)
            for player, own in enumerate(data["cell"])
            for name, cell in own.items()
        },
        minerals=tuple((p, parsed(c)) for p, own in enumerate(data["mineral"]) for c in own),
        walls=tuple((wall[1], parsed(wall[3:])) for wall in data["wall"]),
        walls_left=data["walls_left"][me],
        candidates=tuple(data["candidates"]),
        victim=data["victim"],
    )


# --- legal actions ------------------------------------------------------------------------------------------


def legal_texts(position: Position) -> set[str]:
    """Every legal action as text."""
    here = position
    if here.phase == "over":
        return set()
    if here.phase == "immortal":
        return {"accept"} | ({"cancel"} if others_to_give(here) else set())
    if here.phase in ("cost", "sacrifice"):
        victims = here.me if here.phase == "sacrifice" else 1 - here.me
        return {f"k:{n}@{named(here.characters[victims, n])}" for n in here.candidates}
    cell = here.shared()
    if cell is not None:
        pair = {move.text for name in here.friends(cell) for move in displacements(here, name)}
        return pair | (walls(here, can_separate) if here.rules["build_while_shared"] else set())
    if here.heap() is not None:
        return {move.text for move in onward(here)} | walls(here, lambda after: any(onward(after)))
    own = [name for player, name in here.characters if player == here.me]
    moves = {move.text for name in own for move in displacements(here, name)}
    ends = {"end"} if here.displaced or not moves else set()
    return moves | walls(here) | resurrections(here) | ends


def others_to_give(here: Position) -> list[str]:
    """What the immortal's owner could give for a cancelled attack."""
    rival = 1 - here.me
    return [
        name
        for (player, name), cell in here.characters.items()
        if player == rival
        and name != here.victim
        and (here.rules["elevated_die"] or not here.goal(rival, cell))
    ]


def resurrections(here: Position) -> set[str]:
    own = {name for player, name in here.characters if player == here.me}
    if not here.rules["can_revive"] or not any(name[0] == "E" for name in own):
        return set()
    started = [i for i, cell in enumerate(here.rules["start"]) if cell >= 0]
    everybody = {f"{'PEIFBMSGV'[i // 3]}{i % 3 + 1}" for i in started}
    return {f"r:{name[0]}" for name in everybody - own if name[0] != "E"}


# --- displacements ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Move:
    """A displacement: its text, where it ends, whether it attacks, and the position that follows (no attack)."""

    text: str
    target: Cell
    attack: bool
    after: Position


def displacements(here: Position, name: str) -> Iterator[Move]:
    """Every legal displacement of one own character."""
    cell = here.characters[here.me, name]
    if here.points < 1 or here.goal(here.me, cell):
        return
    if name[0] in GODS:
        found = jumps(here, name, cell)
    elif name[0] == CHEETAH:
        found = cheetah_moves(here, name, cell)
    elif name[0] == FALCON:
        found = falcon_moves(here, name, cell)
    else:
        found = steps(here, name, cell, walls_stop=True)
    for move in found:
        shares = not move.attack and move.after.shared() == move.target
        if not shares or (move.after.points >= 1 and can_separate(move.after)):
            yield move


def can_separate(here: Position) -> bool:
    """The rule as the sheet writes it, by recursion."""
    cell = here.shared()
    assert cell is not None
    return any(not move.attack for name in here.friends(cell) for move in displacements(here, name))


def onward(here: Position) -> list[Move]:
    """The steps of the carrier on three minerals that take one on, by recursion: no attacks."""
    cell = here.heap()
    assert cell is not None
    (name,) = here.friends(cell)
    moves = [move for move in displacements(here, name) if "*" in move.text and not move.attack]
    return [move for move in moves if move.after.load(cell) < 3]


def moved(here: Position, name: str, target: Cell, price: int = 1, gait: str = "") -> Position:
    """The position after a displacement without an attack; minerals stay."""
    characters = {**here.characters, (here.me, name): target}
    gaits = {**here.gait, name: gait} if gait else here.gait
    return replace(here, characters=characters, points=here.points - price, gait=gaits)


def arrivals(
    here: Position, name: str, cell: Cell, target: Cell, sign: str, gait: str = ""
) -> Iterator[Move]:
    """The displacement to a cell without a mineral, if what stands there allows it."""
    if not here.on_board(target) or here.goal(1 - here.me, target):
        return
    if here.goal(here.me, target) and (here.at(target) or here.load(target)):
        return
    attack = bool(here.enemies(target))
    if attack and here.points < 1 + here.rules["kill_cost"]:
        return
    mark = ("x" if sign == "-" else f"{sign}x") if attack else sign
    text = f"{name}:{named(cell)}{mark}{named(target)}"
    yield Move(text, target, attack, moved(here, name, target, 1, gait))


def steps(
    here: Position, name: str, cell: Cell, walls_stop: bool, gait: str = ""
) -> Iterator[Move]:
    for way in DIRECTIONS.values():
        target = plus(cell, way)
        if walls_stop and not here.can_walk(cell, target):
            continue
        for move in arrivals(here, name, cell, target, "-", gait):
            yield move
            if name[0] in CARRIERS and (here.me, cell) in here.minerals:
                yield from carried(here, cell, move)


def carried(here: Position, cell: Cell, move: Move) -> Iterator[Move]:
    """The same step with a mineral."""
    if not here.goal(here.me, move.target):
        after = with_mineral(move.after, cell, move.target)
        if here.load(move.target) < 2 or (
            here.load(move.target) == 2
            and here.rules["heaps"]
            and not here.at(move.target)
            and move.after.points > 0
            and onward(after)
        ):
            yield replace(move, text=f"{move.text}*", after=after)
        return
    for letter, way in DIRECTIONS.items():
        laid = plus(move.target, way)
        if here.goal(here.me, laid) and not here.at(laid) and not here.load(laid):
            after = with_mineral(move.after, cell, laid)
            yield replace(move, text=f"{move.text}*{letter}", after=after)


def with_mineral(here: Position, origin: Cell, target: Cell) -> Position:
    """The position once one of the mover's minerals has gone along."""
    minerals = list(here.minerals)
    minerals[minerals.index((here.me, origin))] = (here.me, target)
    return replace(here, minerals=tuple(minerals))


def cheetah_moves(here: Position, name: str, cell: Cell) -> Iterator[Move]:
    gait, length = here.gait[name], here.rules["run_length"]
    if gait in ("fresh", "walk"):
        yield from steps(here, name, cell, walls_stop=True, gait="walk")
    if gait == "walk" or length == 1:
        return
    for letter, way in DIRECTIONS.items():
        axis = "run_north_south" if letter in "NS" else "run_east_west"
        path = [plus(cell, way, i) for i in range(length + 1)]
        between = path[1:-1]
        if (
            gait in ("fresh", axis)
            and all(here.can_walk(a, b) for a, b in itertools.pairwise(path))
            and not any(here.enemies(c) or here.goal(0, c) or here.goal(1, c) for c in between)
        ):
            yield from arrivals(here, name, cell, path[-1], ">", axis)


def falcon_moves(here: Position, name: str, cell: Cell) -> Iterator[Move]:
    for move in steps(here, name, cell, walls_stop=False):
        if move.attack or not here.friends(move.target):
            yield move
    near = [plus(cell, way) for way in DIRECTIONS.values()]
    for target, price in sorted(landings(here, cell).items()):
        if target not in near and price <= here.points:
            text = f"{name}:{named(cell)}^{named(target)}"
            yield Move(text, target, False, moved(here, name, target, price))


def landings(here: Position, cell: Cell) -> dict[Cell, int]:
    """The cells a flight may end on, with its price."""
    frozen = {c for (p, _), c in here.characters.items() if here.goal(p, c)}
    standing = set(here.characters.values()) - frozen - {cell}
    mounts, edge = {cell: 0}, [cell]
    while edge:
        beside = {plus(c, way): mounts[c] + 1 for c in edge for way in DIRECTIONS.values()}
        edge = [c for c in beside if c in standing and c not in mounts]
        mounts.update({c: beside[c] for c in edge})
    found: dict[Cell, int] = {}
    for mount, passed in mounts.items():
        for way in DIRECTIONS.values():
            target = plus(mount, way)
            free = (
                here.on_board(target) and not here.at(target) and not here.goal(1 - here.me, target)
            )
            if passed and free and not (here.goal(here.me, target) and here.load(target)):
                price = passed if here.rules["pay_per_mount"] else 1
                found[target] = min(price, found.get(target, price))
    return found


def jumps(here: Position, name: str, cell: Cell) -> Iterator[Move]:
    if name in here.jumped:
        return
    hyper = cell[0] // 2, cell[1] // 2
    ways = [*DIRECTIONS.values(), *(CORNERS if here.rules["god_diagonal"] else ())]
    for way in ways:
        goal = plus(hyper, way)
        block = {(hyper[0] + i, hyper[1] + j) for i in {0, way[0]} for j in {0, way[1]}}
        for target in reachable(here, cell, block):
            forbidden = here.goal(0, target) or here.goal(1, target) or here.friends(target)
            if (target[0] // 2, target[1] // 2) == goal and not forbidden:
                yield from arrivals(here, name, cell, target, "~")


def reachable(here: Position, cell: Cell, block: set[Cell]) -> set[Cell]:
    """The cells of some hyper-cells that a god reaches without leaving them."""
    found, edge = {cell}, [cell]
    while edge:
        current = edge.pop()
        if here.enemies(current):
            continue
        for way in DIRECTIONS.values():
            target = plus(current, way)
            inside = (target[0] // 2, target[1] // 2) in block
            if inside and target not in found and here.can_walk(current, target):
                found.add(target)
                edge.append(target)
    return found


# --- walls --------------------------------------------------------------------------------------------------


def walls(here: Position, allows: Callable[[Position], bool] = lambda _: True) -> set[str]:
    """Every wall of the board's grid that the rules allow, also with it standing, one after the other."""
    if here.walls_left == 0:
        return set()
    builders = [c for (p, name), c in here.characters.items() if p == here.me and name[0] == "B"]
    anchors = [(x, y) for x in range(here.rules["width"]) for y in range(here.rules["height"])]
    return {
        f"w{kind}:{named(cell)}"
        for kind in "HV"
        for cell in anchors
        if may_build(here, (kind, cell), builders)
        and allows(replace(here, walls=(*here.walls, (kind, cell))))
    }


def may_build(here: Position, wall: tuple[str, Cell], builders: list[Cell]) -> bool:
    rules, length = here.rules, here.rules["wall_length"]
    new, edges = corners_of_wall(wall, length), pairs(wall, length)
    if not all(here.on_board(cell) for pair in edges for cell in pair):
        return False
    low, high = rules["elevation"] + 1, rules["height"] - rules["elevation"] - rules["deployment"]
    if here.me == 1:
        low, high = rules["height"] - high, rules["height"] - low
    if not all(low <= y <= high for _, y in new):
        return False
    if not any(contact(wall, length, cell) & rules["wall_contacts"] for cell in builders):
        return False
    if here.blocked() & set(edges):
        return False
    return not crossing(here, wall, length) and few_enough(here, new, length)


def contact(wall: tuple[str, Cell], length: int, cell: Cell) -> int:
    """1 side, 2 end of a horizontal wall, 4 end of a vertical one, 0 none."""
    if any(cell in pair for pair in pairs(wall, length)):
        return 1
    if corners_of_cell(cell) & set(corners_of_wall(wall, length)):
        return 2 if wall[0] == "H" else 4
    return 0


def crossing(here: Position, wall: tuple[str, Cell], length: int) -> bool:
    inner = set(corners_of_wall(wall, length)[1:-1])
    return any(
        other[0] != wall[0] and inner & set(corners_of_wall(other, length)[1:-1])
        for other in here.walls
    )


def few_enough(here: Position, new: list[Cell], length: int) -> bool:
    """Never three walls in contact: in a group, or by option at one point."""
    standing = [set(corners_of_wall(wall, length)) for wall in here.walls]
    if here.rules["walls_by_post"]:
        return all(sum(point in wall for wall in standing) < 2 for point in new)
    touched = [wall for wall in standing if wall & set(new)]
    if not touched:
        return True
    return len(touched) == 1 and sum(bool(wall & touched[0]) for wall in standing) == 1

"""OpenSpiel's C++ bots as entrants in games that both have, to compare strength; needs the extra `openspiel`.

    arena match connect_four openspiel:mcts:simulations=1000 mcts:simulations=1000 --opening 6

A position of ours is written down as OpenSpiel reads it, so its bot decides in its own game.
"""

import functools
import importlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from bots.contract import Bot, BotKind, View
from engines.core import Game, Option
from engines.errors import UserError
from engines.records import State

BY_TIME = 1_000_000_000  # simulations, where only the clock counts
SEEDS = 1 << 31


@dataclass(frozen=True)
class Parameters:
    """How long OpenSpiel's search thinks and how."""

    simulations: Annotated[
        int | None, Option("simulations a decision (1000 unless seconds is given)", 1, BY_TIME)
    ] = None
    seconds: Annotated[
        float | None, Option("wall clock a decision; makes a run not reproducible", 0.001, 3600)
    ] = None
    exploration: Annotated[float, Option("its uct_c", 0, 100)] = 1.4
    rollouts: Annotated[int, Option("random playouts of a simulation", 1, 1000)] = 1
    solve: Annotated[bool, Option("whether it backs up proven wins")] = False
    memory_mb: Annotated[int, Option("of its tree", 1, 100_000)] = 1000

    def __post_init__(self) -> None:
        """Give a search without any budget 1000 simulations."""
        if self.simulations is None and self.seconds is None:
            object.__setattr__(self, "simulations", 1000)


# --- the games that both have -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Twin:
    """A game of ours that OpenSpiel has too.

    name: there. parameters: of a State[1]. written: a View[1] as its JSON. Actions have the same numbers.
    """

    name: str
    parameters: Callable[[State], dict[str, Any]]
    written: Callable[[State], dict[str, Any]]


def connect_four_parameters(states: State) -> dict[str, Any]:
    """The size of the board."""
    rules = states[0]["rules"]
    return {
        "rows": int(rules["rows"]),
        "columns": int(rules["columns"]),
        "x_in_row": int(rules["connect"]),
    }


def connect_four_written(states: State) -> dict[str, Any]:
    """The board from the bottom row; x began."""
    one = states[0]
    rows, columns = int(one["rules"]["rows"]), int(one["rules"]["columns"])
    first, second = (int(discs) for discs in one["discs"])

    def disc(row: int, column: int) -> str:
        bit = column * (rows + 1) + row
        return "x" if first >> bit & 1 else "o" if second >> bit & 1 else "."

    board = [[disc(row, column) for column in range(columns)] for row in range(rows)]
    to_act = "xo"[int(one["to_act"])]
    return {"board": board, "current_player": to_act, "is_terminal": False, "winner": ""}


TWINS = {"connect_four": Twin("connect_four", connect_four_parameters, connect_four_written)}


def twin_of(game: Game) -> Twin:
    """The same game there.

    Raises:
        UserError: there is none.
    """
    if game.name not in TWINS:
        raise UserError(f"OpenSpiel has no {game.title}; both have {', '.join(TWINS)}")
    return TWINS[game.name]


# --- the bot ----------------------------------------------------------------------------------------------


@functools.cache
def library() -> Any:
    """OpenSpiel, loaded when one of its bots plays.

    Raises:
        UserError: it is not installed.
    """
    try:
        return importlib.import_module("pyspiel")
    except ImportError:
        raise UserError("needs OpenSpiel: pip install 'tabletop-arena[openspiel]'") from None


class SpielMcts:
    """OpenSpiel's MCTSBot with random rollouts in a seat of ours."""

    def __init__(self, parameters: Parameters) -> None:
        """A bot before its match."""
        self.parameters = parameters

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins: a fresh search in the game as OpenSpiel has it."""
        spiel, given = library(), self.parameters
        self.twin = twin_of(game)
        self.game = spiel.load_game(self.twin.name, self.twin.parameters(view.record))
        self.search = spiel.MCTSBot(
            self.game,
            spiel.RandomRolloutEvaluator(given.rollouts, seed % SEEDS),
            given.exploration,
            given.simulations or BY_TIME,
            given.memory_mb,
            given.solve,
            (seed >> 31) % SEEDS,
            False,
            max_wall_clock_time=-1.0 if given.seconds is None else given.seconds,
        )

    def act(self, view: View, legal: Sequence[int]) -> int:
        """What it chooses."""
        written = json.dumps(self.twin.written(view.record))
        return int(self.search.step(self.game.new_initial_state(written)))

    def close(self) -> None:
        """Let the tree go."""
        self.search = None


def make(parameters: Parameters) -> Bot:
    """A fresh bot."""
    return SpielMcts(parameters)


def check_twin(game: Game, players: int, rules: bytes) -> None:
    """Whether OpenSpiel has the game, and is there; a UserError if not."""
    twin_of(game)
    library()


MCTS = BotKind(
    "openspiel:mcts",
    "OpenSpiel's C++ search, in games that both have",
    Parameters,
    make,
    suits=check_twin,
    here=True,
)

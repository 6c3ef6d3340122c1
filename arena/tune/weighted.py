"""A compiled bot that judges positions by other weights than the game's own: another entrant, compiled in as fast.

`arena.tune.weighted:Weighted:of="mcts:simulations=256",weights=FILE`. The file is JSON, `{"game": "karmaka", "weights":
{"IN_HAND": 0.7}}`; weights that it does not name stay those of the game. It is part of the bot's identity and travels
with it, and so are the options of the bot inside, those that the game gives it among them.
"""

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from bots.compiled import CompiledBot
from bots.contract import Bot, BotKind, Compiled
from bots.registry import SHIPPED, find_kind, parse_bot
from bots.sources import digest_of
from engines.core import Game, Option, load_game
from engines.errors import UserError
from engines.texts import brief
from engines.weights import read_weights, with_weights

ENTRANT = f"{__name__}:Weighted"
MOST_BYTES = 1 << 20  # of a file with weights
WANTED = 'expected JSON such as {"game": "karmaka", "weights": {"IN_HAND": 0.7}}'


@dataclass(frozen=True)
class Parameters:
    """Who plays, and by which weights."""

    of: Annotated[str, Option("the bot inside, a compiled one as for arena match")] = "mcts"
    weights: Annotated[str, Option("the file, JSON with game and weights")] = ""

    def __post_init__(self) -> None:
        """A file is needed."""
        if not self.weights:
            raise ValueError("weights: missing, expected a file of JSON")


@dataclass(frozen=True)
class Weighing:
    """The content of a file: a game and some of its weights."""

    game: str
    weights: tuple[tuple[str, float], ...]


def weights_text(game: str, weights: Mapping[str, float]) -> str:
    """The content of a file with weights."""
    return json.dumps({"game": game, "weights": dict(weights)}, indent=1) + "\n"


@functools.lru_cache(maxsize=64)
def weighing_in(content: bytes) -> Weighing:
    """Read a file with weights.

    Raises:
        UserError: it is none, or its game has no such weights; one line without the name of the file.
    """
    if len(content) > MOST_BYTES:
        raise UserError(f"{len(content)} bytes, expected at most {MOST_BYTES}")
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise UserError(f"no JSON, {WANTED}") from None
    if not isinstance(data, dict) or set(data) != {"game", "weights"}:
        raise UserError(WANTED)
    name, given = data["game"], data["weights"]
    if not isinstance(name, str) or not isinstance(given, dict):
        raise UserError(WANTED)
    game = load_game(name)
    read_weights(game.evaluate, given, "weights")
    return Weighing(game.name, tuple(sorted((key, float(one)) for key, one in given.items())))


def with_file(kind: BotKind, parameters: Parameters, content: bytes) -> BotKind:
    """The kind of a bot with the weights of its file compiled in.

    Raises:
        UserError: no such weights, or no compiled bot that is shipped here.
    """
    try:
        weighing = weighing_in(content)
    except UserError as error:
        raise UserError(f"weights: {brief(parameters.weights)}: {error}") from None
    inner, _ = find_kind(parameters.of)
    if inner.compiled is None or inner.name not in SHIPPED:
        raise UserError(f"of: {brief(parameters.of)}, expected a compiled bot such as mcts")
    spec = parse_bot(parameters.of, defaults=load_game(weighing.game).defaults)
    compiled = compiled_for(inner.compiled, spec.parameters, weighing)

    def make(values: Any) -> Bot:
        return CompiledBot(compiled, values)

    def suits(game: Game, players: int, rules: bytes) -> None:
        if game.name != weighing.game:
            raise UserError(f"its weights are for {weighing.game}, not for {game.name}")

    source = digest_of(content, spec.canonical.encode())
    return replace(kind, compiled=compiled, make=make, suits=suits, source_hash=source)


@functools.lru_cache(maxsize=64)
def compiled_for(inner: Compiled, parameters: Any, weighing: Weighing) -> Compiled:
    """The compiled part of a bot with other weights; the same for the same ones, so that it is linked once."""

    def link(names: Mapping[str, Any]) -> Any:
        evaluate = with_weights(names["evaluate"], dict(weighing.weights))
        return inner.link({**names, "evaluate": evaluate})

    def fields(values: Any) -> Mapping[str, Any]:
        return inner.fields(parameters)

    return Compiled(inner.record, inner.memory, link, fields, inner.forgets)


def unread(parameters: Parameters) -> Bot:
    """Without its file it plays nothing."""
    raise UserError(f"weights: {brief(parameters.weights)}, not read")


Weighted = BotKind(
    ENTRANT,
    "a compiled bot that judges positions by other weights than the game's own",
    Parameters,
    unread,
    reads=lambda parameters: (parameters.weights,),
    bound=with_file,
    here=True,
)

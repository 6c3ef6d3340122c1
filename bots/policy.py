"""The bot named `policy`: a trained network that scores the actions by the game's observation vector.

`.npz` files (`bots.networks.write_policy`) run in a kernel, `.onnx` files in onnxruntime. What is not legal is never
chosen. The file is part of the bot's identity and travels with it.
"""

# Kernels are typed by numba.
# mypy: allow-untyped-defs, allow-untyped-calls

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.compiled import CompiledBot
from bots.contract import Bot, BotKind, Compiled, View
from bots.networks import Network, Purpose, read_policy, run_network
from bots.onnx_model import OnnxModel
from engines.core import Game, Option
from engines.encoding import Encoder
from engines.errors import UserError
from engines.kernel import kernel
from engines.records import View as ViewRecord
from engines.rng import seeded, unit
from engines.vectors import encode

ENDINGS = (".npz", ".onnx")


@dataclass(frozen=True)
class Parameters:
    """Which network, and how it chooses."""

    weights: Annotated[str, Option("the file: .npz of write_policy, or .onnx")] = ""
    temperature: Annotated[
        float, Option("0: the best score; 1: as often as trained", 0.0, 10.0)
    ] = 0.0

    def __post_init__(self) -> None:
        """A file of a known kind."""
        if not self.weights.endswith(ENDINGS):
            told = repr(self.weights) if self.weights else "missing"
            raise ValueError(f"policy.weights: {told}, expected a file .npz or .onnx")


def files_of(parameters: Parameters) -> tuple[str, ...]:
    """The file with the network."""
    return (parameters.weights,)


def placed(options: Mapping[str, Any], find: Callable[[str], str]) -> dict[str, Any]:
    """The options with the file where `find` says it lies."""
    weights = options.get("weights")
    return {**options, "weights": find(weights)} if isinstance(weights, str) else dict(options)


def with_network(kind: BotKind, parameters: Parameters, content: bytes) -> BotKind:
    """The kind with the network of a file.

    Raises:
        UserError: there is none in it.
    """
    try:
        if parameters.weights.endswith(".npz"):
            network, purpose = network_in(content)
            compiled = compiled_for(network, purpose)
            make: Callable[[Any], Bot] = functools.partial(NetworkBot, compiled, purpose)
        else:
            compiled, purpose = None, model_in(content).purpose
            make = functools.partial(OnnxBot, content)
    except UserError as error:
        raise UserError(f"policy.weights: {parameters.weights!r}, {error}") from None

    def suits(game: Game, players: int, rules: bytes) -> None:
        encoder_of(purpose, game, players, rules)

    return replace(kind, compiled=compiled, make=make, suits=suits)


@functools.lru_cache(maxsize=32)
def network_in(content: bytes) -> tuple[Network, Purpose]:
    """The network of a file, read once."""
    return read_policy(content)


@functools.lru_cache(maxsize=32)
def model_in(content: bytes) -> OnnxModel:
    """The model of a file, loaded once."""
    return OnnxModel(content)


# --- in a kernel ------------------------------------------------------------------------------------------

RECORD = np.dtype([("temperature", np.float64)])


class Memory(NamedTuple):
    """A network, the table of the encoder, and room for both."""

    own: NDArray[Any]  # View[1]
    raw: NDArray[np.uint8]  # its bytes
    program: NDArray[np.int32]
    factors: NDArray[np.float64]
    lookup: NDArray[np.int16]
    sizes: NDArray[np.int64]
    weights: NDArray[np.float32]
    tanh: int
    room: NDArray[np.float32]


@functools.lru_cache(maxsize=32)
def compiled_for(network: Network, purpose: Purpose) -> Compiled:
    """The compiled part of a policy; the same for the same network, which is compiled for once."""

    def memory(game: Game, parameters: NDArray[Any]) -> Memory:
        assert purpose.players is not None
        own = np.zeros(1, game.dtype)
        encoder = encoder_of(purpose, game, purpose.players)
        program, factors, lookup = encoder.tables(np.float32)
        return Memory(
            own,
            own.view(np.uint8),
            program,
            factors,
            lookup,
            network.sizes,
            network.weights,
            network.tanh,
            network.room,
        )

    def fields(parameters: Parameters) -> dict[str, Any]:
        return {"temperature": parameters.temperature}

    return Compiled(RECORD, memory, lambda names: think, fields, forgets=True)


@functools.lru_cache(maxsize=32)
def encoder_of(purpose: Purpose, game: Game, players: int, rules: bytes | None = None) -> Encoder:
    """The encoder of a policy, made once for a table; a UserError at one that it was not trained for."""
    return purpose.encoder(game, players, rules)


@kernel
def think(views, legal, n, parameters, memory, rng, until):
    """Score the actions, and choose one of the legal ones."""
    own, room = memory.own, memory.room
    own[0] = views[0]
    inputs = int(memory.sizes[0])
    encode(memory.raw, memory.program, memory.factors, memory.lookup, room[0, :inputs])
    row = run_network(memory.sizes, memory.weights, memory.tanh, room)
    return int(legal[choose(room[row], legal, n, float(parameters[0].temperature), rng)])


@kernel
def choose(scores, legal, n, temperature, rng):
    """Which of legal[0..n-1]: the first of the best scores; above temperature 0 one is drawn."""
    best = 0
    for i in range(1, n):
        if scores[legal[i]] > scores[legal[best]]:
            best = i
    if temperature <= 0:
        return best
    most = float(scores[legal[best]])
    total = 0.0
    for i in range(n):
        total += np.exp((float(scores[legal[i]]) - most) / temperature)
    left = unit(rng) * total
    for i in range(n):
        left -= np.exp((float(scores[legal[i]]) - most) / temperature)
        if left < 0:
            return i
    return best


class NetworkBot(CompiledBot):
    """A network behind the Bot protocol."""

    def __init__(self, compiled: Compiled, purpose: Purpose, parameters: Parameters) -> None:
        """A network, and what it is for."""
        super().__init__(compiled, parameters)
        self.purpose = purpose

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins; a UserError at a table that it was not trained for."""
        encoder_of(self.purpose, game, view.players, rules_of(view.record))
        super().reset(game, view, seed)


# --- in onnxruntime ---------------------------------------------------------------------------------------


class OnnxBot:
    """A model of onnxruntime, which plays in the worker."""

    def __init__(self, content: bytes, parameters: Parameters) -> None:
        """Load the model, once in a process."""
        self.model = model_in(content)
        self.temperature = parameters.temperature

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins; a UserError at a table that it was not trained for."""
        rules = rules_of(view.record)
        self.encoder = encoder_of(self.model.purpose, game, view.players, rules)
        self.vectors = np.zeros((1, self.encoder.size), np.float32)
        self.rng = seeded(seed)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """Choose one of the legal actions."""
        self.encoder(view.record, self.vectors[0])
        scores = self.model.run(self.vectors)[0].astype(np.float32)
        actions = np.asarray(legal, np.int32)
        return int(actions[choose(scores, actions, len(actions), self.temperature, self.rng)])

    def close(self) -> None:
        """Nothing is held."""


def rules_of(record: ViewRecord) -> bytes:
    """The variant as a position tells it."""
    return record["rules"].tobytes()


def unread(parameters: Parameters) -> Bot:
    """A policy without its file plays nothing."""
    raise UserError(f"policy.weights: {parameters.weights!r}, not read")


KIND = BotKind(
    "policy",
    "a trained network: .npz in a kernel, .onnx in onnxruntime",
    Parameters,
    unread,
    reads=files_of,
    placed=placed,
    bound=with_network,
    here=True,
)

"""Trained networks in files: a multi-layer perceptron with what it was trained for, and the kernel that runs it.

    write_policy(Path("mine.npz"), layers, game, players=2)

Then `arena match connect_four policy:weights=mine.npz greedy`. Inputs are the components of the observation of
`engines.encoding`, outputs one score for each action of the game.
"""

# The kernel is typed by numba.
# mypy: allow-untyped-calls

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core import Game, changes, parse_options
from engines.encoding import Encoder
from engines.errors import UserError, nearest
from engines.kernel import kernel
from engines.texts import brief, clean

ACTIVATIONS = ("relu", "tanh")


@dataclass(frozen=True)
class Purpose:
    """What a network was trained for; what is None is not known.

    Args:
        game, players, variant: the table; of the variant what is not its default.
        observation: `Encoder.digest`.
        inputs, outputs: of the network.
    """

    inputs: int
    outputs: int
    game: str | None = None
    players: int | None = None
    variant: Mapping[str, Any] | None = field(default=None, hash=False)
    observation: str | None = None

    def encoder(self, game: Game, players: int, rules: bytes | None = None) -> Encoder:
        """The encoder that it was trained with.

        Args:
            rules: those of the position, as `states["rules"].tobytes()`.

        Raises:
            UserError: it was trained for another game, table or observation; begins "trained for".
        """
        if self.game not in (None, game.name) or self.players not in (None, players):
            raise UserError(
                f"trained for {self.game} with {self.players} players, not {game.name} with {players}"
            )
        variant: Any = parse_options(game.Variant, self.variant or {}, "variant")
        encoder = Encoder(game, players, variant)
        if rules is not None and encoder.blank["rules"].tobytes() != rules:
            told = ", ".join(f"{key}={value}" for key, value in (self.variant or {}).items())
            raise UserError(
                f"trained for {game.name} with variant {told or 'default'}, not this one"
            )
        if self.observation not in (None, encoder.digest):
            raise UserError(
                f"trained for observation {self.observation}, {game.name} has {encoder.digest} now"
            )
        if (self.inputs, self.outputs) != (encoder.size, game.actions.size):
            raise UserError(
                f"trained for {self.inputs} inputs and {self.outputs} outputs, {game.title} has "
                f"{encoder.size} components and {game.actions.size} actions"
            )
        return encoder


def purpose_of(game: Game, players: int, variant: Any = None) -> dict[str, Any]:
    """What a file says of the table that a network was trained for, as JSON; None: the default variant."""
    variant = game.Variant() if variant is None else variant
    return {
        "game": game.name,
        "players": players,
        "variant": changes(variant),
        "observation": Encoder(game, players, variant).digest,
    }


def read_purpose(told: Any, inputs: int, outputs: int) -> Purpose:
    """What a file says; it may come from anywhere.

    Raises:
        ValueError: it says it wrongly.
    """
    if told is None:
        return Purpose(inputs, outputs)
    game, players, variant, seen = (
        told[key] for key in ("game", "players", "variant", "observation")
    )
    if not (isinstance(game, str) and isinstance(players, int) and isinstance(variant, dict)):
        raise ValueError("game, players and variant are not told")
    named = {clean(str(key), 100): value for key, value in variant.items()}
    return Purpose(inputs, outputs, clean(game, 100), players, named, clean(str(seen), 100))


# --- multi-layer perceptrons ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Network:
    """A multi-layer perceptron of float32, the activation after every layer but the last.

    Args:
        sizes: int64[layers + 1], inputs first.
        weights: float32: of each layer the weights [inputs, outputs], then the biases [outputs].
        tanh: 1 for tanh, 0 for relu.
    """

    sizes: NDArray[np.int64]
    weights: NDArray[np.float32]
    tanh: int

    @property
    def room(self) -> NDArray[np.float32]:
        """Room for a run: float32[2, widest layer]."""
        return np.zeros((2, int(self.sizes.max())), np.float32)

    def __call__(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The scores [outputs] of a vector [inputs]."""
        room = self.room
        room[0, : len(vector)] = vector
        row = run_network(self.sizes, self.weights, self.tanh, room)
        return room[row, : self.sizes[-1]]


def make_network(layers: Sequence[tuple[Any, Any]], activation: str = "relu") -> Network:
    """A network of (weights [inputs, outputs], biases [outputs]) of each layer.

    Raises:
        UserError: the layers do not follow each other, or a number is none.
    """
    if activation not in ACTIVATIONS:
        hint = nearest(activation, ACTIVATIONS) or f", expected {' | '.join(ACTIVATIONS)}"
        raise UserError(f"activation: {brief(activation)}{hint}")
    if not layers:
        raise UserError("layers: none, expected at least one")
    sizes: list[int] = []
    parts: list[NDArray[np.float32]] = []
    for number, (given, added) in enumerate(layers):
        weights, biases = np.asarray(given, np.float32), np.asarray(added, np.float32)
        inputs = sizes[-1] if sizes else len(weights) if weights.ndim else 0
        if biases.ndim != 1 or weights.shape != (inputs, len(biases)) or not weights.size:
            raise UserError(
                f"layers[{number}]: weights {weights.shape} and biases {biases.shape}, "
                f"expected ({inputs or 'inputs'}, outputs) and (outputs,)"
            )
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            raise UserError(f"layers[{number}]: NaN or infinite, expected finite numbers")
        sizes = [*(sizes or [inputs]), len(biases)]
        parts += [weights.ravel(), biases]
    return Network(
        np.array(sizes, np.int64), np.concatenate(parts), int(activation == ACTIVATIONS[1])
    )


@kernel
def run_network(sizes, weights, tanh, room):  # type: ignore[no-untyped-def]
    """Run a network on room[0, :inputs]; returns the row of `room` that then holds the scores."""
    at = 0
    row = 0
    layers = len(sizes) - 1
    for layer in range(layers):
        inputs, outputs = int(sizes[layer]), int(sizes[layer + 1])
        source, out = room[row], room[1 - row]
        for j in range(outputs):
            out[j] = weights[at + inputs * outputs + j]
        for i in range(inputs):
            value = source[i]
            if value != 0:  # of an observation few components are not
                line = weights[at + i * outputs : at + (i + 1) * outputs]
                for j in range(outputs):
                    out[j] += value * line[j]
        if layer + 1 < layers:
            for j in range(outputs):
                if tanh:
                    out[j] = np.tanh(out[j])
                elif out[j] < 0:
                    out[j] = 0
        at += (inputs + 1) * outputs
        row = 1 - row
    return row


# --- files ------------------------------------------------------------------------------------------------


def write_policy(
    file: Path,
    layers: Sequence[tuple[Any, Any]],
    game: Game,
    players: int,
    variant: Any = None,
    activation: str = "relu",
) -> Path:
    """Write a network for `policy:weights=FILE`, and return the file.

    Args:
        file: ends with .npz.
        layers: (weights [inputs, outputs], biases [outputs]) of each layer, NumPy or anything that NumPy reads; of a
            torch `Linear` that is `weight.T` and `bias`. Inputs are the components of the observation, outputs actions.
        game, players, variant: what it was trained for; None: the default variant.
        activation: relu or tanh, after every layer but the last.

    Raises:
        UserError: the layers do not fit each other, the observation or the actions.
    """
    if file.suffix != ".npz":
        raise UserError(f"{file}: expected a file that ends with .npz")
    network = make_network(layers, activation)
    told = purpose_of(game, players, variant)
    purpose = read_purpose(told, int(network.sizes[0]), int(network.sizes[-1]))
    purpose.encoder(game, players)
    arrays: dict[str, Any] = {}
    for number, (weights, biases) in enumerate(layers):
        arrays[f"weights_{number}"] = np.asarray(weights, np.float32)
        arrays[f"biases_{number}"] = np.asarray(biases, np.float32)
    told |= {"activation": activation, "layers": len(layers)}
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez(file, told=np.array(json.dumps(told)), **arrays)
    return file


def read_policy(content: bytes) -> tuple[Network, Purpose]:
    """What `write_policy` has written.

    Raises:
        UserError: the file is not that.
    """
    if content[:2] != b"PK":
        raise UserError("no file of NumPy arrays (.npz)")
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            told = json.loads(str(stored["told"]))
            names = range(int(told["layers"]))
            layers = [(stored[f"weights_{n}"], stored[f"biases_{n}"]) for n in names]
        network = make_network(layers, str(told["activation"]))
        return network, read_purpose(told, int(network.sizes[0]), int(network.sizes[-1]))
    except UserError:
        raise
    except Exception as error:  # a file from anywhere can fail to be read in any way
        reason = clean(" ".join(str(error).split()) or type(error).__name__, 200)
        raise UserError(f"not written by bots.networks.write_policy: {reason}") from None

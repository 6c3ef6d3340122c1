"""Trained networks as bots: a folder with weights and a bot that plays by them, written from whatever trained them.

    write_policy(Path("my_policy"), layers, game, players=2)      # then: arena match connect_four ./my_policy greedy

The folder is a bot like any other: its files are its identity, travel with it and play in a sandbox. The network is a
multi-layer perceptron of the observation of `engines.encoding`; its outputs are one score for each action of the game.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from bots.contract import View
from engines.core import Game, Option, changes, parse_options
from engines.encoding import Encoder
from engines.errors import UserError, nearest
from engines.rng import seeded, unit

WEIGHTS = "weights.npz"
ACTIVATIONS = ("relu", "tanh")
BOT = '''"""A trained policy; weights.npz was written by bots.policy.write_policy."""

from pathlib import Path

from bots.policy import Options, Policy


class Trained(Policy):
    """Plays by the network in weights.npz."""

    Parameters = Options

    def __init__(self, **options):
        super().__init__(Path(__file__).with_name("weights.npz"), **options)
'''


@dataclass(frozen=True)
class Options:
    """How a policy chooses."""

    temperature: Annotated[
        float, Option("0: the best score; 1: as often as trained", 0.0, 10.0)
    ] = 0.0


class Policy:
    """A bot that plays by the network in a file.

    Args:
        weights: written by `write_policy`.
        temperature: 0 chooses the legal action with the best score (the first of equals); else one is drawn, as often
            as exp(score / temperature) says.
    """

    def __init__(self, weights: Path, temperature: float = 0.0) -> None:
        """Read the network; a UserError if the file is none."""
        self.network, self.told = read_network(weights)
        self.temperature = temperature

    def reset(self, game: Game, view: View, seed: int) -> None:
        """A match begins; a UserError where the policy was trained for another game, table or observation."""
        self.encoder = encoder_for(self.told, game, view)
        self.vector = np.zeros(self.encoder.size, np.float32)
        self.rng = seeded(seed)

    def act(self, view: View, legal: Sequence[int]) -> int:
        """Choose one of the legal actions."""
        self.encoder(view.record, self.vector)
        scores = self.network(self.vector)[np.asarray(legal)]
        if self.temperature == 0:
            return int(legal[int(np.argmax(scores))])
        shares = np.exp((scores - scores.max()) / self.temperature, dtype=np.float64)
        drawn = unit(self.rng) * shares.sum()
        return int(
            legal[min(int(np.searchsorted(np.cumsum(shares), drawn, "right")), len(legal) - 1)]
        )

    def close(self) -> None:
        """Nothing is held."""


class Network:
    """A multi-layer perceptron: float32 in, float32 out, the activation after every layer but the last.

    Args:
        layers: (weights [inputs, outputs], biases [outputs]) of each layer.
        activation: relu or tanh.
    """

    def __init__(self, layers: Sequence[tuple[Any, Any]], activation: str = "relu") -> None:
        """Check that the layers follow each other; a UserError if not."""
        if activation not in ACTIVATIONS:
            hint = nearest(activation, ACTIVATIONS) or f", expected {' | '.join(ACTIVATIONS)}"
            raise UserError(f"activation: {activation!r}{hint}")
        self.activation = activation
        self.layers = [(ready(weights), ready(biases)) for weights, biases in layers]
        width: int | None = None
        for number, (weights, biases) in enumerate(self.layers):
            inputs = weights.shape[0] if width is None else width
            if weights.shape != (inputs, len(biases)):
                raise UserError(
                    f"layers[{number}]: weights {weights.shape} and {len(biases)} biases, "
                    f"expected ({inputs}, {len(biases)})"
                )
            width = len(biases)
        if width is None:
            raise UserError("layers: none, expected at least one")

    @property
    def inputs(self) -> int:
        """Components of the vector."""
        return int(self.layers[0][0].shape[0])

    @property
    def outputs(self) -> int:
        """Scores."""
        return len(self.layers[-1][1])

    def __call__(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """The scores [outputs] of a vector [inputs]."""
        for number, (weights, biases) in enumerate(self.layers):
            told = np.flatnonzero(vector)  # of an observation few components are not 0
            out = vector[told] @ weights[told] + biases
            if number + 1 < len(self.layers):
                out = np.tanh(out) if self.activation == "tanh" else np.maximum(out, np.float32(0))
            vector = out
        return vector


def ready(numbers: Any) -> NDArray[np.float32]:
    """Numbers of any library as the kernel reads them."""
    return np.ascontiguousarray(np.asarray(numbers), np.float32)


# --- files ------------------------------------------------------------------------------------------------


def write_policy(
    folder: Path,
    layers: Sequence[tuple[Any, Any]],
    game: Game,
    players: int,
    variant: Any = None,
    activation: str = "relu",
) -> Path:
    """Write a bot that plays by a network into a folder, and return it.

    Args:
        folder: made where it is not there.
        layers: (weights [inputs, outputs], biases [outputs]) of each layer, NumPy or anything that NumPy reads; of a
            torch `Linear` that is `weight.T` and `bias`. Inputs are the components of the observation, outputs actions.
        game, players, variant: what it was trained for; None: the default variant.
        activation: relu or tanh, after every layer but the last.

    Raises:
        UserError: the layers do not fit each other, the observation or the actions.
    """
    variant = game.Variant() if variant is None else variant
    network, encoder = Network(layers, activation), Encoder(game, players, variant)
    if (network.inputs, network.outputs) != (encoder.size, game.actions.size):
        raise UserError(
            f"layers: {network.inputs} inputs and {network.outputs} outputs, {game.title} has "
            f"{encoder.size} components and {game.actions.size} actions"
        )
    told = {
        "game": game.name,
        "players": players,
        "variant": changes(variant),
        "observation": encoder.digest,
        "activation": activation,
        "layers": len(layers),
    }
    arrays: dict[str, NDArray[Any]] = {
        f"weights_{n}": one[0] for n, one in enumerate(network.layers)
    }
    arrays |= {f"biases_{n}": one[1] for n, one in enumerate(network.layers)}
    folder.mkdir(parents=True, exist_ok=True)
    arrays["told"] = np.array(json.dumps(told))
    np.savez(folder / WEIGHTS, **arrays)  # type: ignore[arg-type]
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    return folder


def read_network(file: Path) -> tuple[Network, Mapping[str, Any]]:
    """A network, and what was written of it: game, players, variant, observation.

    Raises:
        UserError: the file is not what `write_policy` writes.
    """
    try:
        with np.load(file, allow_pickle=False) as stored:
            told = json.loads(str(stored["told"]))
            names = range(int(told["layers"]))
            layers = [(stored[f"weights_{n}"], stored[f"biases_{n}"]) for n in names]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"{file}: no weights of a policy: {error}") from None
    return Network(layers, str(told["activation"])), told


def encoder_for(told: Mapping[str, Any], game: Game, view: View) -> Encoder:
    """The encoder that a policy was trained with, if this match is played so; else a UserError."""
    if told["game"] != game.name or told["players"] != view.players:
        raise UserError(
            f"policy of {told['game']} with {told['players']} players, "
            f"this is {game.name} with {view.players}"
        )
    encoder = Encoder(game, view.players, parse_options(game.Variant, told["variant"], "variant"))
    if encoder.blank["rules"].tobytes() != view.record["rules"].tobytes():
        raise UserError(
            f"policy of another variant: it was trained with {told['variant'] or 'the default'}"
        )
    if encoder.digest != told["observation"]:
        raise UserError(
            f"policy of observation {told['observation']}, {game.name} has {encoder.digest} now"
        )
    return encoder

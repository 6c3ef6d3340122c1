"""Compiles or loads what bots call, before a match's clock runs."""

from typing import Any

from bots.contract import View
from bots.playouts import rollout_for
from engines.core import Game
from engines.encoding import warm_encoder
from engines.rng import seeded
from engines.vectors import encode


def warm_simulator(game: Game) -> None:
    """Load or compile what `View.sample`, a Simulator and an Encoder call, with a deal that no match has."""
    players = min((n for n in game.players if n >= 2), default=1)
    states = game.new_state(players, game.Variant(), seeded(0))
    player = max(0, int(states["to_act"][0]))
    view = View(game, game.view(states, player), game.legal(states).tolist(), (), 0)
    position = view.sample(1)
    position.evaluate(player)
    position.win_share(player)
    if legal := position.legal():  # none: the game is broken, which the referee will say
        position.play(legal[0])
    position.rollout(1)
    warm_encoder()


def simulator_kernels(game: Game) -> list[Any]:
    """The kernels that `warm_simulator` loads or compiles."""
    return [
        rollout_for(game),
        *(game.deal, game.legal_actions, game.apply, game.observe, game.determinize),
        *(game.evaluate, game.ranks),
        encode,
    ]

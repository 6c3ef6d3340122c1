"""Train a policy with sb3-contrib's MaskablePPO, and let it play at our tables.

    pip install 'tabletop-arena[pettingzoo,torch]'
    python examples/stable_baselines.py 100000 mine.npz
    arena match connect_four policy:weights=mine.npz greedy --opening 6

Games begin from six random decisions: what is trained on the empty board alone learns lines by heart.
"""

import sys
from pathlib import Path

from sb3_contrib import MaskablePPO
from torch.nn import Linear

from arena.interop.gym import Against
from bots.networks import write_policy
from engines.core import load_game

GAME = "connect_four"


def layers_of(policy):
    """Weights and biases from the observation to the scores of the actions."""
    linear = [one for one in policy.mlp_extractor.policy_net if isinstance(one, Linear)]
    found = [*linear, policy.action_net]
    return [(one.weight.detach().numpy().T, one.bias.detach().numpy()) for one in found]


def main(steps, file):
    """Train against a random opponent and write the policy."""
    table = Against(GAME, ["random"], opening=6)
    model = MaskablePPO("MlpPolicy", table, seed=1, verbose=1, device="cpu")
    model.learn(int(steps))
    write_policy(Path(file), layers_of(model.policy), load_game(GAME), 2, activation="tanh")
    print(f"written: {file}")


if __name__ == "__main__":
    main(*sys.argv[1:])

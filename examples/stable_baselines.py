"""Train a policy with sb3-contrib's MaskablePPO, and let it play at our tables.

    pip install 'tabletop-arena[pettingzoo]' sb3-contrib
    python examples/stable_baselines.py 100000 my_policy
    arena match connect_four ./my_policy greedy --opening 6

Games begin from six random decisions: what is trained on the empty board alone learns lines by heart.
"""

import sys
from pathlib import Path

from sb3_contrib import MaskablePPO
from torch.nn import Linear

from arena.interop.gym import Against
from bots.policy import write_policy
from engines.core import load_game

GAME = "connect_four"


def layers_of(policy):
    """Weights and biases from the observation to the scores of the actions."""
    linear = [one for one in policy.mlp_extractor.policy_net if isinstance(one, Linear)]
    found = [*linear, policy.action_net]
    return [(one.weight.detach().numpy().T, one.bias.detach().numpy()) for one in found]


def main(steps, folder):
    """Train against a random opponent and write the bot."""
    table = Against(GAME, ["random"], opening=6)
    model = MaskablePPO("MlpPolicy", table, seed=1, verbose=1, device="cpu")
    model.learn(int(steps))
    write_policy(Path(folder), layers_of(model.policy), load_game(GAME), 2, activation="tanh")
    print(f"written: {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])

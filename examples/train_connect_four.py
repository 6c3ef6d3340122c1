"""Train a policy for Connect Four by letting it play against itself, and write it as a bot.

    pip install 'tabletop-arena[torch]'
    python examples/train_connect_four.py four.npz          # less than ten minutes on two cores
    arena match connect_four policy:weights=four.npz greedy --opening 6

Every game begins with six random decisions, here and in the match: a policy that is trained on the empty board learns
lines by heart. The algorithm is PPO (Schulman et al. 2017), first against itself, then against `greedy`. What a
position is worth to one is lost to the other: in self-play values change their sign with the player to act.
"""

import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from arena.interop.gym import VectorAgainst
from arena.interop.vector import VectorGame
from bots.networks import write_policy
from engines.core import load_game
from engines.encoding import Encoder

GAME, OPENING = "connect_four", 6
TABLES, STEPS = 512, 32
UPDATES = (120, 660)  # against itself, against greedy; TABLES * STEPS decisions each
WIDTHS = (256, 256)
EPOCHS, MINIBATCH, CLIP, DISCOUNT, TRACE = 2, 4096, 0.2, 0.99, 0.9
RATE, ENTROPY = (1e-3, 1e-4), (0.02, 0.002)  # at first, at the end


class Network(nn.Module):
    """Scores of the actions, and what the position is worth to the player to act."""

    def __init__(self, inputs, actions):
        super().__init__()
        sizes = (inputs, *WIDTHS)
        self.hidden = nn.ModuleList(map(nn.Linear, sizes[:-1], sizes[1:]))
        self.policy, self.value = nn.Linear(sizes[-1], actions), nn.Linear(sizes[-1], 1)

    def forward(self, seen, legal):
        for layer in self.hidden:
            seen = torch.relu(layer(seen))
        scores = self.policy(seen).masked_fill(~legal, -1e9)
        return torch.log_softmax(scores, -1), torch.tanh(self.value(seen)).squeeze(-1)


class SelfPlay:
    """Tables at which the policy decides for both players."""

    def __init__(self):
        options = {"mask": True, "opening": OPENING, "seed": 1, "keep_final": False}
        self.tables = VectorGame(GAME, n=TABLES, **options)
        self.batch = self.tables.reset()

    def seen(self):
        return self.batch.observation, self.batch.mask

    def step(self, actions):
        """Rewards of those who acted, and a sign: -1 where another player is next, 0 at the end of a game."""
        actor = self.batch.to_act.copy()
        batch = self.batch = self.tables.step(actions)
        sign = np.where(batch.to_act == actor, 1, -1) * ~(batch.terminated | batch.truncated)
        return batch.reward[np.arange(TABLES), actor], sign


class AgainstGreedy:
    """Tables at which it has one seat."""

    def __init__(self):
        self.tables = VectorAgainst(GAME, ["greedy:samples=1"], n=TABLES, opening=OPENING)
        self.now, self.infos = self.tables.reset(seed=2)

    def seen(self):
        return self.now, self.infos["action_mask"]

    def step(self, actions):
        self.now, reward, ended, stopped, self.infos = self.tables.step(actions)
        return reward, 1 - (ended | stopped)


def play(network, place):
    """Some decisions at all tables, and how much better each was than expected: arrays [STEPS, TABLES, ...].

    That is told by generalised advantage estimates (Schulman et al. 2016).
    """
    kept = []
    for _ in range(STEPS):
        seen, legal = (torch.from_numpy(one.copy()) for one in place.seen())
        chances, worth = network(seen, legal)
        chosen = torch.multinomial(chances.exp(), 1)
        reward, sign = map(torch.from_numpy, place.step(chosen.squeeze(-1).numpy()))
        kept.append((seen, legal, chosen, chances.gather(-1, chosen), worth, reward, sign))
    seen, legal, chosen, chance, worth, reward, sign = map(torch.stack, zip(*kept, strict=True))
    following = network(*map(torch.from_numpy, place.seen()))[1]
    gained, better = torch.zeros_like(worth), torch.zeros(TABLES)
    for step in reversed(range(STEPS)):
        onward = DISCOUNT * sign[step]
        better = reward[step] + onward * following - worth[step] + onward * TRACE * better
        gained[step], following = better, worth[step]
    return (seen, legal, chosen, chance, gained, gained + worth), reward[sign == 0].mean()


def learn(network, optimizer, played, entropy):
    """Some epochs of PPO over what was played."""
    seen, legal, chosen, before, gained, target = (one.flatten(0, 1) for one in played)
    for _ in range(EPOCHS):
        for part in torch.randperm(len(chosen)).split(MINIBATCH):
            chances, worth = network(seen[part], legal[part])
            ratio = (chances.gather(-1, chosen[part]) - before[part]).exp().squeeze(-1)
            better = gained[part]
            better = (better - better.mean()) / (better.std() + 1e-6)
            gain = torch.minimum(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
            spread = -(chances.exp() * chances.clamp(min=-20)).sum(-1).mean()
            loss = 0.5 * (worth - target[part]).square().mean() - gain - entropy * spread
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def main(file, *updates):
    """Train, and write the policy now and then."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # layers are too small for more
    counts = [int(one) for one in updates] or UPDATES
    game = load_game(GAME)
    network = Network(Encoder(game, 2).size, game.actions.size)
    layers, began = [*network.hidden, network.policy], time.perf_counter()
    optimizer = torch.optim.Adam(network.parameters())
    for place, count in zip((SelfPlay(), AgainstGreedy()), counts, strict=True):
        for update in range(count):
            rate, entropy = (a + update / count * (b - a) for a, b in (RATE, ENTROPY))
            optimizer.param_groups[0]["lr"] = rate
            with torch.no_grad():
                played, reward = play(network, place)
            learn(network, optimizer, played, entropy)
            if update % 20 == 19 or update + 1 == count:
                told = [
                    (one.weight.detach().numpy().T, one.bias.detach().numpy()) for one in layers
                ]
                write_policy(Path(file), told, game, 2)
                text = f"{type(place).__name__} {update + 1} of {count}, mean result {reward:+.2f}"
                print(f"{text}, {time.perf_counter() - began:.0f} s: {file}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

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
UPDATES = (160, 260)  # against itself, against greedy; TABLES * STEPS decisions each
WIDTHS = (256, 256)
EPOCHS, MINIBATCH, CLIP, DISCOUNT, TRACE = 3, 4096, 0.2, 0.99, 0.9
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

    def layers(self):
        """Weights and biases as `write_policy` wants them."""
        found = [*self.hidden, self.policy]
        return [(one.weight.detach().numpy().T, one.bias.detach().numpy()) for one in found]


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
        """Rewards, and a sign: 0 at the end of a game."""
        self.now, reward, ended, stopped, self.infos = self.tables.step(actions)
        return reward, 1 - (ended | stopped)


class Rollout:
    """What happened at all tables in so many steps, as arrays [steps, tables, ...]."""

    def __init__(self, size, actions):
        self.seen = torch.zeros(STEPS + 1, TABLES, size)
        self.legal = torch.zeros(STEPS + 1, TABLES, actions, dtype=torch.bool)
        self.chosen = torch.zeros(STEPS, TABLES, dtype=torch.int64)
        self.chance, self.worth, self.reward, self.sign = torch.zeros(4, STEPS, TABLES)

    def look(self, step, place):
        self.seen[step], self.legal[step] = map(torch.from_numpy, place.seen())

    def play(self, network, place):
        """Fill it."""
        for step in range(STEPS):
            self.look(step, place)
            chances, worth = network(self.seen[step], self.legal[step])
            chosen = torch.multinomial(chances.exp(), 1)
            self.chosen[step], self.worth[step] = chosen.squeeze(-1), worth
            self.chance[step] = chances.gather(-1, chosen).squeeze(-1)
            reward, sign = map(torch.from_numpy, place.step(self.chosen[step].numpy()))
            self.reward[step], self.sign[step] = reward, sign
        self.look(STEPS, place)

    def advantages(self, network):
        """Generalised advantage estimates [steps, tables] (Schulman et al. 2016)."""
        following = network(self.seen[-1], self.legal[-1])[1]
        found, gained = torch.zeros_like(self.worth), torch.zeros(TABLES)
        for step in reversed(range(STEPS)):
            onward = DISCOUNT * self.sign[step]
            better = self.reward[step] + onward * following - self.worth[step]
            gained = better + onward * TRACE * gained
            found[step], following = gained, self.worth[step]
        return found


def learn(network, optimizer, rollout, advantages, entropy):
    """Some epochs of PPO over a rollout."""
    parts = (rollout.seen[:-1], rollout.legal[:-1], rollout.chosen, rollout.chance, advantages)
    seen, legal, chosen, before, gained = (one.flatten(0, 1) for one in parts)
    target = gained + rollout.worth.flatten()
    for _ in range(EPOCHS):
        for part in torch.randperm(len(chosen)).split(MINIBATCH):
            chances, worth = network(seen[part], legal[part])
            ratio = (chances.gather(-1, chosen[part, None]).squeeze(-1) - before[part]).exp()
            better = gained[part]
            better = (better - better.mean()) / (better.std() + 1e-6)
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            gain = torch.minimum(ratio * better, clipped * better).mean()
            spread = -(chances.exp() * chances.clamp(min=-20)).sum(-1).mean()
            loss = 0.5 * (worth - target[part]).square().mean() - gain - entropy * spread
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def main(file, *updates):
    """Train, and write the policy now and then."""
    torch.manual_seed(1)
    torch.set_num_threads(2)
    counts = [int(one) for one in updates] or UPDATES
    game = load_game(GAME)
    size, actions = Encoder(game, 2).size, game.actions.size
    network, rollout, began = Network(size, actions), Rollout(size, actions), time.perf_counter()
    optimizer = torch.optim.Adam(network.parameters())
    for place, count in zip((SelfPlay(), AgainstGreedy()), counts, strict=True):
        for update in range(count):
            rate, entropy = (a + update / count * (b - a) for a, b in (RATE, ENTROPY))
            optimizer.param_groups[0]["lr"] = rate
            with torch.no_grad():
                rollout.play(network, place)
                advantages = rollout.advantages(network)
            learn(network, optimizer, rollout, advantages, entropy)
            if update % 20 == 19 or update + 1 == count:
                write_policy(Path(file), network.layers(), game, 2)
                ended = rollout.reward[rollout.sign == 0].mean()
                print(
                    f"{type(place).__name__} {update + 1} of {count}, reward {ended:+.2f}, ", end=""
                )
                print(f"{time.perf_counter() - began:.0f} s: {file}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

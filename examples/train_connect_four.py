"""Train a policy for Connect Four by letting it play against itself, and write it as a bot.

    pip install 'tabletop-arena[torch]'
    python examples/train_connect_four.py four.npz          # less than ten minutes on two cores
    arena match connect_four policy:weights=four.npz greedy --opening 6

Every game begins with six random decisions, here and in the match: a policy that is trained on the empty board learns
lines by heart. The algorithm is PPO (Schulman et al. 2017) for two players: what a position is worth to one is lost to
the other, so values and advantages change their sign where the player to act changes.
"""

import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from arena.interop.vector import VectorGame
from bots.networks import write_policy
from engines.core import load_game

GAME, OPENING = "connect_four", 6
TABLES, STEPS, UPDATES = 512, 32, 420  # decisions: their product
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


class Rollout:
    """What happened at all tables in so many steps, as arrays [steps, tables, ...]."""

    def __init__(self, tables):
        size, actions = tables.encoder.size, tables.game.actions.size
        self.seen = torch.zeros(STEPS, TABLES, size)
        self.legal = torch.zeros(STEPS, TABLES, actions, dtype=torch.bool)
        self.chosen = torch.zeros(STEPS, TABLES, dtype=torch.int64)
        self.chance, self.worth, self.reward, self.sign = torch.zeros(4, STEPS, TABLES)

    def play(self, network, tables, batch):
        """Fill it; `sign` is 1 where the same player acts next, -1 where another does, 0 at the end of a game."""
        rows = np.arange(TABLES)
        for step in range(STEPS):
            self.seen[step] = torch.from_numpy(batch.observation)
            self.legal[step] = torch.from_numpy(batch.mask)
            actor = batch.to_act.copy()
            chances, worth = network(self.seen[step], self.legal[step])
            chosen = torch.multinomial(chances.exp(), 1)
            self.chosen[step], self.worth[step] = chosen.squeeze(-1), worth
            self.chance[step] = chances.gather(-1, chosen).squeeze(-1)
            batch = tables.step(self.chosen[step].numpy())
            self.reward[step] = torch.from_numpy(batch.reward[rows, actor])
            sign = np.where(batch.to_act == actor, 1, -1) * ~(batch.terminated | batch.truncated)
            self.sign[step] = torch.from_numpy(sign)
        self.seen_last = torch.from_numpy(batch.observation), torch.from_numpy(batch.mask)
        return batch

    def advantages(self, network):
        """Generalised advantage estimates [steps, tables] (Schulman et al. 2016)."""
        following = network(*self.seen_last)[1]
        found, gained = torch.zeros_like(self.worth), torch.zeros(TABLES)
        for step in reversed(range(STEPS)):
            onward = DISCOUNT * self.sign[step]
            better = self.reward[step] + onward * following - self.worth[step]
            gained = better + onward * TRACE * gained
            found[step], following = gained, self.worth[step]
        return found


def learn(network, optimizer, rollout, advantages, entropy):
    """Some epochs of PPO over a rollout."""
    parts = (rollout.seen, rollout.legal, rollout.chosen, rollout.chance, advantages)
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


def main(file, updates=UPDATES):
    """Train, and write the policy."""
    torch.manual_seed(1)
    torch.set_num_threads(2)
    tables = VectorGame(GAME, n=TABLES, mask=True, opening=OPENING, seed=1, keep_final=False)
    network = Network(tables.encoder.size, tables.game.actions.size)
    optimizer = torch.optim.Adam(network.parameters())
    rollout, batch, began = Rollout(tables), tables.reset(), time.perf_counter()
    for update in range(int(updates)):
        done = update / int(updates)
        rate, entropy = (first + done * (last - first) for first, last in (RATE, ENTROPY))
        optimizer.param_groups[0]["lr"] = rate
        with torch.no_grad():
            batch = rollout.play(network, tables, batch)
            advantages = rollout.advantages(network)
        learn(network, optimizer, rollout, advantages, entropy)
        if update % 20 == 19 or update + 1 == int(updates):
            write_policy(Path(file), network.layers(), load_game(GAME), 2)
            seconds = time.perf_counter() - began
            print(f"{update + 1} of {updates} updates, {seconds:.0f} s: {file}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

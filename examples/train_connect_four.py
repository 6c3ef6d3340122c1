"""Train a policy for Connect Four, and write it as a bot: first it imitates a search, then it plays against `greedy`.

    pip install 'tabletop-arena[torch]'
    python examples/train_connect_four.py four.npz          # less than ten minutes on two cores
    arena match connect_four policy:weights=four.npz greedy --opening 6

Every game begins with six random decisions, here and in the match: a policy that is trained on the empty board learns
lines by heart. It is asked in its own games what the search would do (DAgger, Ross et al. 2011), and goes on with PPO
(Schulman et al. 2017). Some units begin as detectors of lines and of free cells, which it would have to find first.
"""

import sys
import time
from pathlib import Path

import torch
from torch import nn

from arena.interop.gym import VectorAgainst
from bots.networks import write_policy
from engines.core import load_game
from engines.encoding import Encoder

GAME, OPENING, TEACHER = "connect_four", 6, "mcts:simulations=128"
TABLES, STEPS = 512, 32  # so many decisions at each table make a lesson or an update
LESSONS, PASSES, UPDATES = 26, 4, 300
EPOCHS, MINIBATCH, CLIP, DISCOUNT, TRACE = 2, 4096, 0.2, 0.99, 0.9
LESSON_RATE, RATE, ENTROPY = (1e-3, 2e-4), (4e-4, 1e-4), (0.01, 0.002)  # at first, at the end


class Network(nn.Module):
    """Scores of the actions, and what the position is worth to the player to act."""

    def __init__(self, game):
        super().__init__()
        names = Encoder(game, 2).names
        sizes = (len(names), 256, 256)
        self.hidden = nn.ModuleList(map(nn.Linear, sizes[:-1], sizes[1:]))
        self.policy, self.value = nn.Linear(sizes[-1], game.actions.size), nn.Linear(sizes[-1], 1)
        for unit, (bias, weights) in enumerate(detectors()):
            self.hidden[0].weight.data[unit], self.hidden[0].bias.data[unit] = 0, bias
            for name, weight in weights.items():
                self.hidden[0].weight.data[unit, names.index(name)] = weight

    def forward(self, seen, legal):
        for layer in self.hidden:
            seen = torch.relu(layer(seen))
        scores = self.policy(seen).masked_fill(~legal, -1e9)
        return torch.log_softmax(scores, -1), torch.tanh(self.value(seen)).squeeze(-1)


def detectors():
    """Bias and weights of units that fire where one player alone has two or three of a line, or a disc may fall."""
    cells = [(column, row) for column in range(1, 8) for row in range(1, 7)]
    for column, row in cells:
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(column + i * right, row + i * up) for i in range(4)]
            for own in (0, 1) if line[-1] in cells else ():
                there = {f"discs[{own}]:{a}.{b}": 1 for a, b in line}
                yield -1, there | {f"discs[{1 - own}]:{a}.{b}": -3 for a, b in line}
        here = {f"discs[{player}]:{column}.{row}": -1 for player in (0, 1)}
        below = {f"discs[{player}]:{column}.{row - 1}": 1 for player in (0, 1) if row > 1}
        yield int(row == 1), here | below


def play(network, tables, teacher=None):
    """Some decisions at all tables, and how much better each was than expected: arrays [STEPS * TABLES, ...].

    By generalised advantage estimates (Schulman et al. 2016); with a teacher also what it would have done.
    """
    kept = []
    for _ in range(STEPS):
        seen, legal = (torch.from_numpy(one.copy()) for one in tables.tables.batch[:2])
        chances, worth = network(seen, legal)
        chosen = torch.multinomial(chances.exp(), 1)
        advised = torch.from_numpy(tables.advice(teacher)).long() if teacher else chosen
        _, reward, ended, stopped, _ = tables.step(chosen.squeeze(-1).numpy())
        on, reward = torch.from_numpy(~(ended | stopped)), torch.from_numpy(reward)
        kept.append((seen, legal, chosen, advised, chances.gather(-1, chosen), worth, reward, on))
    columns = map(torch.stack, zip(*kept, strict=True))
    seen, legal, chosen, advised, chance, worth, reward, on = columns
    following = network(*map(torch.from_numpy, tables.tables.batch[:2]))[1]
    gained, better = torch.zeros_like(worth), torch.zeros(TABLES)
    for step in reversed(range(STEPS)):
        onward = DISCOUNT * on[step]
        better = reward[step] + onward * following - worth[step] + onward * TRACE * better
        gained[step], following = better, worth[step]
    played = seen, legal, chosen, advised, chance, gained, gained + worth
    return [one.flatten(0, 1) for one in played], reward[~on].mean()


def imitate(network, optimizer, held):
    """Some passes over what was advised in all lessons so far."""
    seen, legal, _, advised, _, _, target = map(torch.cat, zip(*held, strict=True))
    for part in torch.randperm(len(seen))[: PASSES * STEPS * TABLES].split(MINIBATCH // 4):
        chances, worth = network(seen[part], legal[part])
        missed = -chances.gather(-1, advised[part][:, None]).mean()
        descend(network, optimizer, missed + 0.5 * (worth - target[part]).square().mean())


def learn(network, optimizer, played, entropy):
    """Some epochs of PPO over what was played."""
    seen, legal, chosen, _, before, gained, target = played
    for _ in range(EPOCHS):
        for part in torch.randperm(len(chosen)).split(MINIBATCH):
            chances, worth = network(seen[part], legal[part])
            ratio = (chances.gather(-1, chosen[part]) - before[part]).exp().squeeze(-1)
            better = gained[part]
            better = (better - better.mean()) / (better.std() + 1e-6)
            gain = torch.minimum(ratio * better, ratio.clamp(1 - CLIP, 1 + CLIP) * better).mean()
            spread = -(chances.exp() * chances.clamp(min=-20)).sum(-1).mean()
            loss = 0.5 * (worth - target[part]).square().mean() - gain - entropy * spread
            descend(network, optimizer, loss)


def descend(network, optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 0.5)
    optimizer.step()


def main(file, lessons=LESSONS, updates=UPDATES):
    """Train, and write the policy now and then."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the layers are too small for more
    game, held, began = load_game(GAME), [], time.perf_counter()
    optimizer = torch.optim.Adam((network := Network(game)).parameters())
    tables = VectorAgainst(GAME, ["greedy:samples=1"], n=TABLES, opening=OPENING)
    tables.reset(seed=2)
    for number in range(-int(lessons), int(updates)):
        lesson = number < 0
        share = 1 + number / int(lessons) if lesson else number / int(updates)
        rate, entropy = (a + share * (b - a) for a, b in (LESSON_RATE if lesson else RATE, ENTROPY))
        optimizer.param_groups[0]["lr"] = rate
        with torch.no_grad():
            played, reward = play(network, tables, TEACHER if lesson else None)
        if lesson:
            held.append(played)
        imitate(network, optimizer, held) if lesson else learn(network, optimizer, played, entropy)
        if number % 10 == 9 or number + 1 == int(updates):
            layers = [*network.hidden, network.policy]
            told = [(one.weight.detach().numpy().T, one.bias.detach().numpy()) for one in layers]
            write_policy(Path(file), told, game, 2)
            seconds = time.perf_counter() - began
            print(f"{number + 1}: mean result {reward:+.2f}, {seconds:.0f} s: {file}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

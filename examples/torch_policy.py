"""A bot that plays by a torch module, in an environment of its own: a template.

    python -m venv torch-env && torch-env/bin/pip install tabletop-arena torch
    arena match connect_four 'process:command="torch-env/bin/python examples/torch_policy.py model.pt"' greedy

`model.pt` is what `torch.jit.save` wrote: observation float32 [1, components] in, scores [1, actions] out. Where the
run's own environment has no torch, nothing of it is needed there. Both files are part of the bot's identity.
"""

import os
import sys

import numpy as np
import torch

from bots.serve import Served, serve
from engines.encoding import Encoder


class TorchPolicy:
    """The legal action with the best score."""

    def __init__(self, file):
        torch.set_num_threads(1)
        self.module = torch.jit.load(file).eval()
        self.encoder = None

    def reset(self, game, view, seed):
        # The variant: this template plays the default one. Encoder(game, players, game.Variant(...)) reads another.
        self.encoder = Encoder(game, view.players)
        self.vector = np.zeros((1, self.encoder.size), np.float32)
        self.scores(view)  # the first call compiles, and a start has more time than a decision

    @torch.no_grad()
    def scores(self, view):
        self.encoder(view.record, self.vector[0])
        return self.module(torch.from_numpy(self.vector))[0].numpy()

    def act(self, view, legal):
        return legal[int(np.argmax(self.scores(view)[legal]))]

    def close(self):
        pass


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not get between the answers
    serve(Served(TorchPolicy(sys.argv[1])), sys.stdin.buffer, answers)

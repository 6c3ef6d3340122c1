"""Who can be compared with whom, and whose results alone name no finite rating."""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph, csr_array

from arena.statistics.choice_model import Integers
from arena.statistics.placements import Kinds, Model


@dataclass(frozen=True)
class Connections:
    """Who can be compared with whom.

    groups (k,): connected by matches. held (k,): the results alone give no finite rating, a prior
    holds it. unbeaten, winless (k,): was never behind, or never before, anybody.
    """

    groups: Integers
    held: NDArray[np.bool_]
    unbeaten: NDArray[np.bool_]
    winless: NDArray[np.bool_]


def connections(ordinary: Kinds, faults: Kinds, entrants: int, model: Model) -> Connections:
    """Return who is connected with whom, and whose rating only a prior holds.

    Maximum likelihood is finite where a chain of wins (or shared places) leads from everybody to
    everybody else of a group (Ford 1957; Hunter 2004, The Annals of Statistics 32). Held are those
    outside the largest set of that kind; of several largest, all are.
    """
    only_first = model == "first choice"
    wins = np.concatenate([_wins(ordinary, only_first), _wins(faults, True)], axis=1)
    wins = wins[:, wins[0] != wins[1]]
    graph = csr_array((np.ones(wins.shape[1]), (wins[0], wins[1])), shape=(entrants, entrants))
    groups = csgraph.connected_components(graph, connection="weak")[1].astype(np.int64)
    chains = csgraph.connected_components(graph, connection="strong")[1].astype(np.int64)
    sizes = np.bincount(chains, minlength=1)[chains]
    held = np.zeros(entrants, dtype=np.bool_)
    for group in np.unique(groups):
        inside = groups == group
        largest = inside & (sizes == sizes[inside].max())
        held |= inside if np.unique(chains[largest]).size > 1 else inside & ~largest
    won, lost = (np.bincount(each, minlength=entrants) > 0 for each in wins)
    return Connections(groups, held, won & ~lost, lost & ~won)


def _wins(kinds: Kinds, only_first: bool) -> Integers:
    """Return (2, wins): who finished before, or level with, whom."""
    found = [np.empty((2, 0), dtype=np.int64)]
    for better, worse in permutations(range(kinds.sides.shape[1]), 2):
        rows = kinds.ranks[:, better] <= kinds.ranks[:, worse]
        if only_first:
            rows &= kinds.ranks[:, better] == 0
        found.append(kinds.sides[rows][:, [better, worse]].T)
    return np.concatenate(found, axis=1)

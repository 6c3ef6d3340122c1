"""Many tables of one game, stepped by one kernel: an action, what is forced, the end and the next deal, the view."""

# Kernels are typed by numba; templates have names that `link` binds.
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821

import functools
from typing import Any

import numpy as np

from bots.rewards import WIN, reward_end
from engines.core import Game
from engines.kernel import kernel, link, piece
from engines.records import SEATS
from engines.rng import below
from engines.vectors import encode

DEAL, LEAVE = -1, -2  # in `actions`: begin a new game; leave the table as it is
# Columns of `settings`: the reward, the sides, the endings that only stop a game as a mask, whether decisions with one
# action are asked for, random decisions after a deal, whether masks are offered and last observations kept.
KIND, SIDES, CAPS, FORCED, OPENING, MASKED, KEPT = range(7)


def end_game(one, i, settings, worth, ranked, scored, reward, terminated, truncated):
    """Piece: what the finished game was worth to each player, and whether it was only stopped."""
    ranks(one, ranked)
    points(one, scored)
    reward_end(worth, one[0], ranked, scored, settings[KIND])
    sides = float(settings[SIDES])
    for player in range(int(one[0].players)):
        share = worth[one[0].team[player]]
        if settings[KIND] == WIN and sides > 2:
            reward[i, player] = (share * sides - 1.0) / (sides - 1.0)
        else:
            reward[i, player] = 2.0 * share - 1.0
    stopped = (settings[CAPS] >> int(ending(one))) & 1 == 1
    terminated[i] = not stopped
    truncated[i] = stopped


def step_some(
    states, start, rngs, choosers, opening, actions, lo, hi, settings,
    program, factors, lookup, view, raw,
    observation, mask, legal, counts, to_act, reward, terminated, truncated, final, drawn,
):  # fmt: skip
    """Template: carry out `actions[i]` at each table lo..hi-1 and write what comes of it.

    drawn[i] becomes a random legal action: here it costs least, where the list is at hand.
    """
    worth = np.zeros(SEATS)
    ranked = np.zeros(SEATS, np.int8)
    scored = np.zeros(SEATS, np.int32)
    for i in range(lo, hi):
        action = int(actions[i])
        row = legal[i]
        if action == LEAVE:
            drawn[i] = row[below(choosers[i], int(counts[i]))]
            continue
        one = states[i : i + 1]
        rng = rngs[i]
        reward[i, :] = 0.0
        terminated[i] = False
        truncated[i] = False
        if settings[MASKED]:
            for j in range(int(counts[i])):
                mask[i, row[j]] = False
        if action == DEAL:
            one[0] = start[0]
            deal(one, rng)
            opening[i] = settings[OPENING]
        else:
            apply(one, action, rng)
        n = int(legal_actions(one, row))
        while n < 2 or opening[i] > 0:
            if n == 0:
                if opening[i] == 0:
                    end_game(one, i, settings, worth, ranked, scored, reward, terminated, truncated)
                    if settings[KEPT]:
                        for player in range(int(one[0].players)):
                            observe(one, player, view)
                            encode(raw, program, factors, lookup, final[i, player])
                one[0] = start[0]
                deal(one, rng)
                opening[i] = settings[OPENING]
            elif n > 1:
                opening[i] -= 1
                apply(one, int(row[below(rng, n)]), rng)
            elif settings[FORCED] and opening[i] == 0:
                break
            else:
                apply(one, int(row[0]), rng)
            n = int(legal_actions(one, row))
        player = int(one[0].to_act)
        observe(one, player, view)
        encode(raw, program, factors, lookup, observation[i])
        if settings[MASKED]:
            for j in range(n):
                mask[i, row[j]] = True
        to_act[i] = player
        counts[i] = n
        drawn[i] = row[below(choosers[i], n)]


@functools.cache
def stepper(game: Game) -> Any:
    """The template linked to one game's kernels."""
    names = {name: getattr(game, name) for name in ("apply", "legal_actions", "deal", "observe")}
    scoring = {name: getattr(game, name) for name in ("ranks", "points", "ending")}
    return link(step_some, nogil=True, **names, end_game=piece(end_game, **scoring))


@kernel
def draw_actions(legal, counts, choosers, actions):
    """A uniformly random legal action for each table."""
    for i in range(counts.shape[0]):
        actions[i] = legal[i, below(choosers[i], int(counts[i]))]


@kernel
def first_illegal(actions, legal, counts, mask):
    """The first table whose action is not among its legal ones, or -1; lists are ascending. Masks answer at once."""
    size = mask.shape[1]
    for i in range(counts.shape[0]):
        action = int(actions[i])
        if 0 <= action < size and counts[i] > 0:
            if not mask[i, action]:
                return i
            continue
        low = 0
        high = int(counts[i])
        while low < high:
            middle = (low + high) // 2
            if legal[i, middle] < action:
                low = middle + 1
            else:
                high = middle
        found = low < counts[i] and legal[i, low] == action
        if not found and action != LEAVE and action != DEAL:
            return i
    return -1

"""Which cards, tools, tiles, ... were used in stored matches, and how their users fared.

A subject is what a game's `subjects` names; an action can use several. Actions are re-read from the
store, forced ones included; those that a stand-in played after a fault count for its seat too.
Nothing here loops over matches.
"""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from arena.results.groups import Group, Results
from arena.results.sums import key_of, tidy
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.families import discoveries
from arena.statistics.resampling import batches_of
from arena.statistics.shares import means_by_deal
from engines.core import Game

CHUNK = 4000  # matches whose actions are looked at together: some numbers of eight bytes each for every one
USAGE = (
    *("game", "variant", "players", "subject", "seats", "used", "use_share", "times"),
    *("win_share", "expected", "lift", "lift_low", "lift_high", "family_low", "family_high"),
    "deals",
)


@dataclass(frozen=True)
class Moves:
    """The actions of all matches one after another: match i has [starts[i], starts[i + 1])."""

    starts: Integers
    actions: NDArray[np.uint16]
    actors: NDArray[np.int8]


@dataclass(frozen=True)
class Uses:
    """Each subject that a seat of a match used at all, once (u,): where, what, how many times."""

    match: NDArray[np.int32]
    seat: NDArray[np.int32]
    subject: NDArray[np.int32]
    times: NDArray[np.int32]


def moves_of(table: pa.Table) -> Moves:
    """Return the columns `actions` and `actors` of stored matches as plain arrays."""
    lists = [table[name].combine_chunks() for name in ("actions", "actors")]
    starts = np.concatenate([[0], np.cumsum(np.asarray(lists[0].value_lengths()))])
    actions, actors = (each.flatten().to_numpy(zero_copy_only=False) for each in lists)
    return Moves(starts.astype(np.int64), actions, actors)


def usage(results: Results, moves: Moves, game_of: Callable[[str], Game | None]) -> pd.DataFrame:
    """Return one row for each subject that was used in a group, most used first.

    seats: seats of all matches. used: of them, how many used the subject, use_share the share and
    times the mean number of uses of those. win_share: of the seats that used it. expected: what the
    same entrants reach in the same seats over all matches. lift = win_share - expected, with a 95 %
    interval by deals; family_low, family_high: that of 5 % false discoveries among all subjects of a group
    (`families`), with which claims are made. It is an association: a subject may go along with
    winning because only those ahead can afford it.

    Args:
        results: stored matches; `moves` has theirs, in the same order.
        game_of: the game of a name, None where its rules are not at hand.
    """
    parts = []
    for group in results.groups:
        game = game_of(group.game)
        if game is not None and game.subjects.names:
            parts.append(_usage(group, uses_of(group, moves, game), game.subjects.names))
    return tidy(parts, USAGE)


def uses_of(group: Group, moves: Moves, game: Game) -> Uses:
    """Return which seat of which match of the group used which subject of the game."""
    parts = []
    for first in range(0, max(len(group.rows), 1), CHUNK):
        codes, times = codes_of(group.rows[first : first + CHUNK], group.players, moves, game)
        seat, subject = np.divmod(codes, len(game.subjects.names))
        match, seat = np.divmod(seat, group.players)
        parts.append([own.astype(np.int32) for own in (match + first, seat, subject, times)])
    return Uses(*(np.concatenate(own) for own in zip(*parts, strict=True)))


def codes_of(rows: Integers, players: int, moves: Moves, game: Game) -> tuple[Integers, Integers]:
    """Return codes (u,) of match, seat and subject of some matches, ascending, and how often each was used."""
    starts, subjects = subjects_of(game)
    lengths = moves.starts[rows + 1] - moves.starts[rows]
    place = _ranges(moves.starts[rows], lengths)
    seat = np.repeat(np.arange(len(lengths)) * players, lengths) + moves.actors[place]
    action = moves.actions[place].astype(np.int64)
    each = starts[action + 1] - starts[action]
    subject = subjects[_ranges(starts[action], each)]
    return np.unique(np.repeat(seat, each) * len(game.subjects.names) + subject, return_counts=True)


@functools.lru_cache(maxsize=16)
def subjects_of(game: Game) -> tuple[Integers, Integers]:
    """Return the subjects of all actions: action a uses subjects[starts[a]:starts[a + 1]]."""
    lists = [tuple(dict.fromkeys(game.subjects.of_action(a))) for a in range(game.actions.size)]
    starts = np.concatenate([[0], np.cumsum([len(each) for each in lists])])
    subjects = [subject for each in lists for subject in each]
    return starts.astype(np.int64), np.array(subjects, dtype=np.int64)


def _ranges(starts: Integers, lengths: Integers) -> Integers:
    """Return starts[0], starts[0] + 1, ... lengths[0] of them, then those from starts[1], ..."""
    ends = np.cumsum(lengths)
    return np.asarray(
        np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + lengths, lengths)
    )


def expected_shares(group: Group) -> Floats:
    """Return for each seat of each match (m, n) the mean win share of its entrant in that seat."""
    cell = group.sides * group.players + np.arange(group.players)
    size = len(group.names) * group.players
    played = np.bincount(cell.ravel(), minlength=size)
    won = np.bincount(cell.ravel(), weights=group.win_shares.ravel(), minlength=size)
    return np.asarray((won / np.maximum(played, 1))[cell])


def _usage(group: Group, uses: Uses, names: tuple[str, ...]) -> Mapping[str, Any]:
    size = len(names)
    shares = group.win_shares[uses.match, uses.seat]
    expected = expected_shares(group)[uses.match, uses.seat]
    used = np.bincount(uses.subject, minlength=size)
    found = np.flatnonzero(used)
    found = found[np.argsort(-used[found], kind="stable")]
    count = used[found]

    def mean(values: Floats | NDArray[np.int32]) -> Floats:
        return np.asarray(np.bincount(uses.subject, weights=values, minlength=size)[found] / count)

    batches = batches_of(group.deals)
    cell = batches.batch[uses.match] * size + uses.subject
    cells, shape = batches.columns * size, (batches.columns, size)
    gained = (
        np.bincount(cell, weights=shares - expected, minlength=cells)
        .reshape(shape)
        .astype(np.float64)
    )
    tried = np.bincount(cell, minlength=cells).reshape(shape).astype(np.float64)
    lift, low, high = (np.asarray(each)[found] for each in means_by_deal(gained, tried, least=0.5))
    deals = np.asarray((tried > 0).sum(axis=0))[found]
    family = family_ends(lift, high, deals)
    return {
        **key_of(group),
        "subject": np.array(names, dtype=object)[found],
        "seats": group.sides.size,
        "used": count,
        "use_share": count / group.sides.size,
        "times": mean(uses.times),
        "win_share": mean(shares),
        "expected": mean(expected),
        "lift": lift,
        "lift_low": low,
        "lift_high": high,
        "family_low": family[0],
        "family_high": family[1],
        "deals": deals,
    }


def family_ends(lift: Floats, high: Floats, deals: Integers) -> tuple[Floats, Floats]:
    """Return the ends of the intervals (k,) of a family from the upper ends of single 95 % ones."""
    known = ~np.isnan(high)
    freedom = np.maximum(deals - 1, 1)
    error = (high - lift) / stdtrit(freedom, 0.975)
    p_values = np.asarray(2 * stdtr(freedom, -np.abs(lift) / error))
    _, confidence = discoveries(p_values[known].tolist())
    half = error * stdtrit(freedom, (1 + confidence) / 2)
    return lift - half, lift + half

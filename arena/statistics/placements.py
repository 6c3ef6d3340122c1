"""Who finished where, and what the rating models learn from it.

Matches become choices (see `choice_model`) in four ways:

* first choice (Luce 1959): of all sides one is first, `P(i) = w_i / sum w`; k that share the first
  place are each 1/k of a first choice. With two sides this is Bradley-Terry with a draw as half a
  win each.
* Plackett-Luce with ties (Turner, van Etten, Firth & Kosmidis 2020, Computational Statistics 35):
  place after place a set C is chosen among those left, `P(C) ~ d_|C| (prod w)^(1/|C|)`, d_1 = 1.
* pairs: each two at a table as a match of their own, a shared place as half a win. Elo is made of
  these, for Plackett-Luce with ties stretches the scale: the same bots with the same noise were 256
  Elo apart at tables of two, 457 at three. Without ties both estimate the same worths (Luce's
  axiom), pairs with 3 % more error.
* a fault at a table of three or four: a stand-in plays on, so that only the offender's loss counts.
  By Luce's axiom both models say `P(j before f) = w_j / (w_j + w_f)`; each other side j beats the
  offender in such a pair, and the order of the others does not enter. The pairs weigh together so
  that, between equals, a fault pulls as hard as an ordinary last place (first choice: an ordinary
  lost first place). The exact probability of "f is last" is not log-concave and can set others
  apart, so it is not used.

An entrant that holds several seats is several equal alternatives; it cannot beat itself, and a
match of one entrant alone says nothing and is left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from arena.statistics.choice_model import Choices, Design, Floats, Integers, joined

Places = Literal["all", "winner"]
Model = Literal["first choice", "plackett-luce"]

LARGEST_LOOKUP = 1 << 23  # codes below this are numbered through a table, others by sorting


@dataclass(frozen=True)
class Truth:
    """How many deals there are (of matches in which different entrants met), and in how many each entrant (k,) sat.

    groups: into how many these are pooled.
    """

    deals: int
    groups: int
    by_entrant: Integers


@dataclass(frozen=True)
class Placements:
    """The results of matches with equally many sides.

    names: the entrants (k). sides (m, n): entrant of each side, in order of play. ranks (m, n): 1
    is best, ties share. deals (m,): matches of one deal are resampled together. weights (m,): how
    much a match counts. faults (m,): the side at fault or -1. places: "all" or "winner", whether
    ranks below the first mean anything. roles: the sides differ in more than their order (one against
    two), so that each has a strength of its own. truth: the true numbers of deals, where `deals` are groups
    of them and rows stand for several matches. ValueError where shapes or values do not fit.
    """

    names: tuple[str, ...]
    sides: Integers
    ranks: Integers
    deals: Integers
    weights: Floats
    faults: Integers
    places: Places = "all"
    roles: bool = False
    truth: "Truth | None" = None

    def __post_init__(self) -> None:
        """Check that everything fits together."""
        matches = self.sides.shape[0]
        if self.sides.ndim != 2 or self.sides.shape != self.ranks.shape:
            raise ValueError(
                f"sides {self.sides.shape} and ranks {self.ranks.shape} must be (m, n)"
            )
        for name in ("deals", "weights", "faults"):
            if getattr(self, name).shape != (matches,):
                raise ValueError(f"{name} has shape {getattr(self, name).shape}, not ({matches},)")
        if matches and not 0 <= self.sides.min() <= self.sides.max() < len(self.names):
            raise ValueError(f"sides must be entrants 0..{len(self.names) - 1}")
        if self.places not in ("all", "winner"):
            raise ValueError(f"places must be 'all' or 'winner', not {self.places!r}")

    @property
    def model(self) -> Model:
        """The model of these results: Plackett-Luce where at least three places mean something.

        Roles are a term of first choices only.
        """
        several = self.sides.shape[1] > 2 and self.places == "all" and not self.roles
        return "plackett-luce" if several else "first choice"


def placements(
    names: Iterable[str],
    sides: ArrayLike,
    ranks: ArrayLike,
    *,
    deals: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    faults: ArrayLike | None = None,
    places: Places = "all",
) -> Placements:
    """Return Placements from array-likes; by default one deal a match, weight 1, no faults."""
    who = np.asarray(sides, dtype=np.int64)
    matches = who.shape[0]
    return Placements(
        tuple(names),
        who,
        np.asarray(ranks, dtype=np.int64),
        np.arange(matches) if deals is None else np.asarray(deals, dtype=np.int64),
        np.ones(matches) if weights is None else np.asarray(weights, dtype=np.float64),
        np.full(matches, -1) if faults is None else np.asarray(faults, dtype=np.int64),
        places,
    )


def numbered(values: Integers) -> tuple[Integers, Integers]:
    """Return the distinct values, ascending, and for each value its position among them."""
    if values.size and values.min() >= 0 and values.max() < LARGEST_LOOKUP:
        present = np.zeros(int(values.max()) + 1, dtype=bool)
        present[values] = True
        return np.flatnonzero(present), (np.cumsum(present) - 1)[values]
    distinct, position = np.unique(values, return_inverse=True)
    return distinct, position


@dataclass(frozen=True)
class Kinds:
    """Matches that differ only in their deal, one row for each kind.

    sides (kinds, n): entrants. ranks (kinds, n): 0 is best. counts (kinds, batches): summed
    weights.
    """

    sides: Integers
    ranks: Integers
    counts: sparse.csr_array


def kinds_of(
    sides: Integers,
    ranks: Integers,
    batches: Integers,
    weights: Floats,
    *,
    columns: int,
    ordered: bool = False,
) -> Kinds:
    """Return the kinds of matches, their counts in `columns` batches.

    `ordered` keeps the sides in order of play; else they go by rank, then by entrant.
    """
    size = int(sides.max(initial=0)) + 1
    keys = (ranks - 1) * size + sides
    if not ordered:
        keys = np.sort(keys, axis=1)
    base = int(keys.max(initial=0)) + 1
    codes, kind = numbered(packed(keys, base))
    if not np.all(weights == 1.0):  # sums of fractions would depend on the order of rows
        order = np.lexsort((weights, batches, kind))
        kind, batches, weights = kind[order], batches[order], weights[order]
    counts = sparse.csr_array((weights, (kind, batches)), shape=(codes.size, columns))
    digits = _unpacked(codes, base, sides.shape[1])
    return Kinds(digits % size, digits // size, counts)


def packed(digits: Integers, base: int) -> Integers:
    """Return one code for each row of digits (m, n) below base."""
    code = np.zeros(digits.shape[0], dtype=np.int64)
    for column in digits.T:
        code = code * base + column
    return code


def _unpacked(codes: Integers, base: int, width: int) -> Integers:
    powers = base ** np.arange(width - 1, -1, -1)
    return codes[:, None] // powers % base


def rated(results: Placements, batches: Integers, columns: int) -> tuple[Kinds, Kinds]:
    """Return the kinds of ordinary matches and the kinds (n = 2) of losses by fault.

    batches (m,): the column of `counts`, below `columns`, to which each match belongs.
    """
    sides, ranks = results.sides, results.ranks
    seats = sides.shape[1]
    several = (sides != sides[:, :1]).any(axis=1)
    faulty = (results.faults >= 0) & several & (seats > 2)
    plain = several & ~faulty
    ordinary = kinds_of(
        sides[plain],
        ranks[plain],
        batches[plain],
        results.weights[plain],
        columns=columns,
        ordered=results.roles,
    )
    losers, others, rows = _offences(results, np.flatnonzero(faulty))
    weights = results.weights[rows] * fault_weight(seats, results.model)
    pairs = np.stack([others, losers], axis=1)
    order = np.broadcast_to(np.array([1, 2]), pairs.shape)
    return ordinary, kinds_of(pairs, order, batches[rows], weights, columns=columns)


def _offences(results: Placements, rows: Integers) -> tuple[Integers, Integers, Integers]:
    """Return offender, opponent and match for every pair of different entrants of a fault match."""
    offenders = results.sides[rows, results.faults[rows]]
    match, seat = np.nonzero(results.sides[rows] != offenders[:, None])
    return offenders[match], results.sides[rows][match, seat], rows[match]


def fault_weight(seats: int, model: Model) -> float:
    """Weight of one pair, so that a fault among equals pulls like an ordinary last place."""
    pull = 1.0 / seats
    if model == "plackett-luce":
        pull = sum(1.0 / left for left in range(2, seats + 1))
    return 2.0 * pull / (seats - 1) if seats > 1 else 1.0


def pairs_of(kinds: Kinds, *, only_first: bool = False) -> Kinds:
    """Return every pair of different entrants at each table as a match of two: who was before whom.

    only_first: of pairs of which one was first.
    """
    sides, ranks, rows = [], [], []
    for pair in combinations(range(kinds.sides.shape[1]), 2):
        own = kinds.sides[:, pair]
        met = np.flatnonzero(own[:, 0] != own[:, 1])
        if only_first:
            met = met[kinds.ranks[met][:, pair].min(axis=1) == 0]
        sides.append(own[met])
        ranks.append(kinds.ranks[met][:, pair])
        rows.append(met)
    if not rows or not sum(map(len, rows)):
        nobody = np.empty((0, 2), dtype=np.int64)
        return Kinds(nobody, nobody, sparse.csr_array((0, kinds.counts.shape[1])))
    who, places, source = np.concatenate(sides), np.concatenate(ranks), np.concatenate(rows)
    order = 1 + (places - places.min(axis=1, keepdims=True) > 0)
    once = kinds_of(who, order, np.arange(len(who)), np.ones(len(who)), columns=len(who))
    shape = (len(who), kinds.sides.shape[0])
    from_kinds = sparse.csr_array((np.ones(len(who)), (np.arange(len(who)), source)), shape=shape)
    return Kinds(once.sides, once.ranks, sparse.csr_array(once.counts @ from_kinds @ kinds.counts))


def tie_sizes(kinds: Kinds) -> tuple[int, ...]:
    """Return the sizes >= 2 of the ties that occur."""
    if not len(kinds.sides):
        return ()
    sizes = (kinds.ranks[:, :, None] == kinds.ranks[:, None, :]).sum(axis=2)
    return tuple(int(size) for size in np.unique(sizes) if size > 1)


def first_choices(kinds: Kinds, parameters: int, *, seats: Integers | None = None) -> Design:
    """Return the design of first choices; `seats` (n,): parameters of the seats, if they count."""
    width = kinds.sides.shape[1]
    first = (kinds.ranks == 0).astype(np.float64)
    share = first / np.maximum(first.sum(axis=1, keepdims=True), 1.0)
    options = np.eye(width) if seats is None else np.hstack([np.eye(width)] * 2)
    members = np.sort(kinds.sides, axis=1) if seats is None else kinds.sides
    columns, counts = _grouped(members, np.arange(len(members)), kinds)
    observed = _tally(kinds.sides, share, np.arange(len(members)), kinds, parameters)
    if seats is not None:
        columns = np.hstack([columns, np.broadcast_to(seats, columns.shape)])
        observed += _tally(
            np.broadcast_to(seats, members.shape), share, np.arange(len(members)), kinds, parameters
        )
    return Design((Choices(columns, options, counts),), observed)


def plackett_luce(kinds: Kinds, parameters: int, ties: dict[int, int]) -> Design:
    """Return the design of all places; `ties`: the parameter (log d) of each size of tie."""
    seats = kinds.sides.shape[1]
    stages = [_stage(kinds, start, parameters, ties) for start in range(seats - 1)]
    return joined(*stages)


def _stage(kinds: Kinds, start: int, parameters: int, ties: dict[int, int]) -> Design:
    """Return the choices made when `start` sides are already placed."""
    ranks = kinds.ranks
    begins = np.ones(len(ranks), bool) if start == 0 else ranks[:, start] != ranks[:, start - 1]
    rows = np.flatnonzero(begins)
    members = kinds.sides[rows, start:]
    chosen = (ranks[rows, start:] == ranks[rows, start : start + 1]).astype(np.float64)
    sizes = chosen.sum(axis=1)
    observed = _tally(members, chosen / np.maximum(sizes, 1.0)[:, None], rows, kinds, parameters)
    for size, parameter in ties.items():
        observed[parameter] += kinds.counts[rows[sizes == size]].sum(axis=0)
    columns, counts = _grouped(np.sort(members, axis=1), rows, kinds)
    extra = np.broadcast_to(
        np.array(list(ties.values()), dtype=np.int64), (len(columns), len(ties))
    )
    options = subsets(members.shape[1], tuple(ties))
    return Design((Choices(np.hstack([columns, extra]), options, counts),), observed)


def subsets(members: int, ties: tuple[int, ...]) -> Floats:
    """Return the options (options, members + ties) of a stage: one alone, or a tie of a size."""
    options = []
    for size in (1, *ties):
        for chosen in combinations(range(members), size):
            option = np.zeros(members + len(ties))
            option[list(chosen)] = 1.0 / size
            if size > 1:
                option[members + ties.index(size)] = 1.0
            options.append(option)
    return np.array(options)


def _grouped(members: Integers, rows: Integers, kinds: Kinds) -> tuple[Integers, Floats]:
    """Return the distinct sets of members and how often each was chosen from, (sets, batches)."""
    base = int(members.max(initial=0)) + 1
    codes, which = numbered(packed(members, base))
    shape = (codes.size, kinds.sides.shape[0])
    add = sparse.csr_array((np.ones(rows.size), (which, rows)), shape=shape)
    return _unpacked(codes, base, members.shape[1]), (add @ kinds.counts).toarray()


def _tally(
    members: Integers, amounts: Floats, rows: Integers, kinds: Kinds, parameters: int
) -> Floats:
    """Return the amounts of every kind, added to its members' parameters (parameters, batches)."""
    shape = (parameters, kinds.counts.shape[0])
    who = np.repeat(rows, members.shape[1])
    add = sparse.csr_array((amounts.ravel(), (members.ravel(), who)), shape=shape)
    return np.asarray((add @ kinds.counts).toarray())

"""Ratings on the Elo scale with intervals, a pure function of the matches.

Models: `placements` says what a match teaches. Scale: Elo = 400 / ln 10 x log worth, so that the
better of two entrants d Elo apart is expected to score 1 / (1 + 10^(-d / 400)). The mean is 0, or
an anchor is fixed; entrants that never met, not even through others, get a mean of 0 for each
group.

Roles: where sides differ (one against two), each side has a log worth of its own, added to that of
whoever plays it. Without that term a strong role would pass for luck and draw all ratings together.

Prior: every entrant wins and loses 0.5 matches against a ghost of log worth 0 (`npseudo` of the R
package PlackettLuce). It keeps every rating finite and fades behind a handful of matches. Each tie
parameter gets TIE_PRIOR pseudo-observations for and against in the same way.

Intervals: `resampling` says how deals are drawn. In a resample each pseudo-win and pseudo-loss has
a Gamma weight with the prior as its mean, without which an unbeaten entrant would get an interval
of width 0 (with it: about the Jeffreys interval of its score). The seed is fixed: same matches,
same digits.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from arena.statistics.choice_model import (
    Choices,
    Design,
    Fit,
    Floats,
    Integers,
    joined,
    maximise,
    reweighted,
)
from arena.statistics.connections import connections
from arena.statistics.placements import (
    Kinds,
    Placements,
    first_choices,
    kinds_of,
    plackett_luce,
    rated,
    tie_sizes,
)
from arena.statistics.placements import placements as placements
from arena.statistics.resampling import FEWEST_DEALS, Batches, batches_of, interval, multiplicities

ELO = 400.0 / np.log(10.0)  # Elo points in one log worth
PRIOR = 0.5
TIE_PRIOR = 0.1
SMALLEST_WEIGHT = 1e-4  # of a resampled pseudo-observation
FINE = 1e-3  # log worth in the last Newton step of a resample; the error left is near its square


@dataclass(frozen=True)
class Roles:
    """What playing each side is worth where sides differ: elo, low, high (n,), mean 0."""

    elo: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Ratings:
    """Ratings of the entrants `names`, in their order.

    elo, low, high (k,): Elo and its interval, nan where there are fewer than 10 deals. matches and
    deals (k,): the rated ones. groups: entrants connected by matches; ratings compare only inside
    one. held (k,): True where the results alone give no finite rating and the prior holds it.
    log_worths (k,) and tie_log_sizes (by size of tie): as fitted, before centring; log_likelihood
    with the prior's terms. resamples (resamples, k): Elo, or (0, k). roles: None where sides are
    alike.
    """

    names: tuple[str, ...]
    elo: Floats
    low: Floats
    high: Floats
    matches: Integers
    deals: Integers
    groups: tuple[tuple[str, ...], ...]
    held: NDArray[np.bool_]
    log_worths: Floats
    tie_log_sizes: dict[int, float]
    log_likelihood: float
    resamples: Floats
    roles: Roles | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of these ratings must know, one sentence each."""
        notes = []
        if len(self.groups) > 1:
            groups = " | ".join(", ".join(group) for group in self.groups)
            notes.append(f"these groups never met, their ratings do not compare: {groups}")
        held = [name for name, flag in zip(self.names, self.held, strict=True) if flag]
        if held:
            notes.append(f"results alone give no finite rating, the prior holds: {', '.join(held)}")
        return tuple(notes)


@dataclass(frozen=True)
class SeatEffect:
    """What the order of play is worth.

    elo, low, high (n,): Elo of sitting in each seat, mean 0 (interval nan below 10 deals).
    statistic, freedom, p_value: likelihood-ratio test of no effect, with matches taken as
    independent.
    """

    elo: Floats
    low: Floats
    high: Floats
    statistic: float
    freedom: int
    p_value: float


@dataclass(frozen=True)
class Ghosts:
    """The prior: weight of a pseudo-win or -loss of each of `worths`, and of each size of tie."""

    worths: int
    ties: tuple[int, ...]
    prior: float
    tie_prior: float = 0.0


def rate(
    results: Placements,
    *,
    anchor: tuple[str, float] | None = None,
    prior: float = PRIOR,
    tie_prior: float = TIE_PRIOR,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> Ratings:
    """Return the ratings of all entrants, the same for any order of the matches.

    anchor fixes one entrant at an Elo; its group shifts with it. prior = tie_prior = resamples = 0
    is plain maximum likelihood. ValueError: unknown anchor, or a maximum at infinity.
    """
    names, entrants = results.names, len(results.names)
    _check_anchor(anchor, names)
    results = _informative(results)
    batches = batches_of(results.deals)
    ordinary, faults = rated(results, batches.batch, batches.columns)
    groups, held = connections(ordinary, faults, entrants, results.model)
    _check_finite(names, held, prior)
    design, ghosts = _design(ordinary, faults, results, prior, tie_prior)
    terms = ghosts.worths - entrants  # of the roles: a group of their own
    fit = _whole_fit(design, ghosts, np.append(groups, np.full(terms, entrants)))
    drawn = _resample(design, ghosts, fit, batches, resamples, seed)
    elo = _centred(fit.parameters[:entrants], groups, names, anchor)
    spread = _centred(drawn[:entrants], groups, names, anchor)
    return Ratings(
        names,
        elo[:, 0],
        *interval(elo[:, 0], spread, _distinct_deals(results, batches), confidence),
        matches=_matches(results),
        deals=_distinct_deals(results, batches),
        groups=_named(names, groups),
        held=held,
        log_worths=fit.parameters[:entrants, 0],
        tie_log_sizes=dict(
            zip(ghosts.ties, fit.parameters[ghosts.worths :, 0].tolist(), strict=True)
        ),
        log_likelihood=float(fit.log_likelihood[0]),
        resamples=spread.T,
        roles=_roles(fit, drawn, slice(entrants, ghosts.worths), batches, confidence),
    )


def _roles(
    fit: Fit, drawn: Floats, rows: slice, batches: Batches, confidence: float
) -> Roles | None:
    """Return the strengths of the sides, parameters `rows`; None if there are none."""
    terms = rows.stop - rows.start
    if not terms:
        return None
    together = np.zeros(terms, dtype=np.int64)
    elo = _centred(fit.parameters[rows], together)[:, 0]
    spread = _centred(drawn[rows], together)
    return Roles(elo, *interval(elo, spread, np.full(terms, batches.deals), confidence))


def seat_effect(
    results: Placements,
    *,
    prior: float = PRIOR,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
) -> SeatEffect:
    """Return what each seat adds to the log worth of whoever sits there.

    First choices only (with two sides: Bradley-Terry with a seat term, Agresti 1990 section 10.6).
    Matches of one entrant alone count here; matches with a fault at tables of three or more do not.
    """
    entrants, seats = len(results.names), results.sides.shape[1]
    results = _kept(results, (results.weights > 0) & ((results.faults < 0) | (seats == 2)))
    batches = batches_of(results.deals)
    firsts = np.minimum(results.ranks, 2)
    kinds = kinds_of(
        results.sides, firsts, batches.batch, results.weights, columns=batches.columns, ordered=True
    )
    rows = entrants + np.arange(seats)
    design = first_choices(kinds, entrants + seats, seats=rows)
    ghosts = Ghosts(entrants + seats, (), prior)
    fit = _whole_fit(design, ghosts, np.repeat([0, 1], [entrants, seats]))
    plain = _whole_fit(
        first_choices(kinds, entrants), Ghosts(entrants, (), prior), np.zeros(entrants)
    )
    equal = 2 * prior * seats * np.log(0.5)  # of the ghosts of seats that are all worth the same
    statistic = max(0.0, 2 * float(fit.log_likelihood[0] - plain.log_likelihood[0] - equal))
    together = np.zeros(seats, dtype=np.int64)
    elo = _centred(fit.parameters[rows], together)
    drawn = _resample(design, ghosts, fit, batches, resamples, seed)[rows]
    low, high = interval(
        elo[:, 0], _centred(drawn, together), np.full(seats, batches.deals), confidence
    )
    p_value = float(chi2.sf(statistic, seats - 1))
    return SeatEffect(elo[:, 0], low, high, statistic, seats - 1, p_value)


def _check_anchor(anchor: tuple[str, float] | None, names: tuple[str, ...]) -> None:
    if anchor is not None and anchor[0] not in names:
        raise ValueError(f"the anchor {anchor[0]!r} is none of: {', '.join(names)}")


def _check_finite(names: tuple[str, ...], held: NDArray[np.bool_], prior: float) -> None:
    if prior == 0 and held.any():
        raise ValueError(f"no finite maximum without a prior: {np.array(names)[held].tolist()}")


def _design(
    ordinary: Kinds, faults: Kinds, results: Placements, prior: float, tie_prior: float
) -> tuple[Design, Ghosts]:
    """Return all choices of the matches.

    Parameters are log worths, then those of the roles if sides differ, then log sizes of ties.
    """
    entrants = len(results.names)
    if results.roles:
        size = entrants + results.sides.shape[1]
        main = first_choices(ordinary, size, seats=np.arange(entrants, size))
        return joined(main, first_choices(faults, size)), Ghosts(size, (), prior)
    ties = tie_sizes(ordinary) if results.model == "plackett-luce" else ()
    size = entrants + len(ties)
    if results.model == "plackett-luce":
        rows = {tie: entrants + row for row, tie in enumerate(ties)}
        main = plackett_luce(ordinary, size, rows)
    else:
        main = first_choices(ordinary, size)
    return joined(main, first_choices(faults, size)), Ghosts(entrants, ties, prior, tie_prior)


def _whole_fit(design: Design, ghosts: Ghosts, groups: NDArray[np.generic]) -> Fit:
    """Fit all data once. Without a prior, the mean of each group (worths,) stays at 0."""
    columns = design.observed.shape[0]
    total = reweighted(design, np.ones((design.observed.shape[1], 1)))
    weights = np.full((columns, 1), ghosts.prior)
    weights[ghosts.worths :] = ghosts.tie_prior
    held = None
    if ghosts.prior == 0:
        held = np.zeros((np.unique(groups).size, columns))
        held[:, : ghosts.worths] = np.unique(groups)[:, None] == groups[None, :]
    return maximise(joined(total, pseudo_choices(ghosts, weights, weights)), held=held)


def _resample(
    design: Design, ghosts: Ghosts, fit: Fit, batches: Batches, resamples: int, seed: int
) -> Floats:
    """Return what resampled deals give (parameters, resamples); nothing below 10 deals."""
    columns = design.observed.shape[0]
    if not resamples or batches.deals < FEWEST_DEALS:
        return np.empty((columns, 0))
    if ghosts.prior == 0:
        raise ValueError("resamples need a prior: some would have no finite maximum")
    rng = np.random.default_rng(seed)
    drawn = reweighted(design, multiplicities(batches.columns, resamples, rng))
    start = fit.parameters[:, 0]
    pseudo = pseudo_choices(ghosts, *_pseudo_weights(ghosts, start, resamples, rng))
    return maximise(joined(drawn, pseudo), start=start, tolerance=FINE).parameters


def _pseudo_weights(
    ghosts: Ghosts, start: Floats, resamples: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return weights of pseudo-wins and pseudo-losses (parameters, resamples), the prior on average.

    Independent in every other resample, which moves equals apart. In the rest all draw the same weight
    of a result against, and of one along, their rating: how far an unbeaten and a winless entrant may
    come together takes weight on both, and independent draws would seldom give it.
    """
    shape = np.full((start.size, 1), ghosts.prior)
    shape[ghosts.worths :] = ghosts.tie_prior
    wins, losses = rng.gamma(shape, size=(2, start.size, resamples))
    along, against = rng.gamma(shape[:1], size=(2, 1, resamples))
    up = (start > 0)[:, None]
    alike = (np.arange(resamples) % 2 == 0) & (np.arange(start.size) < ghosts.worths)[:, None]
    wins = np.where(alike, np.where(up, along, against), wins)
    losses = np.where(alike, np.where(up, against, along), losses)
    return np.maximum(wins, SMALLEST_WEIGHT), np.maximum(losses, SMALLEST_WEIGHT)


def pseudo_choices(ghosts: Ghosts, wins: Floats, losses: Floats) -> Design:
    """Return the pseudo-choices of the prior, wins and losses (parameters, resamples).

    A worth meets a ghost of log worth 0, where it may also tie if ties of two exist (as in the R
    package); a log size of ties is preferred to 0 or not.
    """
    worth = np.arange(ghosts.worths)[:, None]
    tie = np.arange(ghosts.worths, wins.shape[0])[:, None]
    counts = wins + losses
    options = np.array([[1.0], [0.0]])
    if 2 in ghosts.ties:
        pair = ghosts.worths + ghosts.ties.index(2)
        met = np.hstack([worth, np.full_like(worth, pair)])
        with_ties = np.array([[1.0, 0.0], [0.0, 0.0], [0.5, 1.0]])
        worths = Choices(met, with_ties, counts[: ghosts.worths])
    else:
        worths = Choices(worth, options, counts[: ghosts.worths])
    return Design((worths, Choices(tie, options, counts[ghosts.worths :])), wins)


def _informative(results: Placements) -> Placements:
    """Return the matches that weigh something and in which different entrants met."""
    different = (results.sides != results.sides[:, :1]).any(axis=1)
    return _kept(results, (results.weights > 0) & different)


def _kept(results: Placements, rows: NDArray[np.bool_]) -> Placements:
    if rows.all():
        return results
    fields = ("sides", "ranks", "deals", "weights", "faults")
    return replace(results, **{name: getattr(results, name)[rows] for name in fields})


def _centred(
    log_worths: Floats,
    groups: Integers,
    names: tuple[str, ...] = (),
    anchor: tuple[str, float] | None = None,
) -> Floats:
    """Return Elo (k, resamples) with mean 0 in each group, or with the anchor where it belongs."""
    elo: Floats = log_worths * ELO
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        elo[rows] -= elo[rows].mean(axis=0)
    if anchor is not None:
        own = names.index(anchor[0])
        elo[groups == groups[own]] += anchor[1] - elo[own]
    return elo


def _matches(results: Placements) -> Integers:
    """Return in how many matches (k,) each entrant sat."""
    own = np.sort(results.sides, axis=1)
    first = np.ones(own.shape, dtype=bool)
    first[:, 1:] = own[:, 1:] != own[:, :-1]
    return np.asarray(np.bincount(own[first], minlength=len(results.names)))


def _distinct_deals(results: Placements, batches: Batches) -> Integers:
    """Return in how many deals (k,) each entrant sat."""
    sat = np.zeros((len(results.names), batches.deals), dtype=bool)
    for side in results.sides.T:
        sat[side, batches.deal] = True
    return np.asarray(sat.sum(axis=1))


def _named(names: tuple[str, ...], groups: Integers) -> tuple[tuple[str, ...], ...]:
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    return tuple(tuple(names[row] for row in rows) for rows in members)

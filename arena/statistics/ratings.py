"""Ratings on the Elo scale with intervals, a pure function of the matches.

Models: `placements` says what a match teaches. Scale: Elo = 400 / ln 10 x log worth, so that the
better of two entrants d Elo apart is expected to score 1 / (1 + 10^(-d / 400)) against the other, at
tables of any size: where all places count, Elo is fitted to who finished before whom, a shared place
as half a win for each. Where only the first place counts, the score is of matches that one of the two
has won. The mean is 0, or an anchor is fixed; entrants that never met, not even through others, get a
mean of 0 for each group.

Roles: where sides differ (one against two), each side has a log worth of its own, added to that of
whoever plays it. Without that term a strong role would pass for luck and draw all ratings together.

Prior: `prior` says what ghosts are; every entrant wins and loses 0.5 matches against one. Each tie
parameter gets TIE_PRIOR pseudo-observations for and against in the same way.

Intervals: by deals, on the scale of the score (`contrasts`), around the fit with hardly any prior.
They are open where an entrant has won, or lost, every match: `open_high`, `open_low`. Resamples are
for what is no difference of ratings. The seed is fixed: same matches, same digits.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from arena.statistics.choice_model import Design, Fit, Floats, Integers, joined
from arena.statistics.connections import Connections, connections
from arena.statistics.contrasts import Spread, gap_interval, meetings
from arena.statistics.placements import (
    Kinds,
    Placements,
    fault_weight,
    first_choices,
    kinds_of,
    pairs_of,
    plackett_luce,
    rated,
    tie_sizes,
)
from arena.statistics.placements import placements as placements
from arena.statistics.prior import DealSpread, resampled, whole_fit
from arena.statistics.prior import Ghosts as Ghosts
from arena.statistics.prior import pseudo_choices as pseudo_choices
from arena.statistics.resampling import FEWEST_DEALS, Batches, batches_of, interval
from arena.statistics.scale import ELO as ELO
from arena.statistics.scale import Zero, bounds

PRIOR = 0.5
TIE_PRIOR = 0.1
FAINT_STEP = 1e-5  # log worth in the last step of that fit
FAINT = 0.001  # prior of the fit that intervals lie around: finite, and next to maximum likelihood


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
    open_low, open_high (k,): the rating may be anything below `high` (every match lost), or above
    `low` (every match won); the other end is then no bound. log_worths (k,) and tie_log_sizes (by
    size of tie): as fitted by `Placements.model`, before centring; log_likelihood with the prior's
    terms. spread: what is known about the worths together. resamples (resamples, k): Elo, or (0,
    k). roles: None where sides are alike.
    """

    names: tuple[str, ...]
    elo: Floats
    low: Floats
    high: Floats
    matches: Integers
    deals: Integers
    groups: tuple[tuple[str, ...], ...]
    held: NDArray[np.bool_]
    open_low: NDArray[np.bool_]
    open_high: NDArray[np.bool_]
    log_worths: Floats
    tie_log_sizes: dict[int, float]
    log_likelihood: float
    spread: Spread | None
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

    elo, low, high (n,): Elo of sitting in each seat, mean 0 (interval nan below 10 deals); the test of
    no effect is `shares.even_by_deal`. log_likelihood: with the prior's terms.
    """

    elo: Floats
    low: Floats
    high: Floats
    log_likelihood: float


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
    batches = _batches(results)
    ordinary, faults = rated(results, batches.batch, batches.columns)
    met = connections(ordinary, faults, entrants, results.model)
    _check_finite(names, met.held, prior)
    if results.model == "plackett-luce":
        design, ghosts, compared = _pair_design(ordinary, faults, results, prior)
    else:
        design, ghosts, compared = _choice_design(ordinary, faults, results, prior)
    own = np.append(
        met.groups, np.full(ghosts.worths - entrants, entrants)
    )  # roles: one more group
    fit = whole_fit(design, ghosts, own)
    drawn = resampled(design, ghosts, fit, batches, resamples, seed)
    zero = Zero(met.groups, met.held, anchor and (names.index(anchor[0]), anchor[1]))
    elo = zero.centred(fit.parameters[:entrants])[:, 0]
    elos = zero.centred(drawn[:entrants])
    deals = _distinct_deals(results, batches)
    low = high = np.full(entrants, np.nan)
    spread = None
    if drawn.size:
        spread = _spread(design, ghosts, fit, own, deals, batches, met, compared)
        low, high = bounds(spread, zero, met, elo, interval(elo, elos, deals, confidence))
    likeliest, ties = _luce(ordinary, faults, results, fit, prior, tie_prior)
    return Ratings(
        names,
        elo,
        low,
        high,
        matches=_matches(results),
        deals=deals,
        groups=_named(names, met.groups),
        held=met.held,
        open_low=met.winless,
        open_high=met.unbeaten,
        log_worths=likeliest.parameters[:entrants, 0],
        tie_log_sizes=ties,
        log_likelihood=float(likeliest.log_likelihood[0]),
        spread=spread,
        resamples=elos.T,
        roles=_roles(design, ghosts, fit, batches, own, confidence) if results.roles else None,
    )


def seat_effect(
    results: Placements, *, prior: float = PRIOR, confidence: float = 0.95
) -> SeatEffect:
    """Return what each seat adds to the log worth of whoever sits there.

    First choices only (with two sides: Bradley-Terry with a seat term, Agresti 1990 section 10.6).
    Matches of one entrant alone count here; matches with a fault at tables of three or more do not.
    prior = 0 is plain maximum likelihood, without intervals.
    """
    entrants, seats = len(results.names), results.sides.shape[1]
    results = _kept(results, (results.weights > 0) & ((results.faults < 0) | (seats == 2)))
    batches = _batches(results)
    firsts = np.minimum(results.ranks, 2)
    kinds = kinds_of(
        results.sides, firsts, batches.batch, results.weights, columns=batches.columns, ordered=True
    )
    rows = entrants + np.arange(seats)
    design = first_choices(kinds, entrants + seats, seats=rows)
    ghosts = Ghosts(entrants + seats, (), prior)
    fit = whole_fit(design, ghosts, np.repeat([0, 1], [entrants, seats]))
    ends = _terms(design, ghosts, fit, rows, batches.deals if prior else 0, confidence)
    return SeatEffect(*ends, float(fit.log_likelihood[0]))


def _terms(
    design: Design, ghosts: Ghosts, fit: Fit, rows: Integers, deals: int, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Return Elo (n,) of the terms `rows` of sides or seats, mean 0, with intervals by deals.

    Each is measured against the others of equal number: among equals its share of first places. Intervals
    lie around the estimate itself, not around the fit with hardly any prior: of a few upsets all may come
    from one seat, which says little but has no finite maximum.
    """
    elo = ELO * (fit.parameters[rows, 0] - fit.parameters[rows, 0].mean())
    if deals < FEWEST_DEALS:
        return elo, np.full(rows.size, np.nan), np.full(rows.size, np.nan)
    worths = fit.parameters[:, 0]
    covariance = DealSpread(design, ghosts, worths).covariance()[np.ix_(rows, rows)]
    part = (rows.size - 1) / rows.size  # a term against the others, and against the mean of all
    contrasts = (np.eye(rows.size) - 1 / rows.size) / part
    gaps = contrasts @ worths[rows]
    variance = np.einsum("ij,jk,ik->i", contrasts, covariance, contrasts)
    low, high = gap_interval(
        gaps, np.maximum(variance, 0), deals, rivals=rows.size - 1, confidence=confidence
    )
    return elo, np.minimum(ELO * part * low, elo), np.maximum(ELO * part * high, elo)


def _check_anchor(anchor: tuple[str, float] | None, names: tuple[str, ...]) -> None:
    if anchor is not None and anchor[0] not in names:
        raise ValueError(f"the anchor {anchor[0]!r} is none of: {', '.join(names)}")


def _check_finite(names: tuple[str, ...], held: NDArray[np.bool_], prior: float) -> None:
    if prior == 0 and held.any():
        raise ValueError(f"no finite maximum without a prior: {np.array(names)[held].tolist()}")


def _choice_design(
    ordinary: Kinds, faults: Kinds, results: Placements, prior: float
) -> tuple[Design, Ghosts, tuple[Kinds, ...]]:
    """Return first choices, with a term for each role if sides differ; and who met whom."""
    entrants = len(results.names)
    size = entrants + (results.sides.shape[1] if results.roles else 0)
    seats = np.arange(entrants, size) if results.roles else None
    main = first_choices(ordinary, size, seats=seats)
    design = joined(main, first_choices(faults, size))
    return design, Ghosts(size, (), prior), (pairs_of(ordinary, only_first=True), faults)


def _pair_design(
    ordinary: Kinds, faults: Kinds, results: Placements, prior: float
) -> tuple[Design, Ghosts, tuple[Kinds, ...]]:
    """Return who finished before whom as matches of two; a fault is a loss against each other side."""
    entrants = len(results.names)
    plain = fault_weight(results.sides.shape[1], results.model)
    pairs = pairs_of(ordinary)
    lost = replace(faults, counts=sparse.csr_array(faults.counts / plain))
    design = joined(first_choices(pairs, entrants), first_choices(lost, entrants))
    return design, Ghosts(entrants, (), prior), (pairs, lost)


def _luce(
    ordinary: Kinds, faults: Kinds, results: Placements, fit: Fit, prior: float, tie_prior: float
) -> tuple[Fit, dict[int, float]]:
    """Return the fit by the model of the results, and the log sizes of its ties."""
    if results.model != "plackett-luce":
        return fit, {}
    entrants, ties = len(results.names), tie_sizes(ordinary)
    size = entrants + len(ties)
    rows = {tie: entrants + row for row, tie in enumerate(ties)}
    design = joined(plackett_luce(ordinary, size, rows), first_choices(faults, size))
    groups = connections(ordinary, faults, entrants, results.model).groups
    found = whole_fit(design, Ghosts(entrants, ties, prior, tie_prior), groups)
    return found, dict(zip(ties, found.parameters[entrants:, 0].tolist(), strict=True))


def _spread(
    design: Design,
    ghosts: Ghosts,
    fit: Fit,
    own: Integers,
    deals: Integers,
    batches: Batches,
    met: Connections,
    compared: tuple[Kinds, ...],
) -> Spread:
    """Return what is known about the worths together, at the fit with hardly any prior."""
    size = deals.size
    faint = replace(ghosts, prior=min(ghosts.prior, FAINT))
    start = fit.parameters[:, 0]
    worths = whole_fit(design, faint, own, FAINT_STEP, start).parameters[:, 0]
    together = np.zeros((size, size))
    for kinds in compared:
        counts = np.asarray(kinds.counts.sum(axis=1), dtype=np.float64).ravel()
        together += meetings(size, kinds.sides, counts)
    by_deal = DealSpread(design, faint, worths)
    effective = by_deal.effective()
    if effective is not None:
        effective = effective[:size, :size] * (batches.deals / batches.columns)
    return Spread(
        worths[:size],
        by_deal.covariance()[:size, :size],
        deals,
        met.groups,
        together,
        met.unbeaten | met.winless,
        effective,
    )


def _roles(
    design: Design, ghosts: Ghosts, fit: Fit, batches: Batches, own: Integers, confidence: float
) -> Roles:
    """Return the strengths of the sides."""
    rows = np.flatnonzero(own == own[-1])
    deals = batches.deals if ghosts.prior else 0
    return Roles(*_terms(design, ghosts, fit, rows, deals, confidence))


def _informative(results: Placements) -> Placements:
    """Return the matches that weigh something and in which different entrants met."""
    different = (results.sides != results.sides[:, :1]).any(axis=1)
    return _kept(results, (results.weights > 0) & different)


def _kept(results: Placements, rows: NDArray[np.bool_]) -> Placements:
    if rows.all():
        return results
    fields = ("sides", "ranks", "deals", "weights", "faults")
    return replace(results, **{name: getattr(results, name)[rows] for name in fields})


def _batches(results: Placements) -> Batches:
    """Return the batches of the deals, with the true number of deals where those are groups.

    Where matches in some groups only are left, there are at least as many deals as groups.
    """
    found, truth = batches_of(results.deals), results.truth
    return (
        found if truth is None or found.deals < truth.groups else replace(found, deals=truth.deals)
    )


def _matches(results: Placements) -> Integers:
    """Return in how many matches (k,) each entrant sat."""
    own = np.sort(results.sides, axis=1)
    first = np.ones(own.shape, dtype=bool)
    first[:, 1:] = own[:, 1:] != own[:, :-1]
    counts = np.broadcast_to(results.weights[:, None], own.shape)[first] if results.truth else None
    return np.asarray(np.bincount(own[first], counts, len(results.names))).astype(np.int64)


def _distinct_deals(results: Placements, batches: Batches) -> Integers:
    """Return in how many deals (k,) each entrant sat."""
    if results.truth is not None:
        return results.truth.by_entrant
    sat = np.zeros((len(results.names), batches.deals), dtype=bool)
    for side in results.sides.T:
        sat[side, batches.deal] = True
    return np.asarray(sat.sum(axis=1))


def _named(names: tuple[str, ...], groups: Integers) -> tuple[tuple[str, ...], ...]:
    members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
    return tuple(tuple(names[row] for row in rows) for rows in members)

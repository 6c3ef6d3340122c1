"""The prior of a rating, and the fits of all deals and of resampled ones under it.

Every worth wins and loses `prior` matches against a ghost of log worth 0 (`npseudo` of the R package
PlackettLuce). It keeps every rating finite and fades behind a handful of matches. In a resample each
pseudo-win and pseudo-loss has a Gamma weight with the prior as its mean, without which an unbeaten
entrant would always come out the same.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.statistics.choice_model import (
    Choices,
    Design,
    Fit,
    Floats,
    Integers,
    deal_information,
    deal_scores,
    joined,
    maximise,
    reweighted,
)
from arena.statistics.resampling import FEWEST_DEALS, Batches, multiplicities

SMALLEST_WEIGHT = 1e-4  # of a resampled pseudo-observation
UNEVEN = 1.5  # times an even share of an entrant's matches in one deal
HEAVY = 0.02  # of an entrant's matches in one deal: below that no factor is worth the work
FEWEST_EFFECTIVE = 15.0  # deals that a difference of uneven deals rests on
NOTHING = 1e-12
LEAST_LEFT = 0.05  # of a deal's own spread: what the fit follows wholly says nothing
FINE = 1e-3  # log worth in the last Newton step of a resample; the error left is near its square


@dataclass(frozen=True)
class Ghosts:
    """The prior: weight of a pseudo-win or -loss of each of `worths`, and of each size of tie."""

    worths: int
    ties: tuple[int, ...]
    prior: float
    tie_prior: float = 0.0


def whole_fit(
    design: Design,
    ghosts: Ghosts,
    groups: NDArray[np.generic],
    tolerance: float = 1e-9,
    start: Floats | None = None,
) -> Fit:
    """Fit all data once. Without a prior, the mean of each group (worths,) stays at 0.

    tolerance: of a log worth in the last step; with hardly any prior the last digits are noise. start
    (parameters,): a fit near by, where there is one.
    """
    columns = design.observed.shape[0]
    total = reweighted(design, np.ones((design.observed.shape[1], 1)))
    weights = np.full((columns, 1), ghosts.prior)
    weights[ghosts.worths :] = ghosts.tie_prior
    held = None
    if ghosts.prior == 0:
        held = np.zeros((np.unique(groups).size, columns))
        held[:, : ghosts.worths] = np.unique(groups)[:, None] == groups[None, :]
    whole = joined(total, pseudo_choices(ghosts, weights, weights))
    return maximise(whole, start=start, held=held, tolerance=tolerance)


def resampled(
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
    pseudo = pseudo_choices(ghosts, *pseudo_weights(ghosts, start, resamples, rng))
    return maximise(joined(drawn, pseudo), start=start, tolerance=FINE).parameters


def pseudo_weights(
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


class DealSpread:
    """How far parameters may be off at a fit, with the deal as the unit."""

    def __init__(self, design: Design, ghosts: Ghosts, parameters: Floats) -> None:
        """Take what was fitted, and the fit (p,)."""
        scores, information = deal_scores(design, parameters)
        weights = np.full((parameters.size, 1), ghosts.prior)
        weights[ghosts.worths :] = ghosts.tie_prior
        ghostly = deal_scores(pseudo_choices(ghosts, weights, weights), parameters)[1]
        self._scores = scores - scores.mean(axis=1, keepdims=True)  # (p, batches)
        self._bread = np.linalg.pinv(information + ghostly, hermitian=True).astype(np.float64)
        self._kinds = _kinds(design, parameters) if is_uneven(design) else None

    def covariance(self) -> Floats:
        """Return the covariance (p, p) of the parameters.

        The sandwich H^-1 (sum u u') H^-1 of the information H and what each deal adds to the gradient,
        u, with the factor B / (B - 1) for B batches of deals: what resampling deals tends to, in closed
        form (Zeileis, Koell & Graham 2020, Journal of Statistical Software 95). Differences of worths
        inside a group are what it is good for.

        Where some deals hold much more than others (an adaptive schedule plays the first deals of all pairs, the
        last of a few) their part looks too small, as a fit follows those that weigh most: there each deal has a
        factor of its own, see `bell_mccaffrey`, and an interval has fewer degrees of freedom, see `effective`.
        """
        if self._kinds is not None:
            scores = bell_mccaffrey(self._scores, *self._kinds, self._bread)
            return np.asarray(self._bread @ (scores @ scores.T) @ self._bread)
        batches = self._scores.shape[1]
        meat = self._scores @ self._scores.T * (batches / max(batches - 1, 1))
        return np.asarray(self._bread @ meat @ self._bread)

    def effective(self) -> Floats | None:
        """Return how many equal deals, or batches, each difference of parameters (p, p) rests on; None if alike.

        (sum v)^2 / sum v^2 of what each deal adds to its variance under independent matches: with equal deals their
        number, else nearly Satterthwaite's degrees of freedom and one. Two who met in many deals, but are compared
        through a third of few, know their difference from few: with the number of deals 92.5 of 100 intervals of
        twelve bots held under an adaptive schedule. It is never below FEWEST_EFFECTIVE: bots far apart are compared
        through the first deals of all, and with what is left for them 98.9 of 100 held and half were not told apart.
        """
        if self._kinds is None:
            return None
        kinds, which = self._kinds
        total, squares = np.zeros_like(self._bread), np.zeros_like(self._bread)
        for one, times in zip(kinds, np.bincount(which), strict=True):
            part = self._bread @ one @ self._bread
            own = np.diag(part)
            variance = np.maximum(own[:, None] + own[None, :] - 2 * part, 0.0)
            total += times * variance
            squares += times * variance**2
        batches = np.full_like(total, which.size)
        found = np.divide(total**2, squares, out=batches, where=squares > 0)
        return np.maximum(found, FEWEST_EFFECTIVE)


def _kinds(design: Design, parameters: Floats) -> tuple[Floats, Integers]:
    """Return the different informations (m, p, p) of deals, and which of them each deal has."""
    own = np.round(deal_information(design, parameters), 9)
    kinds, which = np.unique(own, axis=0, return_inverse=True)
    return kinds, which.ravel()


def is_uneven(design: Design) -> bool:
    """Whether some deal holds so much more of an entrant's matches than others that it matters."""
    size, batches = design.observed.shape
    sat = np.zeros((size, batches))
    for choices in design.choices:
        for local in range(choices.columns.shape[1]):
            np.add.at(sat, choices.columns[:, local], np.asarray(choices.counts))
    total = sat.sum(axis=1)
    most = sat.max(axis=1)[total > 0] / total[total > 0]
    return bool((most > max(UNEVEN / batches, HEAVY)).any())


def bell_mccaffrey(scores: Floats, kinds: Floats, which: Integers, bread: Floats) -> Floats:
    """Return scores (p, batches) of which the summed squares are unbiased under independent matches.

    kinds (m, p, p): the information of a batch, which (batches,): its kind; bread (p, p): the inverse of all.
    With R the root of its information a batch's score is R e, and R (I - R bread R)^-1/2 e is what it counts
    (Bell & McCaffrey 2002, Survey Methodology 28). With equal batches that is the factor B / (B - 1).
    """
    adjusted = np.empty_like(scores)
    for number, one in enumerate(kinds):
        values, axes = np.linalg.eigh(one)
        known = values > NOTHING * max(values[-1], NOTHING)
        axes, roots = axes[:, known], np.sqrt(values[known])
        hat = (axes * roots).T @ bread @ (axes * roots)
        left, turned = np.linalg.eigh(np.eye(len(hat)) - hat)
        grown = turned @ ((np.maximum(left, LEAST_LEFT) ** -0.5)[:, None] * turned.T)
        own = which == number
        adjusted[:, own] = (axes * roots) @ grown @ ((axes / roots).T @ scores[:, own])
    return adjusted

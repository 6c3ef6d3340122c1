"""Maximum likelihood for choices: the one concave model under all ratings.

Every rating model here is a conditional logit (McFadden 1974): in a choice set, option `o` has the
utility `u_o = x_o . beta` and is chosen with probability `exp(u_o) / sum exp(u)`. With `beta` the
log worths, Bradley-Terry, Luce's first choice, Plackett-Luce and its ties (Turner et al. 2020),
seat terms and ghost opponents differ only in `x`. Utilities are linear in `beta`, so the
log-likelihood is concave and Newton's method, run on all resamples at once, finds its maximum.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PATIENCE = 30  # steps, after which a fit ends too where its gradient is nothing but rounding
ROUNDING = 2e-15  # of a sum of counts
LARGEST_STEP = 3.0  # of a log worth in one Newton step; further off a parabola means nothing
RIDGE = 1e-10  # on the Hessian only: it slows the flattest directions and moves no maximum
CELLS = 1_000_000  # numbers in the largest work array; more resamples are done in chunks
SMALL = 50_000  # cells of a matrix that is made quicker with its zeros than without


@dataclass(frozen=True)
class Choices:
    """Choice sets of one shape: the same options everywhere, made of different parameters.

    columns (sets, local): the parameter behind each local column. options (options, local):
    coefficients x. counts (sets, resamples): how often each set was chosen from.
    """

    columns: Integers
    options: Floats
    counts: Floats


@dataclass(frozen=True)
class Design:
    """All choices of a data set; observed (parameters, resamples): summed x of what was chosen."""

    choices: tuple[Choices, ...]
    observed: Floats


@dataclass(frozen=True)
class Fit:
    """The maximum: parameters (parameters, resamples), log_likelihood (resamples,)."""

    parameters: Floats
    log_likelihood: Floats


def joined(*designs: Design) -> Design:
    """Return one design that holds the choices of all (same parameters, same resamples)."""
    choices = tuple(c for design in designs for c in design.choices)
    return Design(choices, np.sum([design.observed for design in designs], axis=0))


def reweighted(design: Design, weights: Floats) -> Design:
    """Return the design with its columns mixed by weights (columns, resamples)."""
    choices = tuple(replace(c, counts=c.counts @ weights) for c in design.choices)
    return Design(choices, design.observed @ weights)


def log_likelihood(design: Design, parameters: Floats) -> Floats:
    """Return the log-likelihood (resamples,) at parameters (parameters, resamples)."""
    total: Floats = (design.observed * parameters).sum(axis=0)
    for choices in design.choices:
        total = total - (choices.counts * _softmax(choices, parameters)[1]).sum(axis=0)
    return total


def maximise(
    design: Design,
    *,
    start: Floats | None = None,
    held: Floats | None = None,
    tolerance: float = 1e-9,
    most_steps: int = 200,
) -> Fit:
    """Return the maximum-likelihood parameters of every resample, by damped Newton steps.

    start (parameters,) is where all resamples begin (default 0). held (constraints, parameters)
    names directions the likelihood ignores: along them the start is kept. Stops at steps below
    `tolerance` (log worth), after PATIENCE also where all that is left is rounding; RuntimeError when
    most_steps do not get there (a maximum at infinity).
    """
    parameters, resamples = design.observed.shape
    begin = np.zeros(parameters) if start is None else np.asarray(start, dtype=np.float64)
    gauge = np.zeros((parameters, parameters)) if held is None else held.T @ held
    gauge = gauge + RIDGE * np.eye(parameters)
    terms = [_term(choices, parameters) for choices in design.choices]
    width = max(1, CELLS // max([parameters**2, *(term.cells for term in terms)]))
    fits = [
        _climb(
            [replace(term, counts=term.choices.counts[:, part]) for term in terms],
            design.observed[:, part],
            _Climb(begin, gauge, tolerance, most_steps),
        )
        for part in (slice(first, first + width) for first in range(0, resamples, width))
    ]
    return Fit(
        np.concatenate([fit.parameters for fit in fits], axis=1),
        np.concatenate([fit.log_likelihood for fit in fits]),
    )


def deal_scores(design: Design, parameters: Floats) -> tuple[Floats, Floats]:
    """Return each column's gradient (p, columns) and the information (p, p) of all, at parameters (p,)."""
    size = design.observed.shape[0]
    here = np.asarray(parameters, dtype=np.float64)[:, None]
    gradient, information = design.observed.copy(), np.zeros((size, size))
    for term in (_term(choices, size) for choices in design.choices):
        mean = _mixed(term.choices.options.T, _softmax(term.choices, here)[0])[:, :, 0]
        for local in range(mean.shape[0]):
            rows = mean[local][:, None] * term.counts
            np.subtract.at(gradient, term.choices.columns[:, local], rows)
        total = term.counts.sum(axis=1, keepdims=True)
        own = _derivatives([term], [total], np.zeros((size, 1)), here)[2]
        information += own.reshape(size, size)
    return gradient, information


def deal_information(design: Design, parameters: Floats) -> Floats:
    """Return what each column adds to the information (columns, p, p), at parameters (p,)."""
    size, columns = design.observed.shape
    here = np.broadcast_to(np.asarray(parameters, dtype=np.float64)[:, None], (size, columns))
    terms = [_term(choices, size) for choices in design.choices]
    own = _derivatives(terms, [term.counts for term in terms], np.zeros((size, columns)), here)[2]
    return np.ascontiguousarray(own.T).reshape(columns, size, size)


@dataclass(frozen=True)
class _Term:
    """Choices made ready: which local products there are and where they add up."""

    choices: Choices
    counts: Floats  # (sets, resamples of this chunk)
    pairs: tuple[Integers, Integers]  # local columns a <= b
    products: Floats  # (pairs, options): x_a x_b
    to_gradient: Floats | sparse.csr_array  # (parameters, local * sets)
    to_hessian: Floats | sparse.csr_array  # (parameters ** 2, pairs * sets)

    @property
    def cells(self) -> int:
        return len(self.choices.columns) * max(len(self.choices.options), len(self.products))


@dataclass(frozen=True)
class _Climb:
    """How to climb: where from, the fixed part of the Hessian, when to stop."""

    begin: Floats
    gauge: Floats
    tolerance: float
    most_steps: int


def _term(choices: Choices, parameters: int) -> _Term:
    sets, local = choices.columns.shape
    first, second = (index.astype(np.int64) for index in np.triu_indices(local))
    narrow: Any = np.int32 if max(first.size * sets, parameters**2) < 1 << 31 else np.int64
    rows = choices.columns.T.astype(narrow)  # (local, sets); of many bots there are millions
    cell = np.arange(first.size * sets, dtype=narrow)
    left, right = rows[first].ravel(), rows[second].ravel()
    mirror = np.repeat(first != second, sets)  # x_a x_b stands for x_b x_a too
    target = np.concatenate([left * parameters + right, (right * parameters + left)[mirror]])
    source = np.concatenate([cell, cell[mirror]])
    return _Term(
        choices,
        choices.counts,
        (first, second),
        (choices.options[:, first] * choices.options[:, second]).T.copy(),
        _adder(rows.ravel(), np.arange(local * sets, dtype=narrow), (parameters, local * sets)),
        _adder(target, source, (parameters**2, first.size * sets)),
    )


def _adder(target: Integers, source: Integers, shape: tuple[int, int]) -> Floats | sparse.csr_array:
    """Return the matrix that adds sources to their targets, as often as they are paired."""
    if shape[0] * shape[1] <= SMALL:
        matrix = np.zeros(shape)
        np.add.at(matrix, (target, source), 1.0)
        return matrix
    return sparse.csr_array((np.ones(target.size), (target, source)), shape=shape)


def _softmax(choices: Choices, parameters: Floats) -> tuple[Floats, Floats]:
    """Return probabilities (options, sets, resamples) and log normalisers (sets, resamples)."""
    utility = _mixed(choices.options, parameters[choices.columns.T])
    top = utility.max(axis=0)
    utility -= top
    np.exp(utility, out=utility)
    total = utility.sum(axis=0)
    utility /= total
    return utility, top + np.log(total)


def _mixed(coefficients: Floats, values: Floats) -> Floats:
    """Return coefficients (a, b) times values (b, ...); the identity, as in first choices, is free."""
    if np.array_equal(coefficients, np.eye(len(coefficients))):
        return values
    return np.tensordot(coefficients, values, 1)


def _derivatives(
    terms: Sequence[_Term], counts: Sequence[Floats], observed: Floats, parameters: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return log-likelihood (r,), gradient (p, r) and information (p * p, r) of r resamples."""
    size, resamples = parameters.shape
    value = (observed * parameters).sum(axis=0)
    gradient = observed.copy()
    information = np.zeros((size * size, resamples))
    for term, count in zip(terms, counts, strict=True):
        probability, normaliser = _softmax(term.choices, parameters)
        value -= (count * normaliser).sum(axis=0)
        mean = _mixed(term.choices.options.T, probability)
        gradient -= term.to_gradient @ (mean * count).reshape(-1, resamples)
        first, second = term.pairs
        spread = mean[first]
        spread *= -mean[second]
        if probability is mean:  # each option is one column: its products with others are 0
            spread[first == second] += probability
        else:
            spread += np.tensordot(term.products, probability, 1)
        spread *= count
        information += term.to_hessian @ spread.reshape(-1, resamples)
    return value, gradient, information


def _climb(terms: Sequence[_Term], observed: Floats, climb: _Climb) -> Fit:
    """Newton from `climb.begin`; a resample whose likelihood fell goes back and halves its step."""
    size, resamples = observed.shape
    base = np.repeat(climb.begin[:, None], resamples, axis=1)
    step = np.zeros_like(base)
    best = np.full(resamples, -np.inf)
    active = np.arange(resamples)
    for number in range(climb.most_steps):
        whole = active.size == resamples
        counts = [term.counts if whole else term.counts[:, active] for term in terms]
        here = base[:, active] + step[:, active]
        value, gradient, information = _derivatives(terms, counts, observed[:, active], here)
        fell = value < best[active] - 1e-9 * (1.0 + np.abs(value))
        matrices = information.reshape(size, size, -1).transpose(2, 0, 1) + climb.gauge
        move = np.linalg.solve(matrices, gradient.T[:, :, None])[:, :, 0].T
        move *= np.minimum(1.0, LARGEST_STEP / np.maximum(np.abs(move).max(axis=0), 1e-300))
        best[active] = np.where(fell, best[active], value)
        base[:, active] = np.where(fell, base[:, active], here)
        step[:, active] = np.where(fell, step[:, active] / 2, move)
        moves = np.abs(step[:, active]).max(axis=0) > climb.tolerance
        if number >= PATIENCE:  # of 10^7 matches rounding alone moves a bot that lost nearly all
            weight = sum(count.sum(axis=0) for count in counts)
            moves &= fell | (np.abs(gradient).max(axis=0) > ROUNDING * weight)
        active = active[moves]
        if not active.size:
            return Fit(base + step, best)
    raise RuntimeError(
        f"{active.size} of {resamples} fits did not converge in {climb.most_steps} Newton steps; "
        "a positive prior keeps every maximum finite"
    )

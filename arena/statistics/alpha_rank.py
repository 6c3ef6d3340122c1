"""Alpha-rank: which of several entrants an evolving population holds in the long run.

Omidshafiei et al. 2019 (Scientific Reports 9, 9937), for one population of m that is all of one
kind between mutations. A mutant of kind r takes over a population of kind s with a probability
that grows with alpha times its advantage; the ranking is the stationary share of each kind. It
orders entrants that beat each other in a circle, which no single number per entrant can.

All is computed in logarithms and without subtractions (Grassmann, Taylor & Heyman 1985, Operations
Research 33): with large alpha x m the plain formula overflows and calls everybody equal.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from arena.statistics.choice_model import Floats

POPULATION = 50
ALPHA = 0.1  # with 50 of them an even mix of ranks; at 1 the strongest has nearly all


def alpha_rank(
    payoffs: ArrayLike, *, population: int = POPULATION, alpha: float = ALPHA, local: bool = True
) -> Floats:
    """Return the stationary share of each kind (..., k), sum 1.

    Args:
        payoffs: (..., k, k), what the row gets against the column; for scores 0..1 alpha counts in wins.
        population: its size m, at least 2.
        alpha: strength of selection; the larger, the more the strongest kind takes.
        local: compare a mutant with one resident, u = alpha (M[r, s] - M[s, r]); else with the
            whole population at each of its states, itself left out.

    Raises:
        ValueError: payoffs that are not square or not finite, or a population below 2.
    """
    matrix = np.asarray(payoffs, dtype=np.float64)
    square = matrix.ndim >= 2 and matrix.shape[-2] == matrix.shape[-1]
    if not square or not np.isfinite(matrix).all():
        raise ValueError(f"payoffs must be finite and square, not of shape {matrix.shape}")
    if population < 2:
        raise ValueError(f"population: {population}, expected at least 2")
    fixation = local_fixation if local else global_fixation
    return np.exp(log_stationary(fixation(matrix, population, alpha)))


def local_fixation(matrix: Floats, population: int, alpha: float) -> Floats:
    """Return log rho (..., k, k): a mutant of the column takes over a population of the row.

    rho = (1 - e^-u) / (1 - e^-mu), 1 / m at u = 0.
    """
    u = alpha * (matrix.swapaxes(-1, -2) - matrix)
    size = np.maximum(np.abs(u), np.finfo(np.float64).tiny)
    log_rho = _log_expm1(size) - _log_expm1(population * size)
    gain = (population - 1) * size  # both signs differ by e^((m - 1) u)
    return np.asarray(np.where(u > 0, log_rho + gain, log_rho))


def global_fixation(matrix: Floats, population: int, alpha: float) -> Floats:
    """Return log rho (..., k, k) from the payoffs at every mix of mutants and residents.

    1 / rho = sum over l = 0 .. m - 1 of prod over j = 1 .. l of e^(-alpha (f_mutant - f_resident)).
    """
    own = np.diagonal(matrix, axis1=-2, axis2=-1)
    mutants = np.arange(1, population).reshape(-1, *[1] * matrix.ndim)
    residents = population - mutants
    others = population - 1
    mutant = (
        (mutants - 1) * own[..., None, :] + residents * matrix.swapaxes(-1, -2)[None]
    ) / others
    resident = (mutants * matrix[None] + (residents - 1) * own[..., :, None]) / others
    steps = np.cumsum(-alpha * (mutant - resident), axis=0)
    terms = np.concatenate([np.zeros((1, *matrix.shape)), steps])
    return np.asarray(-logsumexp(terms, axis=0))


def _log_expm1(x: Floats) -> Floats:
    """Return log(e^x - 1) for x > 0, also where e^x overflows."""
    small = np.log(np.expm1(np.minimum(x, 1.0)))
    return np.asarray(np.where(x > 1.0, x + np.log1p(-np.exp(-np.maximum(x, 1.0))), small))


def log_stationary(log_rates: Floats) -> Floats:
    """Return the log stationary distribution (..., k) of chains with these log rates from row to column.

    The diagonal is not looked at. States are removed one by one; what led through them is added to
    the other rates.
    """
    size = log_rates.shape[-1]
    rates = log_rates.copy()
    for last in range(size - 1, 0, -1):
        rates[..., :last, last] -= logsumexp(rates[..., last, :last], axis=-1)[..., None]
        through = rates[..., :last, last, None] + rates[..., last, None, :last]
        rates[..., :last, :last] = np.logaddexp(rates[..., :last, :last], through)
    found = np.zeros(log_rates.shape[:-1])
    for state in range(1, size):
        found[..., state] = logsumexp(found[..., :state] + rates[..., :state, state], axis=-1)
    return np.asarray(found - logsumexp(found, axis=-1, keepdims=True))

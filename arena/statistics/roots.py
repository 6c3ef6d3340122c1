"""Where a function of one number crosses zero."""

from collections.abc import Callable


def root(function: Callable[[float], float], low: float, high: float, near: float = 2e-12) -> float:
    """The place between `low` and `high`, to within `near`, where a function crosses zero (Brent's method).

    Raises ValueError where it has the same sign at both ends.
    """
    from scipy.optimize import brentq  # 0.3 s that most commands do not need

    return float(brentq(function, low, high, xtol=near))

"""Kernels as plain Python: how they run without a compiler."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function in plain Python: arrays of records are viewed so that fields read as attributes."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        return function(*[readable(a) for a in args])

    run.py_func = function  # type: ignore[attr-defined]  # as a compiled kernel has it
    return run


def readable(value: Any) -> Any:
    """A view of a structured array whose elements have their fields as attributes; other values unchanged."""
    if type(value) is np.ndarray and value.dtype.names is not None and value.dtype.type is np.void:
        return value.view(np.dtype((np.record, value.dtype)))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[readable(v) for v in value])
    return value

"""The weights of a heuristic as data: which numbers `evaluate` weighs by, and the same kernel with other numbers.

A weight is a constant of the module of `evaluate` that is declared as one, `IN_HAND: Weight = 0.6  # what it means`,
or an array of them, `CARD_VALUE: Annotated[Weights, Card] = np.array(...)`, whose places are named after an enum and in
which a zero stays one. Kernels read it like any constant, so it is compiled in. What a kernel reads by another name
(a table that is made of weights) does not follow them.
"""

import ast
import copy
import functools
import math
import sys
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import CodeType
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from engines.contents import names_read, python_function
from engines.errors import UserError, nearest
from engines.kernel import link
from engines.source import nodes_of
from engines.texts import brief

__all__ = [
    "Positive",
    "Span",
    "Weight",
    "Weights",
    "declared",
    "opened",
    "packed",
    "read_weights",
    "with_weights",
]

ARGUMENT = "weights_"  # what an opened kernel calls the weights that it is given


@dataclass(frozen=True)
class Span:
    """What a weight may be."""

    low: float = -1e6
    high: float = 1e6


Weight = Annotated[float, Span()]
Positive = Annotated[float, Span(low=1e-3)]  # of what is divided by, and of powers
Weights = Annotated[NDArray[np.float64], Span()]


@dataclass(frozen=True)
class Declared:
    """One weight: `name` as people write it, the constant that holds it, and its place there if that is an array."""

    name: str
    constant: str
    place: int | None
    value: float
    span: Span


def declared(evaluate: Any) -> tuple[Declared, ...]:
    """The weights that the module of `evaluate` declares, in the order in which they are written."""
    function = python_function(evaluate)
    assert function is not None
    module = sys.modules[function.__module__]
    found: list[Declared] = []
    for constant, hint in typing.get_type_hints(module, include_extras=True).items():
        notes = getattr(hint, "__metadata__", ())
        span = next((note for note in notes if isinstance(note, Span)), None)
        if span is None or not hasattr(module, constant):
            continue
        value = getattr(module, constant)
        if not isinstance(value, np.ndarray):
            found.append(Declared(constant, constant, None, float(value), span))
            continue
        words = next((n for n in notes if isinstance(n, type) and issubclass(n, IntEnum)), None)
        for place in map(int, np.flatnonzero(value)):
            word = words(place).name if words else str(place)
            found.append(Declared(f"{constant}.{word}", constant, place, float(value[place]), span))
    return tuple(found)


def read_weights(evaluate: Any, given: Mapping[str, Any], where: str) -> dict[str, float]:
    """All weights of `evaluate` by name, those that are given in the place of its own.

    Raises:
        UserError: names the weight, its value and what would be right.
    """
    known = {one.name: one for one in declared(evaluate)}
    values = {name: one.value for name, one in known.items()}
    for name, value in given.items():
        if name not in known:
            hint = nearest(str(name), known) or (
                f", known are {', '.join(known)}" if known else ", this game declares none"
            )
            raise UserError(f"{where}.{brief(str(name))}: no such weight{hint}")
        span = known[name].span
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        if not fits or not math.isfinite(value) or not span.low <= value <= span.high:
            wanted = f"expected a number from {span.low:g} to {span.high:g}"
            raise UserError(f"{where}.{name}: {brief(value)}, {wanted}")
        values[name] = float(value)
    return values


def with_weights(evaluate: Any, values: Mapping[str, float]) -> Any:
    """The kernel `evaluate` with other weights compiled in, `evaluate` itself where they are its own.

    Weights that are not named stay as they are. The same weights give the same kernel.
    """
    known = {one.name: one.value for one in declared(evaluate)}
    changed = {name: float(value) for name, value in values.items() if known[name] != value}
    return _with_weights(evaluate, tuple(sorted(changed.items())))


@functools.lru_cache(maxsize=256)
def _with_weights(evaluate: Any, changed: tuple[tuple[str, float], ...]) -> Any:
    constants: dict[str, Any] = {}
    places = {one.name: one for one in declared(evaluate)}
    for name, value in changed:
        one = places[name]
        if one.place is None:
            constants[one.constant] = value
        else:
            module = sys.modules[evaluate.py_func.__module__]
            table = constants.setdefault(one.constant, getattr(module, one.constant).copy())
            table[one.place] = value
    return _bound(evaluate, constants, {})


def _bound(kernel: Any, constants: Mapping[str, Any], done: dict[int, Any]) -> Any:
    """A kernel and all that it calls with other constants of its module; itself where it reads none of them."""
    if id(kernel) not in done:
        names = {}
        for name, value in names_read(kernel.py_func):
            if name in constants:
                names[name] = constants[name]
            elif hasattr(value, "py_func") and _is_beside(value, kernel):
                other = _bound(value, constants, done)
                if other is not value:
                    names[name] = other
        done[id(kernel)] = link(kernel.py_func, **names) if names else kernel
    return done[id(kernel)]


def _is_beside(one: Any, other: Any) -> bool:
    """Whether two kernels stand in one module."""
    return bool(one.py_func.__module__ == other.py_func.__module__)


# --- weights as an argument ----------------------------------------------------------------------------


@functools.lru_cache(maxsize=32)
def opened(evaluate: Any) -> Any:
    """The same kernel with its weights as an argument: (states, player, weights: float64[n]) -> float.

    `weights` are as `packed` makes them. For fits, which try thousands of them: nothing is compiled anew.
    """
    places: dict[str, tuple[int, int]] = {}
    start = 0
    for constant, size in _sizes(evaluate):
        places[constant] = start, size
        start += max(size, 1)
    found = _opened(evaluate, places, {})
    if found is evaluate:
        raise UserError("evaluate: reads none of the weights that its module declares")
    return found


def packed(evaluate: Any, values: Mapping[str, float]) -> NDArray[np.float64]:
    """Weights as `opened` takes them: constant by constant, arrays with their zeros."""
    known = declared(evaluate)
    parts = []
    for constant, size in _sizes(evaluate):
        part = np.zeros(max(size, 1))
        for one in known:
            if one.constant == constant:
                part[one.place or 0] = values[one.name]
        parts.append(part)
    return np.concatenate(parts) if parts else np.zeros(0)


def _sizes(evaluate: Any) -> list[tuple[str, int]]:
    """The constants that hold weights, and how many places each has; 0 for a number."""
    module = sys.modules[evaluate.py_func.__module__]
    constants = dict.fromkeys(one.constant for one in declared(evaluate))
    return [
        (name, np.size(getattr(module, name)) * (np.ndim(getattr(module, name)) > 0))
        for name in constants
    ]


def _opened(kernel: Any, places: Mapping[str, tuple[int, int]], done: dict[int, Any]) -> Any:
    """A kernel that is given the weights, and hands them on to those that it calls; itself where none are read."""
    if id(kernel) not in done:
        function = kernel.py_func
        callees = {}
        for name, value in names_read(function):
            if hasattr(value, "py_func") and _is_beside(value, kernel):
                other = _opened(value, places, done)
                if other is not value:
                    callees[name] = other
        reads = not places.keys().isdisjoint(function.__code__.co_names)
        template = _rewritten(function, places, callees) if reads or callees else None
        done[id(kernel)] = kernel if template is None else link(template, **callees)
    return done[id(kernel)]


def _rewritten(
    function: Any, places: Mapping[str, tuple[int, int]], callees: Mapping[str, Any]
) -> Any:
    """A function with one more argument, the weights, in the place of the constants that it reads."""
    code: CodeType = function.__code__
    node = copy.deepcopy(nodes_of(code.co_filename)[(code.co_name, code.co_firstlineno)][0])
    assert isinstance(node, ast.FunctionDef)
    node.decorator_list = []
    node.args.args.append(ast.arg(ARGUMENT))
    node = _Opening(places, callees).visit(node)
    tree = ast.fix_missing_locations(ast.Module([node], []))
    namespace = dict(function.__globals__)
    exec(compile(tree, code.co_filename, "exec"), namespace)
    return namespace[code.co_name]


class _Opening(ast.NodeTransformer):
    """Constants become places of the argument; calls of kernels that read weights hand it on."""

    def __init__(self, places: Mapping[str, tuple[int, int]], callees: Mapping[str, Any]) -> None:
        self.places = places
        self.callees = callees

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A constant."""
        if node.id not in self.places:
            return node
        start, size = self.places[node.id]
        text = f"{ARGUMENT}[{start}:{start + size}]" if size else f"{ARGUMENT}[{start}]"
        return ast.parse(text, mode="eval").body

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self.callees:
            node.args.append(ast.Name(ARGUMENT, ast.Load()))
        return node

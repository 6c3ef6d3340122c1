"""Other weights written into the source of a heuristic: what its author takes over, as a diff."""

import ast
import difflib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engines.weights import declared

FIGURES = 3  # that weights have: what is written is what has been played


def rounded(value: float) -> float:
    """A weight as people write it."""
    return float(f"{value:.{FIGURES}g}")


def source_of(evaluate: Any) -> str:
    """The text of the module of an `evaluate`."""
    return Path(str(sys.modules[evaluate.py_func.__module__].__file__)).read_text(encoding="utf-8")


def meanings(source: str) -> dict[str, str]:
    """By constant, the comment behind the line that declares it."""
    lines = source.splitlines()
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            end = node.end_lineno or node.lineno
            found[node.target.id] = lines[end - 1].partition("#")[2].strip()
    return found


def rewritten(source: str, evaluate: Any, weights: Mapping[str, float]) -> str:
    """The source with other weights in the place of its own; those that are not written as numbers stay."""
    lines = source.splitlines(keepends=True)
    own = {one.name: one.value for one in declared(evaluate)}
    spots = dict(numbers_in(ast.parse(source)))
    changed = [
        (spots[name], value)
        for name, value in weights.items()
        if name in spots and own[name] != value
    ]
    for node, value in sorted(changed, key=lambda one: (one[0].lineno, one[0].col_offset))[::-1]:
        line = lines[node.lineno - 1].encode()  # offsets count bytes
        start, end = node.col_offset, node.end_col_offset
        lines[node.lineno - 1] = (line[:start] + repr(value).encode() + line[end:]).decode()
    return "".join(lines)


def numbers_in(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """By name of a weight, the number that says it: of a constant, or in the dict that its array is made from."""
    dicts: dict[str, ast.Dict] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            dicts |= {one.id: node.value for one in node.targets if isinstance(one, ast.Name)}
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        value = node.value
        if value is not None and is_number(value):
            yield node.target.id, value
        elif value is not None:
            read = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
            for name in read & dicts.keys():
                for key, entry in zip(dicts[name].keys, dicts[name].values, strict=True):
                    if isinstance(key, ast.Attribute) and is_number(entry):
                        yield f"{node.target.id}.{key.attr}", entry


def is_number(node: ast.expr) -> bool:
    """Whether an expression is a number as it is written, perhaps below 0, on one line."""
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and isinstance(inner.value, int | float)


def diff_of(evaluate: Any, weights: Mapping[str, float], name: str) -> str:
    """What changes in the source of a heuristic, as `git apply` reads it; empty if nothing does."""
    old = source_of(evaluate)
    new = rewritten(old, evaluate, weights)
    lines = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}"
    )
    return "".join(lines)

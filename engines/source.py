"""Functions as they are written: a form of their source that is the same in every Python, however it is laid out.

Comments, docstrings, type hints, decorators, the words of errors and the place in the file are left out.
"""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

SILENT = frozenset(  # parts of the syntax tree that do not say what a function does
    {"annotation", "ctx", "decorator_list", "kind", "returns", "type_comment", "type_params"}
)


def written(code: CodeType) -> bytes | None:
    """What a function says, or None where its source cannot be found."""
    nodes = nodes_of(code.co_filename).get((code.co_name, code.co_firstlineno))
    if not nodes:
        return None
    return "\n".join(" ".join(said(node)) for node in nodes).encode()


def names_said(code: CodeType) -> frozenset[str] | None:
    """The names of variables and attributes that count in a function, or None where its source cannot be found."""
    nodes = nodes_of(code.co_filename).get((code.co_name, code.co_firstlineno))
    return frozenset(name for node in nodes for name in names_below(node)) if nodes else None


def names_below(node: ast.AST) -> Iterator[str]:
    """The names of variables and attributes in a syntax tree, those in the words of errors left out."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    if not isinstance(node, ast.Raise):
        for name, value in ast.iter_fields(node):
            for one in value if isinstance(value, list) else [value]:
                if name not in SILENT and isinstance(one, ast.AST):
                    yield from names_below(one)


@functools.cache
def nodes_of(file: str) -> dict[tuple[str, int], list[ast.AST]]:
    """The functions of a file by name and first line; several lambdas of one line stand together."""
    try:
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError):
        return {}
    found: dict[tuple[str, int], list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found.setdefault((node.name, first), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
    return found


def said(node: ast.AST) -> Iterator[str]:
    """A syntax tree as words."""
    yield type(node).__name__ + "("
    if isinstance(node, ast.Raise):
        yield raised(node)
    elif isinstance(node, ast.Constant):
        yield f"{type(node.value).__name__} {node.value!r}"
    else:
        for name, value in ast.iter_fields(node):
            if name not in SILENT and value not in (None, []):
                yield name
                yield from said_list(without_docstring(name, value, node))
    yield ")"


def said_list(value: object) -> Iterator[str]:
    """A part of a syntax tree as words: nodes, lists of nodes, names."""
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, ast.AST):
            yield from said(one)
        else:
            yield repr(one)


def raised(node: ast.Raise) -> str:
    """The kind of error that is raised, without its words."""
    kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    return ast.unparse(kind) if kind is not None else ""


def without_docstring(name: str, value: object, node: ast.AST) -> object:
    """The body of a function or class without the text it begins with; anything else unchanged."""
    owner = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    if not (owner and name == "body" and isinstance(value, list)):
        return value
    first = value[0]
    text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return value[1:] if text and isinstance(first.value.value, str) else value

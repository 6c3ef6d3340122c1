"""What is wrong in a kernel that does not compile, in one line that names the author's file and line.

Numba's own words run to 90 lines, and for a misspelt field they name no line of ours at all.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

from engines.errors import BrokenGame, nearest
from engines.source import nodes_of

UNKNOWN_NAME = re.compile(r"name '(\w+)' is not defined")
UNTYPED = re.compile(r"Untyped global name '(\w+)'.*\n?.*(<class 'function'>|function)")
UNIFY = re.compile(
    r"Cannot unify (.+?) and (.+?) for '(\w+?)(?:\.\d+)*', defined at (.+?) \((\d+)\)"
)
complaints: list[BrokenGame] = []  # of kernels that could not be compiled, the innermost first

PLACE = re.compile(r'File "([^"]+)", line (\d+)')


def compile_part(part: Any, compile: Any, args: Any, return_type: Any) -> Any:
    """Compile a kernel up to LLVM code; the innermost one that cannot be is the one to tell of."""
    try:
        return compile(args, return_type)
    except Exception as error:
        complaints.append(complaint(part.py_func, error, args))
        raise


def complaint(function: FunctionType, error: BaseException, argtypes: Any) -> BrokenGame:
    """The error of a kernel that cannot be compiled for these types."""
    line, words = found_in(function, error, argtypes)
    return BrokenGame(f"{place(function, line)} in {function.__name__}: {words}")


def found_in(function: FunctionType, error: BaseException, argtypes: Any) -> tuple[int, str]:
    """The line and what is wrong there."""
    text = str(error)
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        field = error.args[0]
        known = sorted({name for argument in argtypes for name in field_names(argument)})
        hint = nearest(field, known).replace(", did", "; did")
        return line_of(function, field), f"no field {field!r}{hint}"
    if found := UNKNOWN_NAME.search(text):
        known = [*function.__globals__, *function.__code__.co_varnames]
        hint = nearest(found[1], known).replace(", did", "; did") or "; is an import missing?"
        return line_of(function, found[1]), f"no name {found[1]!r}{hint}"
    if found := UNTYPED.search(text):
        words = f"{found[1]} is a plain function; is @kernel missing above it?"
        return line_of(function, found[1]), words
    if found := UNIFY.search(text):
        words = f"{found[3]} is once {found[1]} and once {found[2]}: give it one type"
        return int(found[5]), words
    own = [int(line) for _, line in PLACE.findall(text)]
    first = function.__code__.co_firstlineno
    line = next((line for line in own if line >= first), first)
    return line, brief(error)


def brief(error: BaseException) -> str:
    """The first line of an error that says something, and what kind of error it is."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    told = [
        line for line in lines if not line.startswith(("Failed in", "File", "During", "-", "^"))
    ]
    words = re.sub(r"\x1b\[\d*m", "", (told or lines or [""])[0])
    return f"cannot be compiled: {words[:300]} ({type(error).__name__})"


def field_names(argument: Any) -> Iterator[str]:
    """The names of fields of the records in a type of numba."""
    for name, field in (
        (getattr(argument, "fields", None) or {}).items() if is_record(argument) else ()
    ):
        yield name
        yield from field_names(field.type)
    if hasattr(argument, "dtype") and argument.dtype is not argument:
        yield from field_names(argument.dtype)
    for inner in getattr(argument, "types", ()):
        yield from field_names(inner)


def is_record(argument: Any) -> bool:
    """Whether a type of numba is a record."""
    return isinstance(getattr(argument, "fields", None), dict)


def line_of(function: FunctionType, name: str) -> int:
    """The first line of a function that mentions a name."""
    code = function.__code__
    for node in nodes_of(code.co_filename).get((code.co_name, code.co_firstlineno), ()):
        for one in ast.walk(node):
            if name in (getattr(one, "attr", None), getattr(one, "id", None)):
                return int(one.lineno)  # type: ignore[attr-defined]
    return code.co_firstlineno


def place(function: FunctionType, line: int) -> str:
    """File and line, the file as it lies in the folder of its game or package."""
    path = Path(function.__code__.co_filename)
    depth = function.__module__.count(".") + (path.name == "__init__.py")
    inside = depth - 1 if function.__module__.startswith("engines.") else depth
    return f"{'/'.join(path.parts[-max(1, inside) :])}:{line}"

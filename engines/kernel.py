"""The only place that knows numba's options and the cache folder: `@kernel`, `link` and `now`."""

import functools
import hashlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from engines.cache import cache_root, prune
from engines.contents import reached
from engines.whole import build_facts, make_kernel

INTERPRETED = bool(numba.config.DISABLE_JIT)
PACKAGES = ("engines", "bots", "arena")
FOLDER_GAME = "arena_game_"  # begins the module names of games that are loaded from a folder
COMPILER = ("kernel", "whole", "contents", "cache")  # other code of these modules is another cache

if INTERPRETED:
    np.seterr(over="ignore")  # splitmix64 wraps on purpose; compiled code wraps silently


# --- the cache folder -------------------------------------------------------------------------------------


def cache_folder(function: Any) -> Path:
    """Where the machine code of a kernel is kept: with that of its game, or of what the games share."""
    return build_folder(cache_root()) / unit_of(function)


@functools.cache
def build_folder(root: Path) -> Path:
    """The folder of all machine code that this compiler makes on this kind of machine."""
    prune(root)
    here = Path(__file__).resolve().parent
    parts = [(here / f"{name}.py").read_text() for name in COMPILER] + build_facts()
    return root / hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def unit_of(function: Any) -> str:
    """The game that a kernel belongs to, for a template the one it is linked to; 'shared' for what all games use."""
    modules = dict.fromkeys(getattr(one, "py_func", one).__module__ for one in reached(function))
    units = [unit for module in reversed(modules) if (unit := unit_of_module(module))]
    return units[0] if units else "shared"  # what a template calls comes after it


def unit_of_module(module: str) -> str:
    """The game or the installed package that a module belongs to, nothing for what is shared."""
    first, second, *_ = [*module.split("."), ""]
    if first == "engines" and hasattr(sys.modules.get(f"engines.{second}"), "GAME"):
        return second
    if first.startswith(FOLDER_GAME):
        return first.removeprefix(FOLDER_GAME).rpartition("_")[0]
    return "" if first in PACKAGES else first


# --- kernels ----------------------------------------------------------------------------------------------


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a rule function: cached on disk, once per kernel, and also runnable without compiling."""
    if INTERPRETED:
        return interpreted(function)
    return make_kernel(function, functools.partial(cache_folder, function))


def interpreted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function in plain Python: arrays of records are viewed so that fields read as attributes."""

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        return function(*[readable(a) for a in args])

    return run


def readable(value: Any) -> Any:
    """A view of a structured array whose elements have their fields as attributes; other values unchanged."""
    if type(value) is np.ndarray and value.dtype.names is not None and value.dtype.type is np.void:
        return value.view(np.dtype((np.record, value.dtype)))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[readable(v) for v in value])
    return value


def link(template: Callable[..., Any], /, **names: Any) -> Any:
    """Compile `template` with its free names (`apply`, `legal_actions`, ...) bound to one game's kernels.

    The tag in the qualified name is derived from the bindings: numba's cache key has byte code and signature
    but no globals, so two bindings under one name would load each other's machine code in the next process.

    Args:
        template: a plain function; it calls other templates only through bound names and does not recurse.
        names: kernels, linked templates or pieces, ints, floats, bools or arrays to bind.
    """
    bound = bind(template, names)
    if INTERPRETED:
        return interpreted(bound)
    return make_kernel(bound, functools.partial(cache_folder, bound))


def piece(template: Callable[..., Any], /, **names: Any) -> Any:
    """A part of a template, for one call site: bound like `link`, but pasted into the template that calls it.

    Every linked template takes in, optimises and emits the whole game again (measured: half the compile time of
    a game went into templates that only call each other), so the parts of one template are pieces.
    """
    bound = bind(template, names)
    return interpreted(bound) if INTERPRETED else njit(inline="always")(bound)


def pasted(function: Callable[..., Any]) -> Any:
    """A part of templates that needs nothing bound: pasted into its callers like a `piece`.

    For parts that take a whole NamedTuple of arrays: handing one to a real function costs 120 ns a call.
    """
    return interpreted(function) if INTERPRETED else njit(inline="always")(function)


def bind(template: Callable[..., Any], names: dict[str, Any]) -> FunctionType:
    """The template as a function of its own whose name tells what it is bound to."""
    bound = FunctionType(
        template.__code__,
        {**template.__globals__, **{n: getattr(v, "border", v) for n, v in names.items()}},
        template.__name__,
        template.__defaults__,
    )
    bound.__module__ = template.__module__
    bound.__qualname__ = f"{template.__qualname__}.{binding_tag(names)}"
    return bound


def binding_tag(names: dict[str, Any]) -> str:
    """Digest of what the free names are bound to."""
    parts = [f"{name}={identity(value)}" for name, value in sorted(names.items())]
    return "t" + hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def identity(value: Any) -> str:
    """Module and qualified name of a kernel, the value of a constant."""
    function = getattr(value, "py_func", value)
    if isinstance(function, ModuleType):
        raise TypeError(f"link: bind kernels and constants, not the module {function.__name__}")
    if callable(function) and hasattr(function, "__qualname__"):
        return f"{function.__module__}.{function.__qualname__}"
    if isinstance(value, np.ndarray):
        data = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=8).hexdigest()
        return f"array {value.dtype.str} {value.shape} {data}"
    return repr(value)


# --- the clock --------------------------------------------------------------------------------------------

MONOTONIC = 6 if sys.platform == "darwin" else 1


@intrinsic  # type: ignore[untyped-decorator]
def _read_clock(typingctx: Any) -> Any:
    """Nanoseconds of the monotonic clock, read inside compiled code (about 25 ns a call)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        word = ir.IntType(64)
        pair = builder.alloca(ir.ArrayType(word, 2))
        address = builder.bitcast(pair, word.as_pointer())
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(32), word.as_pointer()])
        call = cgutils.get_or_insert_function(builder.module, kind, "clock_gettime")
        builder.call(call, [ir.Constant(ir.IntType(32), MONOTONIC), address])
        seconds = builder.load(address)
        rest = builder.load(builder.gep(address, [ir.Constant(word, 1)]))
        return builder.add(builder.mul(seconds, ir.Constant(word, 1_000_000_000)), rest)

    return types.int64(), codegen


if INTERPRETED:

    def now() -> int:
        """Nanoseconds of the monotonic clock."""
        return time.monotonic_ns()

else:

    @kernel
    def now() -> int:
        """Nanoseconds of the monotonic clock."""
        return int(_read_clock())

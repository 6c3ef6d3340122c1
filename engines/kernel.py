"""The only place that knows numba's options and the cache folder: `@kernel`, `link` and `now`."""

import functools
import hashlib
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core import caching, cgutils
from numba.extending import intrinsic

INTERPRETED = bool(numba.config.DISABLE_JIT)
KEEP_SECONDS = 14 * 24 * 3600
PACKAGES = ("engines", "bots")
OPTIONS: dict[str, Any] = {"cache": True, "no_cfunc_wrapper": True}

_reading_only: list[bool] = []  # not empty: see `read_cache_only`
_plugin_hashes: dict[str, str] = {}  # top module name of a plug-in game -> hash of its folder

if INTERPRETED:
    np.seterr(over="ignore")  # splitmix64 wraps on purpose; compiled code wraps silently


# --- the cache folder -------------------------------------------------------------------------------------


def hash_folder(folder: Path) -> str:
    """Digest of the names and bytes of every file below `folder`, whatever its suffix."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(files_below(folder)):
        digest.update(str(path.relative_to(folder)).encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()


def files_below(folder: Path) -> Iterator[Path]:
    """Every source or data file below `folder`, byte code left out."""
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(parent) / name for name in names if not name.endswith(".pyc"))


@functools.cache
def source_hash() -> str:
    """Digest of all that compiled code depends on besides the file it stands in.

    Numba notices a change in the kernel's own file only; a changed table in another module, another numba,
    or bounds checks switched on would silently run old machine code, so all of them are in this digest.
    """
    here = Path(__file__).resolve().parent.parent
    parts = [hash_folder(here / package) for package in PACKAGES if (here / package).is_dir()]
    parts += [numba.__version__, np.__version__, sys.version, repr(sorted(OPTIONS.items()))]
    parts += [f"bounds {numba.config.BOUNDSCHECK}", f"opt {numba.config.OPT}"]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def cache_root() -> Path:
    """The folder that holds one cache folder per source hash; `ARENA_CACHE` overrides it."""
    chosen = os.environ.get("ARENA_CACHE")
    if chosen:
        return Path(chosen)
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(home) / "tabletop-arena"


def cache_folder(extra: str = "") -> Path:
    """Where the machine code of these sources (and of a plug-in game with hash `extra`) is kept."""
    name = source_hash()
    if extra:
        name = hashlib.blake2b(f"{name} {extra}".encode(), digest_size=8).hexdigest()
    return cache_root() / name


def use_cache(extra: str = "") -> None:
    """Let numba keep the kernels defined from now on in the folder of these sources."""
    folder = cache_folder(extra)
    numba.config.CACHE_DIR = str(folder)
    if _reading_only:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        tempfile.TemporaryFile(dir=folder).close()
        prune(folder.parent, keep=folder)
    except OSError:
        if cache_root().is_dir():
            read_cache_only()
        else:
            numba.config.CACHE_DIR = ""  # a closed home: numba then picks a place of its own


def read_cache_only() -> None:
    """Load kernels from the cache, and keep those compiled from now on in memory: it cannot be written.

    Numba would refuse to cache at all where it cannot write, and compile everything.
    """
    _reading_only.append(True)
    caching._CacheLocator.ensure_cache_path = lambda self: None
    caching.IndexDataCacheFile.save = lambda self, key, data: None


def prune(root: Path, keep: Path) -> None:
    """Remove cache folders that no process has opened for 14 days."""
    oldest = time.time() - KEEP_SECONDS
    for folder in root.iterdir():
        if folder != keep and folder.is_dir() and folder.stat().st_mtime < oldest:
            shutil.rmtree(folder, ignore_errors=True)


def register_plugin(module: str, folder: Path) -> None:
    """Make the cache follow the files of a plug-in game whose kernels live in `module`."""
    _plugin_hashes[module] = hash_folder(folder)
    use_cache(_plugin_hashes[module])


# --- kernels ----------------------------------------------------------------------------------------------


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a rule function: cached on disk, once per kernel, and also runnable without compiling."""
    if INTERPRETED:
        return interpreted(function)
    return one_per_kernel(njit(**OPTIONS)(function))


def one_per_kernel(dispatcher: Any) -> Any:
    """Compile a kernel once: kernels pass each other every integer as int64.

    Numba would compile anew for int8, int16, every enum and every literal. This relies on an internal method,
    so tests/engines/test_kernel.py counts the overloads after a game.
    """
    resolve = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return resolve([widened(t) for t in args], {k: widened(t) for k, t in kws.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher


def widened(argument: Any) -> Any:
    """The type under which a kernel is compiled for an argument of this type."""
    argument = types.unliteral(argument)
    small = isinstance(argument, types.Integer | types.IntEnumMember) and argument != types.uint64
    return types.int64 if small or isinstance(argument, types.Boolean) else argument


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
    use_cache(plugin_hash(names))
    linked = one_per_kernel(njit(**OPTIONS)(bound))
    use_cache()
    return linked


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
        {**template.__globals__, **names},
        template.__name__,
        template.__defaults__,
    )
    bound.__module__ = template.__module__
    bound.__qualname__ = f"{template.__qualname__}.{binding_tag(names)}"
    return bound


def binding_tag(names: dict[str, Any]) -> str:
    """Digest of what the free names are bound to, and of the plug-in games that stand behind it."""
    parts = [f"{name}={identity(value)}" for name, value in sorted(names.items())]
    parts.append(plugin_hash(names))
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


def plugin_hash(names: dict[str, Any]) -> str:
    """The folder hash of the plug-in game among the bound kernels, or nothing for the games shipped here."""
    modules = {getattr(getattr(v, "py_func", v), "__module__", "") or "" for v in names.values()}
    return "".join(sorted({_plugin_hashes.get(m.split(".")[0], "") for m in modules}))


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
    use_cache()

    @kernel
    def now() -> int:
        """Nanoseconds of the monotonic clock."""
        return int(_read_clock())

"""The only place that knows numba's options and how machine code is kept: `@kernel`, `link` and `now`."""

import functools
import hashlib
import pickle
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core import cgutils, compiler, serialize, sigutils
from numba.core.environment import Environment
from numba.core.errors import NumbaWarning
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from engines.cache import build_folder, cache_root, read_whole, shared_roots, unit_of, write_whole
from engines.contents import contents, reached
from engines.whole import TESTED, Border, Whole, is_tested, signature_digest, split, widen_calls

INTERPRETED = bool(numba.config.DISABLE_JIT)
COMPILER = ("kernel", "whole", "contents", "cache")  # other code of these modules is another cache

_emitted: dict[tuple[bytes, tuple[Any, ...]], Any] = {}  # what this process has as machine code
_environments: list[Any] = []  # those of machine code out of the cache; it holds their addresses

if INTERPRETED:
    np.seterr(over="ignore")  # splitmix64 wraps on purpose; compiled code wraps silently


# --- kernels ----------------------------------------------------------------------------------------------


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a rule function: cached on disk, once per kernel, and also runnable without compiling."""
    if INTERPRETED:
        return interpreted(function)
    return make_kernel(function)


def make_kernel(function: Any) -> Any:
    """A compiled kernel of a Python function, its machine code kept on the disk."""
    entry = njit(no_cfunc_wrapper=True)(function)
    entry._cache = Cache(entry)
    return split(entry) if is_tested() else widen_calls(entry)


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
    return make_kernel(bound)


def compile_for(kernel: Any, *arguments: Any) -> None:
    """Compile a kernel for arguments of these types, or load it from the cache, without running it."""
    if not INTERPRETED:
        kernel.compile(tuple(numba.typeof(argument) for argument in arguments))


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


# --- the cache --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stored:
    """A Whole, or any other result of numba, as it lies in the cache.

    contents: of the kernel. code: machine code and what it defines, or numba's own form of a library.
    calls: contents, types and symbol of each kernel that is called by its symbol. environments: name, module and
    constants of those that hold any. reload: what numba does first.
    """

    contents: bytes
    code: tuple[Any, ...]
    fndesc: Any
    signature: Any
    calls: tuple[tuple[bytes, tuple[Any, ...], str], ...]
    environments: tuple[tuple[str, str, tuple[Any, ...]], ...]
    reload: tuple[Any, ...]


class Cache:
    """The machine code of one kernel on the disk, in the place of numba's own cache.

    Numba's own asks whether the file of the kernel has changed; this one names each file after the digest of all that
    the kernel is made of, and takes a damaged file for none.
    """

    def __init__(self, entry: Any) -> None:
        """The cache of one kernel."""
        self.entry = entry

    @property
    def cache_path(self) -> str:
        """Where the files lie, as numba's statistics want it."""
        return str(build_folder(cache_root(), build_facts()) / unit_of(self.entry))

    def path(self, key: tuple[bytes, tuple[Any, ...]]) -> Path:
        """The file of a kernel for these types."""
        name = hashlib.blake2b(key[0] + signature_digest(key[1]), digest_size=12).hexdigest()
        return Path(self.cache_path) / f"{self.entry.py_func.__name__}-{name}"

    def stored(self, key: tuple[bytes, tuple[Any, ...]]) -> bytes | None:
        """What the cache holds of a kernel for these types, or a folder that is only read."""
        path = self.path(key)
        data = read_whole(path)
        for root in shared_roots() if data is None else ():
            data = data or read_whole(root / path.relative_to(cache_root()))
        return data

    def key(self, signature: Any) -> tuple[bytes, tuple[Any, ...]]:
        """Contents and types of what shall be loaded or stored."""
        return contents(self.entry), tuple(sigutils.normalize_signature(signature)[0])

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compile result for these types, or None."""
        context.refresh()
        key = self.key(signature)
        if key in _emitted:
            return _emitted[key]
        data = self.stored(key)
        if data is None:
            say_if_untested()
            return None
        try:
            found = pickle.loads(data)
            good = found.contents == key[0] and has_callees(found, self.entry)
            result = rebuild(found, self.entry.py_func, context) if good else None
        except Exception:  # made by other code than this: a miss, whatever is wrong with it
            return None
        if result is not None:
            remember(key, result)
        return result

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store a compile result."""
        key = self.key(signature)
        remember(key, result)
        if result.library.has_dynamic_globals:
            warnings.warn(
                f"{result.fndesc.qualname}: cannot be cached, it reads a table above 1 MB",
                NumbaWarning,
                stacklevel=1,
            )
            return
        try:
            write_whole(self.path(key), serialize.dumps(reduce(key[0], result)))
        except OSError as error:
            say_unkept(str(error))

    def enable(self) -> None:
        """Numba asks for it."""

    def disable(self) -> None:
        """Numba asks for it."""

    def flush(self) -> None:
        """Numba asks for it."""


@functools.cache
def say_unkept(reason: str) -> None:
    """Tell once that machine code cannot be written down; it works all the same."""
    print(f"compiled code is not kept: {reason}", file=sys.stderr)


def remember(key: tuple[bytes, tuple[Any, ...]], result: Any) -> None:
    """This process now has this machine code; a kernel with equal contents need not have it twice."""
    if isinstance(result.library, Whole):
        result.library.key, result.library.symbol = key, result.fndesc.mangled_name
        _emitted[key] = result


def has_callees(stored: Stored, caller: Any) -> bool:
    """Load or compile what machine code calls by symbol; whether every symbol is then there.

    An unresolved symbol would be a segmentation fault.
    """
    borders = (one for one in reached(caller) if isinstance(one, Border)) if stored.calls else ()
    entries = {contents(one.entry): one.entry for one in borders}
    for digest, args, wanted in stored.calls:
        entry = entries.get(digest)
        if entry is None:
            return False
        entry.compile(args)
        if entry.overloads[args].fndesc.mangled_name != wanted:
            return False
        if not entry.targetctx.codegen()._engine.is_symbol_defined(wanted):
            return False
    return True


def reduce(digest: bytes, result: Any) -> Stored:
    """What is stored of a compile result."""
    library = result.library
    fndesc = result.fndesc
    fndesc.typemap = fndesc.calltypes = None  # large, and no longer needed
    if isinstance(library, Whole):
        code: tuple[Any, ...] = (library.name, library._get_compiled_object(), library.defined())
        calls = tuple((*called.key, called.symbol) for called in library.calls)
    else:
        code, calls = library.serialize_using_object_code(), ()
    named = [(e.env_name, e) for e in result._find_referenced_environments() if e.consts]
    environments = tuple((n, e.globals["__name__"], tuple(e.consts)) for n, e in named)
    reload = tuple(result.reload_init)
    return Stored(digest, code, fndesc, result.signature, calls, environments, reload)


def rebuild(stored: Stored, function: FunctionType, context: Any) -> Any:
    """A compile result from what is stored of it."""
    for prepare in stored.reload:
        prepare()
    stored.fndesc.modname = function.__module__  # a game's folder may have another name by now
    codegen = context.codegen()
    if isinstance(stored.code[1], bytes):
        library = load_whole(codegen, stored)
    else:
        library = codegen.unserialize_library(stored.code)
    environment = Environment.from_fndesc(stored.fndesc)
    pointer = context.get_executable(library, stored.fndesc, environment)
    for name, module, constants in stored.environments:
        held = Environment._memo.get(name)
        if held is None:
            held = Environment(vars(sys.modules[module]))
            held.env_name = name
            Environment._memo[name] = held
            _environments.append(held)
        held.consts[:] = constants
        codegen.set_env(name, held)
    return compiler.compile_result(
        target_context=context,
        typing_context=context.typing_context,
        library=library,
        environment=environment,
        entry_point=pointer,
        fndesc=stored.fndesc,
        signature=stored.signature,
        objectmode=False,
        lifted=(),
        type_annotation="",
        reload_init=list(stored.reload),
    )


def load_whole(codegen: Any, stored: Stored) -> Whole:
    """A Whole whose machine code is stored."""
    name, machine_code, defined = stored.code
    library = Whole(codegen, name)
    library.enable_object_caching()
    library._set_compiled_object(machine_code)
    library._finalize_final_module()
    codegen._engine._defined_symbols.update(defined)
    return library


@functools.cache
def build_facts() -> tuple[str, ...]:
    """What machine code depends on besides the contents of kernels."""
    here = Path(__file__).resolve().parent
    return (
        *((here / f"{name}.py").read_text() for name in COMPILER),
        numba.__version__,
        np.__version__,
        sys.version,
        repr(cpu_target.target_context.codegen().magic_tuple()),
        f"bounds {numba.config.BOUNDSCHECK}, opt {numba.config.OPT}",
        f"whole {is_tested()}",
    )


@functools.cache
def say_if_untested() -> None:
    """Tell once why compiling takes long."""
    if not is_tested():
        tested = ", ".join(f"{major}.{minor}" for major, minor in TESTED)
        print(
            f"numba {numba.__version__}: compiling takes longer than with {tested}, results are the same",
            file=sys.stderr,
        )


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

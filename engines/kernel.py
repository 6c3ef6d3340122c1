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
from types import FunctionType
from typing import Any, ClassVar

import numba
import numpy as np
from numba import njit, types
from numba.core import cgutils, compiler, serialize, sigutils
from numba.core.environment import Environment
from numba.core.errors import NumbaWarning
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.extending import intrinsic

from engines.cache import build_folder, cache_root, read_stored, tell_miss, unit_of, write_whole
from engines.contents import Reading, binding_tag, contents, full_name, reached
from engines.parts import Call, Whole, signature_digest
from engines.plain import interpreted, readable
from engines.whole import TESTED, Border, is_tested, split, take_symbol, widen_calls

__all__ = ["INTERPRETED", "kernel", "link", "now", "pasted", "piece", "readable"]

INTERPRETED = bool(numba.config.DISABLE_JIT)
# other code of these modules is another cache
COMPILER = ("kernel", "whole", "parts", "repeated", "contents", "cache")

_environments: list[Any] = []  # those of machine code out of the cache; it holds their addresses

if INTERPRETED:
    # splitmix64 wraps on purpose, compiled code wraps silently; it raises where something is divided by zero
    np.seterr(over="ignore", divide="raise", invalid="raise")


# --- kernels ----------------------------------------------------------------------------------------------


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a rule function: cached on disk, once per kernel, and also runnable without compiling."""
    if INTERPRETED:
        return interpreted(function)
    return make_kernel(function)


def make_kernel(function: Any, nogil: bool = False) -> Any:
    """A compiled kernel of a Python function, its machine code kept on the disk."""
    entry = njit(no_cfunc_wrapper=True, nogil=nogil)(function)
    entry._cache = Cache(entry)
    return split(entry) if is_tested() else widen_calls(entry)


def link(template: Callable[..., Any], /, *, nogil: bool = False, **names: Any) -> Any:
    """Compile `template` with its free names (`apply`, `legal_actions`, ...) bound to one game's kernels.

    The tag in the qualified name is derived from the bindings: two bindings of one template are two kernels. Large
    kernels are called by their symbol and stay outside; small ones are taken in.

    Args:
        template: a plain function; it calls other templates only through bound names and does not recurse.
        nogil: whether other Python threads run while Python calls it; one template is linked in one way only.
        names: kernels, linked templates or pieces, ints, floats, bools or arrays to bind.
    """
    bound = bind(template, names)
    if INTERPRETED:
        return interpreted(bound)
    return make_kernel(bound, nogil)


def compile_for(kernel: Any, *arguments: Any) -> None:
    """Compile a kernel for arguments of these types, or load it from the cache, without running it."""
    if not INTERPRETED:
        kernel.compile(tuple(numba.typeof(argument) for argument in arguments))


def piece(template: Callable[..., Any], /, **names: Any) -> Any:
    """A part of a template, for one call site: bound like `link`, but pasted into the template that calls it.

    A template that is linked has machine code of its own; the parts of one template are pieces, so that it is optimised
    as one.
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


# --- the cache --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Stored:
    """A Whole, or any other result of numba, as it lies in the cache.

    contents: of the kernel, those that it calls by their symbol left out. code: machine code and what it defines, or
    numba's own form of a library. calls: the kernels that are called by their symbol. environments: name, module
    and constants of those that hold any. reload: what numba does first.
    """

    contents: bytes
    code: tuple[Any, ...]
    fndesc: Any
    signature: Any
    calls: tuple[Call, ...]
    environments: tuple[tuple[str, str, tuple[Any, ...]], ...]
    reload: tuple[Any, ...]

    @property
    def is_whole(self) -> bool:
        """Whether it was made here and not by plain numba."""
        return isinstance(self.code[1], bytes)


class Cache:
    """The machine code of one kernel on the disk, in the place of numba's own cache.

    Numba's own asks whether the file of the kernel has changed; this one names each file after the digest of all that
    the kernel is made of, and takes a damaged file for none. What a template calls by its symbol may change without the
    template, as long as it returns the same type.
    """

    emitted: ClassVar[dict[tuple[str, bytes, tuple[Any, ...]], Any]] = {}  # in this process

    def __init__(self, entry: Any) -> None:
        """The cache of one kernel."""
        self.entry = entry

    @property
    def cache_path(self) -> str:
        """Where the files lie, as numba's statistics want it."""
        return str(build_folder(cache_root(), build_facts()) / unit_of(self.entry))

    def path(self, args: tuple[Any, ...]) -> Path:
        """The file of the kernel for these types."""
        function = self.entry.py_func
        parts = self.own_contents(), signature_digest(args), full_name(function).encode()
        name = hashlib.blake2b(b"\n".join(parts), digest_size=12).hexdigest()
        return Path(self.cache_path) / f"{function.__name__}-{name}"

    def own_contents(self) -> bytes:
        """Digest of what the machine code of the kernel is made of, without that which it calls by its symbol."""
        return contents(self.entry, Reading.TO_BORDERS)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compile result for these types, or None."""
        rtsys.initialize(
            context
        )  # machine code needs no more; the compiler asks for the rest itself
        args = tuple(sigutils.normalize_signature(signature)[0])
        if (known := self.emitted.get(self.identity(args))) is not None:
            return known
        result = self.found(args, context)
        if result is None:
            say_if_untested()
            tell_miss(self.entry)
        else:
            self.remember(args, result)
        return result

    def found(self, args: tuple[Any, ...], context: Any) -> Any:
        """The compile result that is stored for these types, or None."""
        data = read_stored(self.path(args))
        try:
            return None if data is None else self.rebuilt(pickle.loads(data), context)
        except Exception:  # made by other code than this: a miss, whatever is wrong with it
            return None

    def rebuilt(self, stored: Stored, context: Any) -> Any:
        """The compile result from what is stored, or None if it cannot be used in this process."""
        if stored.contents != self.own_contents() or not has_callees(stored.calls, self.entry):
            return None
        if stored.is_whole and not take_symbol(stored.fndesc.mangled_name, contents(self.entry)):
            return None
        return rebuild(stored, self.entry.py_func, context)

    def save_overload(self, signature: Any, result: Any) -> None:
        """Store a compile result."""
        args = tuple(sigutils.normalize_signature(signature)[0])
        self.remember(args, result)
        if result.library.has_dynamic_globals:
            warnings.warn(
                f"{result.fndesc.qualname}: cannot be cached, it reads a table above 1 MB",
                NumbaWarning,
                stacklevel=1,
            )
            return
        try:
            write_whole(self.path(args), serialize.dumps(reduce(self.own_contents(), result)))
        except OSError as error:
            say_unkept(str(error))

    def identity(self, args: tuple[Any, ...]) -> tuple[str, bytes, tuple[Any, ...]]:
        """What tells this machine code from all other in this process."""
        return full_name(self.entry.py_func), contents(self.entry), args

    def remember(self, args: tuple[Any, ...], result: Any) -> None:
        """This process now has this machine code; the same kernel under another hand need not have it twice."""
        if isinstance(result.library, Whole):
            name, returns = full_name(self.entry.py_func), repr(result.signature.return_type)
            result.library.call = Call(name, args, result.fndesc.mangled_name, returns)
            self.emitted[self.identity(args)] = result

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


def has_callees(calls: tuple[Call, ...], caller: Any) -> bool:
    """Load or compile what machine code calls by symbol; whether every symbol is then there, and good.

    An unresolved symbol would be a segmentation fault.
    """
    borders = [one for one in reached(caller) if isinstance(one, Border)] if calls else []
    entries = {one.called_as: one.entry for one in borders}
    for call in calls:
        entry = entries.get(call.name)
        if entry is None:
            return False
        entry.compile(call.args)
        if entry.overloads[call.args].library.call != call:
            return False
        if not entry.targetctx.codegen()._engine.is_symbol_defined(call.symbol):
            return False
    return True


def reduce(digest: bytes, result: Any) -> Stored:
    """What is stored of a compile result."""
    library = result.library
    fndesc = result.fndesc
    fndesc.typemap = fndesc.calltypes = None  # large, and no longer needed
    if isinstance(library, Whole):
        code: tuple[Any, ...] = (library.name, library._get_compiled_object(), library.defined())
        calls = tuple(called.call for called in library.calls if called.call)
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
    held = [environment_of(name, vars(sys.modules[m]), c) for name, m, c in stored.environments]
    codegen = context.codegen()
    if stored.is_whole:
        library = load_whole(codegen, stored)
    else:
        library = codegen.unserialize_library(stored.code)
    environment = Environment.from_fndesc(stored.fndesc)
    pointer = context.get_executable(library, stored.fndesc, environment)
    for one in held:
        codegen.set_env(one.env_name, one)
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


def environment_of(name: str, module: dict[str, Any], constants: tuple[Any, ...]) -> Any:
    """Where machine code finds the Python objects that it holds on to."""
    held = Environment._memo.get(name)
    if held is None:
        held = Environment(module)
        held.env_name = name
        Environment._memo[name] = held
        _environments.append(held)
    held.consts[:] = constants
    return held


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

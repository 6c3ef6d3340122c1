"""Machine code once per entry: kernels are handed to each other as LLVM code, and emitted only where they are called.

Numba optimises and emits every kernel together with all that it calls, so code ten calls deep is compiled ten times.
Here a kernel inside others is a Part: LLVM code, neither optimised nor emitted. What Python or a template calls is a
Whole: an entry with its Parts, optimised in one pass and emitted once. A template calls the large kernels of a game
by their symbols and takes in the small ones. So the machine code of a template is good only together with that of the
kernels it calls.

All that rests on the inside of numba stands here, and only for the versions in TESTED; with any other, kernels are
plain `njit` functions: the same results, compiled two to three times as slowly.
"""

import copy
import functools
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba import njit, types
from numba.core import sigutils

from engines.complaints import compile_part, complaints
from engines.contents import contents, full_name, weight
from engines.parts import PartCompiler, Whole, symbol
from engines.repeated import remember

TESTED = ((0, 68),)  # minor versions of numba whose inside this module knows
LIGHT = 1000  # bytes of byte code with all it calls: templates take in a kernel below that
_symbols: dict[str, bytes] = {}  # of the wholes in this process -> the contents of each


def is_tested() -> bool:
    """Whether this version of numba is one whose inside we know."""
    return tuple(int(part) for part in numba.__version__.split(".")[:2]) in TESTED


# --- kernels ----------------------------------------------------------------------------------------------


def widen_calls(dispatcher: Any) -> Any:
    """Compile a kernel once: kernels pass each other every integer as int64.

    Numba would compile anew for int8, int16, every enum and every literal. tests/engines/test_kernel.py counts the
    overloads after a game.
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


def split(entry: Any) -> Any:
    """Give a kernel two faces: Python sees the Whole, other kernels the Part; `border` is what templates see."""
    remember()
    part = njit(pipeline_class=PartCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        entry.py_func
    )
    part.compile = functools.partial(compile_once, part)
    part._compiling_counter = entry._compiling_counter  # so that numba notices recursion
    part._compiler.compile = functools.partial(compile_part, part, part._compiler.compile)
    entry._compiler.compile = functools.partial(emit, entry, part)
    entry.part = part
    entry.border = Border(entry)
    widen_calls(part)
    entry.get_call_template = part.get_call_template
    entry.get_overload = part.get_overload
    return entry


def compile_once(part: Any, signature: Any) -> None:
    """Compile a Part for these types, unless it is: as numba does, without its clocks and its cache."""
    args, return_type = sigutils.normalize_signature(signature)
    with part._compiling_counter:
        if tuple(args) not in part.overloads:
            part.overloads[tuple(args)] = part._compiler.compile(args, return_type)


class Border:
    """A kernel as templates call it: a large one by its symbol, a small one is taken in."""

    targetoptions: dict[str, Any] = {}  # noqa: RUF012 (numba reads it of every dispatcher)
    is_compiling = False

    def __init__(self, entry: Any) -> None:
        """The border of one kernel."""
        self.entry = entry
        self.py_func = entry.py_func

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self)

    @property
    def nopython_signatures(self) -> Any:
        """Numba asks for them when a call does not fit."""
        return self.entry.nopython_signatures

    @property
    def called_as(self) -> str | None:
        """Who is called, whatever it is made of; None if templates take the kernel in."""
        return None if self.light else full_name(self.py_func)

    @functools.cached_property
    def light(self) -> bool:
        """Whether templates take the kernel in: it is small with all that it calls."""
        return weight(self.entry) < LIGHT

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """How numba learns what a call returns; compiles what is called, or loads it."""
        if self.light:
            return self.entry.part.get_call_template(args, kws)
        plain = type(self.entry).get_call_template
        return plain(
            self.entry, [widened(t) for t in args], {k: widened(t) for k, t in kws.items()}
        )

    def get_overload(self, signature: Any) -> Any:
        """What numba calls."""
        if self.light:
            return self.entry.part.get_overload(signature)
        return type(self.entry).get_overload(self.entry, signature)


def emit(entry: Any, part: Any, args: Any, return_type: Any) -> Any:
    """Compile a kernel for these types: its Parts where they are missing, then the Whole.

    Raises:
        BrokenGame: names the author's line.
    """
    complaints.clear()
    try:
        with unswept():
            part.compile(args)
    except Exception:
        if complaints:
            raise complaints[0] from None
        raise
    result = part.overloads[tuple(args)]
    context = result.target_context
    fndesc = copy.copy(result.fndesc)
    fndesc.mangled_name = free_symbol(entry, result)
    library = Whole(context.codegen(), fndesc.mangled_name)
    library.enable_object_caching()
    library.add_linking_library(result.library)
    unlocked = bool(entry.targetoptions.get("nogil"))
    context.create_cpython_wrapper(  # whether to let go of the lock, the Part that was compiled does not know
        library, fndesc, result.environment, result.call_helper, release_gil=unlocked
    )
    pointer = context.get_executable(library, fndesc, result.environment)
    context.insert_user_function(pointer, fndesc, [library])
    return result._replace(
        library=library,
        fndesc=fndesc,
        entry_point=pointer,
        reload_init=list(library._reload_init),
        metadata=None,
    )


@contextmanager
def unswept() -> Iterator[None]:
    """Inside, Python looks for no cycles of garbage: among the objects of a compiler that is a seventh of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def free_symbol(entry: Any, result: Any) -> str:
    """The symbol under which a Whole is called: by its name, so that an edit leaves the code that calls it good.

    Where this process has another kernel of that name, as after an edit in a notebook, it is the contents that name it.
    """
    argtypes = result.fndesc.argtypes
    named = symbol(entry.py_func.__name__, full_name(entry.py_func), argtypes)
    engine = result.target_context.codegen()._engine
    if take_symbol(named, contents(entry)) and not engine.is_symbol_defined(named):
        return named
    return str(result.fndesc.mangled_name)


def take_symbol(wanted: str, digest: bytes) -> bool:
    """Whether a symbol can be given to a kernel of these contents: it is free, or its own already."""
    return _symbols.setdefault(wanted, digest) == digest

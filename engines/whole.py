"""Machine code once per entry: kernels are handed to each other as LLVM code, and emitted only where they are called.

Numba optimises and emits every kernel together with all that it calls, so code ten calls deep is compiled ten times.
Here a kernel inside others is a Part: LLVM code, neither optimised nor emitted. What Python or a template calls is a
Whole: an entry with its Parts, optimised in one pass and emitted once. A template calls the large kernels of a game
by their symbols and takes in the small ones. So the machine code of a template is good only together with that of the
kernels it calls.

All that rests on the inside of numba stands here, and only for the versions in TESTED; with any other, kernels are
plain `njit` functions: the same results, compiled two to three times as slowly.
"""

import functools
import hashlib
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core import compiler, config, itanium_mangler, serialize, sigutils, typed_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass
from numba.core.environment import Environment
from numba.core.errors import NumbaWarning

from engines.cache import read_whole, write_whole
from engines.contents import contents, reached, weight

TESTED = ((0, 68),)  # minor versions of numba whose inside this module knows
LIGHT = 1500  # bytes of byte code with all it calls: templates take in a kernel below that
NEEDLESS = frozenset(  # passes for what kernels do not do
    {
        "DumpParforDiagnostics",
        "FindLiterallyCalls",
        "InlineOverloads",
        "LiteralPropagationSubPipelinePass",
        "LiteralUnroll",
        "NoPythonSupportedFeatureValidation",
        "NopythonRewrites",
        "RewriteSemanticConstants",
        "WithLifting",
    }
)
FOR_CLOSURES = frozenset({"InlineClosureLikes", "MakeFunctionToJitFunction"})

_emitted: dict[tuple[bytes, tuple[Any, ...]], Any] = {}  # what this process has as machine code


def is_tested() -> bool:
    """Whether this version of numba is one whose inside we know."""
    return tuple(int(part) for part in numba.__version__.split(".")[:2]) in TESTED


@functools.cache
def say_if_untested() -> None:
    """Tell once why compiling takes long."""
    if not is_tested():
        tested = ", ".join(f"{major}.{minor}" for major, minor in TESTED)
        words = f"numba {numba.__version__}: compiling takes longer than with {tested}, results are the same"
        print(words, file=sys.stderr)


# --- kernels ----------------------------------------------------------------------------------------------


def make_kernel(function: Any, folder: Callable[[], Path | None]) -> Any:
    """A compiled kernel of a Python function, its machine code cached in a folder.

    Args:
        folder: asked when the first machine code is needed; None where nothing can be stored.
    """
    entry = njit(no_cfunc_wrapper=True)(function)
    entry._cache = Cache(entry, folder)
    return split(entry) if is_tested() else widen_calls(entry)


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
    part = njit(pipeline_class=PartCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        entry.py_func
    )
    part.add_overload = lambda cres: part.overloads.update({tuple(cres.signature.args): cres})
    part._compiling_counter = entry._compiling_counter  # so that numba notices recursion
    entry._compiler.compile = functools.partial(emit, entry, part)
    entry.part = part
    entry.border = Border(entry)
    widen_calls(part)
    entry.get_call_template = part.get_call_template
    entry.get_overload = part.get_overload
    return entry


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
    """Compile a kernel for these types: its Parts where they are missing, then the Whole."""
    part.compile(args)
    result = part.overloads[tuple(args)]
    context = result.target_context
    library = Whole(context.codegen(), result.library.name)
    library.enable_object_caching()
    library.add_linking_library(result.library)
    context.create_cpython_wrapper(library, result.fndesc, result.environment, result.call_helper)
    pointer = context.get_executable(library, result.fndesc, result.environment)
    context.insert_user_function(pointer, result.fndesc, [library])
    return result._replace(
        library=library, entry_point=pointer, reload_init=list(library._reload_init), metadata=None
    )


# --- code libraries ---------------------------------------------------------------------------------------


class Part(JITCodeLibrary):  # type: ignore[misc]
    """The code of one kernel, to be taken into wholes."""

    def __init__(self, codegen: Any, name: str) -> None:
        """A part without code."""
        super().__init__(codegen, name)
        self.symbol = ""
        self.calls: dict[Whole, None] = {}  # by symbol

    def add_linking_library(self, library: Any) -> None:
        """Another kernel that this one calls."""
        if isinstance(library, Whole):
            self.calls[library] = None
        elif isinstance(library, Part):
            self._linking_libraries.append(library)
        else:
            super().add_linking_library(library)

    def finalize(self) -> None:
        """Nothing is emitted."""
        self._finalized = True

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout  # the whole is optimised, not its parts


class Whole(JITCodeLibrary):  # type: ignore[misc]
    """An entry with all that it calls, optimised together and emitted once."""

    def __init__(self, codegen: Any, name: str) -> None:
        """A whole without code."""
        super().__init__(codegen, name)
        self.calls: dict[Whole, None] = {}  # by symbol
        self.symbol = ""
        self.key: tuple[bytes, tuple[Any, ...]] = (b"", ())

    def finalize(self) -> None:
        """Join the parts, optimise and emit."""
        module, parts = self._final_module, callers_first(self)
        linked = (
            set()
        )  # kernels with equal contents, as games copy from each other, have one symbol
        kept = set(defined_functions(module)) | set(defined_functions(parts[0]._final_module))
        for library in parts:
            self._reload_init.update(library._reload_init)
            if isinstance(library, Part) and library.symbol not in linked:
                linked.add(library.symbol)
                self.calls |= library.calls
                module.link_in(library._final_module, preserve=True)
        hide(module, kept)
        for library in parts:
            if not isinstance(library, Part):
                module.link_in(library._get_module_for_linking(), preserve=True)
        hide(module, kept)
        passes, builder = self._codegen._module_pass_manager()
        passes.run(module, builder)
        module.verify()
        self._finalize_final_module()

    def defined(self) -> list[str]:
        """The symbols that other code may use."""
        return [f.name for f in self._final_module.functions if not f.is_declaration] + [
            v.name for v in self._final_module.global_variables if not v.is_declaration
        ]


def callers_first(library: Any) -> list[Any]:
    """All libraries behind a whole, each after all that call it."""
    order: dict[Any, None] = {}

    def visit(one: Any) -> None:
        if one not in order:
            if isinstance(one, Part):
                for other in one._linking_libraries:
                    visit(other)
            order[one] = None

    for one in library._linking_libraries:
        visit(one)
    return list(order)[::-1]


def defined_functions(module: Any) -> Iterator[str]:
    """The names of the functions that have a body in a module."""
    return (function.name for function in module.functions if not function.is_declaration)


def hide(module: Any, kept: set[str]) -> None:
    """Make all functions but the entry's the module's own.

    They can be inlined and dropped, and cannot be taken for those of another process: numba's names for its own
    functions hold numbers of types that differ between processes.
    """
    for function in module.functions:
        if not function.is_declaration and function.name not in kept:
            function.linkage = "internal"


# --- the compiler of parts --------------------------------------------------------------------------------


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(typed_passes.NativeLowering):  # type: ignore[misc]
    """From typed code to a Part."""

    _name = "lower_part"

    def run_pass(self, state: Any) -> bool:
        """Make LLVM code, but no machine code."""
        state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        state.library.symbol = state.cr.fndesc.mangled_name
        entry = object()  # what numba looks up the function by
        state.targetctx.insert_user_function(entry, state.cr.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state.cr = state.cr._replace(cfunc=entry)
        return True


class PartFlags(compiler.Flags):  # type: ignore[misc]
    """Numba's options, compared quickly: it does so 20 000 times a game, option by option."""

    def __hash__(self) -> int:
        """A constant, as numba's own: it hashes the names of the options."""
        return 1

    def __eq__(self, other: object) -> bool:
        """Whether the options that are set are the same."""
        return isinstance(other, compiler.Flags) and self._values == other._values

    def get_mangle_string(self) -> str:
        """What symbols hold of the options: nothing, for a part has the same symbol wherever it is compiled."""
        return "part"


class PartCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's compiler up to LLVM code, without the passes that kernels have no use for."""

    def _compile_core(self) -> Any:
        self.state.flags = PartFlags(self.state.flags)
        self.state.flags.no_compile = True
        return super()._compile_core()

    def define_pipelines(self) -> list[Any]:
        """Numba's own list of passes with another last one."""
        function = self.state.func_id.func
        self.state.func_id.unique_id = int.from_bytes(contents(function))
        self.state.targetctx.mangler = functools.partial(symbol, function.__name__)
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        needless = NEEDLESS
        if not any(hasattr(constant, "co_code") for constant in function.__code__.co_consts):
            needless |= FOR_CLOSURES
        passes.passes = [
            (LowerPart, "lowering") if one is typed_passes.NativeLowering else (one, words)
            for one, words in passes.passes
            if one.__name__ not in needless
        ]
        passes._finalized = False
        passes.finalize()
        return [passes]


def symbol(name: str, full: str, argtypes: Any, *, abi_tags: Any = (), uid: Any = None) -> str:
    """The symbol of a function or of its environment, the same in every process and wherever its module lies.

    Numba's own holds numbers of types, which differ between processes.
    """
    tags = (*abi_tags, signature_digest(argtypes).hex())
    prefix = ".NumbaEnv.kernel." if full.startswith(".NumbaEnv.") else "kernel."
    return str(itanium_mangler.mangle(prefix + name, (), abi_tags=tags, uid=uid))


def signature_digest(args: Any) -> bytes:
    """Digest of types as their names tell them, with the field names of NamedTuples."""
    words = "\n".join(map(spelled, args))
    return hashlib.blake2b(words.encode(), digest_size=16).digest()


def spelled(argument: Any) -> str:
    """The name of a type and the fields of the NamedTuples in it."""
    if isinstance(argument, types.BaseNamedTuple):
        inner = ", ".join(map(spelled, argument.types))
        return f"{argument.instance_class.__qualname__}{argument.fields}({inner})"
    if isinstance(argument, types.BaseTuple):
        return f"({', '.join(map(spelled, argument.types))})"
    return repr(argument)


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

    def __init__(self, entry: Any, folder: Callable[[], Path | None]) -> None:
        """The cache of one kernel."""
        self.entry = entry
        self.folder = folder

    @property
    def cache_path(self) -> str:
        """Where the files lie, as numba's statistics want it."""
        return str(self.folder() or "")

    def path(self, key: tuple[bytes, tuple[Any, ...]]) -> Path | None:
        """The file of a kernel for these types."""
        folder = self.folder()
        if folder is None:
            return None
        name = hashlib.blake2b(key[0] + signature_digest(key[1]), digest_size=12).hexdigest()
        return folder / f"{self.entry.py_func.__name__}-{name}"

    def key(self, signature: Any) -> tuple[bytes, tuple[Any, ...]]:
        """Contents and types of what shall be loaded or stored."""
        return contents(self.entry), tuple(sigutils.normalize_signature(signature)[0])

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compile result for these types, or None."""
        context.refresh()
        key = self.key(signature)
        if key in _emitted:
            return _emitted[key]
        path = self.path(key)
        data = read_whole(path) if path is not None else None
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
        path = self.path(key)
        if result.library.has_dynamic_globals:
            warnings.warn(
                f"{result.fndesc.qualname}: cannot be cached, it reads a table above 1 MB",
                NumbaWarning,
                stacklevel=1,
            )
        elif path is not None:
            write_whole(path, serialize.dumps(reduce(key[0], result)))

    def enable(self) -> None:
        """Numba asks for it."""

    def disable(self) -> None:
        """Numba asks for it."""

    def flush(self) -> None:
        """Numba asks for it."""


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


_environments: list[Any] = []  # those of machine code out of the cache; it holds their addresses


def load_whole(codegen: Any, stored: Stored) -> Whole:
    """A Whole whose machine code is stored."""
    name, machine_code, defined = stored.code
    library = Whole(codegen, name)
    library.enable_object_caching()
    library._set_compiled_object(machine_code)
    library._finalize_final_module()
    codegen._engine._defined_symbols.update(defined)
    return library


def build_facts() -> list[str]:
    """What machine code depends on besides the contents of kernels."""
    codegen = numba.core.registry.cpu_target.target_context.codegen()
    return [
        numba.__version__,
        np.__version__,
        sys.version,
        repr(codegen.magic_tuple()),
        f"bounds {config.BOUNDSCHECK}",
        f"opt {config.OPT}",
        f"whole {is_tested()}",
    ]

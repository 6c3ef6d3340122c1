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
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numba
from numba import njit, types
from numba.core import compiler, itanium_mangler, typed_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass

from engines.complaints import compile_part, complaints
from engines.contents import contents, full_name, weight

TESTED = ((0, 68),)  # minor versions of numba whose inside this module knows
LIGHT = 1000  # bytes of byte code with all it calls: templates take in a kernel below that
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
_symbols: dict[str, bytes] = {}  # of the wholes in this process -> the contents of each

FOR_CLOSURES = frozenset({"InlineClosureLikes", "MakeFunctionToJitFunction"})


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
    part = njit(pipeline_class=PartCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)(
        entry.py_func
    )
    part.add_overload = lambda cres: part.overloads.update({tuple(cres.signature.args): cres})
    part._compiling_counter = entry._compiling_counter  # so that numba notices recursion
    part._compiler.compile = functools.partial(compile_part, part, part._compiler.compile)
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
    context.create_cpython_wrapper(library, fndesc, result.environment, result.call_helper)
    pointer = context.get_executable(library, fndesc, result.environment)
    context.insert_user_function(pointer, fndesc, [library])
    return result._replace(
        library=library,
        fndesc=fndesc,
        entry_point=pointer,
        reload_init=list(library._reload_init),
        metadata=None,
    )


@dataclass(frozen=True)
class Call:
    """How machine code calls a kernel outside it: name and types say which, symbol and what it returns must fit."""

    name: str
    args: tuple[Any, ...]
    symbol: str
    returns: str


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
        """A whole without code, named by its symbol."""
        super().__init__(codegen, name)
        self.calls: dict[Whole, None] = {}  # by symbol
        self.call: Call | None = None  # how others call it

    def finalize(self) -> None:
        """Join the parts, optimise and emit."""
        module, parts = self._final_module, callers_first(self)
        main = parts[0]._final_module.clone()
        main.get_function(parts[0].symbol).name = self.name
        linked = (
            set()
        )  # kernels with equal contents, as games copy from each other, have one symbol
        kept = {self.name, *defined_functions(module)}
        for library in parts:
            self._reload_init.update(library._reload_init)
            if isinstance(library, Part) and library.symbol not in linked:
                linked.add(library.symbol)
                self.calls |= library.calls
                code = main if library is parts[0] else library._final_module
                module.link_in(code, preserve=True)
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
    """The symbol of a function or of its environment, the same in every process.

    Numba's own holds numbers of types, which differ between processes.

    Args:
        name: of the function.
        full: what tells it from others of that name, if `uid` does not.
        uid: its contents as a number.
    """
    tags = (*abi_tags, signature_digest(argtypes).hex())
    prefix = ".NumbaEnv.kernel." if full.startswith(".NumbaEnv.") else "kernel."
    if uid is None:
        tags = (*tags, hashlib.blake2b(full.encode(), digest_size=16).hexdigest())
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

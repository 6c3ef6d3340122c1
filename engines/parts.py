"""Code libraries that are linked whole: Part and Whole as numba sees them, and the compiler of parts.

`engines.whole` says why. All of it rests on the inside of numba, for the versions that `engines.whole` knows.
"""

import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from numba import types
from numba.core import compiler, ir, itanium_mangler, typed_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler_machinery import register_pass

from engines.contents import contents

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
BORROWING = frozenset(  # operations that give what somebody else owns
    {"build_tuple", "cast", "exhaust_iter", "getattr", "getitem", "static_getitem"}
)
FOR_CLOSURES = frozenset({"InlineClosureLikes", "MakeFunctionToJitFunction"})


# --- code libraries ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Call:
    """How machine code calls a kernel outside it: name and types say which, symbol and what it returns must fit."""

    name: str
    args: tuple[Any, ...]
    symbol: str
    returns: str


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
        linked = set()  # by symbol: kernels with equal contents, as games copy them, have one
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
        """Make LLVM code, but no machine code; references are counted only where something must be freed."""
        counting = state.targetctx
        if owns_memory(state):
            self.lower(state)
        else:
            state.targetctx = counting.subtarget(enable_nrt=False)
            try:
                self.lower(state)
            except Exception:  # it makes something that its types do not tell of
                state.targetctx = counting
                self.lower(state)
        entry = object()  # what numba looks up the function by
        state.targetctx.insert_user_function(entry, state.cr.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state.cr = state.cr._replace(cfunc=entry)
        return True

    def lower(self, state: Any) -> None:
        """Numba's own lowering, into a Part."""
        state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        state.library.symbol = state.cr.fndesc.mangled_name


def owns_memory(state: Any) -> bool:
    """Whether typed code makes, gets or returns what must be freed: arrays that are no views of arguments.

    What it only borrows nobody need count.
    """
    models = state.targetctx.data_model_manager
    results = [state.return_type]
    for block in state.func_ir.blocks.values():
        for assigned in block.find_insts(ir.Assign):
            kind = state.typemap[assigned.target.name]
            taken = isinstance(assigned.value, ir.Expr) and assigned.value.op not in BORROWING
            if taken or not isinstance(kind, types.Array | types.BaseTuple):
                results.append(kind)
    return any(models[kind].contains_nrt_meminfo() for kind in dict.fromkeys(results))


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

"""What numba works out again and again while it compiles, worked out once.

Half of the time of compiling a game is numba's own Python: it looks up what `a + b` means for the same types a thousand
times, parses a module of LLVM to learn how large each integer is, and takes arrays apart to look for what they own.
Here it remembers. What is compiled stays the same. Only for the versions of numba that `engines.whole` knows.
"""

import functools
from collections.abc import Callable
from typing import Any

from numba.core import event, ir, transforms
from numba.core.base import BaseContext
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.inline_closurecall import InlineWorker
from numba.core.postproc import PostProcessor, VariableLifetime
from numba.core.runtime.context import NRTContext
from numba.core.types import Record
from numba.core.types.functions import BaseFunction

__all__ = ["remember"]


@functools.cache
def remember() -> None:
    """Let numba remember, from now on in this process."""
    for owner, name, better in (
        (BaseFunction, "get_call_type", once_by_types),
        (BaseContext, "get_abi_sizeof", once_by_text),
        (Record, "__repr__", once),
        (CPUContext, "load_additional_registries", once_loaded),
        (PassManager, "dependency_analysis", once_by_passes),
        (PostProcessor, "run", when_needed),
        (InlineWorker, "run_untyped_passes", uncopied),
        (event, "start_event", unheard),
        (event, "end_event", unheard),
    ):
        setattr(owner, name, better(getattr(owner, name)))
    NRTContext.get_meminfos = meminfos
    ir.Inst._rec_list_vars = variables_in


def once_by_types(resolve: Callable[..., Any]) -> Callable[..., Any]:
    """What a call of a built-in function returns: once for these types of its arguments."""

    @functools.wraps(resolve)
    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        known = vars(self).setdefault("_resolved", {})
        key = id(context), args, tuple(sorted(kws.items()))
        if key not in known:
            signature = resolve(self, context, args, kws)
            known[key] = context, signature, self._impl_keys[signature.args]
        _, signature, self._impl_keys[signature.args] = known[key]
        return signature

    return get_call_type


def once_by_text(measure: Callable[..., int]) -> Callable[..., int]:
    """The bytes of a type of LLVM, once for its text."""
    known: dict[str, int] = {}

    @functools.wraps(measure)
    def get_abi_sizeof(self: Any, kind: Any) -> int:
        text = str(kind)
        if text not in known:
            known[text] = measure(self, kind)
        return known[text]

    return get_abi_sizeof


def once(tell: Callable[[Any], str]) -> Callable[[Any], str]:
    """The text of a type that never changes."""

    @functools.wraps(tell)
    def told(self: Any) -> str:
        known = vars(self).get("_told")
        if known is None:
            known = self._told = tell(self)
        return str(known)

    return told


def meminfos(self: Any, builder: Any, kind: Any, value: Any) -> list[tuple[Any, Any]]:
    """What a value owns, by type: as numba finds it, without looking into what owns nothing."""
    model = self._context.data_model_manager[kind]
    found = [(kind, model.get_nrt_meminfo(builder, value))] if model.has_nrt_meminfo() else []
    if owns(model):
        for inner, taken in model.traverse(builder):
            if owns(self._context.data_model_manager[inner]):
                found += self.get_meminfos(builder, inner, taken(value))
    return found


def owns(model: Any) -> bool:
    """Whether values of a data model may own memory."""
    known = vars(model).get("_owns")
    if known is None:
        known = model._owns = model.contains_nrt_meminfo()
    return bool(known)


def variables_in(self: Any, value: Any) -> list[Any]:
    """The variables in a part of an instruction, as numba lists them, the usual kinds first."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind in NO_VARIABLES:
        return []
    if isinstance(value, ir.Inst):
        found: list[Any] = value.list_vars()
        return found
    if kind is dict:
        value = value.values()
    elif not isinstance(value, list | tuple):
        return []
    return [one for inner in value for one in variables_in(self, inner)]


NO_VARIABLES = frozenset({str, int, float, bool, type(None), ir.Loc, ir.Scope})


def once_loaded(load: Callable[..., None]) -> Callable[..., None]:
    """The modules that tell numba what it knows: imported once, asked for news from then on."""

    @functools.wraps(load)
    def load_additional_registries(self: Any) -> None:
        if not self._registries:
            load(self)
        for registry in tuple(self._registries):
            self.install_registry(registry)

    return load_additional_registries


def once_by_passes(work_out: Callable[..., Any]) -> Callable[..., Any]:
    """Which passes need which, once for a list of passes."""
    known: dict[tuple[Any, ...], Any] = {}

    @functools.wraps(work_out)
    def dependency_analysis(self: Any) -> Any:
        passes = tuple(one for one, _ in self.passes)
        if passes not in known:
            known[passes] = work_out(self)
        return known[passes]

    return dependency_analysis


def when_needed(run: Callable[..., None]) -> Callable[..., None]:
    """What lives where, only where somebody asks: numba works it out after each pass and reads the last."""

    @functools.wraps(run)
    def run_if_needed(self: Any, emit_dels: bool = False, **options: Any) -> None:
        code = self.func_ir
        if emit_dels or code.is_generator:
            run(self, emit_dels, **options)
            return
        code.blocks = transforms.canonicalize_cfg(code.blocks)
        code.variable_lifetime = VariableLifetime(code.blocks)
        code.generator_info = None

    return run_if_needed


def uncopied(read: Callable[..., Any]) -> Callable[..., Any]:
    """The code of a piece: it is read anew for each call, so what numba pastes in need not be two copies."""

    @functools.wraps(read)
    def run_untyped_passes(self: Any, *function: Any, **options: Any) -> Any:
        code = read(self, *function, **options)
        for block in code.blocks.values():
            block.__deepcopy__ = functools.partial(itself, block)
        return code

    return run_untyped_passes


def itself(value: Any, memory: Any) -> Any:
    """A value as its own copy."""
    return value


def unheard(tell: Callable[..., None]) -> Callable[..., None]:
    """News of numba's compiler, but for that of LLVM's lock: 40 000 a game, which only a clock would hear."""

    @functools.wraps(tell)
    def told(kind: str, *details: Any, **more: Any) -> None:
        if kind != "numba:llvm_lock":
            tell(kind, *details, **more)

    return told

"""What a function is made of: a digest of its byte code and of every value that it reads, all the way down.

Compiled code freezes in what a kernel reads: other kernels, tables, numbers, enums, the layout of records. The digest
of all that is the name under which machine code is cached, so an edit recompiles what it touches and nothing else. A
comment, a docstring or a line moved does not change it.
"""

import functools
import hashlib
import sys
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from engines.source import names_said, written

FOLDER_GAME = "arena_game_"  # begins the module names of games that are loaded from a folder
FOREIGN = frozenset({"numpy", "numba", "llvmlite", *sys.stdlib_module_names})
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))


class Reading(Enum):
    """What is read of a function, and how far."""

    CODE = 1  # byte code, and everything behind it
    TO_BORDERS = 2  # byte code; of a kernel that is called by its symbol only who it is
    SOURCE = 3  # what is written, without what says nothing; the same in every version of Python


# reading, id -> the object, kept so that the id stays its own, and its digest
_digests: dict[tuple[Reading, int], tuple[Any, bytes]] = {}


def contents(value: Any, reading: Reading = Reading.CODE) -> bytes:
    """Digest of a function, kernel or value and of all that it reads: 16 bytes, the same in every process."""
    return _Reader(reading).read(value)


def full_name(function: Any) -> str:
    """Module and name of a kernel; the module of a game's folder without the digest of the folder."""
    module, _, inner = function.__module__.partition(".")
    if module.startswith(FOLDER_GAME):
        module = module.rpartition("_")[0]
    return f"{module}.{inner}.{function.__qualname__}"


def weight(kernel: Any) -> int:
    """Bytes of byte code of a kernel with all kernels that it calls."""
    functions = {python_function(one): None for one in reached(kernel)}
    return sum(len(function.__code__.co_code) for function in functions if function is not None)


def reached(kernel: Any) -> list[Any]:
    """A kernel and all kernels that it calls, callers first, each once."""
    found: dict[int, Any] = {}
    waiting = [kernel]
    while waiting:
        one = waiting.pop()
        function = python_function(one)
        if function is not None and id(one) not in found:
            found[id(one)] = one
            waiting += [value for _, value in names_read(function) if is_kernel(value)]
    return list(found.values())


def is_kernel(value: Any) -> bool:
    """Whether a value is compiled when a kernel calls it."""
    return hasattr(value, "py_func")


def python_function(value: Any) -> FunctionType | None:
    """The Python function behind a kernel, or the function itself; None for anything else."""
    function = getattr(value, "py_func", value)
    return function if isinstance(function, FunctionType) else None


def names_read(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """The globals and closed-over variables that a function may read, modules replaced by what it reads in them."""
    names = dict.fromkeys(names_in(function.__code__))
    for name in names:
        if name in function.__globals__:
            yield from looked_into(name, function.__globals__[name], names)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield from looked_into(name, cell.cell_contents, names)


def looked_into(name: str, value: Any, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """A value under its name, or of a module all that may be read of it."""
    if not isinstance(value, ModuleType) or is_foreign(value.__name__):
        yield name, value
        return
    for inner in names:
        if inner in vars(value) and vars(value)[inner] is not value:
            yield from looked_into(f"{name}.{inner}", vars(value)[inner], names)


def names_in(code: CodeType) -> Iterator[str]:
    """The names of globals and attributes in a piece of byte code and in the functions written inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def is_foreign(module: str | None) -> bool:
    """Whether a module comes with Python, numpy or numba, whose versions are part of the cache folder."""
    return (module or "").partition(".")[0] in FOREIGN


@functools.cache
def file_digest(module: str) -> bytes:
    """Digest of a module's file: for values that cannot be read any better."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return hashlib.blake2b(Path(file).read_bytes() if file else b"", digest_size=16).digest()


# --- names of linked templates ---------------------------------------------------------------------------


def binding_tag(names: dict[str, Any]) -> str:
    """Digest of what the free names are bound to."""
    parts = [f"{name}={identity(value)}" for name, value in sorted(names.items())]
    return "t" + hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def identity(value: Any) -> str:
    """Module and qualified name of a kernel, whatever it is made of; the value of a constant."""
    function = getattr(value, "py_func", value)
    if isinstance(function, ModuleType):
        raise TypeError(f"link: bind kernels and constants, not the module {function.__name__}")
    if callable(function) and hasattr(function, "__qualname__"):
        return full_name(function)
    if isinstance(value, np.ndarray):
        data = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=8).hexdigest()
        return f"array {value.dtype.str} {value.shape} {data}"
    return repr(value)


# --- the walk --------------------------------------------------------------------------------------------


class _Reader:
    """One walk from a value to all that it reads."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.open: list[int] = []  # functions and containers being read, outermost first
        self.deepest = 0  # a value that points back to one this far out is no digest of its own

    def read(self, value: Any) -> bytes:
        """The digest of a value; one that points back into a value being read says how far."""
        key = self.reading, id(value)
        known = _digests.get(key)
        if known is not None:
            return known[1]
        if id(value) in self.open:
            place = self.open.index(id(value))
            self.deepest = min(self.deepest, place)
            return b"back %d" % (len(self.open) - place)
        place, outer = len(self.open), self.deepest
        self.open.append(id(value))
        self.deepest = place
        digest = hashlib.blake2b(digest_size=16)
        for part in self.parts(value):
            digest.update(len(part).to_bytes(8, "little") + part)
        self.open.pop()
        found = digest.digest()
        if self.deepest >= place and not isinstance(value, PLAIN):
            _digests[key] = value, found
        self.deepest = min(outer, self.deepest)
        return found

    def parts(self, value: Any) -> Iterator[bytes]:
        """What a value is made of, as bytes."""
        function = python_function(value)
        who = getattr(value, "called_as", None)
        if self.reading is Reading.TO_BORDERS and who is not None:
            yield str(who).encode()
        elif function is not None:
            yield from self.function(function, value)
        elif isinstance(value, PLAIN):
            yield f"{type(value).__name__} {value!r}".encode()
        elif isinstance(value, CodeType):
            yield from self.code(value, value.co_consts)
        elif isinstance(value, np.dtype):
            yield from self.dtype(value)
        elif isinstance(value, np.ndarray | np.generic):
            yield from (type(value).__name__.encode(), repr(value.shape).encode())
            yield self.read(value.dtype)
            if value.dtype.hasobject:
                yield self.read(value.tolist())
            else:
                yield value.tobytes()
        elif isinstance(value, tuple | list):
            yield self.kind(value)
            yield from map(self.read, value)
        elif isinstance(value, set | frozenset):
            yield self.kind(value)
            yield from sorted(map(self.read, value))
        elif isinstance(value, Mapping):
            yield self.kind(value)
            yield from sorted(self.read(pair) for pair in value.items())
        elif isinstance(value, Enum):
            yield from (self.read(type(value)), value.name.encode())
        elif isinstance(value, type):
            yield from self.class_of(value)
        elif isinstance(value, ModuleType):
            yield value.__name__.partition(".")[0].encode()
        elif is_dataclass(value):
            yield self.kind(value)
            yield from (self.read(getattr(value, field.name)) for field in fields(value))
        else:
            yield from self.other(value)

    def kind(self, value: Any) -> bytes:
        """The type of a container: its name, or what it is made of where it is not Python's own."""
        own = type(value)
        return own.__name__.encode() if own.__module__ == "builtins" else self.read(own)

    def function(self, function: FunctionType, value: Any) -> Iterator[bytes]:
        """A function, and what compiles it if it is a kernel."""
        if self.reading is Reading.SOURCE:
            yield from self.source(function)
            return
        if is_foreign(function.__module__):
            yield f"{function.__module__}.{function.__qualname__}".encode()
            return
        yield type(value).__name__.encode()
        yield repr(getattr(value, "targetoptions", "")).encode()
        code = function.__code__
        skip = function.__doc__ is not None and code.co_consts[:1] == (function.__doc__,)
        yield from self.code(code, code.co_consts[skip:])
        yield self.read(function.__defaults__)
        yield self.read(function.__kwdefaults__)
        for name, read in names_read(function):
            yield name.encode()
            yield self.read(read)

    def source(self, function: FunctionType) -> Iterator[bytes]:
        """A function as it is written, and what it reads."""
        if is_foreign(function.__module__):
            yield function.__name__.encode()
            return
        yield written(function.__code__) or function.__code__.co_code
        yield self.read(function.__defaults__)
        yield self.read(function.__kwdefaults__)
        said = names_said(function.__code__)
        for name, read in sorted(names_read(function), key=lambda pair: pair[0]):
            if said is None or said.issuperset(name.split(".")):
                yield name.rpartition(".")[2].encode()
                yield self.read(read)

    def code(self, code: CodeType, constants: tuple[Any, ...]) -> Iterator[bytes]:
        """Byte code without its place in a file."""
        yield code.co_name.encode()
        yield code.co_code
        yield code.co_exceptiontable
        shape = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        names = code.co_names, arguments, code.co_freevars, code.co_cellvars
        yield repr((shape, names)).encode()
        yield from map(self.read, constants)

    def dtype(self, dtype: np.dtype[Any]) -> Iterator[bytes]:
        """The layout of a record or the kind of a plain number."""
        yield f"{dtype.kind} {dtype.itemsize} {dtype.alignment}".encode()
        if dtype.subdtype is not None:
            yield repr(dtype.shape).encode()
            yield self.read(dtype.base)
        elif dtype.names is not None and dtype.fields is not None:
            for name in dtype.names:
                field, offset = dtype.fields[name][:2]
                yield f"{name} {offset}".encode()
                yield self.read(field)
        else:
            yield dtype.str.encode()

    def class_of(self, kind: type) -> Iterator[bytes]:
        """A class by what compiled code may read of it."""
        yield kind.__qualname__.encode()
        if is_foreign(kind.__module__):
            yield kind.__module__.encode()
        elif issubclass(kind, Enum):
            yield from map(self.read, kind.__mro__[1:])
            yield from (self.read((member.name, member.value)) for member in kind)
        elif issubclass(kind, tuple) and hasattr(kind, "_fields"):
            yield self.read(tuple(kind._fields))
        elif self.reading is Reading.SOURCE and not issubclass(kind, BaseException):
            yield from self.class_source(kind)
        elif self.reading is Reading.SOURCE:
            return
        else:
            yield file_digest(kind.__module__)

    def class_source(self, kind: type) -> Iterator[bytes]:
        """A class by its fields and methods, its options without their meaning in words."""
        hints = typing.get_type_hints(kind) if is_dataclass(kind) else {}
        for field in fields(kind) if is_dataclass(kind) else ():
            yield f"{field.name} {hints[field.name]}".encode()
            yield b"-" if field.default is MISSING else self.read(field.default)
            yield b"-" if field.default_factory is MISSING else self.read(field.default_factory)
        for name, member in sorted(vars(kind).items()):
            function = python_function(getattr(member, "fget", None) or member)
            if function is not None and Path(function.__code__.co_filename).is_file():
                yield name.encode()
                yield self.read(function)

    def other(self, value: Any) -> Iterator[bytes]:
        """A value of a kind that kernels rarely read."""
        name = getattr(value, "__qualname__", "")
        yield f"{type(value).__qualname__} {name}".encode()
        if isinstance(value, BuiltinFunctionType | np.ufunc):
            yield getattr(value, "__name__", "").encode()
        elif inner := getattr(value, "_defn", None):  # numba's intrinsics
            yield self.read(inner)
        elif inner := getattr(value, "__wrapped__", None):  # functools.cache
            yield self.read(inner)
        elif isinstance(value, functools.partial):
            yield self.read((value.func, value.args, value.keywords))
        elif not is_foreign(type(value).__module__):
            yield file_digest(type(value).__module__)

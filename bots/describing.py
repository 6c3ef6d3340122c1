"""What is told of a bot in a file without running it here: its class, its options, as plain data.

A process that must not run the files of bots names a Reader (`bots.readers`), which has another process do it.
"""

import dataclasses
import functools
import importlib
import types
import typing
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from bots.contract import BotKind, BotSpec, Compiled, NoParameters
from bots.readers import reader_name
from bots.sources import Source
from engines.core import Option, describe_options
from engines.errors import UserError
from engines.texts import clean

MOST_OPTIONS = 200
CHECKED = "_checked_elsewhere"
PLAIN: dict[str, Any] = {"int": int, "float": float, "bool": bool, "str": str}


@dataclass(frozen=True)
class Description:
    """A bot in a file.

    member: what it is called there. options: of its parameters, see `option_of`. problem: why it can be
    described no further; every match of it is lost. checks: its parameters have checks of their own.
    """

    member: str
    summary: str = ""
    compiled: bool = False
    options: tuple[Mapping[str, Any], ...] = field(default=(), hash=False)
    problem: str = ""
    checks: bool = False


class Reader(Protocol):
    """What reads files of bots in another process."""

    def describe(self, source: Source, name: str) -> Description:
        """Describe a bot; UserError where its file says itself what is wrong."""

    def check(self, spec: BotSpec) -> dict[str, Any]:
        """The values of its parameters as its class leaves them; ValueError where it refuses them."""

    def make(self, spec: BotSpec) -> Any:
        """The bot itself, which plays in the other process."""


def reader() -> Reader | None:
    """Who reads files of bots; None: they are run here."""
    module, _, name = reader_name().partition(":")
    if not module:
        return None
    found: Reader = getattr(importlib.import_module(module), name)
    return found


# --- where the file is run --------------------------------------------------------------------------------


def description_of(kind: BotKind) -> dict[str, Any]:
    """A kind of bot as plain data."""
    options = [option_of(info) for info in describe_options(kind.Parameters)]
    compiled = kind.compiled is not None
    return {
        "member": kind.member,
        "summary": kind.summary,
        "compiled": compiled,
        "options": options,
        "checks": hasattr(kind.Parameters, "__post_init__"),
    }


def option_of(info: Any) -> dict[str, Any]:
    """An option as plain data."""
    return {
        "name": info.name,
        "type": type_to_plain(info.type),
        "default": info.default,
        "option": asdict(info.option),
    }


def type_to_plain(target: Any) -> Any:
    """The type of an option as plain data."""
    origin = typing.get_origin(target)
    if origin in (typing.Union, types.UnionType):
        inner = next(one for one in typing.get_args(target) if one is not type(None))
        return {"optional": type_to_plain(inner)}
    if origin is tuple:
        return {"tuple": type_to_plain(typing.get_args(target)[0])}
    name = getattr(target, "__name__", "")
    return name if name in PLAIN else "any"


# --- where it is not --------------------------------------------------------------------------------------


def read_description(data: Any) -> Description:
    """A description from plain data that an untrusted process has sent.

    Raises:
        ValueError: it is none.
    """
    try:
        options = tuple(data["options"])[:MOST_OPTIONS]
        found = Description(
            clean(str(data["member"]), 100),
            clean(str(data["summary"]), 500),
            bool(data["compiled"]),
            options,
            checks=bool(data["checks"]),
        )
        parameters_from(found)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"not a description of a bot: {error!r}") from None
    return found


def parameters_from(told: Description) -> type:
    """A class like the Parameters of a bot, without its code."""
    if not told.options:
        return NoParameters
    fields = []
    for one in told.options:
        kind = plain_to_type(one["type"])
        choices = tuple(one["option"]["choices"])
        facts = {
            **one["option"],
            "choices": choices,
            "meaning": clean(str(one["option"]["meaning"])),
        }
        default = tuple(one["default"]) if isinstance(one["default"], list) else one["default"]
        annotated = typing.Annotated[kind, Option(**facts)]  # type: ignore[valid-type]
        fields.append((str(one["name"]), annotated, dataclasses.field(default=default)))
    return dataclasses.make_dataclass(
        "Parameters", fields, namespace={CHECKED: told.checks}, frozen=True
    )


def plain_to_type(told: Any) -> Any:
    """The type of an option from plain data."""
    if isinstance(told, str):
        return PLAIN.get(told, typing.Any)
    if "optional" in told:
        return plain_to_type(told["optional"]) | None
    inner = plain_to_type(told["tuple"])
    return types.GenericAlias(tuple, (inner, ...))


@functools.lru_cache(maxsize=256)
def described_kind(source: Source, name: str) -> BotKind:
    """The kind of bot in a file that is not run here."""
    elsewhere = reader()
    assert elsewhere is not None
    told = elsewhere.describe(source, name)

    def refuse(*args: Any) -> Any:
        raise UserError(f"bot {source.path!r}: its code does not run in this process")

    nothing = np.dtype([("nothing", np.int8)])
    compiled = Compiled(nothing, refuse, refuse) if told.compiled else None

    def make(values: Any) -> Any:
        kind = described_kind(source, name)
        return elsewhere.make(BotSpec(kind, values, source.path, source.placed(), source))

    return BotKind(
        f"{source.place.name}:{told.member}",
        told.summary,
        parameters_from(told),
        make,
        compiled,
        source.digest,
        str(source.place),
        told.member,
        told.problem,
    )

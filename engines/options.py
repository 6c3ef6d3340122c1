"""Options of variants and bots: what they mean, what is allowed, and how they are read."""

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from engines.errors import OptionError, nearest
from engines.texts import brief

T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """Annotation of a field of a Variant or of a bot's parameters: what it means and what is allowed.

    `within`: up to this value matches stay within 20 000 decisions, the usual `limits.decisions` of a config; None:
    they do so with any value.
    """

    meaning: str
    low: float | None = None
    high: float | None = None
    choices: tuple[Any, ...] = ()
    within: float | None = None

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        if self.choices:
            return " | ".join(str(c) for c in self.choices)
        if self.low is not None and self.high is not None:
            return f"{self.low} to {self.high}"
        return f"at least {self.low}" if self.low is not None else "any"


@dataclass(frozen=True)
class OptionInfo:
    """One option as people read it."""

    name: str
    type: Any
    default: Any
    option: Option


def describe_options(cls: type) -> list[OptionInfo]:
    """The options of a Variant or of bot parameters, in order."""
    hints = typing.get_type_hints(cls, include_extras=True)
    found = []
    for f in fields(cls):
        hint = hints[f.name]
        option = Option("")
        if typing.get_origin(hint) is typing.Annotated:
            hint, *notes = typing.get_args(hint)
            option = next((n for n in notes if isinstance(n, Option)), option)
        default = f.default if f.default is not MISSING else None
        if f.default_factory is not MISSING:
            default = f.default_factory()
        found.append(OptionInfo(f.name, hint, default, option))
    return found


def parse_options(cls: type[T], given: Mapping[str, Any], where: str) -> T:
    """Build a Variant or bot parameters from names and values (numbers may come as text).

    Raises:
        OptionError: with the path, the value and what would be right.
    """
    known = {info.name: info for info in describe_options(cls)}
    values = {}
    for name, value in given.items():
        if name not in known:
            hint = nearest(str(name), known) or listed(known)
            raise OptionError(f"{where}.{name}: unknown{hint}")
        values[name] = parse_value(value, known[name], f"{where}.{name}")
    try:
        return cls(**values)
    except OptionError as error:  # of a check in __post_init__, which knows no path
        raise OptionError(f"{where}.{error}") from None


def listed(known: Mapping[str, Any]) -> str:
    """', known are a, b' for a short list of names."""
    return f", known are {', '.join(known)}" if known else ", there are none"


def parse_value(value: Any, info: OptionInfo, where: str) -> Any:
    """One option's value in its declared type and range."""
    try:
        parsed = convert(value, info.type)
    except (TypeError, ValueError):
        raise OptionError(f"{where}: {brief(value)}, expected {type_name(info.type)}") from None
    option = info.option
    for item in parsed if isinstance(parsed, tuple) else (parsed,):
        if option.choices and item not in option.choices and item is not None:
            raise OptionError(f"{where}: {brief(value)}, expected {option.allowed}")
        too_low = option.low is not None and isinstance(item, int | float) and item < option.low
        too_high = option.high is not None and isinstance(item, int | float) and item > option.high
        if too_low or too_high:
            raise OptionError(f"{where}: {brief(value)}, expected {option.allowed}")
    return parsed


def convert(value: Any, target: Any) -> Any:
    """A plain value as int, float, bool, str, a tuple of these, or None where the type allows it."""
    origin = typing.get_origin(target)
    if origin is typing.Union or origin is types.UnionType:
        if value is None or value == "none":
            return None
        return convert(value, next(t for t in typing.get_args(target) if t is not type(None)))
    if origin is tuple:
        if value in ("", "none"):
            return ()
        if not isinstance(value, str | list | tuple):  # a mapping would be read as its keys
            raise TypeError
        parts = value.split("+") if isinstance(value, str) else value
        return tuple(convert(part, typing.get_args(target)[0]) for part in parts)
    if target is bool:
        words = {"true": True, "false": False, "yes": True, "no": False}
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise ValueError
    if target is int:
        if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
            raise ValueError
        return int(value)
    if target is float:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)
        if not np.isfinite(number):
            raise ValueError
        return number
    if target is str:
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            raise ValueError
        return str(value)
    return value


def type_name(target: Any) -> str:
    """An option's type in words."""
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "a word"}
    if typing.get_origin(target) is tuple:
        return "a list"
    inner = [t for t in typing.get_args(target) if t is not type(None)]
    if len(inner) == 1 and type(None) in typing.get_args(target):
        return f"{type_name(inner[0])} or none"
    return names.get(target, str(target).replace("typing.", ""))


def idle_options(blank: Callable[[Any], Any], options: Any) -> tuple[str, ...]:
    """The changed options that make no difference to what `blank` makes of them, each taken by itself.

    Args:
        blank: Variant -> what is compared, e.g. the bytes of its empty table; an OptionError where it cannot be.
    """
    here, found = blank(options), []
    defaults = {info.name: info.default for info in describe_options(type(options))}
    for name in changes(options):
        try:
            if blank(replace(options, **{name: defaults[name]})) == here:
                found.append(name)
        except OptionError:
            continue
    return tuple(found)


def changes(options: Any) -> dict[str, Any]:
    """The options that differ from their defaults, in declared order."""
    defaults = {info.name: info.default for info in describe_options(type(options))}
    return {k: v for k, v in asdict(options).items() if v != defaults[k]}

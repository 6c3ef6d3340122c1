"""What is searched: for each option a range, a list, or any of some things; and the points in it.

    exploration: 0.02..2 log       a number between these, the same chance for each doubling
    hand_size: 3..6                a whole number, if the option is one
    rollout_depth: [0, 10, none]   one of these
    without: any of [a, b, c]      any of these together, also none; {any of: [a, b, c]} is the same

Values are what the option itself allows (`engines.options`). A point is a mapping of names to values.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from engines.errors import OptionError, nearest
from engines.options import OptionInfo, convert, listed, parse_value, type_name
from engines.texts import brief

Point: TypeAlias = Mapping[str, Any]

NUMBER = r"[-+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?"
RANGE = re.compile(rf"\s*({NUMBER})\s*\.\.\s*({NUMBER})\s*(log)?\s*")
ANY_OF = re.compile(r"\s*any of\s*\[(.*)\]\s*", re.DOTALL)
FIGURES = 3  # of a number: a bot line one can read, and as fine as any match could tell
MOST_VALUES = 64  # of a list; subsets of more than this many things are beyond any search
FORMS = "a range as 0.1..2 or 0.1..2 log, a list, or any of [...]"


@dataclass(frozen=True)
class Span:
    """A number between two ends, both allowed; whole: only whole ones; log: even in its logarithm."""

    name: str
    low: float
    high: float
    whole: bool
    log: bool

    @property
    def size(self) -> float:
        """How many values there are, infinite for numbers."""
        return self.high - self.low + 1 if self.whole else math.inf

    def values(self) -> Iterator[Any]:
        """All values of a range of whole numbers."""
        return iter(range(int(self.low), int(self.high) + 1))

    def drawn(self, rng: np.random.Generator) -> Any:
        """A value by chance."""
        if self.whole:
            return int(rng.integers(int(self.low), int(self.high), endpoint=True))
        low, high = (math.log(self.low), math.log(self.high)) if self.log else (self.low, self.high)
        value = rng.uniform(low, high)
        return self.readable(math.exp(value) if self.log else value)

    def readable(self, value: float) -> float:
        """A number with so many figures as people read, within the ends."""
        shown = float(f"{value:.{FIGURES}g}")
        return min(max(shown, self.low), self.high)

    def holds(self, value: Any) -> bool:
        """Whether a value is one of these."""
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        return fits and self.low <= value <= self.high and (not self.whole or value == int(value))

    @property
    def text(self) -> str:
        """As a config says it."""
        return f"{self.low:g}..{self.high:g}{' log' if self.log else ''}"


@dataclass(frozen=True)
class Choice:
    """One of some values."""

    name: str
    options: tuple[Any, ...]

    @property
    def size(self) -> float:
        """How many values there are."""
        return len(self.options)

    def values(self) -> Iterator[Any]:
        """All values."""
        return iter(self.options)

    def drawn(self, rng: np.random.Generator) -> Any:
        """A value by chance."""
        return self.options[int(rng.integers(len(self.options)))]

    def holds(self, value: Any) -> bool:
        """Whether a value is one of these."""
        return value in self.options

    @property
    def text(self) -> str:
        """As a config says it."""
        return f"[{', '.join(worded(value) for value in self.options)}]"


@dataclass(frozen=True)
class AnyOf:
    """Any of some things together: a value is a tuple of them in their order, perhaps of none."""

    name: str
    options: tuple[Any, ...]

    @property
    def size(self) -> float:
        """How many values there are."""
        return 2.0 ** len(self.options)

    def values(self) -> Iterator[Any]:
        """All values, the fewest things first."""
        flags = sorted(product((False, True), repeat=len(self.options)), key=lambda one: sum(one))
        return (self.of(one) for one in flags)

    def of(self, flags: Sequence[bool]) -> tuple[Any, ...]:
        """The value in which those things are whose flag is set."""
        return tuple(one for one, flag in zip(self.options, flags, strict=True) if flag)

    def drawn(self, rng: np.random.Generator) -> Any:
        """A value by chance."""
        return self.of([bool(flag) for flag in rng.integers(2, size=len(self.options))])

    def holds(self, value: Any) -> bool:
        """Whether a value is one of these."""
        return isinstance(value, tuple | list) and all(one in self.options for one in value)

    @property
    def text(self) -> str:
        """As a config says it."""
        return f"any of [{', '.join(worded(value) for value in self.options)}]"


Dimension: TypeAlias = Span | Choice | AnyOf


@dataclass(frozen=True)
class Space:
    """All points: a value for each dimension."""

    dimensions: tuple[Dimension, ...]

    @property
    def size(self) -> float:
        """How many points there are; infinite where a dimension is a range of numbers."""
        return math.prod(one.size for one in self.dimensions)

    def points(self) -> Iterator[dict[str, Any]]:
        """All points of a finite space, the last dimension changing first."""
        names = [one.name for one in self.dimensions]
        for values in product(*(list(one.values()) for one in self.dimensions)):
            yield dict(zip(names, values, strict=True))

    def drawn(self, rng: np.random.Generator) -> dict[str, Any]:
        """A point by chance, every dimension by itself."""
        return {one.name: one.drawn(rng) for one in self.dimensions}

    def holds(self, point: Point) -> bool:
        """Whether a point lies in the space."""
        return set(point) == {one.name for one in self.dimensions} and all(
            one.holds(point[one.name]) for one in self.dimensions
        )

    def plain(self) -> dict[str, str]:
        """The space as a config says it."""
        return {one.name: one.text for one in self.dimensions}


def key_of(point: Point) -> str:
    """What tells points apart: equal for equal values, whatever the order of the names."""
    return json.dumps(plain_point(point), sort_keys=True)


def plain_point(point: Point) -> dict[str, Any]:
    """A point as JSON keeps it: tuples as lists, whole floats as they are written."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in point.items()}


def point_text(point: Point) -> str:
    """'exploration 0.12, rollout_depth 0'."""
    return ", ".join(f"{name} {worded(value)}" for name, value in point.items())


def worded(value: Any) -> str:
    """A value as options of bots and variants are written: 0.12, none, true, a+b."""
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return "+".join(worded(one) for one in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


# --- reading --------------------------------------------------------------------------------------


def read_space(given: Mapping[str, Any], known: Sequence[OptionInfo], where: str) -> Space:
    """The space that a config names, in its order.

    Args:
        given: what each option may be, by name; see the top of this module.
        known: the options that there are.
        where: the path of `given`.

    Raises:
        OptionError: with the path, the value and what would be right.
    """
    infos = {info.name: info for info in known}
    if not given:
        raise OptionError(f"{where}: empty, expected what to search: an option and {FORMS}")
    found = []
    for name, value in given.items():
        if name not in infos:
            hint = nearest(str(name), infos) or listed(infos)
            raise OptionError(f"{where}.{brief(str(name)).strip(chr(39))}: unknown{hint}")
        found.append(read_dimension(value, infos[name], f"{where}.{name}"))
    return Space(tuple(found))


def read_dimension(value: Any, info: OptionInfo, where: str) -> Dimension:
    """What one option may be; OptionError with the path, the value and what would be right."""
    if isinstance(value, Mapping) and list(value) == ["any of"]:
        return any_of(value["any of"], info, where)
    if isinstance(value, list | tuple):
        options = parsed_list(value, info, where)
        if len(options) < 2:
            raise OptionError(f"{where}: one value, expected two or more to choose from")
        return Choice(info.name, options)
    if isinstance(value, str):
        if match := ANY_OF.fullmatch(value):
            items = [item.strip() for item in match[1].split(",") if item.strip()]
            return any_of(items, info, where)
        if match := RANGE.fullmatch(value):
            return span(match[1], match[2], bool(match[3]), info, where)
    raise OptionError(f"{where}: {brief(value)}, expected {FORMS}")


def span(low: str, high: str, log: bool, info: OptionInfo, where: str) -> Span:
    """A range of an option that is a number."""
    probe = number_type(info)
    if probe is None:
        raise OptionError(
            f"{where}: a range, but it is {type_name(info.type)}: expected a list of values"
        )
    ends = [float(parse_value(plain_number(end), info, where)) for end in (low, high)]
    if ends[0] == ends[1]:
        raise OptionError(f"{where}: {low}..{high} leaves nothing to choose")
    if ends[0] > ends[1]:
        raise OptionError(f"{where}: {low}..{high}, expected the lower end first: {high}..{low}")
    if log and ends[0] <= 0:
        raise OptionError(f"{where}: {low}..{high} log, expected a lower end above 0")
    return Span(info.name, ends[0], ends[1], probe is int, log)


def plain_number(text: str) -> int | float:
    """The number that a text is."""
    return int(text) if text.lstrip("+-").isdigit() else float(text)


def number_type(info: OptionInfo) -> type | None:
    """Int or float, if the option takes numbers; None if not."""
    for probe, target in ((0.5, float), (1, int)):
        try:
            if type(convert(probe, info.type)) is target:
                return target
        except (TypeError, ValueError):
            continue
    return None


def any_of(items: Any, info: OptionInfo, where: str) -> AnyOf:
    """A choice of several things for an option that is a list."""
    if not isinstance(items, list | tuple):
        raise OptionError(f"{where}: {brief(items)}, expected any of [...]")
    if type_name(info.type) != "a list":
        raise OptionError(f"{where}: any of [...], but it is {type_name(info.type)}, not a list")
    parsed = [parse_value([item], info, where)[0] for item in items]
    if not parsed:
        raise OptionError(f"{where}: any of nothing, expected one thing or more")
    check_distinct(parsed, where)
    return AnyOf(info.name, tuple(parsed))


def parsed_list(items: Sequence[Any], info: OptionInfo, where: str) -> tuple[Any, ...]:
    """The values of a list, each in its option's type and range, all different."""
    found = [parse_value(item, info, f"{where}[{i}]") for i, item in enumerate(items)]
    check_distinct(found, where)
    return tuple(found)


def check_distinct(values: Sequence[Any], where: str) -> None:
    """Whether each value stands once, and there are not too many."""
    if len(values) > MOST_VALUES:
        raise OptionError(f"{where}: {len(values)} values, expected {MOST_VALUES} at most")
    for number, value in enumerate(values):
        if value in values[:number]:
            raise OptionError(f"{where}: {brief(worded(value))} stands there twice")

"""How near a variant is to the printed rules."""

from typing import Any, TypeAlias

from arena.tune.space import AnyOf, Choice, Dimension, Point, Space, Span, key_of

Nearness: TypeAlias = tuple[int, float]  # options that differ from the printed rules, then how far

SHORT = 12  # values of a range that are all asked


def nearness(space: Space, printed: Point, point: Point) -> Nearness:
    """How far a variant is from the printed rules: how many options differ, then how far in all."""
    steps = [
        how_far(one, point[one.name], printed[one.name])
        for one in space.dimensions
        if plain(point[one.name]) != plain(printed[one.name])
    ]
    return len(steps), round(sum(steps), 9)


def changed(printed: Point, point: Point) -> dict[str, Any]:
    """The options of a variant that differ from the printed rules."""
    return {n: v for n, v in point.items() if plain(v) != plain(printed[n])}


def single_changes(space: Space, printed: Point) -> list[Point]:
    """The variants that differ from the printed rules in one option, the nearest first."""
    found = [
        {**printed, one.name: value}
        for one in space.dimensions
        for value in values_of(one, printed[one.name])
        if plain(value) != plain(printed[one.name])
    ]
    return sorted(found, key=lambda point: (nearness(space, printed, point), key_of(point)))


def values_of(one: Dimension, printed: Any) -> list[Any]:
    """What an option may be: all of a list or a short range, the ends of a long one, one of a set more or less."""
    if isinstance(one, Choice):
        return list(one.options)
    if isinstance(one, AnyOf):
        return [
            one.of([(each in printed) != (each == item) for each in one.options])
            for item in one.options
        ]
    if one.whole and one.size <= SHORT:
        return list(one.values())
    return [one.low, one.high]


def plain(value: Any) -> Any:
    """A value that compares equal as list or tuple."""
    return tuple(value) if isinstance(value, list | tuple) else value


def how_far(one: Dimension, value: Any, printed: Any) -> float:
    """How far a value is from the printed one, as a part of all that is searched; 1 where it has no size."""
    if isinstance(one, AnyOf):
        return len(set(value) ^ set(printed)) / len(one.options)
    if isinstance(one, Span):
        return apart(value, printed) / (one.high - one.low)
    return far_in_list(one, value, printed)


def far_in_list(one: Choice, value: Any, printed: Any) -> float:
    """The same among listed values: numbers, and lists of equally many numbers, have sizes."""
    everything = [plain(each) for each in (*one.options, printed)]
    if not all(is_numbers(each) for each in everything):
        return 1.0
    if len({size_of(each) for each in everything}) > 1:
        return 1.0
    widest = max(apart(a, b) for a in everything for b in everything)
    return apart(plain(value), plain(printed)) / widest if widest else 1.0


def is_numbers(value: Any) -> bool:
    """Whether a value is a number, or numbers."""
    items = value if isinstance(value, tuple) else (value,)
    return all(isinstance(item, int | float) and not isinstance(item, bool) for item in items)


def size_of(value: Any) -> int:
    """How many numbers a value is; -1 of one that is no list."""
    return len(value) if isinstance(value, tuple) else -1


def apart(one: Any, other: Any) -> float:
    """How far numbers, or lists of numbers, are apart."""
    if isinstance(one, tuple):
        return float(sum(abs(a - b) for a, b in zip(one, other, strict=True)))
    return abs(float(one) - float(other))

"""Positions as text: what cannot be is refused, and what is taken can be played on."""

import contextlib
import copy
import math
import zlib
from collections.abc import Iterator
from typing import Any

from arena.authoring.checks.walks import Setting, legal_list, positions
from engines.errors import PositionError
from engines.kernel import INTERPRETED
from engines.records import OVER, TOLD, Number, State, Words
from engines.rng import below, mix, seeded

MOST_POSITIONS = 3 if INTERPRETED else 4  # of a setting whose values are changed
VALUES = 2  # tried in each place of each position; one where a share is looked at
FEW = 16  # places of a position that are tried where patience is short, others in each setting
ACTIONS = 12  # played from a position that was taken
NUMBERS = (-(1 << 70), -1000, -2, -1, 0, 1, 2, 3, 4, 5, 7, 9, 12, 31, 64, 99, 127, 200, 1 << 40)
OTHERS: tuple[Any, ...] = (None, True, 1.5, "", "?", "xyzzy", [], {}, [0], ["?"], {"xyzzy": 1})

Place = tuple[str | int, ...]


def wrong_values_are_refused(setting: Setting) -> Iterator[str]:
    """A position with one value changed is refused in one line, or it is one that can be played."""
    for number, position in enumerate(positions(setting, MOST_POSITIONS)):
        told = setting.game.to_dict(position.states)
        chooser = seeded(mix(number, 7))
        for place in tried(setting, told, number):
            found = values_for(setting, place)
            for _ in range(VALUES if setting.share == 1 else 1):
                value = found[int(below(chooser, len(found)))]
                yield from (
                    f"{position.where}: {problem}"
                    for problem in misread(setting, changed(told, place, value), place, value)
                )


def counts_do_not_run_over(setting: Setting) -> Iterator[str]:
    """A number at the end of its range is refused, or play from there never leads beyond what positions may hold."""
    game = setting.game
    for number, position in enumerate(positions(setting, MOST_POSITIONS)):
        told = game.to_dict(position.states)
        for place in tried(setting, told, number):
            codec = game.layout.codec(path_of(place))
            if not isinstance(codec, Number):
                continue
            value = codec.limits(position.states[0])[1]
            with contextlib.suppress(PositionError):
                states = game.from_dict(
                    setting.players, setting.variant, changed(told, place, value)
                )
                try:
                    play_on(setting, states, number)
                    game.from_dict(setting.players, setting.variant, game.to_dict(states))
                except PositionError as error:
                    where = f"{position.where}: {place_text(place)}: {value}"
                    yield f"{where} is taken, but leads to {error}"


def play_on(setting: Setting, states: State, number: int) -> None:
    """Some random actions."""
    rng, chooser = seeded(mix(number, 1)), seeded(mix(number, 2))
    for _ in range(ACTIONS):
        legal = legal_list(setting.game, states)
        if not legal:
            return
        setting.game.apply(states, legal[int(below(chooser, len(legal)))], rng)


def misread(setting: Setting, told: Any, place: Place, value: Any) -> Iterator[str]:
    """What is wrong with how a game takes a changed position."""
    what = f"{place_text(place)}: {value!r}"
    try:
        states = setting.game.from_dict(setting.players, setting.variant, told)
        rng = seeded(mix(1))
        for number in range(ACTIONS):
            legal = legal_list(setting.game, states)
            if number == 0 and (len(legal) == 0) != (int(states["to_act"][0]) == OVER):
                yield f"{what} is taken, but nobody can go on"
            if not legal:  # over, or at a choice for which later players were given nothing
                return
            setting.game.apply(states, legal[int(below(rng, len(legal)))], rng)
    except PositionError as error:
        if "\n" in str(error) or not str(error).startswith("position"):
            yield f"{what} is refused with {str(error)!r}, not in one line that names the place"
    except Exception as error:  # the code under test is not ours
        yield f"{what}: {type(error).__name__}: {error}"


def tried(setting: Setting, told: Any, number: int) -> list[Place]:
    """The places of the position of this number that are tried: all where there is patience for it.

    Where a share is looked at each field is tried once, of another player in each position and setting.
    """
    found = list(places(told))
    name = zlib.crc32(setting.name.encode())
    if setting.share < 1:
        alike: dict[str, list[Place]] = {}
        for place in found:
            alike.setdefault(path_of(place), []).append(place)
        return [some[(name + number) % len(some)] for some in alike.values()]
    if setting.patience == math.inf or len(found) <= FEW:
        return found
    chooser = seeded(mix(number, name))
    return [found[int(below(chooser, len(found)))] for _ in range(FEW)]


def places(told: Any, place: Place = ()) -> Iterator[Place]:
    """Every place in a position's text that holds a value; what the variant says is left out."""
    if place:
        yield place
    if isinstance(told, dict):
        for name, value in told.items():
            if name not in TOLD or place:
                yield from places(value, (*place, name))
    elif isinstance(told, list):
        for index, value in enumerate(told[:3]):  # a list is of one kind
            yield from places(value, (*place, index))


def values_for(setting: Setting, place: Place) -> tuple[Any, ...]:
    """Values to try in a place: wrong ones of all kinds, and all words that the field knows."""
    codec = setting.game.layout.codec(path_of(place))
    words = tuple(codec.words) if isinstance(codec, Words) else ()
    return (*words[:40], *NUMBERS, *OTHERS)


def changed(told: Any, place: Place, value: Any) -> Any:
    """The text of a position with another value in one place; what does not lead there is the same object."""
    again = copy.copy(told)
    step, *further = place
    again[step] = changed(told[step], tuple(further), value) if further else value
    return again


def path_of(place: Place) -> str:
    """The field of a place, as a Layout calls it: seat.rings."""
    return ".".join(step for step in place if isinstance(step, str))


def place_text(place: Place) -> str:
    """A place as messages call it: seat[0].rings."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return "".join(parts).removeprefix(".")


CHECKS = (wrong_values_are_refused, counts_do_not_run_over)

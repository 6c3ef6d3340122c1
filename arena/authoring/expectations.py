"""What a scenario expects of the position that it leads to, and where that is not so."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engines.actions import begins_with
from engines.core import Game
from engines.errors import UserError, nearest
from engines.records import OVER, State

ANY = None
DEAD = "dead"
ABSENT = (
    0,
    DEAD,
)  # what is expected of a name that the position does not hold: none of it, or dead


@dataclass(frozen=True)
class Expectation:
    """What must be true at the end; None means it is not looked at."""

    legal: tuple[str, ...] | None = None
    legal_has: tuple[str, ...] = ()
    legal_lacks: tuple[str, ...] = ()
    legal_count: int | Mapping[str, int] | None = None
    to_act: int | str | None = None
    position: Mapping[str, Any] | None = None
    points: tuple[int, ...] | None = None
    ranks: tuple[int, ...] | None = None
    ending: str | None = None
    error: str | None = None
    error_has: str | None = None


# --- actions in words ---------------------------------------------------------------------------


def listed_actions(game: Game, states: State, most: int = 20) -> str:
    """', legal are ...' for a message."""
    texts = legal_texts(game, states)
    if not texts:
        return ", the game is over"
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f", legal are {', '.join(texts[:most])}{more}"


def legal_texts(game: Game, states: State) -> list[str]:
    """The legal actions in words."""
    return [game.action_text(states, int(action)) for action in game.legal(states)]


# --- comparing ------------------------------------------------------------------------------------


def error_problems(error: UserError, expect: Expectation) -> Iterator[str]:
    """What is wrong if this error was raised."""
    kinds = [cls.__name__ for cls in type(error).__mro__ if issubclass(cls, UserError)]
    if expect.error not in kinds:
        yield f"{kinds[0]}: {error}" + (f" (expected {expect.error})" if expect.error else "")
    elif expect.error_has is not None and expect.error_has not in str(error):
        yield f"error: {str(error)!r}, expected to hold {expect.error_has!r}"


def differing(game: Game, states: State, expect: Expectation, view_of: int | None) -> Iterator[str]:
    """One line for each thing that is not as expected; `view_of`: whose View `position` speaks of."""
    yield from differing_actions(game, states, expect)
    yield from differing_counts(game, states, expect.legal_count)
    to_act = int(states["to_act"][0])
    if expect.to_act is not None and to_act != (OVER if expect.to_act == "over" else expect.to_act):
        yield f"to_act: {'over' if to_act == OVER else to_act}, expected {expect.to_act}"
    if expect.points is not None and game.point_list(states) != list(expect.points):
        yield f"points: {game.point_list(states)}, expected {list(expect.points)}"
    if expect.ranks is not None and game.rank_list(states) != list(expect.ranks):
        yield f"ranks: {game.rank_list(states)}, expected {list(expect.ranks)}"
    ending = game.Ending(int(game.ending(states))).name.lower()
    if expect.ending is not None and ending != expect.ending.lower().replace(" ", "_"):
        yield f"ending: {ending}, expected {expect.ending}"
    if expect.position is not None:
        shown = states if view_of is None else game.view(states, view_of)
        yield from differing_parts(game.to_dict(shown), expect.position, "position")


def differing_actions(game: Game, states: State, expect: Expectation) -> Iterator[str]:
    """What is not as expected about the legal actions."""
    named = (*(expect.legal or ()), *expect.legal_has, *expect.legal_lacks)
    unknown = []
    for text in named:
        try:
            game.find_action(states, text)
        except UserError as error:
            unknown.append(f"expect: {error}")
    if unknown:
        yield from unknown
        return
    legal = legal_texts(game, states)
    missing = [t for t in (*(expect.legal or ()), *expect.legal_has) if t not in legal]
    surplus = [t for t in legal if expect.legal is not None and t not in expect.legal]
    surplus += [t for t in expect.legal_lacks if t in legal]
    if missing:
        yield f"legal: {', '.join(missing)} missing{listed_actions(game, states)}"
    if surplus:
        yield f"legal: {', '.join(surplus)} not expected"
    if (missing or surplus) and len(legal) == 1:
        yield f"only {legal[0]!r} is legal; '...' at the end of play carries out forced actions"


def differing_counts(
    game: Game, states: State, counts: int | Mapping[str, int] | None
) -> Iterator[str]:
    """Where there are more or fewer legal actions than expected, in all or of a kind."""
    if counts is None:
        return
    legal = [int(action) for action in game.legal(states)]
    if not isinstance(counts, Mapping):
        if len(legal) != counts:
            yield f"legal_count: {len(legal)}, expected {counts}"
        return
    for name, wanted in counts.items():
        found = [action for action in legal if is_named(game, states, action, name)]
        known = name in game.subjects.names or game.actions.has_beginning(name)
        if not known and not found:
            hint = nearest(name, game.subjects.names)
            yield f"expect.legal_count.{name}: no subject of the game, no action begins so{hint}"
        elif len(found) != wanted:
            yield f"legal_count.{name}: {len(found)}, expected {wanted}"


def is_named(game: Game, states: State, action: int, name: str) -> bool:
    """Whether an action uses the subject `name`, or begins with these words."""
    subjects = [game.subjects.names[n] for n in game.subjects.of_action(action)]
    return name in subjects or begins_with(game.action_text(states, action), name)


def differing_parts(found: Any, expected: Any, path: str) -> Iterator[str]:
    """Where plain data is not as expected; what `expected` leaves out is not compared."""
    if expected is ANY:
        return
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for name, value in expected.items():
            if name in found:
                yield from differing_parts(found[name], value, f"{path}.{name}")
            elif value not in ABSENT:  # a bag leaves out what it has none of, a board the dead
                near = nearest(str(name), map(str, found))
                yield f"{path}.{name}: not there{near}, expected {value!r}"
    elif holds_mappings(expected) and isinstance(found, list) and len(expected) <= len(found):
        for number, value in enumerate(expected):
            yield from differing_parts(found[number], value, f"{path}[{number}]")
    elif found != expected:
        yield f"{path}: {found!r}, expected {expected!r}"


def holds_mappings(value: Any) -> bool:
    """Whether a list has mappings (or null for anything) in it."""
    return isinstance(value, list) and any(isinstance(v, Mapping) or v is ANY for v in value)

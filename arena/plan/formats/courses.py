"""The formats by name: what a config may say of each, and the course it stands for."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2

from arena.plan.formats.knockout import double_elimination, king_of_the_hill, knockout
from arena.plan.formats.rounds import Course
from arena.plan.formats.swiss import groups, swiss
from engines.errors import UserError
from engines.rng import mix

ADVANCE = 2  # of a group, unless the config says otherwise


@dataclass(frozen=True)
class Rules:
    """What a config says of its format; 0 where it says nothing.

    rounds: of a Swiss, and challenges of a king of the hill. cut: how many go on to a knockout.
    groups, advance: how many there are, and how many of each go on. drawn: seeds are drawn by lot
    instead of in the order of the config.
    """

    schedule: str
    rounds: int = 0
    cut: int = 0
    groups: int = 0
    advance: int = 0
    drawn: bool = False


def _swiss(field: Sequence[int], seats: int, rules: Rules) -> Course:
    return swiss(field, seats, rules.rounds or swiss_rounds(len(field), seats), rules.cut)


def _knockout(field: Sequence[int], seats: int, rules: Rules) -> Course:
    return knockout(field, seats)


def _double(field: Sequence[int], seats: int, rules: Rules) -> Course:
    return double_elimination(field, seats)


def _groups(field: Sequence[int], seats: int, rules: Rules) -> Course:
    return groups(field, seats, rules.groups, rules.advance or ADVANCE)


def _king(field: Sequence[int], seats: int, rules: Rules) -> Course:
    return king_of_the_hill(field, seats, rules.rounds or ceil((len(field) - 1) / (seats - 1)))


FORMATS: Mapping[str, Callable[[Sequence[int], int, Rules], Course]] = {
    "swiss": _swiss,
    "knockout": _knockout,
    "double_elimination": _double,
    "groups": _groups,
    "king_of_the_hill": _king,
}
ADAPTIVE = "adaptive"
IN_ROUNDS = (*FORMATS, ADAPTIVE)  # schedules in which results decide what is played
KEYS = {  # of a config, by the formats that know them
    "rounds": ("swiss", "king_of_the_hill"),
    "cut": ("swiss",),
    "groups": ("groups",),
    "advance": ("groups",),
    "seeding": tuple(FORMATS),
    "until": tuple(FORMATS),
    "goal": (ADAPTIVE,),
}


def course_of(rules: Rules, count: int, seats: int, seed: int) -> Course:
    """The course of a format for so many entrants; `check_course` says whether it can be."""
    field = sorted(range(count), key=lambda one: mix(seed, one)) if rules.drawn else range(count)
    return FORMATS[rules.schedule](list(field), seats, rules)


def swiss_rounds(count: int, seats: int) -> int:
    """Enough rounds for one winner of all its tables, and one more; one where all sit at one table."""
    if count <= seats:
        return 1
    return ceil(log2(max(count, 2)) / log2(max(seats, 2))) + 1


def check_course(rules: Rules, count: int, seats: int, table: str) -> None:
    """Whether a format can be played by so many entrants.

    Args:
        seats: sides of a table. table: the table in words.

    Raises:
        UserError: names the value and what would be right.
    """
    name = rules.schedule.replace("_", " ")
    if seats < 2:
        raise UserError(f"schedule: {name}, nobody meets anybody at {table}")
    fewest = seats if rules.schedule in ("swiss", "groups") else 2
    if count < fewest:
        kind = "an adaptive schedule" if rules.schedule == ADAPTIVE else f"a {name}"
        raise UserError(f"bots: {count}, {kind} at {table} needs {fewest} at least")
    if rules.cut and not 2 <= rules.cut <= count:
        raise UserError(f"cut: {rules.cut}, expected 2 to {count}, as many as there are bots")
    if rules.schedule == "groups":
        most = count // seats
        if not 1 <= rules.groups <= most:
            problem = f"expected 1 to {most}: a group at {table} needs {seats} bots"
            raise UserError(f"groups: {rules.groups}, {problem}")
        smallest = count // rules.groups
        if not 1 <= (rules.advance or ADVANCE) <= smallest:
            raise UserError(f"advance: {rules.advance or ADVANCE}, expected 1 to {smallest}")

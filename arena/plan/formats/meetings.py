"""Tables of a round as line-ups."""

from collections.abc import Sequence
from itertools import combinations

from arena.plan.schedule import LineUp, make_lineup
from arena.plan.tournament import Table


def lineups_of(table: Table, entrants: Sequence[str]) -> tuple[LineUp, ...]:
    """The line-ups in which the entrants of a table, by id, meet on every deal.

    One where they fill the table. Where they are fewer, some play for two seats, each of them as
    often as any other: three at a table of four make three line-ups.
    """
    each, over = divmod(len(set(table.sides)), len(entrants))
    return tuple(
        make_lineup(table, [*list(entrants) * each, *twice])
        for twice in combinations(entrants, over)
    )

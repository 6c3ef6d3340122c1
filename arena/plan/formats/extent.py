"""How much a format can become, before anything is played."""

from arena.plan.formats.courses import Rules, course_of
from arena.plan.formats.meetings import lineups_of
from arena.plan.formats.rounds import Round
from arena.plan.schedule import LineUp, block_seatings
from arena.plan.tournament import Table, Tournament

EXTRA = 2  # a tie that needs a winner goes on for at most as many deals again


def most_tables(rules: Rules, count: int, seats: int, seed: int) -> list[Round]:
    """The rounds of the longest course that a format can take.

    How many rounds and tables there are does not depend on who wins, but for one: the last two of a
    double elimination meet again where the one without a loss, who is named first, loses.
    """
    course = course_of(rules, count, seats, seed)
    rounds = [next(course)]
    while True:
        last_wins = [[float(place) for place in range(len(table))] for table in rounds[-1].tables]
        try:
            rounds.append(course.send(last_wins))
        except StopIteration:
            return rounds


def most_matches(tournament: Tournament, table: Table) -> int:
    """How many matches a tournament's format can ask for at a table."""
    ids = tournament.ids(table.game)
    seats = len(set(table.sides))
    rounds = most_tables(tournament.spec.rules, len(ids), seats, tournament.spec.seed)
    return sum(
        most_of(lineup) * (EXTRA if played.decisive else 1)
        for played in rounds
        for group in played.tables
        for lineup in lineups_of(table, [ids[one] for one in group])
    )


def most_of(lineup: LineUp) -> int:
    """How many matches the deals of a line-up can have, whichever deals they are."""
    return lineup.deals * max(map(len, block_seatings(lineup.pattern, lineup.sides)))

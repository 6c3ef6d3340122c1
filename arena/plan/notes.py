"""What is worth knowing of a tournament before it is played: options that do not do what one might think."""

from collections.abc import Iterator, Mapping
from typing import Any

from arena.plan.identity import options_text
from arena.plan.tournament import Tournament
from engines.core import Game, changes, describe_options, parse_options

USUAL_LIMIT = 20_000  # the decision limit for which options say how far they are within it


def notes(tournament: Tournament) -> Iterator[str]:
    """A line for each option that cannot act at its table, or that may lead beyond a limit."""
    most = tournament.spec.limits.decisions
    yield from clock_notes(tournament)
    for table in tournament.tables:
        game = tournament.games[table.game]
        found = [
            *idle_notes(game, table.players, table.changes),
            *limit_notes(game, table.changes, most),
        ]
        yield from (f"{table.label}: {note}" for note in found)


def clock_notes(tournament: Tournament) -> Iterator[str]:
    """What is said of a clock that the limit of a match may stop before it runs out."""
    clock, limit = tournament.spec.clock, tournament.spec.limits.match_seconds
    most = max(table.players for table in tournament.tables)
    if clock is not None and most * clock.bank_seconds > limit:
        yield (
            f"clock: {most} players have {most * clock.bank_seconds:g} s together, but "
            f"limits.match_seconds {limit:g} ends a match: raise it"
        )


def idle_notes(game: Game, players: int, options: Mapping[str, Any]) -> Iterator[str]:
    """What is said of the options that cannot act with so many players."""
    variant: Any = parse_options(game.Variant, options, "variant")
    given = changes(variant)
    for name in game.idle_options(players, variant):
        yield f"{options_text({name: given[name]})} cannot act here, the game is the same without it"


def limit_notes(game: Game, options: Mapping[str, Any], most: int) -> Iterator[str]:
    """What is said of the options that make matches possible which the decision limit would stop."""
    for info in describe_options(game.Variant):
        within, value = info.option.within, options.get(info.name)
        if within is not None and value is not None and value > within * most / USUAL_LIMIT:
            yield f"{info.name}={value} may lead to more decisions than limits.decisions, {most}, allows"

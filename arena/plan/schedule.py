"""Who meets whom, on which deals and in which seats: line-ups, blocks and matches.

A line-up has one entrant per side, so without teams one per seat. Its entrants are kept as sorted
ids; a seating gives for each seat the first position of its entrant among them.

Without teams a table has S circular orders: 1 for two players, 2 for three, 6 for four. The block
of deal d plays order d mod S in each of its distinct rotations. If an entrant sits several times,
orders that only swap its seats count once, and an order that repeats itself (a b a b) has fewer
rotations. Either way S deals play every distinct arrangement of the entrants exactly once, so each
entrant sits in each seat, and each pair side by side and opposite, exactly as often as its number
of seats asks for; and since a block has all rotations, seats are even within every deal.

With teams a block plays every distinct assignment of the entrants to the sides, on every deal.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, islice, pairwise, permutations
from typing import Any

from arena.plan.formats.courses import FORMATS
from arena.plan.identity import lineup_id, match_id, variant_id, variant_label
from arena.plan.tournament import Entrant, Table, Tournament

Seating = tuple[int, ...]

DEALS_UNDER_WAY = 4  # of a line-up


@dataclass(frozen=True)
class LineUp:
    """A game, variant and table with the entrants that meet; equal if the ids are.

    variant: without defaults. entrants: sorted ids, one per side, repeated if an entrant plays
    several. sides: the side of each seat. deals: its blocks are deals 0 to deals - 1. opening:
    decisions played at random first.
    """

    id: str
    game: str = field(compare=False)
    variant: Mapping[str, Any] = field(compare=False)
    players: int = field(compare=False)
    entrants: tuple[str, ...] = field(compare=False)
    sides: tuple[int, ...] = field(compare=False)
    deals: int = field(compare=False, default=1)
    opening: int = field(compare=False, default=0)

    @property
    def variant_id(self) -> str:
        """The id of the variant."""
        return variant_id(self.variant)

    @property
    def variant_label(self) -> str:
        """The label of the variant."""
        return variant_label(self.variant)

    @property
    def pattern(self) -> Seating:
        """For each side the first position of its entrant: (0, 0, 2) where the first plays two."""
        return tuple(self.entrants.index(entrant) for entrant in self.entrants)


@dataclass(frozen=True)
class Match:
    """One playing of a game; `seating` gives for each seat a position in `lineup.entrants`."""

    lineup: LineUp
    deal: int
    seating: Seating
    match_id: str

    @property
    def entrants(self) -> tuple[str, ...]:
        """The entrant id of each seat."""
        return tuple(self.lineup.entrants[position] for position in self.seating)


@dataclass(frozen=True)
class Block:
    """One deal of one line-up: the unit of scheduling and of resume."""

    lineup: LineUp
    deal: int

    def matches(self) -> tuple[Match, ...]:
        """The matches of the block."""
        lineup, deal = self.lineup, self.deal
        seatings = match_seatings(lineup, deal)
        return tuple(Match(lineup, deal, s, match_id(lineup.id, deal, s)) for s in seatings)


# --- line-ups -------------------------------------------------------------------------------------


def make_lineups(tournament: Tournament) -> tuple[LineUp, ...]:
    """Every line-up of a tournament, table by table."""
    return tuple(
        make_lineup(table, group)
        for table in tournament.tables
        for group in groups(tournament, table)
    )


def make_lineup(table: Table, entrants: Iterable[str]) -> LineUp:
    """The line-up of these entrant ids at a table."""
    ids = tuple(sorted(entrants))
    return LineUp(
        lineup_id(table.game, table.changes, table.players, ids),
        table.game,
        table.changes,
        table.players,
        ids,
        table.sides,
        table.deals,
        table.opening,
    )


def groups(tournament: Tournament, table: Table) -> Iterator[tuple[str, ...]]:
    """The entrant ids that meet at a table, by the tournament's schedule.

    Nobody in a format: there results decide who meets.
    """
    spec, sides = tournament.spec, len(set(table.sides))
    ids = tournament.ids(table.game)
    if spec.schedule in FORMATS:
        return
    if spec.schedule == "self_play":
        yield from ((one,) * sides for one in ids)
    elif spec.schedule == "ladder":  # each rung by itself, and against the next
        yield from ((one,) * sides for one in ids)
        for pair in pairwise(ids) if sides > 1 else ():
            yield from (group for group in fillings(pair, sides) if len(set(group)) > 1)
    elif spec.schedule == "gauntlet":
        focus = named(tournament.fields[table.game], spec.focus)
        rest = [one for one in ids if one not in focus]
        yield from ((one, *others) for one in focus for others in fillings(rest, sides - 1))
    else:
        yield from (group for group in fillings(ids, sides) if sides == 1 or len(set(group)) > 1)


def named(entrants: Sequence[Entrant], names: Iterable[str]) -> list[str]:
    """The ids of entrants given by name, each once."""
    by_name = {entrant.name: entrant.id for entrant in entrants}
    return list(dict.fromkeys(by_name[name] for name in names))


def fillings(ids: Sequence[str], seats: int) -> Iterator[tuple[str, ...]]:
    """All sets of `ids` that fill the seats; multisets where there are fewer ids than seats."""
    if len(ids) >= seats:
        return combinations(ids, seats)
    return combinations_with_replacement(ids, seats)


# --- seatings -------------------------------------------------------------------------------------


def match_seatings(lineup: LineUp, deal: int) -> tuple[Seating, ...]:
    """The seatings that the block of a deal plays."""
    orders = block_seatings(lineup.pattern, lineup.sides)
    return orders[deal % len(orders)]


@lru_cache(maxsize=4096)
def block_seatings(pattern: Seating, sides: tuple[int, ...]) -> tuple[tuple[Seating, ...], ...]:
    """The seatings of the blocks of deals 0 to S - 1; deal d repeats those of deal d mod S.

    pattern: a position for each side, equal for sides of one entrant. sides: the side of each seat.
    """
    if len(set(sides)) < len(sides):
        assignments = sorted(set(permutations(pattern)))
        return (tuple(tuple(a[side] for side in sides) for a in assignments),)
    return tuple(rotations(order) for order in circular_orders(pattern))


def circular_orders(pattern: Seating) -> list[Seating]:
    """The distinct ways to sit round a table, each turned to its smallest arrangement."""
    arrangements = set(permutations(pattern))
    return sorted(order for order in arrangements if order == min(rotations(order)))


def rotations(order: Seating) -> tuple[Seating, ...]:
    """The distinct rotations of an arrangement, itself first."""
    turned = (order[i:] + order[:i] for i in range(len(order)))
    return tuple(dict.fromkeys(turned))


# --- blocks ---------------------------------------------------------------------------------------


def make_blocks(lineups: Sequence[LineUp]) -> Iterator[Block]:
    """Every block, deal by deal, so that a run stopped early has played all line-ups equally."""
    for deal in range(max((lineup.deals for lineup in lineups), default=0)):
        yield from (Block(lineup, deal) for lineup in lineups if deal < lineup.deals)


def apart(blocks: Iterable[Sequence[Match]]) -> Iterator[Match]:
    """The matches of blocks in an order in which the seatings of a deal do not follow one another.

    Whoever remembers the match before then knows nothing of this deal; a few deals are under way at a time.
    """
    waiting = iter(blocks)
    group = list(islice(waiting, DEALS_UNDER_WAY))
    while group:
        following = list(islice(waiting, DEALS_UNDER_WAY))
        if len(following) == 1:  # it would have to follow itself
            group, following = [*group, *following], list(islice(waiting, DEALS_UNDER_WAY))
        turns = deque(deque(block) for block in group)
        while turns:
            block = turns.popleft()
            yield block.popleft()
            if block:
                turns.append(block)
        group = following


def count_matches(lineups: Iterable[LineUp]) -> int:
    """How many matches all blocks have together."""
    return sum(_matches_of(lineup) for lineup in lineups)


def _matches_of(lineup: LineUp) -> int:
    sizes = [len(block) for block in block_seatings(lineup.pattern, lineup.sides)]
    rounds, rest = divmod(lineup.deals, len(sizes))
    return rounds * sum(sizes) + sum(sizes[:rest])

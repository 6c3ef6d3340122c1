"""Swiss and groups: everybody plays on, and who does best may go on to a knockout."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from arena.plan.formats.knockout import knockout
from arena.plan.formats.pairing import arrange
from arena.plan.formats.rounds import Course, Crosstable, Place, Round, after, snaked


def swiss(field: Sequence[int], seats: int, rounds: int, cut: int = 0) -> Course:
    """Rounds in which equal scores meet; then a knockout of the best, if `cut` says how many.

    Args:
        field: entrants, the best seed first; at least `seats` of them.
    """
    standing = Crosstable(field)
    for number in range(1, rounds + 1):
        tables, byes = arrange(standing, standing.order(), seats, rounds - number)
        played = Round(f"round {number}", tables, byes)
        standing.add(played, (yield played))
    places = standing.places()
    if not cut:
        return places
    finals = yield from knockout([place.entrant for place in places[:cut]], seats)
    return after(reached(finals, places), places)


def groups(field: Sequence[int], seats: int, count: int, advance: int) -> Course:
    """Round robins in groups of equal strength by seed, then a knockout of the best of each.

    Args:
        field: entrants, the best seed first; each of the `count` groups gets at least `seats`.
        advance: how many of each group reach the knockout.
    """
    parts = snaked(field, count)
    names = [f"group {chr(ord('A') + number)}" for number in range(count)]
    tables = [
        (name, table)
        for name, part in zip(names, parts, strict=True)
        for table in combinations(part, seats)
    ]
    played = Round(
        "groups", tuple(table for _, table in tables), labels=tuple(name for name, _ in tables)
    )
    scores = yield played
    found = []
    for name, part in zip(names, parts, strict=True):
        standing = Crosstable(part)
        own = [number for number, (label, _) in enumerate(tables) if label == name]
        standing.add(
            Round(name, tuple(played.tables[number] for number in own)),
            [scores[number] for number in own],
        )
        found.append([standing.place(p.entrant, p.place, name) for p in standing.places()])
    seeds = list(seeded(found, advance))
    finals = yield from knockout([place.entrant for place in seeds], seats)
    behind = sorted((p for group in found for p in group), key=lambda p: (p.place, -p.points))
    return after(reached(finals, behind), behind)


def reached(finals: Sequence[Place], first: Sequence[Place]) -> list[Place]:
    """The places of finals with the points that everybody has: those of the Swiss, or of the groups, before them."""
    before = {place.entrant: place for place in first}
    return [
        replace(
            before[place.entrant],
            place=place.place,
            note=", ".join(filter(None, (place.note, before[place.entrant].note))),
        )
        for place in finals
    ]


def seeded(found: Sequence[Sequence[Place]], advance: int) -> Iterator[Place]:
    """Who reaches the knockout: winners of groups, then the second, so that a group meets itself late."""
    strongest = sorted(
        range(len(found)),
        key=lambda number: (-found[number][0].points, -found[number][0].sonneborn_berger, number),
    )
    for place in range(advance):
        turn = place if len(found) % 2 else 0
        for number in (*strongest[turn:], *strongest[:turn]):
            yield found[number][place]

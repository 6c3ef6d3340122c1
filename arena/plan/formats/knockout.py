"""Formats in which a lost table ends it: knockout, double elimination, king of the hill."""

from collections import deque
from collections.abc import Sequence

from arena.plan.formats.pairing import arrange
from arena.plan.formats.rounds import Course, Crosstable, Place, Round, Scores, after, snaked

PAIRS = {2: "final", 4: "semi-finals", 8: "quarter-finals"}  # rounds of pairs, by who is left
LOST = 2  # tables, and a double elimination is over for an entrant


def knockout(field: Sequence[int], seats: int) -> Course:
    """The winner of every table goes on; the best seeds meet late, and rest in the first round.

    Where the number of entrants is no power of the seats, the first round brings it down to one,
    with as few tables as that needs; some of them may be short.
    """
    standing = Crosstable(field)
    out: list[list[Place]] = []
    drawn = bracket(slots(field, seats), seats)
    while len(drawn) > 1 or len(drawn[0]) > 1:
        tables = tuple(seeds_first(field, table) for table in drawn if len(table) > 1)
        byes = tuple(table[0] for table in drawn if len(table) == 1)
        left = sum(map(len, drawn))
        played = Round(round_name(left, seats, bool(byes)), tables, byes, decisive=True)
        scores = yield played
        standing.add(played, scores)
        out.append(losers(standing, played, scores))
        winners = iter(winners_of(played, scores))
        alive = [table[0] if len(table) == 1 else next(winners) for table in drawn]
        drawn = [alive[start : start + seats] for start in range(0, len(alive), seats)]
    return ranked(standing, drawn[0][0], out)


def slots(field: Sequence[int], seats: int) -> list[list[int]]:
    """Who begins where, the best first: seeds that rest, then tables of the first round."""
    count = 1
    while count * seats < len(field):
        count *= seats
    tables = -(-(len(field) - count) // max(seats - 1, 1)) if len(field) > count else 0
    resting = count - tables
    return [
        *([entrant] for entrant in field[:resting]),
        *(snaked(field[resting:], tables) if tables else ()),
    ]


def bracket(places: list[list[int]], seats: int) -> list[list[int]]:
    """Places, the best first, in the order in which neighbours meet: 1 8 4 5 2 7 3 6 for pairs."""
    if len(places) <= seats:
        return places
    numbers = snaked(range(len(places)), seats)
    return [
        place for part in numbers for place in bracket([places[number] for number in part], seats)
    ]


def round_name(left: int, seats: int, preliminary: bool) -> str:
    """'semi-finals', 'last 16'."""
    if preliminary:
        return "first round"
    if left <= seats:
        return "final"
    return PAIRS.get(left, f"last {left}") if seats == 2 else f"last {left}"


def seeds_first(field: Sequence[int], table: Sequence[int]) -> tuple[int, ...]:
    """A table, the better seed first."""
    return tuple(sorted(table, key=field.index))


def winners_of(played: Round, scores: Scores) -> list[int]:
    """Who won each table; of equals the better seed."""
    pairs = zip(played.tables, scores, strict=True)
    return [table[max(range(len(table)), key=lambda i: found[i])] for table, found in pairs]


def losers(standing: Crosstable, played: Round, scores: Scores) -> list[Place]:
    """Who went out in a round, best first: by score at the last table, else all alike."""
    found = []
    winners = winners_of(played, scores)
    left_in = played.name if played.name.startswith("round ") else f"the {played.name}"
    for table, won, score in zip(played.tables, winners, scores, strict=True):
        points = dict(zip(table, score, strict=True))
        rest = sorted((one for one in table if one != won), key=lambda one: -points[one])
        alike = len(played.tables) > 1
        found += [
            standing.place(one, 0 if alike else n, f"out in {left_in}")
            for n, one in enumerate(rest)
        ]
    return found


def ranked(standing: Crosstable, winner: int, out: Sequence[Sequence[Place]]) -> list[Place]:
    """The places: the winner, then those who went out, the last ones first."""
    found = [standing.place(winner, 1, "winner")]
    for group in reversed(out):
        ahead = len(found) + 1
        for place in sorted(group, key=lambda p: (p.place, standing.field.index(p.entrant))):
            better = sum(other.place < place.place for other in group)
            found.append(standing.place(place.entrant, ahead + better, place.note))
    return found


# --- two lives ------------------------------------------------------------------------------------


def double_elimination(field: Sequence[int], seats: int) -> Course:
    """Out is who lost two tables. Those without a loss meet one another, and those with one do.

    The last two meet once, or twice where the one that had not lost loses.
    """
    standing, drawn = Crosstable(field), Crosstable(field)
    lost = dict.fromkeys(field, 0)
    out: list[list[Place]] = []
    number = 0
    while len(alive := [entrant for entrant in field if lost[entrant] < LOST]) > 1:
        number += 1
        drawn.points = dict.fromkeys(field, 0.0)  # who meets whom goes by losses and seeds alone
        played = lives_round(drawn, alive, lost, seats, number)
        scores = yield played
        standing.add(played, scores)
        drawn.add(played, scores)
        gone = losers(standing, played, scores)
        for place in gone:
            lost[place.entrant] += 1
        out.append([place for place in gone if lost[place.entrant] == LOST])
    return ranked(standing, alive[0], [group for group in out if group])


def lives_round(
    standing: Crosstable, alive: Sequence[int], lost: dict[int, int], seats: int, number: int
) -> Round:
    """The next round of a double elimination; the best seeds rest first, and meet late."""
    upper, lower = ([one for one in alive if lost[one] == lives] for lives in range(LOST))
    if len(alive) <= seats and len(upper) <= 1:
        name = "final" if upper else "final again"
        return Round(name, (tuple(upper + lower),), labels=(name,), decisive=True)
    tables: list[tuple[int, ...]] = []
    labels: list[str] = []
    byes: list[int] = []
    for label, pool in (("upper", upper), ("lower", lower)):
        full = arrange(standing, pool[::-1], seats) if len(pool) >= seats else ((), tuple(pool))
        if not full[0] and len(pool) > 1:
            full = (tuple(pool),), ()
        tables += sorted(seeds_first(alive, table) for table in full[0])
        labels += [label] * len(full[0])
        byes += full[1]
    return Round(f"round {number}", tuple(tables), tuple(byes), tuple(labels), decisive=True)


# --- king of the hill -----------------------------------------------------------------------------


def king_of_the_hill(field: Sequence[int], seats: int, rounds: int) -> Course:
    """The first seed is king; challengers meet it in turn, and who wins a table is king."""
    standing = Crosstable(field)
    king, *rest = field
    waiting = deque(rest)
    for number in range(1, rounds + 1):
        challengers = [waiting.popleft() for _ in range(min(seats - 1, len(waiting)))]
        played = Round(f"challenge {number}", ((king, *challengers),), decisive=True)
        scores = yield played
        standing.add(played, scores)
        (best,) = winners_of(played, scores)
        waiting.extend(one for one in (king, *challengers) if one != best)
        king = best
    behind = [place for place in standing.places() if place.entrant != king]
    return after([standing.place(king, 1, "king")], behind)

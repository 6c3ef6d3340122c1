"""Who meets whom in the next round of a Swiss: equal scores, nobody twice while avoidable, byes fair.

Pairs are an exact minimum: a maximum-weight matching (networkx: Edmonds' blossoms, in whole
numbers) over all pairs that could meet, made with a look at the rounds to come (`foresight`). For
tables of three and four that would be a set packing, which is hard; there a start by scores is
bettered by swaps, and where a table would repeat, all arrangements are tried while they are few.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice

from arena.plan.formats.foresight import Pair, Pairing, farsighted
from arena.plan.formats.rounds import Crosstable, Tables

BYE = -1  # the partner of who rests
REPEATED = 1e6  # what a table that has met costs; a pair that meets again costs as a gap of a point
BYES_TRIED = 200  # sets of resting entrants
MOST_ARRANGEMENTS = 6000  # that are all tried


def arrange(
    standing: Crosstable, order: Sequence[int], seats: int, left: int = 0
) -> tuple[Tables, tuple[int, ...]]:
    """The tables of the next round and who rests.

    Nobody rests twice before all have, and the last in the table rest first.

    Args:
        order: the entrants, best first; at least `seats` of them. left: rounds of all of them after
            this one, in which pairs are not to meet again either.
    """
    if seats == 2:
        return pairs(standing, order, left)
    best: tuple[int, Tables, tuple[int, ...]] | None = None
    for resting in islice(resting_sets(standing, order, len(order) % seats), BYES_TRIED):
        playing = [entrant for entrant in order if entrant not in resting]
        tables = seated(standing, playing, seats)
        repeats = sum(frozenset(table) in standing.tables for table in tables)
        if best is None or repeats < best[0]:
            best = repeats, tables, resting
        if not repeats:
            break
    return best[1:] if best else ((), ())


# --- pairs ----------------------------------------------------------------------------------------


def pairs(
    standing: Crosstable, order: Sequence[int], left: int = 0
) -> tuple[Tables, tuple[int, ...]]:
    """The pairs of the next round, and who rests where the number is odd.

    In this order: few meetings again, in this round and, as far as can be seen, in the `left` ones after it; a low
    score for who rests, small gaps of points, and inside a score the upper half against the lower.
    """
    count = len(order)
    gaps = [round(2 * standing.points[entrant]) for entrant in order]
    widest = max(gaps) - min(gaps) + 1
    gap_unit = count**2 + 1  # more than all folds together
    bye_unit = gap_unit * (count * widest**2 + 1)
    meeting_unit = bye_unit * (widest + 1)
    met = {(i, j): standing.times_met(order[i], order[j]) for i, j in combinations(range(count), 2)}
    costs = {}
    for (i, j), times in met.items():
        gap = (gaps[i] - gaps[j]) ** 2
        costs[i, j] = times**2 * meeting_unit + gap * gap_unit + unfolded(gaps, i, j)
    if count % 2:
        fewest = min(standing.byes[entrant] for entrant in order)
        for i, entrant in enumerate(order):
            if standing.byes[entrant] == fewest:
                costs[BYE, i] = (gaps[i] - min(gaps)) * bye_unit + count - 1 - i
    seldom = min(met.values())  # once all have met all, none meet thrice before all have twice
    fresh = {pair for pair in costs if met.get(pair, seldom) == seldom}
    matched = farsighted(costs, fresh, left, cheapest)
    tables = tuple((order[i], order[j]) for i, j in matched if i != BYE)
    return tables, tuple(order[j] for i, j in matched if i == BYE)


def cheapest(costs: Mapping[Pair, int]) -> Pairing:
    """The pairs of the lowest sum of costs that leave nobody over, if there are such."""
    from networkx import Graph, max_weight_matching  # 0.2 s that only events need

    top = 1 + max(costs.values())
    graph = Graph()
    graph.add_weighted_edges_from((i, j, top - cost) for (i, j), cost in costs.items())
    matched = sorted(sorted(pair) for pair in max_weight_matching(graph, maxcardinality=True))
    return tuple((i, j) for i, j in matched)


def unfolded(gaps: Sequence[int], i: int, j: int) -> int:
    """How far two places are from those that meet where the upper half of a score meets the lower."""
    if gaps[i] != gaps[j]:
        return abs(j - i) - 1
    return abs(j - i - gaps.count(gaps[i]) // 2)


# --- tables of three and four ---------------------------------------------------------------------


def resting_sets(
    standing: Crosstable, order: Sequence[int], count: int
) -> Iterator[tuple[int, ...]]:
    """Those who may rest, the likeliest first: who rested least, and of them the last in the table."""
    backwards = list(order)[::-1]
    by_need = sorted(backwards, key=lambda entrant: standing.byes[entrant])
    last = standing.byes[by_need[count - 1]] if count else 0
    sure = [entrant for entrant in by_need if standing.byes[entrant] < last][:count]
    rest = [entrant for entrant in by_need if standing.byes[entrant] == last]
    for others in combinations(rest, count - len(sure)):
        yield (*sure, *others)


def seated(standing: Crosstable, order: Sequence[int], seats: int) -> Tables:
    """Tables for entrants whose number is a multiple of the seats; `order`: best first."""
    tables = swapped(standing, first_tables(standing, order, seats))
    if any(frozenset(table) in standing.tables for table in tables):
        every = islice(arrangements(list(order), seats), MOST_ARRANGEMENTS)
        tables = min((tables, *every), key=lambda one: cost_of(standing, one))
    place = {entrant: number for number, entrant in enumerate(order)}
    return tuple(
        sorted(
            (tuple(sorted(table, key=place.__getitem__)) for table in tables),
            key=lambda table: [place[entrant] for entrant in table],
        )
    )


def first_tables(standing: Crosstable, order: Sequence[int], seats: int) -> list[list[int]]:
    """Every score by itself, its best spread over its tables; who is left over joins the next score."""
    tables: list[list[int]] = []
    waiting: list[int] = []
    for number, entrant in enumerate(order):
        waiting.append(entrant)
        following = order[number + 1 : number + 2]
        if following and standing.points[following[0]] == standing.points[entrant]:
            continue
        full = len(waiting) // seats
        tables += [waiting[table : full * seats : full] for table in range(full)]
        waiting = waiting[full * seats :]
    return tables


def swapped(standing: Crosstable, tables: list[list[int]]) -> list[list[int]]:
    """Tables bettered by swaps of two entrants while any swap betters them."""
    costs = [table_cost(standing, table) for table in tables]
    better = True
    while better:
        better = False
        for one, other in combinations(range(len(tables)), 2):
            for i in range(len(tables[one])):
                for j in range(len(tables[other])):
                    first, second = [*tables[one]], [*tables[other]]
                    first[i], second[j] = second[j], first[i]
                    cost = table_cost(standing, first), table_cost(standing, second)
                    if sum(cost) < costs[one] + costs[other] - 1e-9:
                        tables[one], tables[other] = first, second
                        costs[one], costs[other] = cost
                        better = True
    return tables


def table_cost(standing: Crosstable, table: Sequence[int]) -> float:
    """What speaks against a table: that it met before, that pairs of it did, and gaps of points."""
    points = [standing.points[entrant] for entrant in table]
    met = sum(standing.times_met(*pair) ** 2 for pair in combinations(table, 2))
    return REPEATED * standing.tables[frozenset(table)] + met + (max(points) - min(points)) ** 2


def cost_of(standing: Crosstable, tables: Sequence[Sequence[int]]) -> float:
    """What speaks against the tables of a round."""
    return sum(table_cost(standing, table) for table in tables)


def arrangements(entrants: list[int], seats: int) -> Iterator[list[list[int]]]:
    """All ways to divide entrants among tables."""
    if not entrants:
        yield []
        return
    first, *rest = entrants
    for others in combinations(rest, seats - 1):
        left = [entrant for entrant in rest if entrant not in others]
        for tables in arrangements(left, seats):
            yield [[first, *others], *tables]

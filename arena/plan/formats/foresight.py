"""Pairings after which the rounds to come can be played without a meeting again.

Fresh pairs that are left are a graph, in which one who rests is paired with the bye; rounds without a meeting again are
perfect matchings of it that share no pair. Where each has half of the others or more left there are some. Else, as for
two triangles that six bots may leave after three rounds, it is searched for them, step by step, while that is quick.
"""

from collections.abc import Callable, Iterator, Mapping, Set

Pair = tuple[int, int]
Pairing = tuple[Pair, ...]
Near = Mapping[int, Set[int]]

ALL_TRIED = 10  # places, the bye included: up to them every pairing is a candidate
MOST_CANDIDATES = 40  # of more
MOST_STEPS = 60_000  # of the search in a round, about a second


def farsighted(
    costs: Mapping[Pair, int],
    fresh: Set[Pair],
    left: int,
    cheapest: Callable[[Mapping[Pair, int]], Pairing],
) -> Pairing:
    """The cheapest pairing after which `left` more rounds need no meeting again, as far as one is found.

    Where the cheapest of all repeats a meeting, none without one exists, and it is taken as it is.

    Args:
        costs: of each pair that may be. fresh: those of them that have not met. cheapest: pairing by costs.
    """
    best = cheapest(costs)
    search = Search(MOST_STEPS)
    if not left or not fresh >= set(best) or search.leaves(fresh - set(best), left):
        return best
    for other in candidates(costs, fresh, best, cheapest):
        if fresh >= set(other) and search.leaves(fresh - set(other), left):
            return other
    return best


def candidates(
    costs: Mapping[Pair, int],
    fresh: Set[Pair],
    best: Pairing,
    cheapest: Callable[[Mapping[Pair, int]], Pairing],
) -> list[Pairing]:
    """Other pairings, the cheapest first: all of them where they are few, else those that lack a pair of the best."""
    near = neighbours(fresh)
    if len(near) <= ALL_TRIED:
        found = list(Search(MOST_STEPS).matchings(near, frozenset(near)))
    else:
        found = [
            cheapest({pair: cost for pair, cost in costs.items() if pair != one})
            for one in best[:MOST_CANDIDATES]
        ]
    return sorted(found, key=lambda pairing: (sum(costs[pair] for pair in pairing), pairing))


def neighbours(pairs: Set[Pair]) -> dict[int, set[int]]:
    """With whom each may still be paired."""
    found: dict[int, set[int]] = {}
    for one, other in pairs:
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return found


class Search:
    """Looks for pairings, and gives up after so many steps in all; the same steps on every machine."""

    def __init__(self, steps: int) -> None:
        """Take how many there may be."""
        self._steps = steps

    def leaves(self, fresh: Set[Pair], rounds: int) -> bool:
        """Whether so many rounds, or as many as anybody has fresh pairs for, can be made of these."""
        near = neighbours(fresh)
        fewest = min(map(len, near.values()), default=0)
        return 2 * fewest >= len(near) or self._disjoint(near, min(rounds, fewest))

    def _disjoint(self, near: Near, rounds: int, above: int = -2) -> bool:
        """Whether there are so many perfect matchings without a pair in common; the first place's partners ascend."""
        if rounds == 0:
            return True
        first, every = min(near), frozenset(near)
        for other in sorted(one for one in near[first] if one > above):
            for rest in self.matchings(near, every - {first, other}):
                taken = {**dict(rest), **{b: a for a, b in rest}, first: other, other: first}
                after = {one: near[one] - {taken[one]} for one in near}
                if self._disjoint(after, rounds - 1, other):
                    return True
        return False

    def matchings(self, near: Near, places: frozenset[int]) -> Iterator[Pairing]:
        """The perfect matchings of some places, until the steps are used up."""
        self._steps -= 1
        if not places:
            yield ()
        elif self._steps > 0:
            one = min(places, key=lambda place: (len(near[place] & places), place))
            for other in sorted(near[one] & places):
                pair = (min(one, other), max(one, other))
                for rest in self.matchings(near, places - {one, other}):
                    yield (pair, *rest)

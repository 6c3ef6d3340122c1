"""In which order more than two bots stand: deals are judged in order until all that is asked is decided.

The score of a bot on a deal is its mean over the line-ups it sits in: the share of opponents it
finished before, or of the first place where only that means something. In a round robin the order
of mean scores is the order of Elo. Two bots are compared by the difference of their scores on
common deals, with the hedged betting bound, whenever one looks; all pairs share the error, so that
the whole order is wrong at most as often as is said. Looks are at fixed deals (every twentieth part
more), so that the answer does not depend on who finished when.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
import pyarrow as pa

from arena.plan.question import Question
from arena.plan.schedule import LineUp
from arena.plan.tournament import Entrant
from arena.results.claims import stronger_words
from arena.results.meetings import COLUMNS, Sheet
from arena.statistics import sequential
from arena.statistics.choice_model import Floats
from arena.statistics.claims import POINTS_GAP, Claim, claim
from arena.statistics.sentences import PP, told
from engines.errors import UserError

LOOKS = 20  # a look after every twentieth part more
FIRST_LOOK = 10  # deals
MOST_OPEN = 6  # pairs that are named


class Contest:
    """Takes results in any order and judges them in the order of the schedule; it changes as it goes."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        lineups: Sequence[LineUp],
        question: Question,
        places: Callable[[LineUp], str],
    ) -> None:
        """Take three bots or more and the line-ups they meet in; UserError where the question does not fit."""
        if question.elo:
            raise UserError(f"--sprt: compares two bots, {len(entrants)} given")
        if question.top >= len(entrants):
            most = len(entrants) - 1
            raise UserError(
                f"--top {question.top}: expected 1 to {most}, fewer than there are bots"
            )
        self.question = question
        self.names = tuple(entrant.name for entrant in entrants)
        self._ids = tuple(entrant.id for entrant in entrants)
        self._lineups = tuple(lineups)
        self._sheet = Sheet(places, lineups)
        self._scores: Floats = np.zeros((0, len(entrants)))  # by deal, of each entrant
        self._look = FIRST_LOOK
        self.decided_after = 0  # deals; 0 = not yet

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""
        return COLUMNS

    @property
    def decided(self) -> bool:
        """Whether all that was asked is decided."""
        return self.decided_after > 0

    def take_stored(self, table: pa.Table) -> None:
        """Take stored matches, with `columns`."""
        self._sheet.take_stored(table)
        self._judge()

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take matches of one line-up, as its columns of results, and judge what is complete."""
        self._sheet.take(lineup, columns)
        self._judge()

    def _judge(self) -> None:
        while not self.decided and len(self._scores) < (last := self._complete()):
            last = min(last, max(self._look, len(self._scores) + 1))
            self._scores = np.concatenate([self._scores, self._next(len(self._scores), last)])
            for lineup in self._lineups:
                self._sheet.let_go(lineup, last)
            if last >= self._look:
                self._look = last + max(1, last // LOOKS)
                if all(self._sure(*pair) for pair in self._asked()):
                    self.decided_after = last

    def _complete(self) -> int:
        """Before which deal all matches are there."""
        return min(self._sheet.whole(one, len(self._scores)) for one in self._lineups)

    def _next(self, first: int, last: int) -> Floats:
        """The scores (deals, entrants) of the next deals, which are complete."""
        own: dict[str, list[Floats]] = {one: [] for one in self._ids}
        for lineup in self._lineups:
            scores = self._sheet.means(lineup, first, last)
            for column, name in enumerate(sorted(set(lineup.entrants))):
                own[name].append(scores[:, column])
        means = [np.ascontiguousarray(np.stack(own[one], axis=1)).mean(axis=1) for one in self._ids]
        return np.stack(means, axis=1)

    def _order(self) -> list[int]:
        means = np.mean(self._scores, axis=0)
        return [int(one) for one in np.argsort(-means, kind="stable")]

    def _asked(self) -> list[tuple[int, int]]:
        """The pairs whose order is asked for, the better first: neighbours, or the top against the rest."""
        order, top = self._order(), self.question.top
        if not top:
            return list(pairwise(order))
        return [(one, other) for one in order[:top] for other in order[top:]]

    def _gaps(self, one: int, other: int) -> Floats:
        return np.asarray((self._scores[:, one] - self._scores[:, other] + 1) / 2)

    @property
    def _confidence(self) -> float:
        """Of one pair, so that all of them together have that of the question."""
        return 1 - (1 - self.question.confidence) / comb(len(self._ids), 2)

    def _sure(self, one: int, other: int) -> bool:
        """Whether the first is surely ahead of the second: no gambler is left who believes them equal."""
        return sequential.ahead(self._gaps(one, other), self._confidence)

    def claimed(self, one: int, other: int) -> Claim:
        """What may be said of the difference of the scores of two, in shares of the opponents."""
        gaps = self._gaps(one, other)
        ends = sequential.mean_interval(gaps, self._confidence)
        mean, low, high = (2 * value - 1 for value in (float(gaps.mean()), *ends))
        return claim(
            mean, (low, high), deals=len(gaps), method="betting by deals", margin=POINTS_GAP
        )

    def text(self) -> str:
        """The answer in a line."""
        if not len(self._scores):
            return "not decided: no deal has been completed"
        order, deals = self._order(), len(self._scores)
        sure = f"{100 * self.question.confidence:g} %"
        pairs = self._asked()
        still = [pair for pair in pairs if not self._sure(*pair)]
        if self.question.top:
            names = ", ".join(self.names[one] for one in order[: self.question.top])
            what = f"the first {self.question.top}: {names}"
        else:
            what = "the order: " + " > ".join(self.names[one] for one in order)
        if not still:
            return f"{what} ({deals} deals; {sure} sure of all of it, whenever one looks)"
        named = "; ".join(self._open_text(*pair) for pair in still[:MOST_OPEN])
        more = f" and {len(still) - MOST_OPEN} more" if len(still) > MOST_OPEN else ""
        return (
            f"not decided after {deals} deals: {len(pairs) - len(still)} of {len(pairs)} pairs are "
            f"({sure} together), open: {named}{more}; so far {what}; a larger --max-deals goes on "
            "from here"
        )

    def _open_text(self, one: int, other: int) -> str:
        """'whether a or b is stronger: undecided (between -0.8 and 3.2 pp; ...)'."""
        return told(
            self.claimed(one, other), PP, stronger_words(self.names[one], self.names[other]), "+"
        )

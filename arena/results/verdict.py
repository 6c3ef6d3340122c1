"""Which of two bots is stronger: deals are judged in the order of the schedule until a test decides.

The score of a deal is the first bot's share of first places in all matches of the deal, every
line-up of the two counted alike; equal bots expect 1/2 at a table of any size. A deal counts when
it and all before it are complete, so that the answer does not depend on who finished when. Matches
that repeat earlier ones count like all others, for bots draw chance of their own, and quick wins
repeat most. Only while every match of every seating is the same has nobody drawn any chance; then
all deals count as one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.optimize import brentq

from arena.plan.question import STEEPEST, Question
from arena.plan.schedule import LineUp, Seating, count_matches, make_lineups, match_seatings
from arena.plan.tournament import Entrant, Tournament
from arena.results.claims import stronger_words
from arena.results.contest import Contest
from arena.results.events import places_of
from arena.results.groups import VOID
from arena.statistics import sequential
from arena.statistics.choice_model import Floats
from arena.statistics.claims import ELO_GAP, Claim, claim, deals_to_separate
from arena.statistics.resampling import FEWEST_DEALS
from arena.statistics.sentences import PERCENT, told
from arena.statistics.sequential import Hypotheses
from arena.statistics.shares import elo_of_score, normalised_elo
from arena.statistics.stopping import estimate_after_stopping
from engines.errors import UserError

WELL_MIXED = 0.9  # share of distinct matches below which the answer says so
OPENING = "--opening K gives the matches different starts"
MOST_OUTCOMES = 9  # scores of a deal that a line can list
FARTHEST_SHOWN = 1000.0  # Elo: beyond it a share next to 0 or 1 names a bound and no number
COLUMNS = ("lineup_id", "deal", "seating", "ranks", "ending", "actions_hash")


def duel_of(tournament: Tournament, question: Question) -> "Duel | Contest":
    """What answers a question about a tournament's bots, before its first result; UserError if nothing does."""
    if len(tournament.entrants) <= 2 or question.elo:
        return Duel(tournament.entrants, make_lineups(tournament), question)
    lineups = make_lineups(tournament)
    return Contest(tournament.entrants, lineups, question, places_of(tournament))


class Duel:
    """Takes results in any order and judges them in the order of the schedule; it changes as it goes.

    `duel_of` makes one for a tournament.
    """

    def __init__(
        self, entrants: Sequence[Entrant], lineups: Sequence[LineUp], question: Question
    ) -> None:
        """Take two bots and the line-ups they meet in; UserError if there are not two that meet."""
        option = "--sprt" if question.elo else "--until"
        if question.top:
            raise UserError(f"--top {question.top}: of more than two bots, {len(entrants)} given")
        if len(entrants) != 2:
            raise UserError(f"{option}: compares two bots, {len(entrants)} given")
        if any(len(set(lineup.entrants)) < 2 for lineup in lineups):
            raise UserError(f"{option}: the two bots never meet at this table")
        self.names = tuple(entrant.name for entrant in entrants)
        self.question = question
        self._first = entrants[0].id
        self._lineups = {lineup.id: lineup for lineup in lineups}
        self._blocks: dict[tuple[int, str], dict[Seating, tuple[float, int]]] = {}
        self._first_played: dict[tuple[str, Seating], tuple[float, int]] = {}
        self._chance = False  # whether any match differs from the first of its seating
        self._seen: set[tuple[str, Seating, int]] = set()
        self._matches: list[int] = []  # after each deal: matches, and of them the distinct ones
        self._distinct: list[int] = []
        self._scores: list[float] = []
        self.decided_after = 0  # scores; 0 = not yet

    @property
    def columns(self) -> Sequence[str]:
        """The columns of stored matches that it reads."""
        return COLUMNS

    @property
    def decided(self) -> bool:
        """Whether the test has stopped."""
        return self.decided_after > 0

    @property
    def scores(self) -> Floats:
        """The scores (n,) of the deals that the answer rests on."""
        seen = self.decided_after if self._chance else 1
        return np.array(self._scores[: seen or None], np.float64)

    def take_stored(self, table: pa.Table) -> None:
        """Take stored matches, with COLUMNS."""
        for lineup in self._lineups.values():
            rows = table.filter(pc.equal(table["lineup_id"], lineup.id))
            lists = {name: rows[name].combine_chunks() for name in ("seating", "ranks")}
            plain = {name: rows[name].to_numpy() for name in ("deal", "ending", "actions_hash")}
            flat = {name: (np.asarray(one.flatten()), None) for name, one in lists.items()}
            self.take(lineup, {**plain, **flat})

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take matches of one line-up, as its columns of results, and judge what is complete."""
        seating = np.asarray(columns["seating"][0]).reshape(-1, lineup.players)
        ranks = np.asarray(columns["ranks"][0]).reshape(-1, lineup.players)
        shares = first_shares(lineup, self._first, seating, ranks)
        facts = zip(columns["deal"], columns["ending"], columns["actions_hash"], strict=True)
        for row, (deal, ending, actions) in enumerate(facts):
            if ending != VOID:
                block = self._blocks.setdefault((int(deal), lineup.id), {})
                block[tuple(seating[row].tolist())] = float(shares[row]), int(actions)
        self._judge()

    def _judge(self) -> None:
        before = len(self._scores)
        while (blocks := self._complete(len(self._scores))) is not None:
            for name, block in blocks:
                for seating, (share, actions) in block.items():
                    played = self._first_played.setdefault((name, seating), (share, actions))
                    self._chance |= played != (share, actions)
                    self._seen.add((name, seating, actions))
            means = [np.mean([share for share, _ in block.values()]) for _, block in blocks]
            self._scores.append(round(float(np.mean(means)), 12))
            matches = sum(len(block) for _, block in blocks)
            self._matches.append(matches + (self._matches[-1] if self._matches else 0))
            self._distinct.append(len(self._seen))
        if len(self._scores) > before and self._chance and not self.decided:
            self.decided_after = self._stop()

    def _complete(self, deal: int) -> list[tuple[str, dict[Seating, tuple[float, int]]]] | None:
        """The blocks of a deal by line-up, seatings in order; None while a match is missing."""
        blocks = []
        for name, lineup in self._lineups.items():
            block = self._blocks.get((deal, name), {})
            if deal >= lineup.deals or len(block) < len(match_seatings(lineup, deal)):
                return None
            blocks.append((name, dict(sorted(block.items()))))
        for name in self._lineups:
            del self._blocks[deal, name]
        return blocks

    def _stop(self) -> int:
        """After how many scores the test stops; 0 if not yet."""
        if self.question.elo is None:
            return sequential.first_exclusion(
                self._scores, self.question.confidence, fewest=FEWEST_DEALS
            )
        return sequential.first_acceptance(
            self._scores, self.hypotheses(), self._bounds, FEWEST_DEALS
        )

    @property
    def _bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the ratio test stops."""
        return sequential.decision_bounds(self.question.alpha, self.question.beta)

    def hypotheses(self) -> Hypotheses:
        """The two hypotheses of the ratio test about the score of a deal."""
        low, high = self.question.elo or (0.0, 0.0)
        lineups = tuple(self._lineups.values())
        if not self.question.normalised:
            null, alternative = (expected_share(lineups, self._first, elo) for elo in (low, high))
            return Hypotheses(null, alternative)
        matches = count_matches(lineups) / lineups[0].deals
        null, alternative = (sequential.normalised_distance(elo, matches) for elo in (low, high))
        return Hypotheses(null, alternative, normalised=True)

    def text(self) -> str:
        """The answer in a line or two."""
        if not len(self.scores):
            return "not decided: no deal has been completed"
        if not self._chance and len(self._scores) > 1:
            return (
                f"not decided: {len(self._scores)} deals brought one match in each seating, again "
                f"and again (nobody draws any chance); {OPENING}"
            )
        lines = [self._ratio_text() if self.question.elo else self._bound_text()]
        last = len(self.scores) - 1
        if (share := self._distinct[last] / self._matches[last]) < WELL_MIXED:
            lines.append(f"{share:.0%} of the matches are distinct; {OPENING}")
        return "\n".join(lines)

    def _bound_text(self) -> str:
        deals, sure = len(self.scores), f"{100 * self.question.confidence:g} %"
        ends = sequential.mean_interval(self.scores, self.question.confidence)
        made = self._claim((float(self.scores.mean()), *ends), "betting by deals")
        if made.outcome == "differs":
            return f"{self._told(made)} ({deals} deals; {sure} sure, whenever one looks)"
        needed = deals_to_separate(made.margin, (ends[1] - ends[0]) / 2, deals)
        wide = f"about {needed:,.0f} deals separate {ELO_GAP:g} Elo; " if needed > 0 else ""
        return (
            f"not decided after {deals} deals: {self._told(made)} ({sure}); {wide}"
            "a larger --max-deals goes on from here"
        )

    def _claim(self, found: tuple[float, float, float], method: str) -> Claim:
        """What may be said of the first bot's share of first places."""
        margin = expected_share(tuple(self._lineups.values()), self._first, ELO_GAP) - 0.5
        mean, *ends = found
        return claim(
            mean,
            (min(ends[0], mean), max(ends[1], mean)),
            deals=len(self.scores),
            method=method,
            reference=0.5,
            margin=margin,
        )

    def _told(self, made: Claim) -> str:
        """'a is stronger than b: 57.0 % [53.1, 60.8], +49 Elo [+21, +78]', seen from the better one."""
        first = made.estimate >= made.reference
        turned = (made.estimate, made.low, made.high)
        if not first:
            turned = (1 - made.estimate, 1 - made.high, 1 - made.low)
        one, other = self.names if first else self.names[::-1]
        seen = replace(made, estimate=turned[0], low=turned[1], high=turned[2])
        words = stronger_words(one, other, f", {self._elo_text(turned, first)}")
        return told(seen, PERCENT, words)

    def _ratio_text(self) -> str:
        ratio, deals = sequential.ratio_of_scores(self.scores, self.hypotheses()), len(self.scores)
        low, high = sequential.bounds_in_force(
            self.scores, self.hypotheses(), self._bounds, FEWEST_DEALS
        )
        found = estimate_after_stopping(self.scores, self.hypotheses(), self._bounds)
        made = self._claim(found, "ratio test by deals")
        said = f"{self._told(made)}, corrected for stopping"
        facts = f"{self._normalised_text(found)}; {self._outcomes_text()}"
        if self.decided:
            outcome = "passed" if ratio >= high else "failed"
            reached = f"LLR {ratio:.2f} reached {high if ratio >= high else low:.2f}"
            return f"{self.question.text} {outcome}: {reached} after {deals} deals; {said}; {facts}"
        between = f"LLR {ratio:.2f} between {low:.2f} and {high:.2f}"
        return f"{self.question.text} not decided after {deals} deals: {between}; {said}; {facts}"

    def _normalised_text(self, found: tuple[float, float, float]) -> str:
        """'+12 normalised Elo [+3, +21]', in units of a match's standard deviation; found: share and ends."""
        lineups = tuple(self._lineups.values())
        deals, matches = len(self.scores), count_matches(lineups) / lineups[0].deals
        deviation = float(self.scores.std())
        if deals < FEWEST_DEALS or deviation == 0:
            return "no normalised Elo from so few or equal deals"
        value, low, high = normalised_elo(found, deviation, matches)
        return f"{value:+.0f} normalised Elo [{low:+.0f}, {high:+.0f}]"

    def _outcomes_text(self) -> str:
        """'deals 0: 3, 1/2: 10, 1: 7': how often the first bot got each score of a deal."""
        values, counts = np.unique(self.scores, return_counts=True)
        if len(values) > MOST_OUTCOMES:
            return f"{len(values)} different scores of a deal"
        told = ", ".join(
            f"{100 * value:.3g} %: {count}" for value, count in zip(values, counts, strict=True)
        )
        return f"deals by score {told}"

    def _elo_text(self, found: tuple[float, float, float], first: bool) -> str:
        """'+49 Elo [+21, +78]' of the first bot, or of the second; a bound where one end is open."""
        lineups = tuple(self._lineups.values())
        who = self._first if first else next(e for e in lineups[0].entrants if e != self._first)
        value, low, high = (elo_of_share(lineups, who, share) for share in found)
        near = [abs(each) < FARTHEST_SHOWN for each in (value, low, high)]
        if all(near):
            return f"{value:+.0f} Elo [{low:+.0f}, {high:+.0f}]"
        if near[1]:
            return f"above {low:+.0f} Elo"
        return f"below {high:+.0f} Elo" if near[2] else "no bound in Elo yet"


def first_shares(lineup: LineUp, entrant: str, seating: Any, ranks: Any) -> Floats:
    """An entrant's share of the first place (m,) by seating and ranks (m, seats).

    Where nobody is first it is the share of the sides that the entrant plays.
    """
    leaders = [lineup.sides.index(side) for side in sorted(set(lineup.sides))]
    own = np.array([one == entrant for one in lineup.entrants])[seating[:, leaders]]
    first = ranks[:, leaders] == 1
    counted = np.where(first.any(axis=1, keepdims=True), first, True)
    return np.asarray((counted & own).sum(axis=1) / counted.sum(axis=1))


def expected_share(lineups: Sequence[LineUp], entrant: str, elo: float) -> float:
    """The expected score of a deal of an entrant that is so much stronger than the other.

    First choice (see `placements`): a side is first in proportion to its worth.
    """
    worth = 10 ** (elo / 400)
    shares = []
    for lineup in lineups:
        own = lineup.entrants.count(entrant)
        shares.append(own * worth / (own * worth + len(lineup.entrants) - own))
    return sum(shares) / len(shares)


def elo_of_share(lineups: Sequence[LineUp], entrant: str, share: float) -> float:
    """The Elo difference at which a share is expected, within STEEPEST."""
    if all(len(lineup.entrants) == 2 for lineup in lineups):
        return float(elo_of_score(share))

    def excess(elo: float) -> float:
        return expected_share(lineups, entrant, elo) - share

    if excess(-STEEPEST) >= 0 or excess(STEEPEST) <= 0:
        return -STEEPEST if excess(-STEEPEST) >= 0 else STEEPEST
    return float(brentq(excess, -STEEPEST, STEEPEST))

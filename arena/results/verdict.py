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

from arena.plan.question import STEEPEST, Question
from arena.plan.schedule import LineUp, count_matches, make_lineups
from arena.plan.tournament import Entrant, Tournament
from arena.results.claims import stronger_words
from arena.results.contest import Contest
from arena.results.events import places_of
from arena.results.groups import VOID
from arena.results.pools import SAMPLE_BITS
from arena.statistics import sequential
from arena.statistics.choice_model import Floats, Integers
from arena.statistics.claims import ELO_GAP, Claim, claim, deals_to_separate
from arena.statistics.resampling import FEWEST_DEALS
from arena.statistics.roots import root
from arena.statistics.sentences import PERCENT, told
from arena.statistics.sequential import Hypotheses
from arena.statistics.shares import elo_of_score, normalised_elo
from arena.statistics.stopping import estimate_after_stopping
from arena.store.ledger import Ledger, by_lineup
from engines.errors import UserError
from engines.rng import mix_arrays

WELL_MIXED = 0.9  # share of distinct matches below which the answer says so
OPENING = "--opening K gives the matches different starts"
MOST_OUTCOMES = 9  # scores of a deal that a line can list
FARTHEST_SHOWN = 1000.0  # Elo: beyond it a share next to 0 or 1 names a bound and no number
COLUMNS = ("lineup_id", "deal", "seating", "ranks", "ending", "actions_hash")
DEALS_TOGETHER = 1 << 16  # at most
MOST_SEEN = 200_000  # different matches: beyond them they are counted in a sample


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
        self._ledgers = {
            one: Ledger(lineup, share=(np.float64, 1), actions=(np.uint64, 1))
            for one, lineup in self._lineups.items()
        }
        self._first_played: dict[str, dict[int, tuple[float, int]]] = {}  # by number of the seating
        self._chance = False  # whether any match differs from the first of its seating
        self._distinct = Distinct()
        self._matches = self._different = np.zeros(0, np.int64)  # after each deal
        self._scores: Floats = np.zeros(0)
        self._bound = sequential.Bound(question.confidence, fewest=FEWEST_DEALS)
        self._judged = 0  # scores that the ratio test has looked at
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
        return self._scores[: seen or None]

    def take_stored(self, table: pa.Table) -> None:
        """Take stored matches, with COLUMNS."""
        for lineup, columns in by_lineup(table, self._lineups.values()):
            self._enter(lineup, columns)
        self._judge()

    def take(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        """Take matches of one line-up, as its columns of results, and judge what is complete."""
        self._enter(lineup, columns)
        self._judge()

    def _enter(self, lineup: LineUp, columns: Mapping[str, Any]) -> None:
        if self.decided:
            return
        seating = np.asarray(columns["seating"][0]).reshape(-1, lineup.players)
        ranks = np.asarray(columns["ranks"][0]).reshape(-1, lineup.players)
        deals = np.asarray(columns["deal"])
        good = (np.asarray(columns["ending"]) != VOID) & (deals < lineup.deals)
        shares = first_shares(lineup, self._first, seating[good], ranks[good])
        actions = np.asarray(columns["actions_hash"]).astype(np.uint64)[good]
        self._ledgers[lineup.id].add(deals[good], seating[good], share=shares, actions=actions)

    def _judge(self) -> None:
        first = len(self._scores)
        last = min((ledger.whole(first) for ledger in self._ledgers.values()), default=first)
        for begin in range(first, last, DEALS_TOGETHER):
            if self.decided:
                return
            end = min(begin + DEALS_TOGETHER, last)
            self._take_deals(begin, end)
            for ledger in self._ledgers.values():
                ledger.let_go(end)
            if self._chance:
                self.decided_after = self._stop()

    def _take_deals(self, first: int, last: int) -> None:
        """Add the scores of the next deals, all of whose matches are there."""
        means = [ledger.means("share", first, last)[:, 0] for ledger in self._ledgers.values()]
        scores = np.ascontiguousarray(np.stack(means, axis=1)).mean(axis=1).round(12)
        sizes = sum(ledger.sizes(first, last) for ledger in self._ledgers.values())
        self._scores = np.concatenate([self._scores, scores])
        matches = np.cumsum(sizes) + (self._matches[-1] if first else 0)
        self._matches = np.concatenate([self._matches, matches])
        played = []
        for number, (name, ledger) in enumerate(self._ledgers.items()):
            seating = ledger.seating(first, last)
            shares, actions = (ledger.rows(one, first, last)[:, 0] for one in ("share", "actions"))
            self._chance = self._chance or self._differ(name, seating, shares, actions)
            deals = np.repeat(np.arange(last - first), ledger.sizes(first, last))
            code = np.uint64(number) << np.uint64(32) | seating.astype(np.uint64)
            played.append((deals, mix_arrays(actions, code)))
        deals, told = (np.concatenate(each) for each in zip(*played, strict=True))
        different = self._distinct.after(deals, told, last - first)
        self._different = np.concatenate([self._different, different])

    def _differ(self, name: str, seating: Any, shares: Floats, actions: Any) -> bool:
        """Whether a match of a line-up is another than the first of its seating."""
        known = self._first_played.setdefault(name, {})
        for one in np.unique(seating).tolist():
            own = np.flatnonzero(seating == one)
            share, hash_ = known.setdefault(one, (float(shares[own[0]]), int(actions[own[0]])))
            if (shares[own] != share).any() or (actions[own] != np.uint64(hash_)).any():
                return True
        return False

    def _stop(self) -> int:
        """After how many scores the test stops; 0 if not yet."""
        if self.question.elo is None:
            return self._bound.excluded(self._scores)
        before, self._judged = self._judged, len(self._scores)
        return sequential.first_acceptance(
            self._scores, self.hypotheses(), self._bounds, FEWEST_DEALS, before
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
        if (share := float(self._different[last] / self._matches[last])) < WELL_MIXED:
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


class Distinct:
    """Counts hashes that differ: all of them at first, those of a sample when they are many."""

    def __init__(self) -> None:
        """Nothing has been seen."""
        self._seen: set[int] = set()
        self._count, self._worth = 0, 1  # of a hash that is new

    def after(self, places: Integers, hashes: Any, size: int) -> Integers:
        """How many there are after each of `size` places (m,), ascending within each line-up."""
        order = np.argsort(places, kind="stable")
        places, hashes = places[order], hashes[order]
        if self._worth == 1 and len(self._seen) > MOST_SEEN:
            self._worth = 1 << SAMPLE_BITS
            self._seen = {one for one in self._seen if one >> (64 - SAMPLE_BITS) == 0}
        if self._worth > 1:
            sampled = hashes >> np.uint64(64 - SAMPLE_BITS) == 0
            places, hashes = places[sampled], hashes[sampled]
        new = np.zeros(size, np.int64)
        for place, one in zip(places.tolist(), hashes.tolist(), strict=True):
            if one not in self._seen:
                self._seen.add(one)
                new[place] += self._worth
        found = self._count + np.cumsum(new)
        self._count = int(found[-1])
        return found


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
    return root(excess, -STEEPEST, STEEPEST)

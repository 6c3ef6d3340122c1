"""The clocks of a match, one for each player: the worker keeps them, whatever a bot says of its time.

A decision costs the time from the question to its answer, as the stored seconds do; then the increment is added. Who
answers when nothing is left has lost on time. Who does not answer at all hangs: that is the limit of a decision.
"""

from collections.abc import Sequence

from arena.plan.shapes import ClockEntry
from arena.playing.faults import Fault
from arena.playing.referee import Ending, Fixtures, Venue
from bots.contract import Clock
from engines.kernel import now

NANO = 1_000_000_000


class Clocks:
    """What time the players of the match being played have left; full again in each match."""

    def __init__(self, rule: ClockEntry, players: int, left: Sequence[float] | None = None) -> None:
        """All full; `left`: seconds of each player in a match that goes on."""
        self.rule = rule
        self._bank = round(rule.bank_seconds * NANO)
        self._increment = round(rule.increment_seconds * NANO)
        self._left = [round(own * NANO) for own in left or [rule.bank_seconds] * players]
        self._decisions = [0] * players
        self._match = -1

    def begin(self, match: int) -> None:
        """Take up a match, by its number: a new one begins with full banks."""
        if match != self._match:
            self._match = match
            self._left = [self._bank] * len(self._left)
            self._decisions = [0] * len(self._left)

    def left(self, player: int) -> int:
        """The nanoseconds that a player has left."""
        return self._left[player]

    def seen(self) -> Clock:
        """The clocks as a bot is shown them."""
        return Clock(tuple(left / NANO for left in self._left), self.rule.increment_seconds)

    def press(self, player: int, spent: int, decided: bool = True) -> None:
        """A player has answered, after so many nanoseconds; `decided`: with an action, so time is added.

        Raises:
            Fault: they were more than were left.
        """
        left, self._decisions[player] = self._left[player], self._decisions[player] + decided
        if spent > left:
            self._left[player] = 0
            text = (
                f"out of time: decision {self._decisions[player]} took {spent / NANO:.3f} s, "
                f"{left / NANO:.3f} s were left ({self.rule.text})"
            )
            raise Fault(Ending.OUT_OF_TIME, text)
        self._left[player] = left - spent + (self._increment if decided else 0)


def charge(clocks: Clocks, venue: Venue, fixtures: Fixtures) -> None:
    """Let the player who has decided pay; Fault where that is more than was left, which counts as used."""
    desk = venue.desk[0]
    spent = now() - int(desk["stamp"])
    try:
        clocks.press(int(desk["player"]), spent)
    except Fault:
        fixtures.results["nanoseconds"][int(desk["match"]), int(desk["player"])] += spent
        desk["spent"] += spent
        desk["stamp"] += spent
        raise

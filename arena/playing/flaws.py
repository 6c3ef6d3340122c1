"""What is wrong with a game, as its matches show: each of them is void, and the first is told of with its line."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.playing.minds import GameFailed
from arena.playing.referee import NO_ANSWER, Ending, Fixtures, Flaw, Log, Venue
from arena.playing.rerun import course_of, line_at_fault, told_of
from engines.core import Game
from engines.records import NOBODY

VOID = "void, the game is broken: "
MOST_ZEROS = 64  # actions 0 that may have been the last before an error


@dataclass
class Flaws:
    """The matches of a job that are void because of their game.

    Args:
        game, game_text, players, variant: what is played, and what `load_game` finds the game by.
        deals: int[matches].
        run_seed: of the run.
        texts: match -> what is said of it.
    """

    game: Game
    game_text: str
    players: int
    variant: Any
    deals: NDArray[np.int64]
    run_seed: int
    texts: dict[int, str] = field(default_factory=dict)

    def failed(self, venue: Venue, fixtures: Fixtures, log: Log, error: Exception) -> None:
        """A kernel has raised in the match being played: it is void, without its actions, and the next begins."""
        desk = venue.desk[0]
        number = int(desk["match"])
        first = int(fixtures.results["first"][number]) if desk["playing"] else int(desk["used"])
        thinking = (error.bot, error.chance) if isinstance(error, GameFailed) else ()
        cause = error.__cause__ or error
        if self.texts:  # one line is enough for the author, and each costs a process
            told = f"{type(cause).__name__}: {cause}"
        else:
            played = log.actions[first : int(desk["used"])]
            if not thinking:  # the referee has not said how far it came; behind that stand zeros
                played = np.append(np.trim_zeros(log.actions[first:], "b"), [0] * MOST_ZEROS)
            seed = int(fixtures.deal_seeds[number])
            rest = self.players, self.variant, seed, played.tolist(), *thinking
            told = told_of(cause, self.game, course_of(self.game_text, *rest))
        self.texts[number] = VOID + told
        fixtures.results[number] = np.zeros((), fixtures.results.dtype)
        result = fixtures.results[number]
        result["first"], result["ending"], result["fault_seat"] = first, Ending.VOID, NOBODY
        log.actions[first:] = 0
        desk["used"], desk["match"], desk["playing"] = first, number + 1, 0
        desk["answer"], desk["fault"] = NO_ANSWER, 0

    def noted(self, fixtures: Fixtures, log: Log) -> str:
        """Say of each void match why it is, and return the first with its deal, or nothing."""
        results, known = fixtures.results, [int(ending) for ending in self.game.Ending]
        odd = ~np.isin(results["reason"], known)
        for number in np.flatnonzero((results["flaw"] != Flaw.NONE) | odd).tolist():
            result = results[number]
            told = {
                Flaw.NONE: f"ending {result['reason']}, expected one of {known[1:]}",
                Flaw.NO_ACTIONS: "it lists no legal actions, but to_act is not OVER",
                Flaw.NO_ENDING: "it is over with ending 0",
                Flaw.NO_PLACES: f"ranks {result['ranks'][: self.players].tolist()} are no places",
            }[Flaw(int(result["flaw"]))]
            cause = "" if self.texts else self.cause_of(fixtures, number, log)
            after = f"after {result['actions']} actions"
            self.texts[number] = f"{VOID}{told} {after}{cause}"
        if odd.any():
            results["ending"][odd], results["reason"][odd] = Ending.VOID, known[0]
        results["ranks"][results["ending"] == Ending.VOID] = 1
        if not self.texts:
            return ""
        number = next(iter(self.texts))  # the one whose line was looked for
        where = f"{self.game.name}, {self.players} players, deal {self.deals[number]}"
        return f"{where}, seed {self.run_seed}: {self.texts[number]}"

    def cause_of(self, fixtures: Fixtures, number: int, log: Log) -> str:
        """The line that made a position impossible, if it fails where it is interpreted: ' (rules.py:3 in f: ...)'."""
        result, seed = fixtures.results[number], int(fixtures.deal_seeds[number])
        actions = log.actions[result["first"] : result["first"] + result["actions"]]
        course = course_of(self.game_text, self.players, self.variant, seed, actions.tolist())
        line = line_at_fault(course)
        return f" ({line})" if line else ""

"""Compiled bots that think in the worker itself: those shipped here, and those of installed packages."""

from arena.playing.faults import Fault, fault_of, shown
from arena.playing.referee import Ending, Venue
from arena.playing.seats import checked
from bots.compiled import BUSY, Mind, compile_bot
from bots.contract import BotSpec, Compiled
from engines.core import Game

_prepared: dict[tuple[Compiled, Game], str] = {}  # what went wrong, or nothing


def prepare(spec: BotSpec, game: Game) -> str:
    """Compile a bot for a game, once in a process; what went wrong, or nothing."""
    compiled = spec.kind.compiled
    assert compiled is not None
    if (compiled, game) not in _prepared:
        problem = ""
        try:
            compile_bot(spec, game)
        except Exception as error:
            if not spec.kind.source_hash:
                raise  # shipped here: our mistake, not a bot's
            problem = f"cannot be compiled: {shown(error)}"
        _prepared[compiled, game] = problem
    return _prepared[compiled, game]


class GameFailed(Exception):
    """The code of a game failed while a bot thought that is shipped here; it is the cause of this."""

    def __init__(self, bot: BotSpec, chance: int) -> None:
        """Who thought, and the chance that he began with."""
        super().__init__(bot.text)
        self.bot = bot
        self.chance = chance


class Minds:
    """The compiled bots of the match being played: each seat has a memory of its own, new in each match."""

    def __init__(self, game: Game, bots: tuple[BotSpec, ...]) -> None:
        """Nobody has decided yet."""
        self.game = game
        self.bots = bots
        self.match = -1
        self.begins = True  # the next call is a new decision
        self.chance = 0  # of the bot that thinks, when it began
        self.minds: dict[int, Mind] = {}  # player -> who decides for it

    def think(
        self, number: int, player: int, position: int, venue: Venue, n: int, until: int
    ) -> int:
        """The action of a player among n in a match of the job, or BUSY when the clock has reached `until`.

        Raises:
            Fault: a bot that is not shipped here failed.
        """
        spec = self.bots[position]
        if number != self.match:
            self.minds.clear()
            self.match = number
        try:
            if player not in self.minds:
                self.minds[player] = self.seated(spec)
            rng = venue.bot_rngs[player]
            self.chance = int(rng[0]) if self.begins else self.chance
            action = self.minds[player].think(venue.views, venue.legal, n, rng, until)
            self.begins = action != BUSY
        except Fault:
            raise
        except Exception as error:
            self.begins = True
            if not spec.kind.source_hash:
                raise GameFailed(spec, self.chance) from error
            raise fault_of("think", error) from None
        if spec.kind.source_hash and action != BUSY:
            checked(self.game, action, venue.legal[:n].tolist())
        return action

    def seated(self, spec: BotSpec) -> Mind:
        """A bot with fresh memory."""
        if problem := prepare(spec, self.game):
            raise Fault(Ending.CRASH, problem)
        assert spec.kind.compiled is not None
        return Mind(spec.kind.compiled, spec.parameters, self.game)

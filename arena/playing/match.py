"""Plays matches of one line-up: the referee kernel runs them and asks here for all but random bots."""

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.plan.identity import bot_seeds, deal_seeds, id_number
from arena.plan.shapes import ClockEntry
from arena.plan.spec import Limits
from arena.playing.clocks import Clocks, charge
from arena.playing.containment.children import rest
from arena.playing.containment.isolation import ready
from arena.playing.containment.starting import Terms
from arena.playing.faults import Fault, Stopped
from arena.playing.flaws import Flaws
from arena.playing.minds import GameFailed, Minds, prepare
from arena.playing.referee import (
    DESK,
    RESULT,
    Code,
    Ending,
    Fixtures,
    Log,
    Venue,
    referee_for,
)
from arena.playing.seats import Bench, Past
from arena.playing.warming import simulator_kernels, warm_simulator
from arena.store.columns import MACHINE, MOVES, moves_kept
from arena.store.provenance import machine_name
from bots import uniform
from bots.compiled import BUSY, FOREVER, SLICE, kernel_for
from bots.contract import BotSpec
from bots.registry import opened
from engines.core import Game
from engines.errors import BrokenGame
from engines.kernel import now
from engines.records import NOBODY, SEATS
from engines.rng import seeded

FIRST_LOG = 1 << 14  # actions the log holds at first; it doubles when it is full
Who = tuple[int, int, int]  # number of the match, player, position of the bot in the line-up


@dataclass(frozen=True)
class Job:
    """Matches of one line-up with all that their playing depends on.

    Args:
        bots: the entrants of the line-up, in its order.
        entrants: their ids.
        seats: int[matches, players], which entrant sits where.
        deals: int[matches].
        opening: decisions that are played at random first, the same in every seating of a deal.
        isolation: "sandbox", "process": bots play in processes of their own; "none": in this one.
        game_text: what `load_game` finds the game by, its name unless it is a folder.
        debug: the entrant that plays in this process, whatever the isolation, for a debugger.
        salt: of the run; no bot may ever see it.
        terms: what the config grants each bot; by default the same to all.
        ponder: bots in processes run on between their turns.
        clock: the time that each player has in a match.
    """

    game: Game
    variant: Any
    players: int
    bots: tuple[BotSpec, ...]
    entrants: tuple[str, ...]
    run_seed: int
    seats: NDArray[np.int64]
    deals: NDArray[np.int64]
    limits: Limits
    opening: int = 0
    isolation: str = "process"
    game_text: str = ""
    debug: str = ""
    salt: str | None = field(default=None, repr=False)
    terms: tuple[Terms, ...] = ()
    ponder: bool = False
    clock: ClockEntry | None = None

    @property
    def bench(self) -> Bench:
        """Where its bots outside the referee sit; their keeper is ready then."""
        text = self.game_text or self.game.name
        terms = self.terms or (Terms(),) * len(self.bots)
        ready(self.isolation, self.bots, terms, text)
        return Bench(
            self.game,
            self.bots,
            self.limits,
            terms,
            self.deals.tolist(),
            self.variant,
            text,
            self.isolation != "none",
            self.debugged,
            self.ponder,
            Clocks(self.clock, self.players) if self.clock else None,
        )

    @property
    def flaws(self) -> Flaws:
        """What its matches will show to be wrong with the game."""
        text = self.game_text or self.game.name
        return Flaws(self.game, text, self.players, self.variant, self.deals, self.run_seed)

    @property
    def debugged(self) -> tuple[int, ...]:
        """Which of the bots are being debugged."""
        return tuple(i for i, entrant in enumerate(self.entrants) if entrant == self.debug)

    @property
    def minds(self) -> tuple[BotSpec, ...]:
        """The bots, those from files that think in the worker itself with their code."""
        return tuple(
            opened(bot) if self.thinks_here(position) else bot
            for position, bot in enumerate(self.bots)
        )

    def thinks_here(self, position: int) -> bool:
        """Whether a bot is compiled and plays in the worker itself; one from a file has its own process."""
        kind = self.bots[position].kind
        here = not kind.file or self.isolation == "none" or position in self.debugged
        return kind.compiled is not None and here


@dataclass(frozen=True)
class Played:
    """What came of a Job: a RESULT per match, and all their actions one after the other."""

    results: NDArray[Any]  # RESULT[matches]
    actions: NDArray[np.uint16]
    actors: NDArray[np.int8]
    nanoseconds: NDArray[np.int64]  # of each of them
    faults: dict[int, str]  # match -> what went wrong
    stderr: dict[int, str]  # match -> the last that its failed bots wrote on stderr
    traces: dict[int, str]  # match -> where in their code
    seconds: NDArray[
        np.float32
    ]  # [matches] of the worker; compiled matches share their batch's time
    flaw: str = ""  # of the game: why a match is void
    talks: tuple[dict[str, Any], ...] = ()  # with language models; number: of the match


def play_matches(job: Job, stop: Callable[[], bool] = lambda: False) -> Played | None:
    """Play all matches of a job; None if `stop` said so in between."""
    venue, fixtures = set_up(job)
    referee, log = referee_for(job.game), new_log()
    venue.desk[:] = 0
    bench, minds, flaws = job.bench, Minds(job.game, job.minds), job.flaws
    bench.stop = stop
    began = time.perf_counter()
    played_out = False
    rest(False)
    try:
        while (code := go_on(referee, venue, fixtures, log, flaws)) != Code.DONE:
            if stop():
                return None
            try:
                if code == Code.FULL:
                    log = longer(log)
                elif code == Code.ASK and not answer(job, venue, fixtures, log, bench, minds, stop):
                    return None
            except GameFailed as error:
                flaws.failed(venue, fixtures, log, error)
        played_out = True
    except Stopped:
        return None
    finally:
        bench.clear(abandon=not played_out)
        rest(True)
    each = (time.perf_counter() - began) / max(len(fixtures.results), 1)
    used = int(venue.desk["used"][0])
    seconds = np.full(len(fixtures.results), each, np.float32)
    told = log.actions[:used], log.actors[:used], log.nanoseconds[:used]
    flaw = flaws.noted(fixtures, log)
    faults = bench.faults | flaws.texts
    said = bench.stderr, bench.traces
    talks = tuple(bench.talks)
    return Played(fixtures.results, *told, faults, *said, seconds, flaw, talks)


def go_on(referee: Any, venue: Venue, fixtures: Fixtures, log: Log, flaws: Flaws) -> int:
    """Let the referee play on; where code of the game fails, its match is void."""
    try:
        return int(referee(venue, fixtures, log, now() + SLICE))
    except BrokenGame:  # it cannot be compiled
        raise
    except Exception as error:
        flaws.failed(venue, fixtures, log, error)
        return Code.PAUSED


def answer(
    job: Job,
    venue: Venue,
    fixtures: Fixtures,
    log: Log,
    bench: Bench,
    minds: Minds,
    stop: Callable[[], bool],
) -> bool:
    """Get the action that the referee asks for, or the fault of the bot; False if `stop` said so."""
    desk = venue.desk[0]
    player, number = int(desk["player"]), int(desk["match"])
    position = int(fixtures.seats[number, player])
    clocks = None if position in bench.debugged else bench.clocks
    flag = FOREVER  # when the player has no more time
    if clocks:
        clocks.begin(number)
        flag = int(desk["stamp"]) + clocks.left(player)
    try:
        if job.thinks_here(position):
            action = thought(venue, minds, (number, player, position), flag, stop)
            if action is None:
                return False
        else:
            action = asked(venue, fixtures, log, bench, (number, player, position))
        if clocks:
            charge(clocks, venue, fixtures)
        desk["answer"] = action
    except Fault as fault:
        bench.leave(player, number)
        bench.note(number, player, fault)
        desk["fault"] = int(fault.ending)
    return True


def thought(
    venue: Venue, minds: Minds, who: Who, flag: int, stop: Callable[[], bool]
) -> int | None:
    """The action of a bot that thinks in this process, BUSY when its time was over; None if `stop` said so."""
    ask = functools.partial(minds.think, *who, venue, int(venue.desk[0]["n"]))
    while (action := ask(min(now() + SLICE, flag + 1))) == BUSY:
        if stop():
            return None
        if now() > flag:
            minds.begins = True
            break
    return action


def asked(venue: Venue, fixtures: Fixtures, log: Log, bench: Bench, who: Who) -> int:
    """The action of a bot outside; Fault where it fails."""
    desk, (number, player, position) = venue.desk[0], who
    n = int(desk["n"])
    past = Past(log, int(fixtures.results["first"][number]), int(desk["used"]))
    seed = int(fixtures.bot_seeds[number, player])
    try:
        return bench.ask(number, player, position, seed, venue.views, venue.legal[:n], past)
    finally:
        desk["stamp"] += bench.starting  # no decision is charged for it
        fixtures.results["starting"][number, player] += bench.starting
        bench.starting = 0


def set_up(job: Job) -> tuple[Venue, Fixtures]:
    """The venue of a line-up and the fixtures of its matches."""
    matches = len(job.deals)
    deals = job.deals.astype(np.uint64)
    entrants = np.array([id_number(entrant) for entrant in job.entrants], np.uint64)
    seeds = np.zeros((matches, SEATS), np.uint64)
    for player in range(job.players):
        seeds[:, player] = bot_seeds(
            job.run_seed, deals, player, entrants[job.seats[:, player]], job.salt
        )
    fixtures = Fixtures(
        job.seats,
        deal_seeds(job.run_seed, deals, job.salt),
        seeds,
        np.zeros(matches, RESULT),
        job.limits.decisions,
        job.opening,
    )
    return new_venue(job.game, job.variant, job.players, job.bots), fixtures


def new_venue(game: Game, variant: Any, players: int, bots: tuple[BotSpec, ...]) -> Venue:
    """A venue for a line-up."""
    return Venue(
        start=game.blank(players, variant),
        desk=np.zeros(1, DESK),
        uniform=np.array([bot.kind is uniform.KIND for bot in bots]),
        states=np.zeros(1, game.dtype),
        views=np.zeros(1, game.dtype),
        legal=np.zeros(game.max_legal, np.int32),
        rng=np.zeros(1, np.uint64),
        bot_rngs=np.zeros((SEATS + 1, 1), np.uint64),
        ranks=np.zeros(SEATS, np.int8),
        points=np.zeros(SEATS, np.int32),
    )


def warm_up(job: Job) -> None:
    """Load or compile all that the job's matches run through, without playing any."""
    compile_job(job)
    job.bench.prepare()


def compile_job(job: Job) -> None:
    """The same of what runs in this process: no process of a bot is started."""
    venue, fixtures = set_up(replace(job, seats=job.seats[:0], deals=job.deals[:0]))
    venue.desk[:] = 0
    referee_for(job.game)(venue, fixtures, new_log(), 0)
    compiled = [job.thinks_here(position) for position in range(len(job.bots))]
    for bot, here in zip(job.bots, compiled, strict=True):
        if here:
            prepare(opened(bot), job.game)
    if not all(compiled):
        warm_simulator(job.game)


def kernels_of(job: Job) -> list[Any]:
    """The kernels that `compile_job` loads or compiles."""
    here = [position for position in range(len(job.bots)) if job.thinks_here(position)]
    minds = [opened(job.bots[position]).kind.compiled for position in here]
    found = [referee_for(job.game), *(kernel_for(one, job.game) for one in minds if one)]
    return found if len(here) == len(job.bots) else found + simulator_kernels(job.game)


def new_log() -> Log:
    """An empty log."""
    size = FIRST_LOG
    actions, actors = np.zeros(size, np.uint16), np.zeros(size, np.int8)
    return Log(actions, actors, np.zeros(size, np.uint8), np.zeros(size, np.int64))


def longer(log: Log) -> Log:
    """The log with twice the room."""
    size = 2 * len(log.actions)
    return Log(*(np.concatenate([a, np.zeros(size - len(a), a.dtype)]) for a in log))


def lost_match(job: Job) -> Played:
    """A match that cost its worker twice: the crash of the first bot that is not shipped here, else void."""
    result = np.zeros(1, RESULT)
    result["fault_seat"] = NOBODY
    seated = [job.bots[b].kind for b in job.seats[0].tolist()]
    outside = [p for p, kind in enumerate(seated) if kind.source_hash or not kind.compiled]
    result["ending"] = Ending.CRASH if outside else Ending.VOID
    result["ranks"] = 1
    chance = seeded(int(deal_seeds(job.run_seed, job.deals.astype(np.uint64), job.salt)[0]))
    states = job.game.new_state(job.players, job.variant, chance)
    result["turns"] = job.game.turns(states)
    result["points"][0, : job.players] = job.game.point_list(states)
    if outside:
        team = states["team"][0][: job.players]
        result["fault_seat"] = outside[0]
        result["ranks"][0, : job.players][team == team[outside[0]]] = len(np.unique(team))
    text = "the worker process was lost twice"
    nothing = np.zeros(0, np.uint16), np.zeros(0, np.int8), np.zeros(0, np.int64)
    return Played(result, *nothing, {0: text}, {}, {}, np.zeros(1, np.float32))


# --- as columns -------------------------------------------------------------------------------------------


def columns(job: Job, played: Played) -> dict[str, Any]:
    """The results as the store keeps them; list columns come as (flat values, offsets)."""
    results = played.results
    matches, players = len(results), job.players
    reasons = np.array([e.name.lower() for e in job.game.Ending])
    numbers = np.array([int(e) for e in job.game.Ending])
    capped = np.isin(results["reason"], [int(e) for e in job.game.caps])
    seats = np.arange(matches + 1) * players
    actions = np.concatenate([[0], np.cumsum(results["actions"])])
    endings = np.array([e.text for e in Ending])
    return {
        "deal": job.deals,
        "seating": (job.seats.reshape(-1), seats),
        "ending": endings[results["ending"]],
        "reason": reasons[np.searchsorted(numbers, results["reason"])],
        "capped": capped | (results["ending"] == Ending.TOO_LONG),
        "turns": results["turns"],
        "decisions": results["decisions"],
        "decisions_by_seat": (results["decisions_by_seat"][:, :players].reshape(-1), seats),
        "forced": results["forced"],
        "actions": (played.actions, actions),
        "actors": (played.actors, actions),
        "actions_hash": results["hash"],
        "points": (results["points"][:, :players].reshape(-1), seats),
        "ranks": (results["ranks"][:, :players].reshape(-1), seats),
        "seconds": (results["nanoseconds"][:, :players].reshape(-1) / 1e9, seats),
        "start_seconds": (results["starting"][:, :players].reshape(-1) / 1e9, seats),
        "fault_seat": results["fault_seat"],
        "fault_text": [played.faults.get(i, "") for i in range(matches)],
        "worker_seconds": played.seconds,
        MACHINE: [machine_name()] * matches,
        MOVES: moves_kept(results["nanoseconds"], played.nanoseconds, results["actions"]),
        "worker_stderr": [
            played.stderr.get(i, "") + played.traces.get(i, "") for i in range(matches)
        ],
    }

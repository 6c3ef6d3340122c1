"""The referee as a kernel template: plays until a bot must decide, which it does for random ones itself.

The Python side (match.py) calls `referee(venue, fixtures, log, until)` again and again; all that
must survive between two calls stands in `venue.desk`.
"""

# Kernels are typed by numba; templates have names that `link` binds.
# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"
# ruff: noqa: F821

import functools
from collections.abc import Iterable
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.choice import choose_uniformly
from engines.actions import Secrecy
from engines.core import Game
from engines.kernel import kernel, link, now, piece
from engines.piles import EVERYBODY
from engines.records import NOBODY, OVER, SEATS
from engines.sides import leads

NO_ANSWER = -1
CLOCK_EVERY = 64  # forced or quick actions between two looks at the clock
OPENING = SEATS  # row of bot_rngs: the game's own chance must not depend on who decides
OPENING_MASK = np.uint64(0xA0761D6478BD642F)


class Code(IntEnum):
    """Why the referee kernel returned."""

    DONE = 0  # every match of the fixtures is over
    ASK = 1  # the bot of desk.player must choose one of venue.legal[0..desk.n-1]
    PAUSED = 2  # time for the Python side to look around
    FULL = 3  # the action log needs more room


class Ending(IntEnum):
    """How a match ended, seen by the referee; the game's own reason is stored beside it."""

    FINISHED = 0
    ILLEGAL_ACTION = 1
    TIMEOUT = 2
    MEMORY = 3
    CRASH = 4
    PROTOCOL_ERROR = 5
    TOO_LONG = 6
    VOID = 7
    OUT_OF_TIME = 8  # the clock of a player; TIMEOUT: no answer within the limit of a decision

    @property
    def text(self) -> str:
        """The name as stored and shown."""
        return self.name.lower().replace("_", " ")


class Flaw(IntEnum):
    """What no game may do; a match with one is void, for its ranks would mean nothing."""

    NONE = 0
    NO_ACTIONS = 1
    NO_ENDING = 2
    NO_PLACES = 3


DESK = np.dtype(
    [
        ("match", np.int64),  # number of the match in the fixtures
        ("playing", np.int8),  # it has begun
        ("answer", np.int64),  # the action chosen outside, or NO_ANSWER
        ("fault", np.int8),  # an Ending: the bot outside failed instead of answering
        ("player", np.int64),  # who must decide
        ("n", np.int64),  # between how many actions
        ("used", np.int64),  # actions in the log
        ("stamp", np.int64),  # clock at the last decision, nanoseconds
        ("spent", np.int64),  # nanoseconds on the decision that is due
        ("stand_in", np.int8, (SEATS,)),  # seats whose bot has failed: random actions from then on
    ]
)
RESULT = np.dtype(
    [
        ("first", np.int64),  # where its actions start in the log
        ("actions", np.int64),  # how many there are, forced ones included
        ("hash", np.uint64),  # of the actions
        ("turns", np.int64),
        ("decisions", np.int64),  # with at least two legal actions
        ("decisions_by_seat", np.int64, (SEATS,)),
        ("forced", np.int64),
        ("ending", np.int8),  # an Ending
        ("reason", np.int8),  # the game's own
        ("fault_seat", np.int8),  # whose bot failed, or NOBODY
        ("flaw", np.int8),  # a Flaw of the game
        ("ranks", np.int8, (SEATS,)),
        ("points", np.int32, (SEATS,)),
        ("nanoseconds", np.int64, (SEATS,)),  # of each seat's decisions
        ("starting", np.int64, (SEATS,)),  # nanoseconds before the first of them, written outside
    ]
)


class Venue(NamedTuple):
    """Where one line-up plays."""

    start: NDArray[Any]  # State[1]: header and rules, nothing dealt
    desk: NDArray[Any]  # DESK[1]
    uniform: NDArray[np.bool_]  # [entrants of the line-up] who is `random`: the referee decides
    states: NDArray[Any]  # State[1]
    views: NDArray[Any]  # View[1]: what the player to decide may know
    legal: NDArray[np.int32]  # [max_legal]
    rng: NDArray[np.uint64]  # [1] the chance of the game
    bot_rngs: NDArray[np.uint64]  # [SEATS + 1, 1] of the compiled bots, then of the opening
    ranks: NDArray[np.int8]  # [SEATS]
    points: NDArray[np.int32]  # [SEATS]


class Fixtures(NamedTuple):
    """The matches to play, and their results."""

    seats: NDArray[np.int64]  # [matches, players] which bot sits where
    deal_seeds: NDArray[np.uint64]  # [matches]
    bot_seeds: NDArray[np.uint64]  # [matches, SEATS]
    results: NDArray[Any]  # RESULT[matches]
    most_actions: int  # a longer match ends as TOO_LONG
    opening: int  # decisions played at random first, by the deal


class Log(NamedTuple):
    """The actions of all these matches, one after the other."""

    actions: NDArray[np.uint16]
    actors: NDArray[np.int8]
    witnesses: NDArray[np.uint8]  # mask of the players who saw all of the action
    nanoseconds: NDArray[np.int64]  # of the decision; 0 where it was forced


def referee(venue, fixtures, log, until):
    """Template: play matches on; returns a Code."""
    desk = venue.desk[0]
    while desk.match < fixtures.results.size:
        number = int(desk.match)
        result = fixtures.results[number]
        if not desk.playing:
            begin(venue, fixtures, result, number)
        code = play(venue, fixtures, log, result, number, until)
        if code != Code.DONE:
            return code
        finish(venue, result, int(desk.used))
        desk.playing = 0
        desk.match = number + 1
    return Code.DONE


def begin(venue, fixtures, result, number):
    """Template: deal, seed the bots and clear the desk."""
    desk = venue.desk[0]
    venue.states[0] = venue.start[0]
    venue.rng[0] = fixtures.deal_seeds[number]
    deal(venue.states, venue.rng)
    venue.bot_rngs[OPENING, 0] = fixtures.deal_seeds[number] ^ OPENING_MASK
    for seat in range(SEATS):
        venue.bot_rngs[seat, 0] = fixtures.bot_seeds[number, seat]
        desk.stand_in[seat] = 0
        result.nanoseconds[seat] = 0
        result.decisions_by_seat[seat] = 0
    result.first = desk.used
    result.hash = np.uint64(0)
    result.decisions = 0
    result.forced = 0
    result.ending = Ending.FINISHED
    result.fault_seat = NOBODY
    result.flaw = Flaw.NONE
    desk.playing = 1
    desk.answer = NO_ANSWER
    desk.fault = 0
    desk.stamp = now()
    desk.spent = 0


def play(venue, fixtures, log, result, number, until):
    """Template: one match until it is over (DONE) or something is needed from outside."""
    desk = venue.desk[0]
    states = venue.states
    legal = venue.legal
    rng = venue.rng
    actions = log.actions
    most = min(int(result.first) + fixtures.most_actions, actions.size)
    used = int(desk.used)
    n = legal_actions(states, legal)
    while n > 0:
        if used >= most:
            desk.used = used
            if most == actions.size:
                return Code.FULL
            result.ending = Ending.TOO_LONG
            return Code.DONE
        player = int(states[0].to_act)
        spent = 0
        if n == 1:
            action = int(legal[0])
            result.forced += 1
        else:
            action = decide(venue, fixtures, number, player, n)
            if action < 0:
                desk.used = used
                if action == ASKED:
                    return Code.ASK
                return Code.DONE
            result.decisions += 1
            spent = desk.spent
            desk.spent = 0
        mask = EVERYBODY
        if SECRECY[action] != Secrecy.OPEN:
            mask = int(witnesses(states, action))
        actions[used] = action
        log.actors[used] = player
        log.witnesses[used] = mask
        log.nanoseconds[used] = spent
        used += 1
        result.hash = (result.hash ^ np.uint64(action + 1)) * HASH_FACTOR
        result.hash ^= result.hash >> HASH_SHIFT
        apply(states, action, rng)
        n = legal_actions(states, legal)
        if used % CLOCK_EVERY == 0 and now() >= until:
            desk.used = used
            return Code.PAUSED
    desk.used = used
    return Code.DONE


HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
HASH_SHIFT = np.uint64(32)


def hash_actions(actions: Iterable[int]) -> int:
    """The digest of a match's actions that the referee stores with it."""
    digest = 0
    for action in actions:
        digest = (digest ^ (action + 1)) * int(HASH_FACTOR) % (1 << 64)
        digest ^= digest >> int(HASH_SHIFT)
    return digest


ASKED = -2  # a bot outside must decide
STOPPED = -3  # a fault ended the match


def decide(venue, fixtures, number, player, n):
    """Template: the action of the player to act, or ASKED or STOPPED."""
    desk = venue.desk[0]
    result = fixtures.results[number]
    if result.decisions < fixtures.opening:
        action = choose_uniformly(venue.legal, n, venue.bot_rngs[OPENING])
    elif desk.stand_in[player] or venue.uniform[fixtures.seats[number, player]]:
        action = choose_uniformly(venue.legal, n, venue.bot_rngs[player])
    else:
        action = take_answer(venue, result, player, n, venue.bot_rngs[player])
        if action == ASKED:
            observe(venue.states, player, venue.views)
    if action >= 0:
        clock = now()
        desk.spent += clock - desk.stamp
        result.nanoseconds[player] += clock - desk.stamp
        desk.stamp = clock
        result.decisions_by_seat[player] += 1
    return action


@kernel
def take_answer(venue, result, player, n, rng):
    """What the bot outside answered; a wrong answer or none is a fault: ASKED, STOPPED or an action."""
    desk = venue.desk[0]
    if desk.fault == 0:
        if desk.answer == NO_ANSWER:
            desk.player = player
            desk.n = n
            return ASKED
        action = int(desk.answer)
        desk.answer = NO_ANSWER
        for i in range(n):
            if venue.legal[i] == action:
                return action
        desk.fault = Ending.ILLEGAL_ACTION
    if result.fault_seat == NOBODY:
        result.ending = desk.fault
        result.fault_seat = player
    desk.fault = 0
    desk.stand_in[player] = 1
    if count_sides(venue.states[0]) <= 2:
        return STOPPED
    return choose_uniformly(venue.legal, n, rng)


@kernel
def count_sides(state):
    """How many sides play."""
    sides = 0
    for player in range(int(state.players)):
        sides += leads(state, player)
    return sides


def finish(venue, result, used):
    """Template: write down how the match ended; a side whose bot failed is last."""
    states = venue.states
    state = states[0]
    final_ranks = venue.ranks
    final_points = venue.points
    result.actions = used - result.first
    result.turns = turns(states)
    result.reason = ending(states)
    ranks(states, final_ranks)
    points(states, final_points)
    for player in range(int(state.players)):
        result.ranks[player] = final_ranks[player]
        result.points[player] = final_points[player]
    result.flaw = flaw_of(state, final_ranks, result)
    if result.flaw != Flaw.NONE:
        result.ending = Ending.VOID
    elif result.fault_seat != NOBODY:
        rank_fault(venue.desk[0], state, final_ranks, result)


@kernel
def flaw_of(state, final_ranks, result):
    """What the game has done that no game may do: a Flaw."""
    if result.ending == Ending.FINISHED:
        if state.to_act != OVER:
            return Flaw.NO_ACTIONS
        if result.reason == 0:
            return Flaw.NO_ENDING
    if result.fault_seat == NOBODY and not are_places(state, final_ranks):
        return Flaw.NO_PLACES
    return Flaw.NONE


@kernel
def are_places(state, final_ranks):
    """Whether each rank is 1 + the number of better sides, the same for all of a side; alone: 1 or 2."""
    players = int(state.players)
    alone = count_sides(state) == 1
    for player in range(players):
        better = 0
        for other in range(players):
            if final_ranks[other] < final_ranks[player]:
                better += leads(state, other)
            if (
                state.team[other] == state.team[player]
                and final_ranks[other] != final_ranks[player]
            ):
                return False
        if final_ranks[player] != 1 + better and not (alone and final_ranks[player] == 2):
            return False
    return True


@kernel
def rank_fault(desk, state, final_ranks, result):
    """The sides without a failed bot keep their order, those with one share the place behind them."""
    players = int(state.players)
    stopped = count_sides(state) <= 2  # nobody played on: the order at that moment means nothing
    for player in range(players):
        better = 0
        for other in range(players):
            ahead = has_failed(desk, state, player) or (
                not stopped and final_ranks[other] < final_ranks[player]
            )
            if ahead and leads(state, other) and not has_failed(desk, state, other):
                better += 1
        result.ranks[player] = 1 + better


@kernel
def has_failed(desk, state, player):
    """Whether a bot of the player's side has failed."""
    for other in range(int(state.players)):
        if desk.stand_in[other] and state.team[other] == state.team[player]:
            return True
    return False


@functools.cache
def referee_for(game: Game) -> Any:
    """The referee linked to one game's kernels."""
    start = piece(begin, deal=game.deal)
    decision = piece(decide, observe=game.observe)
    one = piece(
        play,
        decide=decision,
        apply=game.apply,
        legal_actions=game.legal_actions,
        witnesses=game.witnesses,
        SECRECY=game.actions.secrecy,
    )
    end = piece(finish, turns=game.turns, ending=game.ending, ranks=game.ranks, points=game.points)
    return link(referee, begin=start, play=one, finish=end)

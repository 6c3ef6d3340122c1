"""Seats whose bots play in processes of their own: Python bots by packets, programs by lines of JSON.

Both do what `arena.playing.seats.Occupant` asks for; what a bot does wrong is raised as a Fault.
"""

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from arena.playing.containment.child import Child, Gone, Late
from arena.playing.containment.children import living
from arena.playing.containment.packets import (
    ACT,
    CLOSE,
    CRASHED,
    LENGTH,
    LONGEST_ANSWER,
    MAKE,
    NO_ACTION,
    OUT_OF_MEMORY,
    PREPARE,
    RESET,
    pack_request,
    read_answer,
)
from arena.playing.containment.sealing import seal, sealed_for
from arena.playing.containment.starting import Terms, Wanted
from arena.playing.faults import Fault
from arena.playing.referee import Ending
from bots import protocol
from bots.contract import Event, View
from engines.core import Game
from engines.errors import UserError

COMPILE_SECONDS = 600.0  # a compiled bot has so long before its first match
GONE_SECONDS = 0.3  # a process that closed its pipe has so long to end by itself
CLOSE_SECONDS = 1.0  # and so long after its match
ENDINGS = {CRASHED: Ending.CRASH, OUT_OF_MEMORY: Ending.MEMORY}
Seen = Sequence[tuple[int, int]]  # (who acted, the action as this player saw it)


_prepared: set[tuple[str, str]] = set()  # compiled bots that have been told to compile
_failed: dict[tuple[str, str], Fault] = {}  # compiled bots that could not be compiled


class ContainedSeat:
    """What both kinds have in common: a process, and what is left when it fails."""

    def __init__(self, child: Child, game: Game, ponder: bool) -> None:
        """Take over a process; `ponder`: it runs on between its turns."""
        self.child = child
        self.game = game
        self.ponder = ponder
        self.stderr = ""
        self.over = False  # the process has been ended

    def exchange(self, what: str, limit: float, talk: Callable[[float], Any]) -> Any:
        """Let `talk` ask and hear until the limit; what goes wrong is the bot's fault and its end."""
        self.child.wake()
        try:
            return talk(time.perf_counter() + limit)
        except Late:
            self.end(0.0)
            raise Fault(Ending.TIMEOUT, f"{what} took over {limit:g} s") from None
        except Gone:
            text, memory = self.end(GONE_SECONDS)
            ending = Ending.MEMORY if memory else Ending.CRASH
            raise Fault(ending, f"{what}: the process {text}") from None
        except protocol.ProtocolError as error:
            self.end(0.0)
            raise Fault(Ending.PROTOCOL_ERROR, f"{what}: {error}") from None
        except Fault:
            self.end(0.0)
            raise

    def end(self, grace: float) -> tuple[str, bool]:
        """End the process: how it ended, and whether it used too much memory."""
        if self.over:
            return "has ended", False
        self.over = True
        ended = living().end(self.child, grace)
        self.stderr = ended.stderr
        return ended.text, ended.memory

    def rest(self) -> None:
        """Its turn is over."""
        if not self.ponder:
            self.child.sleep()

    def leave(self, goodbye: bytes) -> str:
        """The match is over: the process ends, or waits for another; what it did wrong, or nothing."""
        self.child.wake()
        try:
            self.child.send(goodbye, 0.0)
        except (Gone, Late):
            self.end(0.0)
            return ""
        if not self.child.once:
            living().give_back(self.child)
            return ""
        self.over = True
        ended = living().end(self.child, CLOSE_SECONDS)
        return f"close took over {CLOSE_SECONDS:g} s" if ended.asked else ""

    def abandon(self) -> None:
        """End the process at once: the match is not played to its end."""
        self.end(0.0)

    def number(self) -> int:
        """The number of the next question."""
        self.child.asked += 1
        return self.child.asked


class PythonSeat(ContainedSeat):
    """A Python bot, perhaps a compiled one, in its own process."""

    def __init__(self, child: Child, game: Game, compiled: bool, ponder: bool) -> None:
        """Take over a process; `ponder`: it runs on between its turns."""
        super().__init__(child, game, ponder)
        self.compiled = compiled

    def prepare(self) -> None:
        """Let a compiled bot compile, or load what it has compiled: once in its process, on nobody's clock."""
        bot = self.child.key.bot, self.child.key.game_text
        if bot in _failed:
            raise _failed[bot]
        if self.compiled and self.child.asked == 0:
            try:
                self.ask("compile", PREPARE, COMPILE_SECONDS)
            except Fault as fault:
                _failed[bot] = fault
                raise

    def begin(self, view: View, seed: int, limit: float) -> None:
        """A match begins: make the bot and reset it."""
        self.prepare()
        self.ask("start", MAKE, limit)
        self.ask("reset", RESET, limit, seed, view)

    def decide(self, view: View, seen: Seen, seed: int, limit: float) -> Any:
        """What the bot answered."""
        chosen = self.ask("act", ACT, limit, seed, view, seen)
        self.rest()
        return chosen

    def finish(self) -> str:
        """The match is over; what the bot did wrong at the end, or nothing."""
        return self.leave(pack_request(CLOSE, 0))

    def ask(
        self,
        what: str,
        kind: int,
        limit: float,
        seed: int = 0,
        view: View | None = None,
        seen: Seen = (),
    ) -> Any:
        """A question and its answer."""
        number = self.number()
        packet = pack_request(kind, number, seed, view, seen)
        return self.exchange(what, limit, lambda until: self.talk(what, number, packet, until))

    def talk(self, what: str, number: int, packet: bytes, until: float) -> Any:
        """Send a question, and take its answer apart."""
        came, action, text = self.hear(what, number, packet, until)
        if came in ENDINGS:
            told, _, trace = text.partition("\n")
            raise Fault(ENDINGS[came], told, trace)
        if came == NO_ACTION:
            raise Fault(Ending.PROTOCOL_ERROR, f"{what} returned {text}, expected an action")
        if text:
            raise Fault(Ending.ILLEGAL_ACTION, f"{text} is not legal now")
        return action

    def hear(self, what: str, number: int, packet: bytes, until: float) -> tuple[int, int, str]:
        """Send a question; what came of it, action and text."""
        child = self.child
        child.send(packet, until)
        waiting = child.waiting
        while len(waiting) < LENGTH.size or len(waiting) < wanted(waiting):
            child.receive(until)
        try:
            asked, came, action, text = read_answer(waiting)
        except ValueError:
            asked, came, action, text = -1, 0, 0, ""
        waiting.clear()
        if asked != number:
            raise Fault(Ending.PROTOCOL_ERROR, f"{what}: its process wrote into the arena's pipe")
        return came, action, text


class ReadingSeat(PythonSeat):
    """A process that reads the file of a bot and plays nothing."""

    def __init__(self, child: Child) -> None:
        """Take over a process."""
        super().__init__(child, None, False, True)  # type: ignore[arg-type]

    def tell(self, kind: int, limit: float) -> str:
        """What it tells of the bot, as text."""
        number, what = self.number(), "import"
        packet = pack_request(kind, number)
        hear = self.hear
        _, _, text = self.exchange(what, limit, lambda until: hear(what, number, packet, until))
        return str(text)


def wanted(waiting: bytearray) -> int:
    """The length of the packet that has begun to arrive."""
    length = LENGTH.size + int(LENGTH.unpack_from(waiting)[0])
    return min(length, LONGEST_ANSWER)


class ProgramSeat(ContainedSeat):
    """A program that speaks the protocol."""

    def __init__(self, child: Child, game: Game, variant: Any, ponder: bool) -> None:
        """Take over a process; `ponder`: it runs on between its turns."""
        super().__init__(child, game, ponder)
        self.variant = variant

    def begin(self, view: View, seed: int, limit: float) -> None:
        """A match begins; a new program says hello first."""
        if self.child.asked == 0:
            found = self.ask("hello", protocol.hello(self.number()), limit)
            if found.get("protocol") != protocol.PROTOCOL:
                self.end(0.0)
                spoken = f"protocol {found.get('protocol')!r}, expected {protocol.PROTOCOL}"
                raise Fault(Ending.PROTOCOL_ERROR, f"hello: speaks {spoken}")
        self.ask("reset", protocol.reset(self.number(), self.variant, view, seed), limit)

    def decide(self, view: View, seen: Seen, seed: int, limit: float) -> Any:
        """The action that the program named."""
        events = [Event(actor, self.game.actions.text(action)) for actor, action in seen]
        found = self.ask("act", protocol.act(self.number(), view, events, seed), limit)
        text = found.get("action")
        if not isinstance(text, str):
            self.end(0.0)
            problem = f"action {text!r:.60}, expected one of the legal actions in words"
            raise Fault(Ending.PROTOCOL_ERROR, f"act: {problem}")
        self.rest()
        try:
            return self.game.actions.number(text)
        except UserError:
            self.end(0.0)
            raise Fault(Ending.ILLEGAL_ACTION, f"{text[:60]!r} is not legal now") from None

    def finish(self) -> str:
        """The match is over; what the program did wrong at the end, or nothing."""
        return self.leave(protocol.line(protocol.close()))

    def ask(self, what: str, message: dict[str, Any], limit: float) -> dict[str, Any]:
        """A message and its answer."""
        found: dict[str, Any] = self.exchange(what, limit, lambda until: self.talk(message, until))
        return found

    def talk(self, message: dict[str, Any], until: float) -> dict[str, Any]:
        """Send a message, and read one line."""
        child = self.child
        if child.waiting:
            raise protocol.ProtocolError(f"answered twice: {protocol.excerpt(child.waiting)}")
        child.send(protocol.line(message), until)
        while (end := child.waiting.find(b"\n")) < 0:
            if len(child.waiting) > protocol.LONGEST:
                start = protocol.excerpt(child.waiting)
                raise protocol.ProtocolError(f"{start}, a line is at most {protocol.LONGEST} bytes")
            child.receive(until)
        line = bytes(child.waiting[:end])
        del child.waiting[: end + 1]
        return protocol.answer(line, message)


def contained_seat(
    wanted: Wanted, game: Game, variant: Any, ponder: bool = False
) -> PythonSeat | ProgramSeat:
    """A seat with a process for its bot; the keeper must be there.

    Raises:
        KeeperLost: nobody's fault, the match is void.
    """
    spec = wanted.spec
    if spec.kind.program:
        return ProgramSeat(living().take(wanted), game, variant, ponder)
    compiled = spec.kind.compiled is not None
    if compiled and not wanted.harvest:
        wanted = replace(wanted, sealed=sealed_for(spec, game))
    return PythonSeat(living().take(wanted), game, compiled, ponder)


def reading_seat(wanted: Wanted) -> ReadingSeat:
    """A process that can tell what a bot is; the keeper must be there."""
    return ReadingSeat(living().take(wanted))


def prepare_contained(wanted: Wanted, game: Game, variant: Any) -> None:
    """Let a compiled bot compile before its first match, where no position of the run is, and keep what came
    of it for its matches; what goes wrong is its fault in each of them.
    """
    bot = wanted.key.bot, wanted.key.game_text
    if bot in _prepared or sealed_for(wanted.spec, game):
        return
    _prepared.add(bot)
    seat = contained_seat(replace(wanted, harvest=True, terms=Terms()), game, variant)
    assert isinstance(seat, PythonSeat)
    with contextlib.suppress(Fault):
        seat.prepare()
        seat.over = True
        seal(wanted.spec, game, living().end(seat.child, GONE_SECONDS).code)

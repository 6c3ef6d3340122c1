"""What a worker and the process of a Python bot say to each other: packets of bytes through pipes.

Each packet begins with its length. A question carries the bytes of the View, the legal actions and the
actions that the bot could see since its last decision; an answer carries an action, or how the bot failed.
"""

import itertools
import struct
from collections.abc import Sequence
from typing import NamedTuple

from bots.contract import Clock, View

MAKE, RESET, ACT, CLOSE, PREPARE = 1, 2, 3, 4, 5  # questions; CLOSE has no answer
DESCRIBE, CHECK = 6, 7  # questions before all matches, answered by text
# length of what follows; kind, number of the question, seed, bytes of the View, legal actions, events, clocks
QUESTION = struct.Struct("<IBIQIIIB")
LENGTH = struct.Struct("<I")
ACTED, CRASHED, OUT_OF_MEMORY, NO_ACTION = 0, 1, 2, 3  # answers
ANSWER = struct.Struct(
    "<IIBqI"
)  # length; number of the question, what came of it, action, bytes of text
LONGEST_ANSWER = ANSWER.size + (1 << 16)
LARGEST = (1 << 63) - 1  # an action beyond it is sent as text
CHUNK = 1 << 16


class Request(NamedTuple):
    """A question as the bot's process reads it."""

    kind: int
    number: int
    seed: int
    record: bytes
    legal: tuple[int, ...]
    events: Sequence[tuple[int, ...]]  # who acted, the action as this player saw it
    clock: Clock | None = None


def pack_request(
    kind: int,
    number: int,
    seed: int = 0,
    view: View | None = None,
    events: Sequence[tuple[int, int]] = (),
) -> bytes:
    """A question as it travels."""
    record, legal = (view.record.tobytes(), view._legal) if view else (b"", ())
    clock = view.clock if view else None
    numbers = (*legal, *itertools.chain.from_iterable(events)) if events else legal
    times = (*clock.seconds, clock.increment) if clock else ()
    size, count = len(record), len(numbers)
    length = QUESTION.size - LENGTH.size + size + 4 * count + 8 * len(times)
    head = QUESTION.pack(length, kind, number, seed, size, len(legal), len(events), len(times))
    return head + record + struct.pack(f"<{count}i{len(times)}d", *numbers, *times)


def read_request(packet: bytes) -> Request:
    """A packet as a question."""
    _, kind, number, seed, size, legal, events, times = QUESTION.unpack_from(packet)
    start = QUESTION.size + size
    record = packet[QUESTION.size : start]
    numbers = struct.unpack_from(f"<{legal + 2 * events}i", packet, start)
    clock = None
    if times:
        *left, increment = struct.unpack_from(f"<{times}d", packet, start + 4 * len(numbers))
        clock = Clock(tuple(left), increment)
    if not events:
        return Request(kind, number, seed, record, numbers, (), clock)
    pairs = tuple(zip(numbers[legal::2], numbers[legal + 1 :: 2], strict=True))
    return Request(kind, number, seed, record, numbers[:legal], pairs, clock)


def pack_answer(number: int, what: int, action: int = 0, text: str = "") -> bytes:
    """An answer as it travels."""
    words = text.encode("utf-8", "backslashreplace")[: LONGEST_ANSWER - ANSWER.size]
    length = ANSWER.size - LENGTH.size + len(words)
    return ANSWER.pack(length, number, what, action, len(words)) + words


def read_answer(packet: bytes | bytearray) -> tuple[int, int, int, str]:
    """A packet as (number of the question, what came of it, action, text); ValueError if it is none."""
    if len(packet) < ANSWER.size:
        raise ValueError("too short")
    _, number, what, action, size = ANSWER.unpack_from(packet)
    if len(packet) != ANSWER.size + size or what > NO_ACTION:
        raise ValueError("no answer")
    return number, what, action, packet[ANSWER.size :].decode("utf-8", "replace") if size else ""

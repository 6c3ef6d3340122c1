"""A few threads that wait for work: handed out and collected by locks, in a tenth of an executor's time.

One batch of quick games takes half a millisecond, so what a future, a queue and a condition take is seen there.
"""

import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

LITTLE = 0.01  # of the work: waiting that does not matter
STEP = 1.005  # how fast the parts change
MOST = 1.25  # how much larger, or smaller, the caller's part may become

Call = tuple[Callable[..., None], tuple[Any, ...]]


class Crew:
    """Threads beside the caller's. They end with `close`, or when the crew is forgotten.

    Args:
        size: how many; 0: the caller works alone.
    """

    def __init__(self, size: int) -> None:
        """Start the threads."""
        self.hands = [Hand() for _ in range(size)]
        self.larger = 1.0  # the caller's part over each other one: they begin later
        self._end = weakref.finalize(self, dismiss, self.hands)

    def share(self, work: Callable[..., None], amount: int, *rest: Any) -> None:
        """Call `work(number, begin, end, *rest)` in all threads at once for parts of range(amount); wait for all.

        number: of the thread, 0 the caller's.

        Raises:
            the error of a part, when all parts have ended.
        """
        cuts = self.cuts(amount)
        for number, hand in enumerate(self.hands, 1):
            hand.begin((work, (number, cuts[number], cuts[number + 1], *rest)))
        began = time.perf_counter()
        try:
            work(0, 0, cuts[1], *rest)
            ready = time.perf_counter()
        finally:
            errors = [hand.finish() for hand in self.hands]
        for error in errors:
            if error is not None:
                raise error
        if self.hands:
            self.weigh(ready - began, time.perf_counter() - ready)

    def cuts(self, amount: int) -> list[int]:
        """Where the parts begin and end."""
        first = round(amount * self.larger / (self.larger + len(self.hands)))
        parts = max(len(self.hands), 1)
        return [0, *(first + (amount - first) * part // parts for part in range(parts)), amount]

    def weigh(self, worked: float, waited: float) -> None:
        """Let the caller's part grow where it had to wait for others, and shrink where it did not."""
        step = STEP if waited > LITTLE * worked else 1 / STEP
        self.larger = min(max(self.larger * step, 1 / MOST), MOST)

    def close(self) -> None:
        """End the threads."""
        self._end()


class Hand:
    """One thread's post: a call goes in, an error or None comes out."""

    def __init__(self) -> None:
        """Start the thread; nothing to do yet."""
        self.call: Call | None = None
        self.error: BaseException | None = None
        self.given, self.done = threading.Lock(), threading.Lock()
        self.given.acquire()
        self.done.acquire()
        self.thread = threading.Thread(target=self.serve, name="crew", daemon=True)
        self.thread.start()

    def begin(self, call: Call | None) -> None:
        """Hand a call to the thread; None ends it."""
        self.call = call
        self.given.release()

    def finish(self) -> BaseException | None:
        """Wait until the call has ended; what it raised."""
        self.done.acquire()
        error, self.error = self.error, None
        return error

    def serve(self) -> None:
        """The thread: carry out calls until None comes."""
        while True:
            self.given.acquire()
            call, self.call = self.call, None
            if call is None:
                return
            work, part = call
            try:
                work(*part)
            except BaseException as error:  # raised again where the work was handed out
                self.error = error
            del call, work, part  # else the tables would live until the next batch
            self.done.release()


def dismiss(hands: Sequence[Hand]) -> None:
    """End threads that wait."""
    for hand in hands:
        hand.begin(None)

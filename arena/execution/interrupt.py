"""Ctrl-C while matches are played: a wish to stop, and an end where the rules of a game never come back."""

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

PATIENCE = 3  # seconds between Ctrl-C and the end of a process that does not notice it

# Compiled code hears no signal, and no thread of Python runs beside it; only another process can end it.
# The pipe brings the number of a signal as soon as it comes; when Python has noticed, another one watches.
WATCHER = """
[ -n "$(head -c 1)" ] || exit 0
sleep {patience}
echo "stopped: the rules of a game have not come back for {patience} s; what was stored stays" >&2
kill -KILL {process}
"""


@contextmanager
def interruptible(alone: bool = False) -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C, SIGTERM or SIGHUP into a wish to stop; a second one ends at once.

    Args:
        alone: matches are played in this process, which a game without end would keep from noticing.
    """
    wish = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield wish.is_set
        return
    with watched() if alone else unwatched() as noticed:

        def ask_to_stop(number: int, frame: FrameType | None) -> None:
            noticed()
            if wish.is_set():
                raise KeyboardInterrupt
            wish.set()

        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # else `nohup` wants it to go on
            numbers.append(signal.SIGHUP)
        old = {number: signal.signal(number, ask_to_stop) for number in numbers}
        try:
            yield wish.is_set
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)


@contextmanager
def unwatched() -> Iterator[Callable[[], None]]:
    """No watcher: nothing to tell it."""
    yield lambda: None


@contextmanager
def watched() -> Iterator[Callable[[], None]]:
    """Another process that ends this one if it does not notice a signal; yields how to tell that it did."""
    watchers = [Watcher()]
    before = signal.set_wakeup_fd(watchers[0].sending, warn_on_full_buffer=False)

    def watch_anew() -> None:
        """Noticed; the next signal may come while nothing hears it."""
        watchers.append(Watcher())
        signal.set_wakeup_fd(watchers[-1].sending, warn_on_full_buffer=False)
        watchers.pop(0).end()

    try:
        yield watch_anew
    finally:
        signal.set_wakeup_fd(before)
        for watcher in watchers:
            watcher.end()


class Watcher:
    """A process that waits for the number of a signal in a pipe, and then ends this one."""

    def __init__(self) -> None:
        """Start it; Ctrl-C at the terminal is not meant for it."""
        receiving, self.sending = os.pipe()
        os.set_blocking(self.sending, False)
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", WATCHER.format(patience=PATIENCE, process=os.getpid())],
            stdin=receiving,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(receiving)

    def end(self) -> None:
        """End it with what it has started."""
        os.close(self.sending)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

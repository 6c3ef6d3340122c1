"""Bots for the tests: some fail in every way a bot can, some write down what they are shown."""

import itertools
import json
import secrets
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bots.registry import parse_bot


class First:
    """Always the first legal action."""

    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        return legal[0]

    def close(self):
        pass


class Last(First):
    """Always the last legal action."""

    def act(self, view, legal):
        return legal[-1]


@dataclass(frozen=True)
class After:
    after: int = 0  # own decisions before it fails


class Fails(First):
    """Plays well for some decisions, then fails."""

    Parameters = After

    def __init__(self, after):
        self.left = after

    def act(self, view, legal):
        self.left -= 1
        return legal[0] if self.left >= 0 else self.fail(view, legal)


class Illegal(Fails):
    def fail(self, view, legal):
        return next(action for action in itertools.count() if action not in legal)


class Unknown(Fails):
    def fail(self, view, legal):
        return -5


class Huge(Fails):
    def fail(self, view, legal):
        return 10**30


class Silent(Fails):
    def fail(self, view, legal):
        return None


class Wordy(Fails):
    def fail(self, view, legal):
        return "the middle\none, please " * 100


class Fractional(Fails):
    def fail(self, view, legal):
        return legal[0] + 0.5


class Infinite(Fails):
    def fail(self, view, legal):
        return float("inf")


class Objective(Fails):
    def fail(self, view, legal):
        return object()


class Crash(Fails):
    def fail(self, view, legal):
        raise RuntimeError("act\nis broken")


class Exit(Fails):
    def fail(self, view, legal):
        raise SystemExit(3)


class Unprintable(Fails):
    def fail(self, view, legal):
        class Error(Exception):
            def __repr__(self):
                raise ValueError

        raise Error


class Memory(Fails):
    def fail(self, view, legal):
        raise MemoryError


class Sleepy(Fails):
    def fail(self, view, legal):
        time.sleep(0.03)
        return legal[0]


class Dreamy(Fails):
    def fail(self, view, legal):
        time.sleep(0.3)
        return legal[0]


class CrashInMake(First):
    def __init__(self):
        raise RuntimeError("make is broken")


class CrashInReset(First):
    def reset(self, game, view, seed):
        raise RuntimeError("reset is broken")


class CrashInClose(First):
    def close(self):
        raise RuntimeError("close is broken")


class SlowStart(First):
    def reset(self, game, view, seed):
        time.sleep(0.3)


@dataclass(frozen=True)
class Notebook:
    folder: str = ""
    crash_after: int = 1000


class Recorder(First):
    """Writes what it is shown into a file per match and seat; a random legal action by its seed."""

    Parameters = Notebook

    def __init__(self, folder, crash_after):
        self.folder, self.left = Path(folder), crash_after
        self.lines = []

    def reset(self, game, view, seed):
        self.seed = seed
        name = f"{len(list(self.folder.iterdir()))}-{view.player}.json"
        self.file = self.folder / name
        self.write({"call": "reset", "seed": seed, "events": len(view.events)})

    def act(self, view, legal):
        self.left -= 1
        shown = {"call": "act", "player": view.player, "view": view.record.tobytes().hex()}
        events = [[event.player, event.text] for event in view.events]
        self.write({**shown, "legal": list(legal), "same": view.legal(), "events": events})
        if self.left < 0:
            raise RuntimeError("enough")
        self.seed = self.seed * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        return legal[(self.seed >> 33) % len(legal)]

    def close(self):
        self.write({"call": "close"})

    def write(self, note):
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(note) + "\n")


class Wrapped(First):
    """The compiled search behind the Bot protocol."""

    def reset(self, game, view, seed):
        self.bot = parse_bot("mcts:simulations=25").make()
        self.bot.reset(game, view, seed)

    def act(self, view, legal):
        return self.bot.act(view, legal)


@dataclass(frozen=True)
class Marked:
    file: str = ""
    times: int = 1


class Dies(First):
    """Ends its process the first times it must decide, then plays on."""

    Parameters = Marked

    def __init__(self, file, times):
        self.file, self.times = Path(file), times

    def act(self, view, legal):
        import os
        import signal

        deaths = len(self.file.read_text()) if self.file.exists() else 0
        if deaths < self.times:
            with self.file.open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return legal[0]


@dataclass(frozen=True)
class Watched:
    folder: str = ""


class Waits(First):
    """Plays slowly until its folder holds a file `go`; leaves a mark for each match it begins."""

    Parameters = Watched

    def __init__(self, folder):
        self.folder = Path(folder)

    def reset(self, game, view, seed):
        with (self.folder / "begun").open("a") as file:
            file.write("x")

    def act(self, view, legal):
        if not (self.folder / "go").exists():
            time.sleep(0.02)
        return legal[0]


class Moody(First):
    """Plays by the operating system's chance instead of the seed."""

    def act(self, view, legal):
        return secrets.choice(legal)


class Talkative(Fails):
    """Says on stderr what is wrong before it crashes."""

    def fail(self, view, legal):
        print("first line\n<second> line", file=sys.stderr)
        raise RuntimeError("no more to say")

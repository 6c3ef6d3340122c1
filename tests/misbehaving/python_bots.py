"""Python bots that misbehave in every way that a process of their own must contain."""

import ctypes
import gc
import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np


class First:
    """Always the first legal action."""

    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        return legal[0]

    def close(self):
        pass


_matches = []


class Counts(First):
    """Counts the matches of its process."""

    def reset(self, game, view, seed):
        _matches.append(seed)


class Remembers(Counts):
    """Says how many matches its process has played."""

    def act(self, view, legal):
        raise RuntimeError(len(_matches))


class Slow(First):
    def act(self, view, legal):
        time.sleep(60)


class Spinning(First):
    def act(self, view, legal):
        while True:
            pass


class SleepingInC(First):
    def act(self, view, legal):
        # PyDLL keeps the interpreter's lock: no other thread of this process gets on
        ctypes.PyDLL(None).sleep(60)


class FloodsStdout(First):
    def act(self, view, legal):
        while True:
            print("x" * 10_000)


class FloodsStderr(First):
    def act(self, view, legal):
        line = b"the last words of a flood\n" * 1000
        while True:
            os.write(2, line)


class Illegal(First):
    def act(self, view, legal):
        return next(action for action in range(1000) if action not in legal)


class Unknown(First):
    def act(self, view, legal):
        return 10**30


class NoAction(First):
    def act(self, view, legal):
        return "the middle, please"


class Exits(First):
    def act(self, view, legal):
        print("I am leaving", file=sys.stderr)
        sys.exit(3)


class ExitsAtOnce(First):
    def act(self, view, legal):
        print("gone for good", file=sys.stderr, flush=True)
        os._exit(5)


class Segfaults(First):
    def act(self, view, legal):
        ctypes.string_at(0)


class LeavesChildren(First):
    """Forks children in its own and in other sessions, and dies itself."""

    def act(self, view, legal):
        for own_session in (False, True):
            if os.fork() == 0:
                if own_session:
                    os.setsid()
                    if os.fork():
                        os._exit(0)
                time.sleep(3600)
        subprocess.Popen(["sleep", "3600"], start_new_session=True)
        os._exit(0)


class KeepsPlayingWithChildren(First):
    def act(self, view, legal):
        subprocess.Popen(["sleep", "3600"], start_new_session=True)
        time.sleep(60)


class IgnoresTerminate(First):
    def act(self, view, legal):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(60)


class EatsMemory(First):
    def act(self, view, legal):
        eaten = []
        while True:
            eaten.append(bytearray(1 << 25))


class EatsMemoryInChildren(First):
    def act(self, view, legal):
        for _ in range(8):
            if os.fork() == 0:
                eaten = bytearray(b"x" * (40 << 20))
                time.sleep(60)
                del eaten
        time.sleep(60)


class OpensFiles(First):
    def act(self, view, legal):
        files = [open(os.devnull) for _ in range(10_000)]  # noqa: SIM115
        return legal[len(files) * 0]


class RaisesInReset(First):
    def reset(self, game, view, seed):
        raise RuntimeError("reset is broken")


class WritesIntoThePipe(First):
    def act(self, view, legal):
        os.write(4, b"\x05\x00\x00\x00hello")
        return legal[0]


class AnswersTwice(First):
    """Sends the answer itself, and then returns it as well."""

    def act(self, view, legal):
        from arena.playing.containment.packets import ACTED, pack_answer

        for question in range(100):
            os.write(4, pack_answer(question, ACTED, legal[0]))
        return legal[0]


class StopsItself(First):
    def act(self, view, legal):
        os.kill(os.getpid(), signal.SIGSTOP)
        return legal[0]


class ForkBomb(First):
    def act(self, view, legal):
        for _ in range(80):
            if os.fork() == 0:
                time.sleep(60)
        time.sleep(60)


class KillsItsParent(First):
    def act(self, view, legal):
        os.kill(os.getppid(), signal.SIGKILL)
        return legal[0]


class SlowStart(First):
    def reset(self, game, view, seed):
        time.sleep(60)


class Listens(First):
    """Leaves a port open."""

    def act(self, view, legal):
        import socket

        self.listener = socket.create_server(("127.0.0.1", 0))
        time.sleep(60)


@dataclass(frozen=True)
class Target:
    folder: str = ""


class Writes(First):
    """Writes wherever it may: into a folder it was told of, and where it works."""

    Parameters = Target

    def __init__(self, folder):
        self.folder = folder

    def act(self, view, legal):
        with open("mine.txt", "w") as file:
            file.write("x")
        for name in ("spec.yaml", "matches/part-000001.parquet", "new.txt"):
            try:
                with open(os.path.join(self.folder, name), "w") as file:
                    file.write("rubbish")
            except OSError as error:
                print(f"{name}: {error.strerror}", file=sys.stderr)
        os._exit(9)


@dataclass(frozen=True)
class Counted:
    decisions: int = 1


class Digests(First):
    """Fails at one of its decisions with a digest of all it was shown until then."""

    Parameters = Counted

    def __init__(self, decisions):
        self.left = decisions
        self.digest = hashlib.blake2b(digest_size=8)

    def reset(self, game, view, seed):
        self.note("reset", seed, view)

    def act(self, view, legal):
        self.note(*legal, view)
        self.left -= 1
        if self.left == 0:
            raise RuntimeError(f"shown {self.digest.hexdigest()}")
        return legal[-1]

    def note(self, *facts):
        *plain, view = facts
        sample = view.sample().states.tobytes()
        seen = (
            plain,
            view.record.tobytes(),
            view.legal(),
            view.to_dict(),
            list(view.events),
            sample,
        )
        self.digest.update(repr(seen).encode())


@dataclass(frozen=True)
class Masked:
    secret: str = ""  # each byte of it xor MASK, so that this process does not hold it


class Searches(First):
    """Says where in its process it finds a secret: in frames, in the collector, in all its memory."""

    Parameters = Masked

    def __init__(self, secret):
        self.secret = bytes.fromhex(secret)

    def act(self, view, legal):
        control = bytes(byte ^ MASK for byte in view.record.tobytes())
        found = {
            "frames": in_frames(self.secret),
            "collector": in_collector(self.secret),
            "memory": in_memory(self.secret),
            "its view": in_memory(control) and in_collector(control),
        }
        raise RuntimeError(str(found))


MASK = 0x5A


def holds(data, masked):
    """Whether the secret is in these bytes; it is never put together here."""
    data = np.frombuffer(data, np.uint8)
    places = np.flatnonzero(data[: max(0, len(data) - len(masked) + 1)] == masked[0] ^ MASK)
    for offset, byte in enumerate(masked):
        places = places[data[places + offset] == byte ^ MASK]
    return bool(len(places))


def in_frames(masked):
    frame = sys._getframe()
    while frame is not None:
        if any(holds(bytes_of(value), masked) for value in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False


def in_collector(masked):
    found = {}
    for seen in gc.get_objects():
        for one in gc.get_referents(seen):
            if isinstance(one, bytes | bytearray | np.ndarray):
                found[id(one)] = one
    return any(holds(bytes_of(one), masked) for one in found.values())


def in_memory(masked):
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", buffering=0) as memory:
        for line in maps:
            if line.split()[1].startswith("rw"):
                start, end = (int(word, 16) for word in line.split()[0].split("-"))
                for place in range(start, end, 1 << 22):
                    try:
                        memory.seek(place)
                        if holds(memory.read(min(1 << 22, end - place) + len(masked)), masked):
                            return True
                    except (OSError, OverflowError, ValueError):
                        continue
    return False


def bytes_of(value):
    try:
        return bytes(value) if isinstance(value, bytes | bytearray | np.ndarray) else b""
    except (TypeError, ValueError):
        return b""

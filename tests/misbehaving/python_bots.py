"""Python bots that misbehave in every way that a process of their own must contain."""

import ctypes
import gc
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass


class First:
    """Always the first legal action."""

    def reset(self, game, view, seed):
        pass

    def act(self, view, legal):
        return legal[0]

    def close(self):
        pass


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
            eaten.append(bytearray(1 << 22))


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
        from arena.containment.packets import ACTED, pack_answer

        for question in range(100):
            os.write(4, pack_answer(question, ACTED, legal[0]))
        return legal[0]


class StopsItself(First):
    def act(self, view, legal):
        os.kill(os.getpid(), signal.SIGSTOP)
        return legal[0]


class ForkBomb(First):
    def act(self, view, legal):
        for _ in range(100):
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


class Searches(First):
    """Reports what the process can find of a secret: in frames, in the collector, in all its memory."""

    def act(self, view, legal):
        secret = bytes.fromhex(os.environ["ARENA_SECRET"][::-1])
        found = [name for name in ("frames", "gc", "memory") if getattr(self, name)(secret)]
        print(f"found: {found}; descriptors: {len(os.listdir('/proc/self/fd'))}", file=sys.stderr)
        print(f"limits: {resource.getrlimit(resource.RLIMIT_CORE)}", file=sys.stderr, flush=True)
        os._exit(0)

    def frames(self, secret):
        frame = sys._getframe()
        while frame is not None:
            if any(secret in bytes_of(value) for value in frame.f_locals.values() if value is not secret):
                return True
            frame = frame.f_back
        return False

    def gc(self, secret):
        return any(secret in bytes_of(one) for one in gc.get_objects() if one is not secret)

    def memory(self, secret):
        return False


def bytes_of(value):
    try:
        return bytes(memoryview(value))
    except (TypeError, ValueError, BufferError):
        return b""

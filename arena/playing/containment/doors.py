"""The worker's side of its gate: doors for bots that may call hosts, opened, counted anew at each match, and closed."""

import contextlib
import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence

from arena.playing.containment.starting import import_path

MAIN = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from arena.playing.containment.gate import main; main(int(sys.argv[1]))"
)
PASSED = ("PATH", "LD_LIBRARY_PATH", "LANG")  # of the environment: no secrets


class Doors:
    """The gate of this process; it is started with the first door."""

    def __init__(self) -> None:
        """Nothing is open."""
        self.control: socket.socket | None = None
        self.process: subprocess.Popen[bytes] | None = None
        self.numbers: set[int] = set()

    def open(self, number: int, hosts: Sequence[str], calls: int) -> None:
        """Let a bot call hosts.

        Args:
            calls: handle of where its calls come in; it is the caller's to close.
        """
        wish = json.dumps(["open", number, *hosts]).encode()
        for _ in range(2):  # a gate that was lost takes its doors with it
            if self.control is None:
                self.control, self.process = started()
            try:
                socket.send_fds(self.control, [wish], [calls])
            except OSError:
                self.close()
            else:
                self.numbers.add(number)
                return

    def match(self, number: int) -> None:
        """A new match begins for a bot that was kept."""
        self.tell("match", number)

    def shut(self, number: int) -> None:
        """A bot has ended."""
        self.tell("close", number)
        self.numbers.discard(number)

    def tell(self, wish: str, number: int) -> None:
        """Say something of a door, if there is such a one."""
        if number in self.numbers and self.control is not None:
            with contextlib.suppress(OSError):  # a lost gate is like a lost network
                self.control.send(json.dumps([wish, number]).encode())

    def close(self) -> None:
        """The end of the gate."""
        self.numbers.clear()
        if self.control is not None and self.process is not None:
            self.control.close()
            self.process.wait()
            self.control = self.process = None


def started() -> tuple[socket.socket, "subprocess.Popen[bytes]"]:
    """A gate: how to speak to it, and its process."""
    mine, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with its:
        handle = its.fileno()
        process = subprocess.Popen(
            [sys.executable, "-c", MAIN, str(handle), import_path()],
            pass_fds=(handle,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in PASSED if name in os.environ},
        )
    return mine, process

"""From a fork of the keeper to a bot: files, limits and walls first, then the bot's own code."""

import fcntl
import os
import random
import shlex
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from arena.playing.containment.processes import data_bytes
from arena.playing.containment.python_bot import Life
from arena.playing.containment.walls import die_with_parent, limit_resources, writable_only
from engines.cache import cache_root


@dataclass(frozen=True)
class Start:
    """A bot to start.

    command: of a program, "" for a Python bot. environment: of a program. named, digest: of a bot from files, see
    `bots.registry.parse_bot`.
    """

    number: int
    bot: str
    parameters: dict[str, Any]
    files: tuple[tuple[str, bytes], ...]
    game_text: str
    memory_mb: int
    command: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    named: tuple[str, ...] = ()
    digest: str = ""


def become(start: Start, handles: Sequence[int], stderr: int, folder: str) -> None:
    """Turn this process, just forked, into the bot; never returns."""
    try:
        die_with_parent()
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        connect(start, handles, stderr)
        os.chdir(folder)
        os.environ["TMPDIR"] = folder
        tempfile.tempdir = None
        memory = start.memory_mb << 20
        limit_resources(memory, 0 if start.command else data_bytes(os.getpid()))
        if start.command:
            run_program(start, folder)
        writable_only([Path(folder), cache_root()])
        random.seed()
        np.random.seed()  # noqa: NPY002 - else the global generators of all bots are equal
        life = Life(start.bot, start.parameters, start.named, start.digest, start.game_text)
        life.live(3, 4)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException as error:
        os.write(2, f"could not be started: {error!r}\n".encode())
        os._exit(70)
    os._exit(0)


def connect(start: Start, handles: Sequence[int], stderr: int) -> None:
    """Give the bot its files and none of the keeper's; a program speaks through stdin and stdout."""
    reading, writing = (fcntl.fcntl(handle, fcntl.F_DUPFD, 10) for handle in handles)
    os.dup2(stderr, 2)
    if start.command:
        os.dup2(reading, 0)
        os.dup2(writing, 1)
        os.closerange(3, 1 << 20)
        return
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.dup2(reading, 3)
    os.dup2(writing, 4)
    os.closerange(5, 1 << 20)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]


def run_program(start: Start, folder: str) -> None:
    """Run the command of a bot; its files stand in its folder unless the same are on this machine."""
    words = shlex.split(start.command)
    for number, (name, content) in enumerate(start.files):
        path = Path(name)
        here = Path(start.environment["PWD"], path)
        if not here.is_file() or here.read_bytes() != content:
            here = Path(folder, f"{number}-{path.name}")
            here.write_bytes(content)
            here.chmod(0o700)
        words = [str(here) if word == name else word for word in words]
    writable_only([Path(folder), cache_root()])
    environment = {**start.environment, "TMPDIR": folder, "PWD": folder}
    try:
        os.execvpe(words[0], words, environment)
    except OSError as error:
        os.write(2, f"{words[0]}: {error.strerror}\n".encode())
        os._exit(127)

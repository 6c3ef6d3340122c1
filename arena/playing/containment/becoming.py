"""From a fork of the keeper to a bot: files, limits and walls first, then the bot's own code."""

import fcntl
import os
import random
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from arena.playing.containment.namespaces import CALLS
from arena.playing.containment.processes import data_bytes
from arena.playing.containment.python_bot import Life
from arena.playing.containment.walls import limit_resources
from engines.cache import SHARED_CACHE

CACHE = "cache"  # the folder of a bot's own machine code


@dataclass(frozen=True)
class Start:
    """A bot to start.

    files: absolute paths and contents. once: the process ends after a match. places: what a sandbox
    shows this bot besides the common places. bot, named, digest: of a Python bot, see
    `bots.registry.parse_bot`. command, environment: of a program. sealed: folder of the machine code
    that the bot compiled before. harvest: the machine code that it compiles is wanted. calling: it may
    call hosts, in a sandbox only.
    """

    number: int
    files: tuple[tuple[str, bytes], ...]
    memory_mb: int
    once: bool = True
    places: tuple[str, ...] = ()
    bot: str = ""
    named: tuple[str, ...] = ()
    digest: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    game_text: str = ""
    command: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    sealed: str = ""
    harvest: bool = False
    calling: bool = False


def become(
    start: Start, handles: Sequence[int], stderr: int, folder: str, wall: Callable[[], object]
) -> NoReturn:
    """Turn this process, just forked, into the bot.

    Args:
        handles: where it reads questions and writes answers.
        folder: where it works and may write.
        wall: encloses the process for good, before any code of the bot runs.
    """
    words = shlex.split(start.command)
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        connect(start, handles, stderr)
        memory = start.memory_mb << 20
        limit_resources(memory, 0 if start.command else data_bytes("self"))
        wall()
        os.chdir(folder)
        own = {"TMPDIR": folder, "ARENA_CACHE": os.path.join(folder, CACHE)}
        if start.calling:
            own |= proxies()
        if words:
            run_program(words, {**start.environment, **own, "PWD": folder})
        shared = os.environ.get(SHARED_CACHE, "")
        os.environ.update(
            {**own, SHARED_CACHE: os.pathsep.join(filter(None, [shared, start.sealed]))}
        )
        tempfile.tempdir = None
        random.seed()
        np.random.seed()  # noqa: NPY002 - else the global generators of all bots are equal
        life = Life(
            start.bot, start.parameters, start.named, start.digest, start.game_text, start.once
        )
        life.live(3, 4)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException as error:
        os.write(2, f"could not be started: {error!r}\n".encode())
        os._exit(70)
    os._exit(0)


def proxies() -> dict[str, str]:
    """The environment by which programs find the gate, in both cases that they look for."""
    gate = "http://{}:{}".format(*CALLS)
    told = {**dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), gate), "no_proxy": ""}
    return {**told, **{name.upper(): value for name, value in told.items()}}


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


def with_files_here(start: Start, folder: str) -> Start:
    """A program whose files are not on this disk as they travelled: they stand in its folder then."""
    words = shlex.split(start.command)
    for number, (name, content) in enumerate(start.files):
        here = Path(name)
        if not here.is_file() or here.read_bytes() != content:
            here = Path(folder, f"{number}-{here.name}")
            here.write_bytes(content)
            here.chmod(0o700)
        words = [str(here) if word == name else word for word in words]
    return replace(start, command=shlex.join(words))


def run_program(words: list[str], environment: dict[str, str]) -> NoReturn:
    """Become the program that a command names."""
    try:
        os.execvpe(words[0], words, environment)
    except OSError as error:
        os.write(2, f"{words[0]}: {error.strerror}\n".encode())
    os._exit(127)

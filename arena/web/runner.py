"""Runs that are started from the page: the same commands that people type, in processes that outlive the server."""

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from arena.plan.config import config_folders
from arena.store.driver import HEARD
from arena.store.record import RECORD
from arena.web.inside import check_inside
from arena.web.runs import driver_of, identity, record_of, told_of, writer_of
from engines.errors import UserError
from engines.texts import clean

MOST_CONFIGS = 200
MOST_LINES = 200
MOST_SAID = 64 << 10  # bytes
MOST_STARTED = 10  # that are told of
MOST_ESTIMATES = 2  # at a time
ESTIMATE_SECONDS = 300.0  # of these, and of searches that think again
OTHERS = ("balance-", "search-", "tune-")  # so begin configs of other commands


@dataclass(frozen=True)
class Started:
    """A run that was started from the page: of what, its process, and the file with what it has said."""

    what: str
    process: "subprocess.Popen[bytes]"
    said: IO[bytes]

    @property
    def state(self) -> str:
        """What became of it, in a line; of a failure the last it has said."""
        code = self.process.poll()
        if code is None:
            return "at work"
        if code == 0:
            return "done"
        return f"failed: {self.lines()[-1] if self.lines() else f'exit code {code}'}"

    def lines(self) -> list[str]:
        """The last that it has said."""
        self.said.seek(max(0, self.said.seek(0, os.SEEK_END) - MOST_SAID))
        text = clean(self.said.read().decode(errors="replace"), lines=True)
        return [line for line in text.splitlines() if line.strip()][-MOST_LINES:]


class Runner:
    """Starts, stops and continues runs below a folder."""

    def __init__(self, folder: Path) -> None:
        """Run commands in a folder."""
        self._folder = folder.resolve()
        self._started: list[Started] = []
        self._estimates = asyncio.Semaphore(MOST_ESTIMATES)
        self._thoughts = asyncio.Semaphore(1)

    def close(self) -> None:
        """Let go of what runs say; they play on."""
        while self._started:
            self._started.pop().said.close()

    def started(self) -> list[tuple[str, str]]:
        """What was started from the page and what became of it, the last first."""
        return [(one.what, one.state) for one in reversed(self._started)]

    def configs(self) -> list[str]:
        """The configs that may be started: those that are shipped, and files below the folder."""
        found = [
            file.relative_to(self._folder).as_posix()
            for pattern in ("*.yaml", "configs/*.yaml")
            for file in self._folder.glob(pattern)
        ]
        shipped = {f.stem for place in config_folders() for f in place.glob("*.yaml")}
        names = sorted(name for name in shipped if not name.startswith(OTHERS))
        return [*names, *sorted(found)][:MOST_CONFIGS]

    def start(self, config: str) -> None:
        """Start or continue the run of a config.

        Raises:
            UserError: none of the configs that are offered, or it names files outside the folder.
        """
        self._begin(config, "run", self._known(config))

    def go_on(self, place: Path) -> None:
        """Continue a run from its own record.

        Raises:
            UserError: it plays already, people play it, or it reads files outside the folder.
        """
        self._continued(place)
        self._begin(place.name, "run", str(place / RECORD), "--out", str(place))

    def _continued(self, place: Path) -> None:
        """Whether a run may go on."""
        if record_of(self._folder, place, identity(place / RECORD)).people:
            raise UserError(f"{place.name}: people play it, at tables")
        driver = driver_of(place)
        if driver is not None and driver.silent < HEARD:
            raise UserError(f"{place.name}: it plays already")
        check_inside(self._folder, place / RECORD)

    def stop(self, place: Path) -> None:
        """End a run as Ctrl-C does.

        Raises:
            UserError: nobody plays it, or somebody else's process does.
        """
        process = writer_of(place)
        if not process and (told := told_of(driver_of(place))):
            raise UserError(f"{place.name}: {told}: stop it there")
        if not process:
            raise UserError(f"{place.name}: nobody plays it now")
        if process == os.getpid():
            raise UserError(f"{place.name}: a match is being stored, nothing is played")
        try:
            os.kill(process, signal.SIGINT)
        except OSError as error:
            raise UserError(
                f"{place.name}: its process {process} cannot be told: {error.strerror}"
            ) from None

    async def estimate(self, config: str) -> str:
        """What `arena run CONFIG --dry-run` says."""
        return await self._estimated(await asyncio.to_thread(self._known, config))

    async def left(self, place: Path) -> str:
        """The same of a run that goes on from its own record."""
        await asyncio.to_thread(self._continued, place)
        return await self._estimated(str(place / RECORD), "--out", str(place))

    async def _estimated(self, *words: str) -> str:
        if self._estimates.locked():
            raise UserError(f"{MOST_ESTIMATES} estimates are being made: wait for them")
        async with self._estimates:
            code, said = await self._answer("run", *words, "--dry-run")
        if code:
            raise UserError(said[-1] if said else f"exit code {code}")
        return "\n".join(said[:MOST_LINES])

    async def thoughts(self, place: Path, match: str) -> str:
        """The page of a match whose searches think again: theirs is a process of its own, so that this one goes on.

        Raises:
            UserError: it cannot be made, or not in time; or another one is being made.
        """
        if self._thoughts.locked():
            raise UserError("searches think about another match already: wait for them")
        async with self._thoughts:
            with TemporaryDirectory() as folder:
                words = ("replay", str(place), match, "--html", "--estimates", "--out", folder)
                code, said = await self._answer(*words)
                if code:
                    raise UserError(said[-1] if said else f"exit code {code}")
                return next(Path(folder).glob("*.html")).read_text(encoding="utf-8")

    async def _answer(self, *words: str) -> tuple[int, list[str]]:
        """The exit code of a command (-1: it takes too long) and its lines; of one that fails what it complains of.

        Bots write on stderr too: none of that is part of an answer.
        """
        process = await asyncio.create_subprocess_exec(
            *command(*words),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            said, complained = await asyncio.wait_for(process.communicate(), ESTIMATE_SECONDS)
        except TimeoutError:
            return -1, [f"no answer in {ESTIMATE_SECONDS:.0f} s"]
        finally:
            if process.returncode is None:
                process.kill()
        code = -1 if process.returncode is None else process.returncode
        told = (said if not code else complained)[-MOST_SAID:].decode(errors="replace")
        return code, [line for line in clean(told, lines=True).splitlines() if line.strip()]

    def _known(self, config: str) -> str:
        if config not in self.configs():
            raise UserError(f"config {config[:200]!r}: not offered here")
        if (self._folder / config).is_file():
            check_inside(self._folder, self._folder / config)
        return config

    def _begin(self, what: str, *words: str) -> None:
        said = TemporaryFile()  # noqa: SIM115  it is read as long as the server is there
        process = subprocess.Popen(
            command(*words, "--quiet"),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self._started.append(Started(what, process, said))
        while len(self._started) > MOST_STARTED:
            self._started.pop(0).said.close()


def command(*words: str) -> list[str]:
    """A command of this package by this interpreter."""
    return [sys.executable, "-m", "arena", *words]

"""Runs that are started from the page: the same commands that people type, in processes that outlive the server."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from arena.plan.config import config_folders
from arena.store.driver import HEARD
from arena.store.record import RECORD, load_spec
from arena.web.runs import driver_of, told_of, writer_of
from engines.errors import UserError

MOST_CONFIGS = 200
MOST_LINES = 200
ESTIMATE_SECONDS = 300.0
BALANCE = "balance-"  # configs of another command begin so


class Runner:
    """Starts, stops and continues runs below a folder."""

    def __init__(self, folder: Path) -> None:
        """Run commands in a folder."""
        self._folder = folder.resolve()
        self._started: list[subprocess.Popen[bytes]] = []

    def configs(self) -> list[str]:
        """The configs that may be started: those that are shipped, and files below the folder."""
        found = [
            file.relative_to(self._folder).as_posix()
            for pattern in ("*.yaml", "configs/*.yaml")
            for file in self._folder.glob(pattern)
        ]
        shipped = {f.stem for place in config_folders() for f in place.glob("*.yaml")}
        names = sorted(name for name in shipped if not name.startswith(BALANCE))
        return [*names, *sorted(found)][:MOST_CONFIGS]

    def start(self, config: str) -> None:
        """Start or continue the run of a config.

        Raises:
            UserError: none of the configs that are offered.
        """
        self._begin("run", self._known(config))

    def go_on(self, place: Path) -> None:
        """Continue a run from its own record.

        Raises:
            UserError: it plays already, or people play it.
        """
        if load_spec(place).people:
            raise UserError(f"{place.name}: people play it, at tables")
        driver = driver_of(place)
        if driver is not None and driver.silent < HEARD:
            raise UserError(f"{place.name}: it plays already")
        self._begin("run", str(place / RECORD), "--out", str(place))

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
        try:
            os.kill(process, signal.SIGINT)
        except OSError as error:
            raise UserError(
                f"{place.name}: its process {process} cannot be told: {error.strerror}"
            ) from None

    async def estimate(self, config: str) -> str:
        """What `arena run CONFIG --dry-run` says."""
        process = await asyncio.create_subprocess_exec(
            *command("run", self._known(config), "--dry-run"),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            said, _ = await asyncio.wait_for(process.communicate(), ESTIMATE_SECONDS)
        except TimeoutError:
            process.kill()
            return f"no answer in {ESTIMATE_SECONDS:.0f} s"
        return "\n".join(said.decode(errors="replace").splitlines()[:MOST_LINES])

    def _known(self, config: str) -> str:
        if config not in self.configs():
            raise UserError(f"config {config[:200]!r}: not offered here")
        return config

    def _begin(self, *words: str) -> None:
        self._started = [one for one in self._started if one.poll() is None]
        self._started.append(
            subprocess.Popen(
                command(*words, "--quiet"),
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        )


def command(*words: str) -> list[str]:
    """A command of this package by this interpreter."""
    return [sys.executable, "-m", "arena", *words]

"""Where results come from: the version and code of this package, and the machine."""

import os
import platform
import socket
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from arena.plan.identity import digest
from arena.plan.wording import quoted
from engines.cache import hash_folder
from engines.texts import clean

NAME_LETTERS = 40  # of a machine
PACKAGES = ("numpy", "numba", "pandas", "pyarrow", "scipy", "ray")


@dataclass(frozen=True)
class Machine:
    """What a driver ran on; nothing that names a person, a place or a network."""

    processor: str
    cores: int
    memory_gb: int
    system: str
    python: str
    packages: Mapping[str, str] = field(hash=False)  # name -> version

    @property
    def text(self) -> str:
        """The machine in a line."""
        packages = ", ".join(f"{name} {number}" for name, number in self.packages.items())
        hardware = f"{self.processor}, {self.cores} cores, {self.memory_gb} GB"
        return f"{hardware}, {self.system}, Python {self.python}, {packages}"


@cache
def package_version() -> str:
    """The version of this package, from its metadata or from the checkout."""
    try:
        return version("tabletop-arena")
    except PackageNotFoundError:
        project = Path(__file__).resolve().parents[2] / "pyproject.toml"
        return str(tomllib.loads(project.read_text())["project"]["version"])


@cache
def code_hash() -> str:
    """Digest of every file of the three packages: tells two states of one version apart."""
    root = Path(__file__).resolve().parents[2]
    return digest(*(hash_folder(root / name) for name in ("arena", "bots", "engines")))


@cache
def this_machine() -> Machine:
    """The machine of this process."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(
        processor_name(),
        os.cpu_count() or 1,
        round(memory / 2**30),
        f"{platform.system()} {platform.release()} {platform.machine()}",
        platform.python_version(),
        {name: version(name) for name in PACKAGES},
    )


@cache
def machine_name() -> str:
    """What stored matches call this machine: ARENA_MACHINE, or a short digest of its name in the network.

    A digest, since results are published, and a machine may be named after a person or a place.
    """
    given = clean(os.environ.get("ARENA_MACHINE", ""))[:NAME_LETTERS].strip()
    return given or f"m{digest(socket.gethostname())[:6]}"


def processor_name() -> str:
    """The processor as the system calls it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def run_command(folder: str) -> str:
    """The command that plays the whole of a run again, into another folder."""
    return f"arena run {quoted(f'{folder}/spec.yaml')} --out FOLDER"


def match_command(folder: str, match_id: str = "MATCH") -> str:
    """The command that plays one match of a run again and compares it with what is stored."""
    return f"arena replay {quoted(folder)} {match_id} --rerun"


def replay_command(folder: str, match_id: str) -> str:
    """The command that shows a stored match move by move."""
    return f"arena replay {quoted(folder)} {match_id}"

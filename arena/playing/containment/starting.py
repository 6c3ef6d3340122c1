"""How a worker starts its keeper, in bubblewrap or without it, and what it tells it of a bot."""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from arena.playing.containment.becoming import Start
from arena.playing.containment.bubblewrap import ONE_THREAD, ROOMS, arguments
from arena.playing.containment.bubblewrap import environment as cleaned
from arena.playing.containment.child import Key
from arena.playing.containment.places import common_places, existing, outermost, program_places
from bots.contract import BotSpec
from bots.endpoint import without_secrets
from bots.sources import UNPACKED
from engines.cache import SHARED_CACHE, cache_root
from engines.core import game_names

FOLDERS = "arena-bots-"  # begins the folders of keepers in the open
SEALED = "sealed"  # folder of the cache: machine code that bots have compiled
UNPACKED_HOME = "/bot"  # where a sandbox shows a bot whose files were unpacked
MOST_BYTES = 4 << 20  # a larger file of a bot is shown where it lies
MAIN = (
    "import json, os, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from arena.playing.containment.keeper import main; "
    "main(int(sys.argv[1]), json.loads(sys.argv[3]))"
)
# Not a child of the worker: Ray kills those with it, before they could tidy up.
APART = "import os; os.fork() and os._exit(0); "


@dataclass(frozen=True)
class Terms:
    """What a config grants a bot. once: its process ends with each match. mount: more that it may read.
    network: hosts that it may call.
    """

    once: bool = True
    mount: tuple[str, ...] = ()
    network: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A bot that is to play a match: where it sits, and which deal. sealed, harvest: see `Start`."""

    spec: BotSpec
    game_text: str
    seat: int
    memory_mb: int
    deal: int = 0
    terms: Terms = Terms()
    sealed: str = ""
    harvest: bool = False

    @property
    def key(self) -> Key:
        """What a process that is kept can be used for."""
        bot, network = self.spec.canonical, self.terms.network
        return Key(bot, self.game_text, self.seat, self.memory_mb, network)


def start_open(control: socket.socket) -> str:
    """A keeper beside this worker, which listens to `control`; the folder in which all its bots' lie."""
    handle = control.fileno()
    remove_orphaned()
    folder = tempfile.mkdtemp(prefix=f"{FOLDERS}{os.getpid()}-")
    subprocess.run(
        [sys.executable, "-c", APART + MAIN, str(handle), import_path(), "null"],
        pass_fds=(handle,),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        env={
            **without_secrets(os.environ),
            **dict.fromkeys(ONE_THREAD, "1"),
            **shared_cache(),
            "TMPDIR": folder,
        },
        check=True,
    )
    return folder


def remove_orphaned() -> None:
    """Remove the folders of keepers that were killed together with their workers."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*-*"):
        worker = folder.name.removeprefix(FOLDERS).partition("-")[0]
        if worker.isdigit() and not Path("/proc", worker).exists():
            shutil.rmtree(folder, ignore_errors=True)


def start_walled(
    control: socket.socket, places: Sequence[str], calling: bool
) -> subprocess.Popen[bytes]:
    """A keeper in bubblewrap. It needs nobody to tidy up behind it.

    Args:
        places: what it can show to bots besides the common places.
        calling: some of them may call hosts.
    """
    cache = str(cache_root().resolve())
    for folder in (UNPACKED, SEALED):
        os.makedirs(os.path.join(cache, folder), exist_ok=True)
    common, links = common_places()
    shared = outermost([*common, cache])
    hidden = [os.path.join(cache, UNPACKED)]  # files of other bots
    walls = {"root": ROOMS, "binds": shared, "links": links, "number": os.getpid()}
    handle = control.fileno()
    told = json.dumps({**walls, "calling": calling})
    return subprocess.Popen(
        [
            *arguments(outermost([*shared, *places]), environment(), hidden, calling),
            *(sys.executable, "-c", MAIN, str(handle), import_path(), told),
        ],
        pass_fds=(handle,),
        stdin=subprocess.DEVNULL,
    )


def shared_cache() -> dict[str, str]:
    """The environment of a bot: this process's machine code, to be read only."""
    return {SHARED_CACHE: str(cache_root().resolve())}


def import_path() -> str:
    """Where this process imports from."""
    return json.dumps([entry or os.getcwd() for entry in sys.path])


def pid_of(handle: int) -> int:
    """The process behind a handle, as this process numbers it."""
    lines = Path(f"/proc/self/fdinfo/{handle}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))


def environment() -> dict[str, str]:
    """All that a process in a sandbox is told."""
    return {**cleaned(f"{ROOMS}/cache"), **shared_cache()}


# --- bots -----------------------------------------------------------------------------------------


def start_of(wanted: Wanted, number: int, walled: bool) -> Start:
    """What the keeper is told of a bot: its files by absolute paths, for it works elsewhere."""
    spec, home = wanted.spec, home_in_sandbox(wanted.spec) if walled else ("", "")
    start = Start(
        number,
        tuple((moved(os.path.abspath(path), home), content) for path, content in small_files(spec)),
        wanted.memory_mb,
        wanted.terms.once,
        places_of(spec, wanted.terms) if walled else (),
        sealed=wanted.sealed,
        harvest=wanted.harvest,
        calling=bool(wanted.terms.network),
    )
    if spec.kind.program is None:
        return replace(
            start,
            bot=moved(spec.place, home),
            named=spec.source.named if spec.source else (),
            digest=spec.kind.source_hash,
            parameters=asdict(spec.parameters),
            game_text=absolute_game(wanted.game_text) if wanted.game_text else "",
        )
    own = {path for path, _ in spec.files}
    words = [
        os.path.abspath(word) if word in own else word
        for word in shlex.split(spec.parameters.command)
    ]
    told = environment() if walled else {**without_secrets(os.environ), **shared_cache()}
    return replace(start, command=shlex.join(words), environment=told)


def home_in_sandbox(spec: BotSpec) -> tuple[str, str]:
    """Where the files of a bot lie, and where a sandbox shows them: at the same place, but for those in
    the cache, where other bots' lie too.
    """
    unpacked = str(cache_root().resolve() / UNPACKED)
    home = str(spec.source.home) if spec.source else ""
    return (home, UNPACKED_HOME) if home.startswith(unpacked + os.sep) else ("", "")


def moved(path: str, home: tuple[str, str]) -> str:
    """A path as a sandbox shows it."""
    return home[1] + path[len(home[0]) :] if home[0] and path.startswith(home[0]) else path


def small_files(spec: BotSpec) -> list[tuple[str, bytes]]:
    """The files that are handed to the bot's process; larger ones are shown where they lie."""
    unmoved = home_in_sandbox(spec) == ("", "")
    return [one for one in spec.files if len(one[1]) <= MOST_BYTES or not unmoved]


def absolute_game(text: str) -> str:
    """The text of a game with the absolute path of its folder."""
    return text if text in game_names() else os.path.abspath(text)


def places_of(spec: BotSpec, terms: Terms) -> tuple[str, ...]:
    """What of this machine's files a bot must be shown in a sandbox, besides the files that it is handed."""
    handed = {os.path.abspath(path) for path, _ in small_files(spec)}
    found = [*terms.mount, *(path for path, _ in spec.files if os.path.abspath(path) not in handed)]
    if spec.kind.program is not None:
        found += program_places(spec.parameters.command)
    return tuple(place for place in outermost(existing(found)) if place not in handed)


def game_places(game_text: str) -> tuple[str, ...]:
    """Where a game lies that is not installed."""
    return () if game_text in game_names() else outermost(existing([game_text]))

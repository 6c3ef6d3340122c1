"""How a worker starts its keeper, in bubblewrap or without it, and what it tells it of a bot."""

import json
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from arena.playing.containment.becoming import Start
from arena.playing.containment.bubblewrap import ONE_THREAD, ROOMS, arguments, environment
from arena.playing.containment.child import Key
from arena.playing.containment.places import common_places, existing, outermost, program_places
from bots.core import FILE, BotSpec
from engines.core import game_names
from engines.kernel import cache_root

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
    """What a config grants a bot. once: its process ends with each match. mount: more that it may read."""

    once: bool = True
    mount: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A bot that is to play a match: where it sits, and which deal."""

    spec: BotSpec
    game_text: str
    seat: int
    memory_mb: int
    deal: int = 0
    terms: Terms = Terms()

    @property
    def key(self) -> Key:
        """What a process that is kept can be used for."""
        return self.spec.canonical, self.game_text, self.seat, self.memory_mb


def start_open(control: socket.socket) -> None:
    """A keeper beside this worker; it listens to `control`."""
    handle = control.fileno()
    subprocess.run(
        [sys.executable, "-c", APART + MAIN, str(handle), import_path(), "null"],
        pass_fds=(handle,),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        env={**os.environ, **dict.fromkeys(ONE_THREAD, "1")},
        check=True,
    )


def start_walled(control: socket.socket, places: Sequence[str]) -> subprocess.Popen[bytes]:
    """A keeper in bubblewrap. It needs nobody to tidy up behind it.

    Args:
        places: what it can show to bots besides the common places.
    """
    cache = cache_root().resolve()
    cache.mkdir(parents=True, exist_ok=True)
    common, links = common_places()
    shared = outermost([*common, str(cache)])
    walls = {"root": ROOMS, "binds": shared, "links": links, "number": os.getpid()}
    handle = control.fileno()
    return subprocess.Popen(
        [
            *arguments(outermost([*shared, *places]), environment(str(cache))),
            *(sys.executable, "-c", MAIN, str(handle), import_path(), json.dumps(walls)),
        ],
        pass_fds=(handle,),
        stdin=subprocess.DEVNULL,
    )


def import_path() -> str:
    """Where this process imports from."""
    return json.dumps([entry or os.getcwd() for entry in sys.path])


def pid_of(handle: int) -> int:
    """The process behind a handle, as this process numbers it."""
    lines = Path(f"/proc/self/fdinfo/{handle}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))


# --- bots -----------------------------------------------------------------------------------------


def start_of(wanted: Wanted, number: int, walled: bool) -> Start:
    """What the keeper is told of a bot: its files by absolute paths, for it works elsewhere."""
    spec = wanted.spec
    small = [(path, content) for path, content in spec.files if len(content) <= MOST_BYTES]
    start = Start(
        number,
        tuple((os.path.abspath(path), content) for path, content in small),
        wanted.memory_mb,
        wanted.terms.once,
        places_of(spec, wanted.terms) if walled else (),
    )
    if spec.kind.program is None:
        game_text = absolute_game(wanted.game_text)
        parameters = asdict(spec.parameters)
        return replace(start, bot=absolute(spec.text), parameters=parameters, game_text=game_text)
    own = {path for path, _ in spec.files}
    words = [
        os.path.abspath(word) if word in own else word
        for word in shlex.split(spec.parameters.command)
    ]
    told = environment(str(cache_root().resolve())) if walled else dict(os.environ)
    return replace(start, command=shlex.join(words), environment=told)


def absolute(text: str) -> str:
    """The text of a bot with the absolute path of its file."""
    match = FILE.match(text)
    return os.path.abspath(match["file"]) + text[match.end("file") :] if match else text


def absolute_game(text: str) -> str:
    """The text of a game with the absolute path of its folder."""
    return text if text in game_names() else os.path.abspath(text)


def places_of(spec: BotSpec, terms: Terms) -> tuple[str, ...]:
    """What of this machine's files a bot must be shown in a sandbox, besides the files that travel."""
    small = {os.path.abspath(path) for path, content in spec.files if len(content) <= MOST_BYTES}
    found = [*terms.mount, *(path for path, content in spec.files if len(content) > MOST_BYTES)]
    if spec.kind.program is not None:
        found += program_places(spec.parameters.command)
    return tuple(place for place in outermost(existing(found)) if place not in small)


def game_places(game_text: str) -> tuple[str, ...]:
    """Where a game lies that is not installed."""
    return () if game_text in game_names() else outermost(existing([game_text]))

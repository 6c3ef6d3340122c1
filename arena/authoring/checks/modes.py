"""One game in three modes: compiled, interpreted and bounds-checked agree byte for byte.

`python -m arena.authoring.checks.modes NAME POSITIONS` prints one JSON line per position: short digests of
all that the kernels compute there. compare_modes runs it in a fresh process for each mode and names
the first part that differs. compare_spots is the quick form: the other mode plays on for a few actions from
spots of a compiled game, instead of all of the game.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arena.authoring.checks.walks import Setting, imagined, seen, settings
from engines.core import Game, load_game
from engines.encoding import Encoder
from engines.errors import blame
from engines.records import OVER, copy
from engines.rng import below, mix, seeded

POSITIONS = 25  # of each setting, spread over one whole game, with everything that kernels compute
MOST_ACTIONS = 3000  # of that game; only a capped game of random players is longer
SPOTS = 3  # of each setting, spread over one whole game, from which another mode plays on
ON = 3  # actions from each spot
SECONDS = 600  # a cold compile on a busy machine
MODES = {
    "compiled": {"NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "0"},
    "interpreted": {"NUMBA_DISABLE_JIT": "1", "NUMBA_BOUNDSCHECK": "0"},
    "bounds-checked": {"NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "1"},
}

Trace = dict[str, str]


@dataclass(frozen=True)
class Spot:
    """Where a game is taken up again. states: the bytes as hexadecimal digits; rng, chooser: what generators hold."""

    action: int
    states: str
    rng: int
    chooser: int


def compare_modes(name: str, count: int = POSITIONS) -> Iterator[str]:
    """Compiled, interpreted and bounds-checked runs give the same bytes."""
    running = {mode: start(name, count, mode) for mode in MODES}
    found: dict[str, list[Trace]] = {}
    for mode, process in running.items():
        out, error = process.communicate(timeout=SECONDS)
        if process.returncode != 0:
            yield f"{mode}: {last_lines(error)}"
        found[mode] = [json.loads(line) for line in out.splitlines()]
    for mode in ("interpreted", "bounds-checked"):
        yield from first_difference(found["compiled"], found[mode], mode)


def compare_spots(game: Game, mode: str) -> Iterator[str]:
    """Compiled code, in this process, and another mode agree on the deal and a few actions on from spots of a game."""
    found = [(setting, spots(setting)) for setting in settings(game)]
    told = json.dumps([[asdict(spot) for spot in some] for _, some in found])
    process = start(game.name, 0, mode)
    compiled = [trace for setting, some in found for trace in trace_spots(setting, some)]
    out, error = process.communicate(told, timeout=SECONDS)
    if process.returncode != 0:
        yield f"{mode}: {last_lines(error)}"
    yield from first_difference(compiled, [json.loads(line) for line in out.splitlines()], mode)


def start(name: str, count: int, mode: str) -> "subprocess.Popen[str]":
    """Trace a game in a fresh process; every warning there is an error. count: 0 takes spots from stdin."""
    top = str(Path(__file__).resolve().parents[3])
    paths = [top, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, **MODES[mode], "PYTHONPATH": os.pathsep.join(paths)}
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "arena.authoring.checks.modes",
        name,
        str(count),
    ]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment
    )


def last_lines(text: str) -> str:
    """The end of a traceback in one line."""
    return " | ".join(line.strip() for line in text.strip().splitlines()[-4:])


def first_difference(compiled: list[Trace], other: list[Trace], mode: str) -> Iterator[str]:
    """The first position at which two traces differ, and in what."""
    for a, b in zip(compiled, other, strict=False):
        parts = [part for part in a if a[part] != b.get(part)]
        if parts:
            yield f"{a['where']}: {mode} differs from compiled in {', '.join(parts)}"
            return
    if len(compiled) != len(other):
        yield f"{mode}: {len(other)} positions, compiled {len(compiled)}"


def trace_setting(setting: Setting, count: int) -> Iterator[Trace]:
    """Digests at `count` positions spread over one random game, and at its end."""
    length = walk_length(setting)
    stride = max(1, length // count)
    game = setting.game
    states, rng, chooser = setting.new_state(1), seeded(mix(1, 1)), seeded(mix(1, 2))
    for number in range(length + 1):
        if number % stride == 0 or number == length:
            yield trace_position(setting, states, f"{setting.name}, action {number}", int(rng[0]))
        if number < length:
            game.apply(states, choose(game, states, chooser), rng)


def spots(setting: Setting) -> list[Spot]:
    """Spots spread over one random game, the deal left out."""
    length, game = walk_length(setting), setting.game
    taken = {length * number // SPOTS for number in range(1, SPOTS)}
    states, rng, chooser = setting.new_state(1), seeded(mix(1, 1)), seeded(mix(1, 2))
    found = []
    for number in range(length):
        if number in taken:
            found.append(Spot(number, states.tobytes().hex(), int(rng[0]), int(chooser[0])))
        game.apply(states, choose(game, states, chooser), rng)
    found.append(Spot(length, states.tobytes().hex(), int(rng[0]), int(chooser[0])))
    return found


def trace_spots(setting: Setting, taken: list[Spot]) -> Iterator[Trace]:
    """Digests of the deal, and of the positions a few actions on from it and from each spot."""
    game = setting.game
    states = setting.new_state(1)
    yield trace_position(setting, states, f"{setting.name}, the deal", 0)
    begun = Spot(0, states.tobytes().hex(), int(mix(1, 1)), int(mix(1, 2)))
    for spot in (begun, *taken):
        states = np.frombuffer(bytearray.fromhex(spot.states), game.dtype)
        rng, chooser = seeded(spot.rng), seeded(spot.chooser)
        number = spot.action
        while number < spot.action + ON and int(states["to_act"][0]) != OVER:
            game.apply(states, choose(game, states, chooser), rng)
            number += 1
        yield trace_position(setting, states, f"{setting.name}, action {number}", int(rng[0]))


def walk_length(setting: Setting) -> int:
    """How many actions the traced game has."""
    game = setting.game
    states, rng, chooser = setting.new_state(1), seeded(mix(1, 1)), seeded(mix(1, 2))
    for number in range(MOST_ACTIONS):
        if int(states["to_act"][0]) == OVER:
            return number
        game.apply(states, choose(game, states, chooser), rng)
    return MOST_ACTIONS


def choose(game: Game, states: Any, chooser: Any) -> int:
    """A random legal action."""
    legal = game.legal(states)
    return int(legal[int(below(chooser, len(legal)))])


def trace_position(setting: Setting, states: Any, where: str, rng: int) -> Trace:
    """What each kernel makes of a position, as short digests by the name of the kernel."""
    game = setting.game
    before = states.tobytes()
    views = [seen(game, states, player) for player in range(setting.players)]
    guesses = [imagined(game, view, player) for player, view in enumerate(views)]
    legal = game.legal(states).tolist()
    estimates = [
        float(game.evaluate(s, player))
        for player, guess in enumerate(guesses)
        for s in (states, guess)
    ]
    results = [
        game.rank_list(states),
        game.point_list(states),
        int(game.ending(states)),
        int(game.turns(states)),
    ]
    encoder = Encoder(game, setting.players, setting.variant)
    vectors = [encoder(view, dtype=dtype) for view in views for dtype in (np.float32, np.uint8)]
    parts = {
        "state": before,
        "rng": rng,
        "legal_actions": legal,
        "observe": b"".join(view.tobytes() for view in views),
        "observation": b"".join(vector.tobytes() for vector in vectors),
        "determinize": b"".join(guess.tobytes() for guess in guesses),
        "ranks, points, ending or turns": results,
        "key": int(game.key(states)),
        "evaluate": estimates,
        "witnesses": [int(game.witnesses(states, action)) for action in legal],
        "state after questions": copy(states).tobytes(),
    }
    return {"where": where, **{name: short_digest(value) for name, value in parts.items()}}


def short_digest(value: Any) -> str:
    """A few characters that tell two values apart."""
    data = value if isinstance(value, bytes) else repr(value).encode()
    return hashlib.blake2b(data, digest_size=6).hexdigest()


def main(name: str, count: str) -> None:
    """Print the trace of every setting of a game; of the spots on stdin if the count is 0.

    Where the game's code fails, its line is told on standard error.
    """
    game = load_game(name)
    found = settings(game)
    told = [] if int(count) else [[Spot(**spot) for spot in some] for some in json.load(sys.stdin)]
    for number, setting in enumerate(found):
        try:
            for line in (
                trace_setting(setting, int(count))
                if int(count)
                else trace_spots(setting, told[number])
            ):
                print(json.dumps(line))
        except Exception as error:  # the code under test is not ours
            sys.exit(f"{setting.name}: {blame(error, game.folder)}")


if __name__ == "__main__":
    main(*sys.argv[1:])

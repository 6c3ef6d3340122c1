"""Measures engines and runner: what `arena bench` prints; comparisons stand in benchmarks/."""

import functools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from arena.plan.columns import table
from arena.plan.spec import Limits, default_players
from arena.playing.match import Job, play_matches
from bots.compiled import Mind
from bots.playouts import play_out
from bots.registry import parse_bot
from engines.core import Game, game_names, load_game
from engines.records import State
from engines.rng import seeded

SIMULATIONS = 1000
REPEATS = 3  # medians of so many
START_UP = """
import json, sys, time
began = time.perf_counter()
from arena.authoring.bench import first_calls
print(json.dumps(first_calls(sys.argv[1], time.perf_counter() - began)))
"""


def measure_all(names: Iterable[str], seconds: float) -> list[dict[str, Any]]:
    """The figures of these games (all if none is named); each figure takes about `seconds`."""
    return [measure(load_game(name), name, seconds) for name in (list(names) or game_names())]


def measure(game: Game, name: str, seconds: float) -> dict[str, Any]:
    """One game's figures, one core: rates a second, times in seconds."""
    players = default_players(game)
    figures: dict[str, Any] = {
        "game": game.name,
        "players": players,
        "state_bytes": game.dtype.itemsize,
    }
    figures |= start_up(name)
    figures |= playout_rates(game, players, seconds)
    figures["simulations"] = simulation_rate(game, players, seconds)
    for bot in ("random", "mcts:simulations=100"):
        figures[f"matches_{bot.partition(':')[0]}"] = referee_rate(game, players, bot, seconds)
    return figures


def playout_rates(game: Game, players: int, seconds: float) -> dict[str, float]:
    """Random games, decisions (two options or more) and actions a second."""
    start = game.new_state(players, game.Variant(), seeded(1))
    rng = seeded(2)
    games = 20
    play_out(game, start, games, rng)
    while timed(functools.partial(play_out, game, start, games, rng)) < seconds / REPEATS / 2:
        games *= 2
    rates = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        actions, decisions = play_out(game, start, games, rng)
        spent = time.perf_counter() - began
        rates.append((games / spent, decisions / spent, actions / spent))
    return dict(
        zip(
            ("playouts", "decisions", "actions"), map(median, zip(*rates, strict=True)), strict=True
        )
    )


def simulation_rate(game: Game, players: int, seconds: float) -> float:
    """Simulations a second of a full-playout mcts from the first decision."""
    spec = parse_bot(f"mcts:simulations={SIMULATIONS},rollout_depth=none,prior=0")
    assert spec.kind.compiled is not None
    mind = Mind(spec.kind.compiled, spec.parameters, game)
    views, legal = first_decision(game, players)
    rng = seeded(3)

    def search() -> None:
        mind.think(views, legal, len(legal), rng)

    search()
    return SIMULATIONS * rate(search, seconds)


def first_decision(game: Game, players: int) -> tuple[State, Any]:
    """The view of the player with the first real choice, and the legal actions."""
    rng = seeded(1)
    states = game.new_state(players, game.Variant(), rng)
    legal = game.legal(states)
    while len(legal) == 1:
        game.apply(states, int(legal[0]), rng)
        legal = game.legal(states)
    return game.view(states, int(states["to_act"][0])), legal


def referee_rate(game: Game, players: int, bot: str, seconds: float) -> float:
    """Matches a second of one bot against itself in the referee, one process."""
    spec = parse_bot(bot)

    def play(matches: int) -> None:
        seats = np.zeros((matches, players), np.int64)
        job = Job(
            game, game.Variant(), players, (spec,), ("1",), 1, seats, np.arange(matches), Limits()
        )
        play_matches(job)

    play(1)
    matches = 1
    while matches < 1 << 16 and timed(functools.partial(play, matches)) < seconds / REPEATS / 2:
        matches *= 2
    one = functools.partial(play, matches)
    return matches * median(1 / timed(one) for _ in range(REPEATS))


def rate(call: Callable[[], object], seconds: float) -> float:
    """Calls a second: the median of a few rounds."""
    calls = 1
    while timed(call, calls) < seconds / REPEATS / 2:
        calls *= 2
    return median(calls / timed(call, calls) for _ in range(REPEATS))


def timed(call: Callable[[], object], calls: int = 1) -> float:
    """Seconds for so many calls."""
    began = time.perf_counter()
    for _ in range(calls):
        call()
    return time.perf_counter() - began


# --- start-up ---------------------------------------------------------------------------------------------


def start_up(name: str) -> dict[str, float]:
    """Seconds to compile a game with all templates, and to load it from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        cold, warm = (in_new_process(name, folder) for _ in range(2))
    return {
        "compile_seconds": cold["calls"],
        "load_seconds": warm["calls"],
        "import_seconds": warm["import"],
    }


def in_new_process(name: str, cache: str) -> dict[str, float]:
    """The first calls in a fresh Python with this cache folder."""
    search = os.pathsep.join(
        filter(None, [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH")])
    )
    environment = {**os.environ, "ARENA_CACHE": cache, "PYTHONPATH": search}
    command = [sys.executable, "-c", START_UP, name]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return found


def first_calls(name: str, imported: float) -> dict[str, float]:
    """Seconds of the first match with all bots in this process."""
    began = time.perf_counter()
    game = load_game(name)
    players = default_players(game)
    bots = tuple(map(parse_bot, ("random", "greedy:samples=1", "mcts:simulations=2")))
    job = Job(
        game,
        game.Variant(),
        players,
        bots,
        ("1", "2", "3"),
        1,
        np.array([[i % 3 for i in range(p, p + players)] for p in range(3)]),
        np.arange(3),
        Limits(),
    )
    play_matches(job)
    play_out(game, game.new_state(players, game.Variant(), seeded(1)), 1, seeded(1))
    return {"calls": time.perf_counter() - began, "import": imported}


def table_text(figures: list[dict[str, Any]]) -> str:
    """The figures as a table for people, one game a column."""
    rows = [["", *(f"{f['game']} {f['players']}p" for f in figures)]]
    for key in figures[0]:
        if key not in ("game", "players"):
            rows.append([LABELS[key], *(human(f[key]) for f in figures)])
    head, *body = rows
    return table(body, head, right=head[1:])


LABELS = {
    "state_bytes": "bytes a State",
    "compile_seconds": "compile, empty cache (s)",
    "load_seconds": "load from cache (s)",
    "import_seconds": "import (s)",
    "playouts": "random games /s",
    "decisions": "decisions /s",
    "actions": "actions /s",
    "simulations": "full-playout mcts, simulations /s",
    "matches_random": "referee, random: matches /s",
    "matches_mcts": "referee, mcts:simulations=100: matches /s",
}


def human(value: float) -> str:
    """Three digits and a unit."""
    for limit, unit in ((1e6, " M"), (1e4, " k")):
        if value >= limit:
            return f"{value / limit * (1 if unit == ' M' else 10):.3g}{unit}"
    return f"{value:.3g}"

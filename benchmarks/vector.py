"""Steps a CPU-second of the vector environment, side by side with others that are installed.

    python benchmarks/vector.py [tables] [rounds] [games ...]

A step is one decision of one table, its random choice and its observation included. All rows take turns within one
run and are timed in CPU seconds, so that other load on the machine meets all; medians are printed. Rows of pgx,
OpenSpiel and PettingZoo are of Connect Four and appear where these are installed. Two threads are timed by the clock,
the best of all rounds: they need two free cores.
"""

import importlib.util
import sys
import time
from importlib.metadata import version
from statistics import median

import numpy as np

from arena.interop.vector import VectorGame
from arena.store.provenance import this_machine

SECONDS = 0.5
THREADED = 8192  # tables where threads share them
LOOKS = 10  # shorter ones a round at threads: two free cores may not be free for long
TARGETS = {  # steps a CPU-second of ours
    "karmaka": 1.0e6, "sagrada": 0.6e6, "nakum": 0.5e6, "sacrificio": 0.5e6, "sacrifice": 0.3e6,
}  # fmt: skip
FACTORS = {"pgx": 2, "open_spiel": 80, "pettingzoo": 140}  # of Connect Four, ours over theirs
FOUR = "connect_four"


def rate(step, work, clock=time.process_time, seconds=SECONDS):
    """Work done a second by repeated calls."""
    began, calls = clock(), 0
    while clock() - began < seconds:
        step()
        calls += 1
    return calls * work / (clock() - began)


def ours(name, n, dtype="float32", threads=1):
    """Our tables with random choices; returns a function that steps them, and what is offered."""
    tables = VectorGame(name, n=n, players=2, dtype=dtype, threads=threads)
    tables.reset(1)

    def step():
        tables.step(tables.sample())

    for _ in range(20):
        step()
    return step, "mask and list" if tables.masked else "list"


def pgx_step(n):
    """Connect Four of pgx: jitted, vmapped, auto-reset, random choices among legal ones."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("connect_four")
    step = auto_reset(env.step, env.init)

    @jax.jit
    def walk(states, key):
        key, chosen, fresh = jax.random.split(key, 3)
        logits = jax.numpy.where(states.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(chosen, logits, axis=-1)
        return jax.vmap(step)(states, actions, jax.random.split(fresh, n)), key

    held = [jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), n)), jax.random.key(1)]

    def once():
        held[:] = walk(*held)
        held[0].observation.block_until_ready()

    once()
    return once


def spiel_step(n):
    """OpenSpiel's SyncVectorEnv."""
    from open_spiel.python.rl_agent import StepOutput
    from open_spiel.python.rl_environment import Environment
    from open_spiel.python.vector_env import SyncVectorEnv

    rng = np.random.default_rng(0)
    envs = SyncVectorEnv([Environment("connect_four") for _ in range(n)])
    held = [envs.reset()]

    def once():
        found = [s.observations for s in held[0]]
        legal = [o["legal_actions"][o["current_player"]] for o in found]
        chosen = [StepOutput(int(rng.choice(actions)), None) for actions in legal]
        held[0] = envs.step(chosen, reset_if_done=True)[0]

    return once


def zoo_step(n):
    """PettingZoo's connect_four_v3, as its guide plays it at random."""
    from pettingzoo.classic import connect_four_v3

    env = connect_four_v3.env()
    env.reset(seed=0)

    def once():
        for _ in range(n):
            observation, _, over, stopped, _ = env.last()
            if over or stopped:
                env.reset()
                continue
            mask = observation["action_mask"]
            env.step(env.action_space(env.agent_selection).sample(mask))

    return once


OTHERS = {"pgx": pgx_step, "open_spiel": spiel_step, "pettingzoo": zoo_step}
TABLES = {"pgx": 1024, "open_spiel": 32, "pettingzoo": 100}


def beneath(other):
    """The version and the processor of what pgx runs on."""
    if other != "pgx":
        return ""
    import jax

    return f" (jax {jax.__version__}, {jax.default_backend()})"


def main(n=1024, rounds=5, *games):
    """Print the table."""
    names = games or (FOUR, *TARGETS)
    rows = {}
    for name in names:
        for dtype in ("float32", "uint8"):
            step, offered = ours(name, n, dtype)
            rows[f"{name} {dtype}, {offered}"] = (step, n)
    for other, make in OTHERS.items():
        if FOUR in names and importlib.util.find_spec(other) is not None:
            try:
                rows[f"{other} {version(other)}{beneath(other)}"] = (
                    make(TABLES[other]),
                    TABLES[other],
                )
            except ImportError as error:
                print(f"{other}: {error}")
    found = {row: [] for row in rows}
    for _ in range(rounds):
        for row, (step, work) in rows.items():
            found[row].append(rate(step, work))
    middle = {row: median(rates) for row, rates in found.items()}
    base = next((middle[row] for row in middle if row.startswith(f"{FOUR} float32")), None)
    print(f"{this_machine().text}\nn = {n}, {rounds} rounds")
    for row, steps in middle.items():
        name = row.split()[0]
        goal = f"target {TARGETS[name] / 1e6:.1f} M" if name in TARGETS else ""
        if name in FACTORS and base:
            goal = f"ours is {base / steps:.1f} times that, target {FACTORS[name]}"
        print(f"{row:40} {steps / 1e6:8.3f} M steps a CPU-second  {goal}")
    for name in names:
        steps = {k: ours(name, THREADED, threads=k)[0] for k in (1, 2)}
        best = dict.fromkeys(steps, 0.0)  # whatever else the machine does only takes time
        for _ in range(LOOKS * rounds):
            for k, step in steps.items():
                best[k] = max(best[k], rate(step, THREADED, time.monotonic, SECONDS / LOOKS))
        print(f"{name}: two threads {best[2] / best[1]:.2f} times one (target 1.7)")


if __name__ == "__main__":
    words = sys.argv[1:]
    main(*(int(word) for word in words[:2]), *words[2:])

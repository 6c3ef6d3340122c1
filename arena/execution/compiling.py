"""Compiles the games of a run before its workers start, several at once on the cores there are.

`python -m arena.execution.compiling` compiles in a process of its own what stands pickled on its standard input.
"""

import functools
import itertools
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from arena.execution.batches import Conditions, batch_of, default_workers
from arena.execution.working import make_job
from arena.playing.compiling import Work, has_code, is_compiled, naming, said, seconds_for
from arena.playing.containment import contained
from arena.playing.match import Job, compile_job, kernels_of, warm_up
from arena.playing.referee import referee_for

AWAKE = 0.5  # seconds between two looks at whether to stop


def compile_games(
    conditions: Sequence[Conditions],
    progress: bool = True,
    stop: Callable[[], bool] = lambda: False,
) -> None:
    """Compile all that these line-ups need, or load it, so that workers find it in the cache.

    Args:
        progress: tell of it, where anything must be compiled.
        stop: whether the user wants to go.
    """
    jobs = [make_job(batch_of(one, ())) for one in conditions]
    waiting: dict[str, list[int]] = {}  # the line-ups of each game that is not in the cache
    for number, job in enumerate(jobs):
        text = conditions[number].game_text
        if text in waiting or not is_compiled(functools.partial(warm_up, job)):
            waiting.setdefault(text, []).append(number)
    if not waiting:
        return
    groups = list(waiting.values())
    apart = len(groups) > 1 and default_workers() > 1 and not any(one.debug for one in conditions)

    def work() -> None:
        if apart:
            compile_apart([[conditions[n] for n in group] for group in groups], stop)
        for number in itertools.chain.from_iterable(groups):
            if not stop():
                with naming(conditions[number].game_text):
                    warm_up(jobs[number])

    if progress:
        with said(work_of([[jobs[n] for n in group] for group in groups])):
            work()
    else:
        work()


def work_of(groups: Sequence[Sequence[Job]]) -> Work:
    """What is to be compiled for jobs, those of one game in one group."""
    kernels = [[one for job in group for one in kernels_of(job)] for group in groups]
    seconds = [seconds_for(group) for group in kernels]
    games = tuple(group[0].game.name for group in groups)
    is_first = not any(has_code(referee_for(group[0].game)) for group in groups)
    return Work(games, max(*seconds, sum(seconds) / default_workers()), is_first)


def compile_apart(groups: Sequence[Sequence[Conditions]], stop: Callable[[], bool]) -> None:
    """Compile each group in a process of its own, as many at once as there are cores.

    One that fails says nothing: what it has not compiled is compiled in this process, where it fails again.
    """
    running: list[subprocess.Popen[bytes]] = []

    def compile_one(group: Sequence[Conditions]) -> None:
        if not stop():
            process = begun()
            running.append(process)
            process.communicate(pickle.dumps(list(group)))

    with ThreadPoolExecutor(default_workers()) as cores:
        left = {cores.submit(compile_one, group) for group in groups}
        while left:
            left = wait(left, AWAKE).not_done
            for process in running if stop() else ():
                process.kill()


def begun() -> "subprocess.Popen[bytes]":
    """A new process that compiles what it is sent."""
    paths = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-m", "arena.execution.compiling"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )


@contained
def main() -> None:
    """Compile for the line-ups that the driver sends."""
    for one in pickle.load(sys.stdin.buffer):
        compile_job(make_job(batch_of(one, ())))


if __name__ == "__main__":
    main()

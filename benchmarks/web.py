"""What watching costs a run: matches a second while 0, 1 or 200 live pages of it are open, in turns.

    python benchmarks/web.py [watchers] [rounds] [deals] [FILE]

With a FILE rounds add up in it, so that many may be measured a few at a time; the losses are over all of it.
Each turn plays a match of `greedy` against `mcts:simulations=50` in Connect Four with a worker a core less one, in a
fresh folder, with `arena web` serving that folder; watchers are connections that read the run's events. The server is
there in all kinds of turns. Each watcher must have been sent standings, and it is told how often. Goals: the run loses
at most 1 % with one watcher and 3 % with 200. Each loss is the median over rounds of what the turns of a round lose
against its turn without watchers.
"""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

GAME = ("connect_four", "greedy", "mcts:simulations=50")


def main() -> None:
    """Print the rates of all turns and what the watchers cost."""
    given = [int(word) for word in sys.argv[1:4]]
    watchers, rounds, deals = (*given, *(200, 7, 15_000)[len(given) :])
    kept = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    found = read_rounds(kept, watchers) if kept else []
    for number in range(len(found), len(found) + rounds):
        found.append(measured(number, [0, 1, watchers], deals))
        if kept:
            kept.write_text("".join(f"{json.dumps(one)}\n" for one in found))
    for count, most in ((1, 1), (watchers, 3)):
        lost = [1 - one[str(count)] / one["0"] for one in found]
        told = ", ".join(f"{100 * one:.1f}" for one in sorted(lost))
        print(f"{count} watchers cost the run {100 * median(lost):.1f} % (at most {most}): {told}")


def read_rounds(file: Path, watchers: int) -> list[dict[str, float]]:
    """The rounds in a file, each the rates by the number of watchers; none where there is no file yet."""
    lines = file.read_text().splitlines() if file.exists() else []
    found: list[dict[str, float]] = [json.loads(line) for line in lines]
    if any(str(watchers) not in one for one in found):
        sys.exit(f"{file}: its rounds are of another number of watchers")
    return found


def measured(number: int, counts: list[int], deals: int) -> dict[str, float]:
    """A round: matches a second with each number of watchers."""
    rates = {}
    for count in counts[number % 3 :] + counts[: number % 3]:  # no kind is always first
        rates[str(count)], tables = asyncio.run(turn(count, deals))
        rate = rates[str(count)]
        print(f"{count:4d} watchers: {rate:.0f} matches/s, tables sent {tables} times", flush=True)
    return rates


async def turn(watchers: int, deals: int) -> tuple[float, int]:
    """Matches a second of one run that is watched by so many, and how often each was sent tables."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            arena("web", folder, "--no-open"), stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert server.stdout is not None
        found = re.search(r":(\d+)/\?token=([\w-]+)", server.stdout.readline())
        assert found is not None
        out = Path(folder) / "run"
        words = ("match", *GAME, "--deals", str(deals), "--workers", str(cores()), "--quiet")
        began = time.monotonic()
        run = await asyncio.create_subprocess_exec(
            *arena(*words, "--out", str(out)), stdout=asyncio.subprocess.DEVNULL
        )
        while not (out / "spec.yaml").exists():
            await asyncio.sleep(0.05)
        seen = [0] * watchers
        watching = [
            asyncio.create_task(watch(int(found[1]), found[2], seen, number))
            for number in range(watchers)
        ]
        await run.wait()
        seconds = time.monotonic() - began
        for task in watching:
            task.cancel()
        ended = await asyncio.gather(*watching, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in ended), ended
        assert all(seen), "a page was sent no standings"
        server.kill()
        server.wait()
        server.stdout.close()
        return 2 * deals / seconds, min(seen, default=0)


async def watch(port: int, token: str, seen: list[int], number: int) -> None:
    """Read the events of the run until cancelled; counts in `seen` how often standings came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
    writer.write(
        f"GET /run/run/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: arena={token}\r\n\r\n".encode()
    )
    try:
        assert b"200" in await reader.readline()
        while line := await reader.readline():
            seen[number] += b'"win share"' in line
    finally:
        writer.close()


def arena(*words: str) -> list[str]:
    """A command of this package."""
    return [sys.executable, "-m", "arena", *words]


def cores() -> int:
    """Workers: one a core, but one for all else."""
    return max(1, (os.cpu_count() or 2) - 1)


if __name__ == "__main__":
    main()

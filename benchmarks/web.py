"""What watching costs a run: matches a second while 0 or 200 live pages of it are open, in turns.

    python benchmarks/web.py [watchers] [rounds] [deals]

Each turn plays a match of `greedy` against `mcts:simulations=50` in Connect Four with a worker a core less one, in a
fresh folder, with `arena web` serving that folder; watchers are connections that read the run's events. The server is
there in both kinds of turns. Goals: the run loses at most 3 % with 200 watchers.
"""

import asyncio
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
    given = [int(word) for word in sys.argv[1:]]
    watchers, rounds, deals = (*given, *(200, 5, 6000)[len(given) :])
    rates: dict[int, list[float]] = {0: [], watchers: []}
    for _ in range(rounds):
        for count in rates:
            rates[count].append(asyncio.run(turn(count, deals)))
    for count, found in rates.items():
        print(f"{count:4d} watchers: {', '.join(f'{rate:.0f}' for rate in found)} matches/s")
    loss = 1 - median(rates[watchers]) / median(rates[0])
    print(f"{watchers} watchers cost the run {100 * loss:.1f} % (at most 3), medians of {rounds}")


async def turn(watchers: int, deals: int) -> float:
    """Matches a second of one run that is watched by so many."""
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
        watching = [asyncio.create_task(watch(int(found[1]), found[2])) for _ in range(watchers)]
        await run.wait()
        seconds = time.monotonic() - began
        for task in watching:
            task.cancel()
        seen = await asyncio.gather(*watching, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in seen), seen
        server.kill()
        server.wait()
        server.stdout.close()
        return 2 * deals / seconds


async def watch(port: int, token: str) -> None:
    """Read the events of the run until cancelled."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"GET /run/run/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: arena={token}\r\n\r\n".encode()
    )
    try:
        assert b"200" in await reader.readline()
        while await reader.read(1 << 16):
            pass
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

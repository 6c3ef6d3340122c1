"""What watching costs a run: processor time of the server, and matches a second, while 0, 1 or 200 live pages are open.

    python benchmarks/web.py [watchers] [rounds] [deals] [FILE]

With a FILE rounds add up in it, so that many may be measured a few at a time; the losses are over all of it.
Each turn plays a match of `greedy` against `mcts:simulations=50` in Connect Four with a worker a core less one, in a
fresh folder, with `arena web` serving that folder; watchers are connections that read the run's events. The server is
there in all kinds of turns. Each watcher must have been sent standings, and it is told how often. Goals: the run loses
at most 1 % with one watcher and 3 % with 200. Two figures say it:

* the server's processor seconds (all its threads, by /proc) while the run plays, as a share of what the machine's cores
  have in that time. Nothing else is done for watchers: a run knows of none, and writes the same whether it is watched;
* each loss of matches a second, the median over rounds of what the turns of a round lose against its turn without
  watchers. On a machine whose speed changes from turn to turn this is noise of several percent either way. Reading what
  the server sends is done by this script, beside the run: browsers of others do it on their own machines.
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
        shares = sorted(one[f"server {count}"] for one in found if f"server {count}" in one)
        if shares:
            told = ", ".join(f"{100 * one:.2f}" for one in shares)
            share = f"{100 * median(shares):.2f} % of the machine (at most {most})"
            print(f"{count} watchers: the server takes {share}: {told}")
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
    """A round: matches a second with each number of watchers, and the server's share of the machine."""
    rates = {}
    for count in counts[number % 3 :] + counts[: number % 3]:  # no kind is always first
        rate, share, tables = asyncio.run(turn(count, deals))
        rates |= {str(count): rate, f"server {count}": share}
        told = f"{rate:.0f} matches/s, server {100 * share:.2f} %, tables sent {tables} times"
        print(f"{count:4d} watchers: {told}", flush=True)
    return rates


async def turn(watchers: int, deals: int) -> tuple[float, float, int]:
    """A run that so many watch: matches a second, the server's share of all cores, how often tables were sent."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            arena("web", folder, "--no-open"), stdout=subprocess.PIPE, text=True, bufsize=1
        )
        assert server.stdout is not None
        found = re.search(r":(\d+)/\?token=([\w-]+)", server.stdout.readline())
        assert found is not None
        out = Path(folder) / "run"
        words = ("match", *GAME, "--deals", str(deals), "--workers", str(cores()), "--quiet")
        began, before = time.monotonic(), processor_seconds(server.pid)
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
        share = (processor_seconds(server.pid) - before) / (seconds * (os.cpu_count() or 1))
        for task in watching:
            task.cancel()
        ended = await asyncio.gather(*watching, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in ended), ended
        assert all(seen), "a page was sent no standings"
        server.kill()
        server.wait()
        server.stdout.close()
        return 2 * deals / seconds, share, min(seen, default=0)


def processor_seconds(process: int) -> float:
    """What a process has taken of processors so far, with all its threads and in the kernel for it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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

"""Time and memory of `arena report` with report.html: at most 30 s and 2 GB from 100 000 matches.

    python benchmarks/report.py [matches]

Plays Connect Four in this process (random against greedy with one sample, about a minute), then runs
the command in a process of its own.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from arena.execution.run import carry_out
from arena.plan.spec import match_spec
from arena.plan.tournament import resolve


def main():
    matches = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    bots = ["random", "greedy:samples=1"]
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        spec = match_spec("connect_four", bots, None, matches // 2, 1, {})
        carry_out(resolve(spec), run, workers=0, progress=False)
        began = time.perf_counter()
        command = [sys.executable, "-m", "arena.cli", "report", str(run)]
        subprocess.run(command, check=True, capture_output=True)
        spent = time.perf_counter() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        size = (run / "report.html").stat().st_size
    print(
        f"report.html of {matches:,} matches: {spent:.1f} s ({used.ru_utime + used.ru_stime:.1f} s of "
        f"CPU), at most {used.ru_maxrss / 1024:.0f} MB, page {size / 1024:.0f} kB"
    )


if __name__ == "__main__":
    main()

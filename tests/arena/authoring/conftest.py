"""What tests of the checks share."""

import subprocess
import sys
from collections.abc import Callable

import pytest

SCRIPT = """
import os
os.environ["NUMBA_DISABLE_JIT"] = "1"
from arena.authoring import conformance
from arena.cli import main
conformance.GLANCE = 0.01
main()
"""


@pytest.fixture
def glance() -> Callable[..., tuple[int, str]]:
    """Run the command where a glance is shorter than for a user, in a process of its own: exit code and output."""

    def run(*arguments: object) -> tuple[int, str]:
        command = [sys.executable, "-c", SCRIPT, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout + done.stderr

    return run

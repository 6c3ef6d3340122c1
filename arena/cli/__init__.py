"""The command line; heavy modules are imported inside the commands, so `--help` answers at once.

Each module holds a group of commands and adds them to the app of `frame`, in the order of the imports.
"""

import gc
import sys

from arena.playing.containment import contained
from arena.cli import tournaments, tuning, results, stored, catalogue, table, checks, new, web
from arena.cli.frame import app
from arena.cli.streams import own_streams
from engines.errors import BrokenGame, UserError
from engines.texts import message

__all__ = [
    "app",
    "catalogue",
    "checks",
    "main",
    "new",
    "results",
    "stored",
    "table",
    "tournaments",
    "tuning",
    "web",
]

BROKEN_GAME = 1
WRONG_INPUT = 2
SWEEP_AFTER = 50_000  # new objects; after Python's 700 a fifth of the start goes into sweeping modules that stay


@contained
def main() -> None:
    """Run the command line; what a user did wrong is one line and exit code 2, a broken game 1."""
    gc.set_threshold(SWEEP_AFTER)
    code = WRONG_INPUT
    with own_streams():
        try:
            try:
                app(prog_name="arena")
            finally:
                sys.stdout.flush()
        except UserError as error:
            problem = str(error)
            code = BROKEN_GAME if isinstance(error, BrokenGame) else WRONG_INPUT
        except OSError as error:
            where = f"{error.filename}: " if error.filename is not None else ""
            problem = f"{where}{(error.strerror or str(error)).lower()}"
        print(f"error: {message(problem)}", file=sys.stderr)
        sys.exit(code)

"""The command line; heavy modules are imported inside the commands, so `--help` answers at once.

Each module holds a group of commands and adds them to the app of `frame`, in the order of the imports.
"""

import sys

from arena.cli import tournaments, results, stored, catalogue, table, checks
from arena.cli.frame import app
from engines.errors import UserError

__all__ = ["app", "catalogue", "checks", "main", "results", "stored", "table", "tournaments"]

WRONG_INPUT = 2


def main() -> None:
    """Run the command line; what a user did wrong is one line and exit code 2."""
    try:
        app(prog_name="arena")
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(WRONG_INPUT)

"""`python -m arena`: the command line."""

from arena.cli import main

main()

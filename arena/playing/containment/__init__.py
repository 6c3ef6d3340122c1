"""Bots in processes of their own: started, asked, watched and ended, whatever they do.

Each worker has one *keeper*, a process that starts the bots and outlives none of them. Worker and bot
speak through two pipes: packets with a Python bot, lines of JSON with a program in another language.
"""

import sys

from bots.readers import read_by

# For functions inside which this process runs no file of a bot: another process tells of it. Elsewhere
# than on Linux there is none.
contained = read_by(
    "arena.playing.containment.describing:READER" if sys.platform == "linux" else ""
)

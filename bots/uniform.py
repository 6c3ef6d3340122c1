"""The bot named `random`: every legal action equally likely. The referee plays it itself."""

from dataclasses import dataclass
from typing import Any

from bots.contract import BotKind


@dataclass(frozen=True)
class Parameters:
    """None."""

    def fields(self) -> dict[str, Any]:
        """Values of the BOT record."""
        return {}


KIND = BotKind(
    "random",
    "every legal action equally likely",
    Parameters,
    None,
    compiled=True,
)

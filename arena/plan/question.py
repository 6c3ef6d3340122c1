"""What a match is to decide before it ends: the question of `--until` and `--sprt`."""

import re
from dataclasses import dataclass

from engines.errors import UserError

MOST_DEALS = 10_000  # unless the user says otherwise
STEEPEST = 1200.0  # Elo: hypotheses lie within this, and shares beyond it are shown as this
SPRT = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*(?:,\s*(\w+)\s*)?")


@dataclass(frozen=True)
class Question:
    """What a match is to decide.

    confidence: of the bound. elo: the two hypotheses of a ratio test, None for the bound alone.
    normalised: they are in units of a match's standard deviation.
    """

    confidence: float = 0.95
    elo: tuple[float, float] | None = None
    normalised: bool = False

    @property
    def text(self) -> str:
        """The ratio test in words."""
        low, high = self.elo or (0, 0)
        return f"SPRT [{low:g}, {high:g}]{' normalised' if self.normalised else ''}"


def until(percent: float) -> Question:
    """The question of `--until`; UserError names the value."""
    if not 50 <= percent < 100:
        raise UserError(f"--until {percent:g}: expected 50 to 99.99, e.g. 95 for 95 %")
    return Question(percent / 100)


def sprt(text: str) -> Question:
    """The question of `--sprt elo0,elo1`; UserError names the value."""
    found = SPRT.fullmatch(text)
    if found is None or found[3] not in (None, "normalised"):
        example = "elo0,elo1, e.g. 0,10 (or 0,10,normalised)"
        raise UserError(f"--sprt {text}: expected {example}")
    low, high = float(found[1]), float(found[2])
    if not -STEEPEST <= low < high <= STEEPEST:
        raise UserError(f"--sprt {text}: expected elo0 below elo1, both within {STEEPEST:g}")
    return Question(elo=(low, high), normalised=found[3] is not None)

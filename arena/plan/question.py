"""What a match is to decide before it ends: the question of `--until` and `--sprt`."""

import re
from dataclasses import dataclass

from engines.errors import UserError

MOST_MINUTES = 60 * 24 * 366
MOST_DEALS = 10_000  # unless the user says otherwise
STEEPEST = 1200.0  # Elo: hypotheses lie within this, and shares beyond it are shown as this
NUMBER = r"\s*(-?\d+(?:\.\d+)?)\s*"
SPRT = re.compile(rf"{NUMBER},{NUMBER}((?:,[^,]*)*)")
RATES = ("alpha", "beta")


@dataclass(frozen=True)
class Question:
    """What a match is to decide.

    confidence: of the bound. elo: the two hypotheses of a ratio test, None for the bound alone.
    normalised: they are in units of a match's standard deviation. alpha, beta: how often the test
    may take the second where the first is true, and the first where the second is. top: of
    more than two bots the first so many are asked for; 0 for the whole order.
    """

    confidence: float = 0.95
    elo: tuple[float, float] | None = None
    normalised: bool = False
    alpha: float = 0.05
    beta: float = 0.05
    top: int = 0

    @property
    def text(self) -> str:
        """The ratio test in words."""
        low, high = self.elo or (0, 0)
        errors = (
            "" if self.alpha == self.beta == 0.05 else f" alpha {self.alpha:g} beta {self.beta:g}"
        )
        return f"SPRT [{low:g}, {high:g}]{' normalised' if self.normalised else ''}{errors}"


@dataclass(frozen=True)
class Limit:
    """When a run begins no more blocks: after so many seconds, or before it has more than so many matches."""

    seconds: float | None = None
    matches: int | None = None

    @property
    def text(self) -> str:
        """The options that mean it."""
        minutes = "" if self.seconds is None else f"--minutes {self.seconds / 60:g}"
        matches = "" if self.matches is None else f"--matches {self.matches}"
        return " and ".join(filter(None, (minutes, matches)))


def limit_of(minutes: float | None, matches: int | None) -> Limit | None:
    """The limit of `--minutes` and `--matches`, if there is one; UserError names the value."""
    if minutes is not None and not 0 < minutes <= MOST_MINUTES:
        raise UserError(f"--minutes {minutes:g}: expected more than 0, at most {MOST_MINUTES:,}")
    if minutes is None and matches is None:
        return None
    return Limit(None if minutes is None else 60 * minutes, matches)


def until(percent: float, top: int = 0) -> Question:
    """The question of `--until`, and of `--top` with it; UserError names the value."""
    if not 50 <= percent < 100:
        raise UserError(f"--until {percent:g}: expected 50 to 99.99, e.g. 95 for 95 %")
    return Question(percent / 100, top=top)


def sprt(text: str) -> Question:
    """The question of `--sprt elo0,elo1[,normalised][,alpha=A][,beta=B]`; UserError names the value."""
    found = SPRT.fullmatch(text)
    words = [word.strip() for word in found[3].split(",")[1:]] if found else []
    rates = {word.partition("=")[0]: word.partition("=")[2] for word in words if "=" in word}
    others = [word for word in words if "=" not in word]
    if found is None or not set(rates) <= set(RATES) or others not in ([], ["normalised"]):
        example = "elo0,elo1, e.g. 0,10 (or 0,10,normalised,alpha=0.01,beta=0.1)"
        raise UserError(f"--sprt {text}: expected {example}")
    low, high = float(found[1]), float(found[2])
    if not -STEEPEST <= low < high <= STEEPEST:
        raise UserError(f"--sprt {text}: expected elo0 below elo1, both within {STEEPEST:g}")
    errors = {name: rate_of(text, name, value) for name, value in rates.items()}
    alpha, beta = (errors.get(name, 0.05) for name in RATES)
    return Question(elo=(low, high), normalised=bool(others), alpha=alpha, beta=beta)


def rate_of(text: str, name: str, value: str) -> float:
    """An error rate of a ratio test; UserError names it."""
    try:
        rate = float(value)
    except ValueError:
        rate = -1.0
    if not 0.0001 <= rate < 0.5:
        raise UserError(f"--sprt {text}: {name} {value}, expected 0.0001 to below 0.5, e.g. 0.05")
    return rate

"""What a good game is: measures by short names, and for each the range that it should lie in.

A target is a list `[0.48, 0.52]`, a bound `">= 60"` or `"<= 0.05"`, or, of what is counted, a number at most.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.balance.measures import ELO, SHARE
from arena.balance.sentences import unit_of
from arena.plan.spec import Options
from arena.statistics.sentences import PERCENT, Unit, figure
from engines.errors import OptionError, nearest
from engines.texts import brief

BOUND = re.compile(r"(>=|<=)\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)")
CARDS, SEATS, DEPTH, LUCK = "cards_out_of_line", "seat_share", "depth_elo", "luck"
COUNT = "count"


@dataclass(frozen=True)
class Kind:
    """A measure that can be a target.

    words: what people call it. unit: of the balance tables. measure: its name there. alone: whether a game for one
    has it.
    """

    words: str
    unit: str
    measure: str
    alone: bool = True


KINDS = {
    SEATS: Kind("win share of a seat", SHARE, "win share", alone=False),
    "turns": Kind("turns", "turns", "turns"),
    "decisions": Kind("decisions of a player", "decisions", "decisions of a player"),
    "forced": Kind("forced actions", SHARE, "forced actions"),
    "choice": Kind("legal actions at a decision", "actions", "legal actions at a decision"),
    DEPTH: Kind("Elo for twice the simulations", ELO, "Elo per doubling", alone=False),
    LUCK: Kind(
        "share of who wins that the deal decides", SHARE, "variance by the deal", alone=False
    ),
    "draws": Kind("shared first places", SHARE, "shared first place", alone=False),
    "capped": Kind("matches stopped by a cap", SHARE, "stopped by a cap"),
    "points": Kind("points of a player", "points", "points of a player"),
    "margin": Kind("points that the winner is ahead", "points", "winning margin", alone=False),
    "comebacks": Kind("winners that had been behind", SHARE, "winner was behind", alone=False),
    "lead_changes": Kind("changes of the lead", "changes", "lead changes", alone=False),
    CARDS: Kind("cards out of line", COUNT, "cards out of line", alone=False),
}
REPLAYED = ("choice", "comebacks", "lead_changes")  # known from re-played matches only


@dataclass(frozen=True)
class Target:
    """A measure by its short name, and the ends of the range that it should lie in (infinite: none)."""

    name: str
    least: float
    most: float

    @property
    def kind(self) -> Kind:
        """What is measured."""
        return KINDS[self.name]

    @property
    def unit(self) -> Unit:
        """How its numbers are written."""
        return (
            PERCENT if self.kind.unit == SHARE else unit_of("" if self.counted else self.kind.unit)
        )

    @property
    def counted(self) -> bool:
        """Whether it is a whole number of things."""
        return self.kind.unit == COUNT

    @property
    def aim(self) -> str:
        """The range in words: '48.0 to 52.0 %', 'at least 60 Elo', 'none'."""
        if self.counted:
            return "none" if self.most == 0 else f"at most {self.most:.0f}"
        low, high = figure(self.least, self.unit), figure(self.most, self.unit)
        if math.isinf(self.most):
            return f"at least {low}{self.unit.word}"
        if math.isinf(self.least):
            return f"at most {high}{self.unit.word}"
        return f"{low} to {high}{self.unit.word}"

    def gap(self, value: float) -> float:
        """How far a value lies outside the range, in its natural unit; 0 within."""
        return max(self.least - value, value - self.most, 0.0)


def read_targets(
    given: Mapping[str, Any], players: tuple[int, ...], where: str
) -> tuple[Target, ...]:
    """The targets of a config.

    Raises:
        OptionError: names the measure or the value and what would be right.
    """
    found = []
    for name, value in given.items():
        path = f"{where}.{name}"
        if name not in KINDS:
            hint = nearest(str(name), KINDS) or f", known are {', '.join(KINDS)}"
            raise OptionError(f"{path}: unknown{hint}")
        if 1 in players and not KINDS[name].alone:
            raise OptionError(f"{path}: a game for 1 has none, leave it out or play with more")
        found.append(checked(Target(name, *ends_of(value, KINDS[name], path)), value, path))
    return tuple(found)


def ends_of(value: Any, kind: Kind, where: str) -> tuple[float, float]:
    """The range that a value of a config stands for."""
    if isinstance(value, list | tuple) and len(value) == 2 and all(map(is_number, value)):
        return float(value[0]), float(value[1])
    if isinstance(value, str) and (bound := BOUND.fullmatch(value.strip())):
        end = float(bound[2])
        return (end, math.inf) if bound[1] == ">=" else (-math.inf, end)
    if is_number(value) and kind.unit == COUNT:
        return -math.inf, float(value)
    count = " or a number at most" if kind.unit == COUNT else ""
    raise OptionError(
        f"{where}: {brief(value)}, expected [least, most], '>= {example(kind)}' or '<= {example(kind)}'{count}"
    )


def is_number(value: Any) -> bool:
    """Whether a value is a finite number: YAML's `yes` is none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def example(kind: Kind) -> str:
    """A number that a bound of this measure may be."""
    return "0.5" if kind.unit == SHARE else "3" if kind.unit == COUNT else "40"


def checked(target: Target, value: Any, where: str) -> Target:
    """A target whose range can be met; OptionError otherwise."""
    low, high = target.least, target.most
    if low > high:
        raise OptionError(f"{where}: {brief(value)}, expected the smaller number first")
    if target.kind.unit == SHARE and not (
        max(low, 0) <= 1 and max(0, min(high, 1)) == min(high, 1)
    ):
        raise OptionError(f"{where}: {brief(value)}, expected shares between 0 and 1")
    if target.kind.unit == SHARE and (math.isfinite(high) and high > 1):
        raise OptionError(f"{where}: {brief(value)}, expected shares between 0 and 1")
    if low == high and not target.counted:
        raise OptionError(
            f"{where}: {brief(value)}, expected a range: no measure is exactly one number"
        )
    return target


def targets_text(given: Options) -> str:
    """Targets as a config writes them, in one line."""
    return ", ".join(f"{name}: {value}" for name, value in given.items())

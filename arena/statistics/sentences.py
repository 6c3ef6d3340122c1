"""Claims in words: one form for each outcome, and how numbers of a unit are written.

Who says something brings a claim and the words for its sides; whether it may be said, and with which
numbers, is decided by the claim alone.
"""

import math
from dataclasses import dataclass

from arena.statistics.claims import Claim

MOST_SAID = 1_000_000  # deals: beyond that one may as well call two things equal


@dataclass(frozen=True)
class Unit:
    """How numbers are written: times `scale`, with `digits` (None: three figures), then the word."""

    word: str
    scale: float = 1.0
    digits: int | None = None


PERCENT = Unit(" %", 100.0, 1)
PP = Unit(" pp", 100.0, 1)  # percentage points: what percentages differ by
ELO = Unit(" Elo", digits=0)


@dataclass(frozen=True)
class Words:
    """What a claim says if it is surely above its reference, or below; if equal; and what it is about.

    of: what stands behind the numbers, as " of wins". The numbers follow behind a colon, or in the place of an
    ellipsis at the end.
    """

    above: str
    below: str
    equal: str
    question: str
    of: str = ""


def figure(value: float, unit: Unit, sign: str = "") -> str:
    """Return a number as its unit writes it, without the unit's word."""
    value *= unit.scale
    if not math.isfinite(value):
        return ""
    digits = unit.digits
    if digits is None:
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}"  # + 0.0 turns -0.0 into 0.0


def spanned(value: float, low: float, high: float, unit: Unit, sign: str = "") -> str:
    """Return '54.1 % [52.9, 55.3]'; '[52.9 or more]' with an open end, '54.1 %' without an interval."""
    text = f"{figure(value, unit, sign)}{unit.word}"
    if math.isnan(low) or math.isnan(high) or (math.isinf(low) and math.isinf(high)):
        return text
    if math.isinf(high):
        return f"{text} [{figure(low, unit, sign)} or more]"
    if math.isinf(low):
        return f"{text} [{figure(high, unit, sign)} or less]"
    return f"{text} [{figure(low, unit, sign)}, {figure(high, unit, sign)}]"


def told(made: Claim, unit: Unit, words: Words, sign: str = "") -> str:
    """Return a claim as a clause without a stop.

    'A is stronger than B: 57.0 % [52.1, 61.8]', 'A and B are equal (within 3.0 pp): ...', 'whether ...:
    undecided (between 48.0 and 55.1 %; about 1,200 more deals would tell)', 'whether ...: too few
    deals (5) to say'.
    """
    if made.outcome == "too few deals":
        return f"{words.question}: too few deals ({made.deals}) to say"
    if made.outcome == "undecided":
        return f"{words.question}: undecided ({doubt(made, unit, words.of, sign)})"
    span = spanned(made.estimate, made.low, made.high, unit, sign) + words.of
    if made.outcome == "differs":
        text = words.above if made.above else words.below
        return f"{text[:-1]}{span}" if text.endswith("…") else f"{text}: {span}"
    gap = PP if unit == PERCENT else unit
    return f"{words.equal} (within {figure(made.margin, gap)}{gap.word}): {span}"


AIMS = {"equivalent": "met", "differs": "missed"}  # what a claim of `aimed` says of the aim


def aim_told(made: Claim, unit: Unit, what: str, aim: str) -> str:
    """Return the claim that a number lies where it should, as a clause without a stop.

    'turns are met: 48.1 turns [45.0, 51.2], aim 40 to 60', '... missed: ...', 'whether turns are as
    aimed: undecided (...)'. what: the number's name; aim: the range in words.
    """
    if made.outcome in AIMS:
        span = spanned(made.estimate, made.low, made.high, unit)
        return f"{what} {AIMS[made.outcome]}: {span}, aim {aim}"
    return told(made, unit, Words("", "", "", f"{what}, aim {aim}"))


def doubt(made: Claim, unit: Unit, of: str = "", sign: str = "") -> str:
    """Return what a claim leaves open: between what, and what would tell."""
    low, high = figure(made.low, unit, sign), figure(made.high, unit, sign)
    if math.isinf(made.low) and math.isinf(made.high):
        between = "no bound yet"
    elif math.isinf(made.low) or math.isinf(made.high):
        between = (
            f"{low}{unit.word} or more" if math.isinf(made.high) else f"{high}{unit.word} or less"
        )
    else:
        between = f"between {low} and {high}{unit.word}"
    known = made.more_deals <= MOST_SAID
    deals = "deal" if made.more_deals == 1 else "deals"
    more = f"; about {made.more_deals:,.0f} more {deals} would tell" if known else ""
    return f"{between}{of}{more}"

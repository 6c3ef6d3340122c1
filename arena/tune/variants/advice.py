"""What a search may say: claims on fresh deals, family-wise over all that is recommended, and the answer."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from arena.plan.wording import counts_text, option_text
from arena.results.claims import capital
from arena.statistics.claims import Claim
from arena.statistics.families import holm
from arena.statistics.sentences import AIMS, aim_told, doubt
from arena.tune.space import key_of
from arena.tune.variants.front import Tried
from arena.tune.variants.near import changed
from arena.tune.variants.readings import Reading
from arena.tune.variants.search import Found

NAMED = 3  # numbers that a sentence names
MET, MISSED, UNDECIDED = "met", "missed", "undecided"
Standing = Literal["met", "missed", "undecided"]


@dataclass(frozen=True)
class Judged:
    """A number on fresh deals, and whether its target is met, at the confidence of the family."""

    reading: Reading
    claim: Claim

    @property
    def standing(self) -> str:
        """Met, missed, undecided or too few deals."""
        return AIMS.get(self.claim.outcome, self.claim.outcome)


@dataclass(frozen=True)
class Recommended:
    """A variant that was confirmed. printed: whether it is the printed rules."""

    tried: Tried
    judged: tuple[Judged, ...]
    printed: bool

    @property
    def standing(self) -> Standing:
        """Met where all targets are met for sure, missed where one is missed for sure."""
        found = {one.standing for one in self.judged}
        if found == {MET}:
            return "met"
        return "missed" if MISSED in found else "undecided"


def recommended(found: Found) -> tuple[Recommended, ...]:
    """The confirmed variants: those that meet all targets first, of equals the nearest to the printed rules."""
    rows = [(one, r) for one in found.confirmed.tried for r in one.readings]
    claims = decided([r for _, r in rows])
    judged = [Judged(r, made) for (_, r), made in zip(rows, claims, strict=True)]
    printed = key_of(found.wanted.printed)
    made = []
    for one in found.confirmed.tried:
        own = tuple(j for (other, _), j in zip(rows, judged, strict=True) if other is one)
        made.append(Recommended(one, own, key_of(one.point) == printed))
    return tuple(sorted(made, key=rank))


def decided(readings: Sequence[Reading]) -> list[Claim]:
    """The claims of some numbers together.

    Holm's correction over all of them: an interval is that of the confidence at which its number is tested, so a target
    is met, or missed, exactly where the corrected test says so.
    """
    p_values = [reading.p_value() for reading in readings]
    confidences = iter(holm([p for p in p_values if not math.isnan(p)])[1])
    return [
        reading.claim() if math.isnan(p) else reading.claim(float(next(confidences)))
        for reading, p in zip(readings, p_values, strict=True)
    ]


def rank(one: Recommended) -> tuple[int, tuple[int, float], float]:
    """Variants that meet all first, the nearest of them; then by how many are missed, and how far they are off."""
    if one.standing == MET:
        return 0, one.tried.near, 0.0
    return 1 + sum(j.standing == MISSED for j in one.judged), (0, one.tried.total), 0.0


# --- in words -------------------------------------------------------------------------------------


def variant_words(found: Found, one: Tried) -> str:
    """A variant by what differs from the printed rules."""
    changes = changed(found.wanted.printed, one.point)
    return (
        ", ".join(option_text(name, value) for name, value in changes.items())
        or "the printed rules"
    )


def answer(found: Found, made: Sequence[Recommended]) -> str:
    """The answer in one sentence."""
    wanted, best = found.wanted, made[0]
    title, count = wanted.game.title, len(wanted.targets)
    targets = f"all {count} targets" if count > 1 else "the target"
    deals = found.wanted.spec.confirm.deals
    if best.standing == MET and best.printed:
        return f"The printed rules of {title} meet {targets}, confirmed on {deals:,} new deals."
    if best.standing == MET:
        size = best.tried.near[0]
        changes = "One change makes" if size == 1 else f"{size} changes make"
        words = variant_words(found, best.tried)
        return f"{changes} {title} meet {targets}: {words}, confirmed on {deals:,} new deals."
    tried = f"{tried_count(found):,} variants tried"
    if all(one.standing == MISSED for one in made):
        return (
            f"No variant of {title} was found that meets {targets}: of the best of {tried}, "
            f"{variant_words(found, best.tried)}, {missing(found, best)}."
        )
    best = next(one for one in made if one.standing == UNDECIDED)
    return (
        f"No variant of {title} is shown to meet {targets}: of {tried} the nearest is "
        f"{variant_words(found, best.tried)}, {undecided(found, best)}."
    )


def missing(found: Found, one: Recommended) -> str:
    """What a variant misses for sure."""
    return first_of([told(found, j) for j in one.judged if j.standing == MISSED])


def undecided(found: Found, one: Recommended) -> str:
    """What is left open about a variant."""
    met = sum(judged.standing == MET for judged in one.judged)
    left = first_of([told(found, j) for j in one.judged if j.standing != MET])
    return f"{met} of {len(one.judged)} numbers where they should be; {left}"


def first_of(clauses: Sequence[str]) -> str:
    """The first few of some clauses, and how many more there are."""
    more = len(clauses) - NAMED
    return "; ".join([*clauses[:NAMED], *([f"and {more} more"] if more > 0 else [])])


def told(found: Found, judged: Judged) -> str:
    """A number with its claim, as a clause."""
    reading = judged.reading
    several = len(found.wanted.spec.players) > 1
    where = f" with {counts_text([reading.players])}" if several else ""
    target = reading.target
    return aim_told(judged.claim, target.unit, f"{reading.what}{where}", target.aim)


def sentences(found: Found, one: Recommended) -> list[str]:
    """Every number of a confirmed variant, a sentence each."""
    return [f"{capital(told(found, judged))}." for judged in one.judged]


def verdict_text(judged: Judged) -> str:
    """'met', or what is left open: 'undecided (between 44.0 and 53.1 %; about 300 more deals would tell)'."""
    if judged.claim.outcome == "undecided":
        return f"{UNDECIDED} ({doubt(judged.claim, judged.reading.target.unit)})"
    return judged.standing


def tried_count(found: Found) -> int:
    """How many variants were tried that can be played."""
    return sum(one.possible for one in found.steps[0].tried)

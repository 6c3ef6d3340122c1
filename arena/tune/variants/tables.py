"""The tables of a search, each a frame of texts: what was confirmed, the front, effects, and all trials."""

import math
from collections.abc import Iterator, Sequence

import pandas as pd

from arena.balance.sentences import unit_of
from arena.statistics.sentences import spanned
from arena.tune.variants.advice import MET, Recommended, variant_words, verdict_text
from arena.tune.variants.effects import Effect
from arena.tune.variants.front import Step, Tried, front, order
from arena.tune.variants.readings import Reading
from arena.tune.variants.search import Found
from arena.tune.variants.targets import Target

PRINTED = "the printed rules"
MOST_TRIALS = 40  # of a page; all stand in the file
CONFIRMED = ("variant", "options changed", "players", "measure", "value", "aim", "verdict")
EFFECTS = ("measure", "players", "option", "change", "effect", "outcome", "deals")


def confirmed_frame(found: Found, made: Sequence[Recommended]) -> pd.DataFrame:
    """Every number of every confirmed variant, with the interval of the family."""
    rows = []
    for one in made:
        for judged in one.judged:
            reading, claim = judged.reading, judged.claim
            value = spanned(claim.estimate, claim.low, claim.high, reading.target.unit)
            aim = reading.target.aim
            about = variant_words(found, one.tried), one.tried.near[0], reading.players
            rows.append((*about, reading.what, value, aim, verdict_text(judged)))
    return pd.DataFrame(rows, columns=list(CONFIRMED))


def front_frame(found: Found, step: Step) -> pd.DataFrame:
    """The front of a step and the printed rules: what each target's measure is, and how far off all targets."""
    shown = front(step.tried)
    printed = [one for one in step.tried if not one.near[0] and one not in shown]
    return variants_frame(found, step, [*shown, *printed])


def trials_frame(found: Found, most: int | None = None) -> pd.DataFrame:
    """The variants of the first rung, the best first."""
    step = found.steps[0]
    return variants_frame(found, step, order([t for t in step.tried if t.possible])[:most])


def variants_frame(found: Found, step: Step, tried: Sequence[Tried]) -> pd.DataFrame:
    """A row for each variant, a column for each number of a target."""
    rows = []
    for one in tried:
        row: dict[str, object] = {
            "variant": variant_words(found, one),
            "options changed": one.near[0],
        }
        for target in step.targets:
            for reading in (r for r in one.readings if r.target == target):
                row[heading(found, reading)] = f"{value_text(reading)} {mark(reading)}"
        row["off in all"] = f"{one.total:.1f}"
        rows.append(row)
    return pd.DataFrame(rows)


def heading(found: Found, reading: Reading) -> str:
    """The heading of a number's column."""
    several = len(found.wanted.spec.players) > 1
    return f"{reading.what}, {reading.players} players" if several else reading.what


def value_text(reading: Reading) -> str:
    """A number with its own 95 % interval."""
    return spanned(reading.value, *reading.ends(0.95), reading.target.unit)


def mark(reading: Reading) -> str:
    """Whether the number itself lies in the range; no claim."""
    return "in range" if reading.target.gap(reading.value) == 0 else "outside"


def effects_frame(made: Sequence[Effect]) -> pd.DataFrame:
    """What each change of an option does, the surest first."""
    rows = [
        (
            effect.what,
            effect.players,
            effect.option.replace("_", " "),
            effect.change,
            effect_text(effect),
            effect.claim.outcome,
            effect.claim.deals,
        )
        for effect in sorted(made, key=clearness)
    ]
    return pd.DataFrame(rows, columns=list(EFFECTS))


def clearness(effect: Effect) -> tuple[str, int, float]:
    """What sorts effects: by measure, then those that differ for sure, the largest first."""
    claim = effect.claim
    sure = {"differs": 0, "undecided": 1}.get(claim.outcome, 2)
    return effect.target.name, sure, -abs(claim.estimate)


def effect_text(effect: Effect) -> str:
    """A change with its interval; shares differ by percentage points."""
    claim, unit = effect.claim, unit_of(effect.target.kind.unit, change=True)
    return spanned(claim.estimate, claim.low, claim.high, unit, "+")


def moving(made: Sequence[Effect]) -> Iterator[str]:
    """For each measure the option that moves it most, as a clause; none where nothing does for sure."""
    for target in dict.fromkeys(effect.target for effect in made):
        own = [e for e in made if e.target == target and e.claim.outcome == "differs"]
        if own:
            best = max(own, key=lambda effect: abs(effect.claim.estimate))
            option = best.option.replace("_", " ")
            yield f"{best.what} by {option} {best.change}: {effect_text(best)}"


def off_text(target: Target, margin: float) -> str:
    """What one margin of a target is."""
    return f"{target.kind.words}: {spanned(margin, math.nan, math.nan, unit_of(target.kind.unit, change=True))}"


def all_met(made: Sequence[Recommended]) -> list[Recommended]:
    """The variants that meet all targets, the nearest to the printed rules first."""
    return [one for one in made if one.standing == MET]

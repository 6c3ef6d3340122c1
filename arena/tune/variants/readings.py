"""What a variant's matches say of each target, and how far they are off it.

The strongest bot leads: seats, length, draws and drama are of matches in which it plays all sides. Depth is of the
ladder, luck of the two strongest, cards of all matches but those of random bots, as on a balance page.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from arena.balance import drama, luck, measures, skill, usage
from arena.balance.analysis import Part
from arena.balance.config import Margins
from arena.balance.inference import Ends, Statistic, bounds, nowhere
from arena.balance.measures import ELO, SHARE, Measure
from arena.balance.samples import Sample
from arena.balance.usage import Lift
from arena.statistics.claims import POINTS_GAP, Claim, aimed, claim
from arena.statistics.families import ALPHA, discoveries
from arena.tune.variants.targets import CARDS, COUNT, DEPTH, KINDS, LUCK, REPLAYED, SEATS, Target

FAR = 100.0  # margins: what is farther off, or cannot be told, is as bad as this
SUREST = 1 - 1e-9


@dataclass(frozen=True)
class Reading:
    """A number that a target is about, of one variant at one number of players.

    what: it in words. ends: its interval at a confidence, nan where there are too few deals. statistic: where it comes
    from, None of counts. more: how many more deals would tell, of counts.
    """

    target: Target
    players: int
    what: str
    value: float
    deals: int
    ends: Callable[[float], Ends]
    statistic: Statistic | None = None
    more: Callable[[float], float] | None = None

    def claim(self, confidence: float = 0.95) -> Claim:
        """Whether the target is met, by the interval of this confidence."""
        least, most = self.target.least, self.target.most
        ends = self.ends(confidence)
        method = "cards by least squares" if self.statistic is None else "by deals"
        made = aimed(self.value, ends, deals=self.deals, method=method, least=least, most=most)
        if made.outcome == "undecided" and self.more is not None:
            return replace(made, more_deals=self.more(confidence))
        return made

    def p_value(self) -> float:
        """One less the highest confidence at which it is decided; 1 where none decides, nan with too few deals."""
        if self.claim().outcome == "too few deals":
            return math.nan

        def decided(confidence: float) -> bool:
            return self.claim(confidence).outcome in ("differs", "equivalent")

        if not decided(1e-6):
            return 1.0
        low, high = 1e-6, SUREST
        if decided(high):
            return 1 - high
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if decided(middle) else (low, middle)
        return 1 - low

    def off(self, margins: Margins) -> float:
        """How far it is off the range, in margins: differences that would not matter; FAR at most."""
        if math.isnan(self.value):
            return FAR
        return min(self.target.gap(self.value) / margin_of(self.target, margins), FAR)


def margin_of(target: Target, margins: Margins) -> float:
    """What would not matter, in the natural unit of a target."""
    unit = target.kind.unit
    if unit == SHARE:
        return margins.share
    if unit == ELO:
        return margins.elo
    if unit == COUNT:
        return 1.0
    edges = [abs(end) for end in (target.least, target.most) if math.isfinite(end)]
    return margins.relative * max(*edges, 1e-9)


def read(part: Part, targets: Sequence[Target]) -> tuple[Reading, ...]:
    """What the matches of a variant say of each target; nothing of one that these bots do not show."""
    return tuple(reading for target in targets for reading in readings(part, target))


def readings(part: Part, target: Target) -> Iterator[Reading]:
    """The numbers that one target is about: one, or of seats one each."""
    players = part.sample.group.players
    if target.name == CARDS:
        yield from cards(part, target)
        return
    for measure in found(part, target.name):
        what = measure.name if target.name == SEATS else target.kind.words
        statistic = measure.statistic
        ends = functools.partial(bounds, statistic)
        value = statistic.estimate
        yield Reading(target, players, what, value, statistic.deals, ends, statistic)


def found(part: Part, name: str) -> Iterator[Measure]:
    """The measures behind a target's short name."""
    sample = part.sample
    if name in (DEPTH, LUCK):
        yield from of_the_ladder(part, name)
        return
    strong = strongest(sample)
    if strong is None:
        return
    if name == SEATS:
        yield from measures.seat_measures(strong)
        return
    if name in REPLAYED:
        replayed, traces = part.replays.of(strong)
        made = (*drama.choice_measures(replayed, traces), *drama.drama_measures(replayed, traces))
    else:
        made = (*measures.outcome_measures(strong), *measures.length_measures(strong))
    yield from (measure for measure in made if measure.name == KINDS[name].measure)


def of_the_ladder(part: Part, name: str) -> Iterator[Measure]:
    """What different bots against each other show: depth and luck."""
    mixed = part.sample.kept(~part.sample.alone)
    pairs = skill.neighbours(mixed) if mixed.size else []
    if name == DEPTH:
        yield from skill.doubling(mixed, pairs, part.budgets)
    elif pairs:
        made = luck.luck(mixed.kept(skill.meets(mixed, *pairs[-1])))
        yield from (measure for measure in made if measure.name == KINDS[LUCK].measure)


def strongest(sample: Sample) -> Sample | None:
    """The matches in which the strongest bot plays all sides."""
    alone = sample.kept(sample.alone)
    if not alone.size:
        return None
    first = alone.entrants[:, 0]
    best = max(np.unique(first).tolist(), key=lambda entrant: alone.rungs[entrant])
    return alone.kept(first == best)


# --- cards out of line ----------------------------------------------------------------------------


def cards(part: Part, target: Target) -> Iterator[Reading]:
    """How many cards go along with winning more, or less, than expected, as a balance page counts them."""
    sample = part.sample.chosen
    lifts = list(lifts_of(part, sample))
    if not lifts:
        yield Reading(target, sample.group.players, target.kind.words, math.nan, 0, nowhere)
        return
    q_values, _ = discoveries([lift.p_value for lift in lifts])
    value = float((q_values < ALPHA).sum())
    yield Reading(
        target,
        sample.group.players,
        target.kind.words,
        value,
        max(lift.deals for lift in lifts),
        functools.partial(count_ends, lifts, value),
        more=functools.partial(more_deals, lifts),
    )


def lifts_of(part: Part, sample: Sample) -> Iterator[Lift]:
    """The win lift of each card that is used, and left unused, on enough deals."""
    seats = usage.seats_of(sample)
    for column, (family, _) in enumerate(usage.names_of(part.game)):
        has = part.counts[:, column] > 0
        if family == usage.SUBJECT and has.any():
            lift = usage.lift_of(has, seats.won, seats)
            if not math.isnan(lift.p_value):
                yield lift


def claims_of(lifts: Sequence[Lift], confidence: float) -> Iterator[Claim]:
    """What may be said of each card's lift, so that all hold together."""
    own = 1 - (1 - confidence) / len(lifts)
    for lift in lifts:
        yield claim(
            lift.lift, lift.ends(own), deals=lift.deals, method="least squares", margin=POINTS_GAP
        )


def count_ends(lifts: Sequence[Lift], value: float, confidence: float) -> Ends:
    """How many cards are out of line for sure, and at most: with those that are undecided."""
    outcomes = [made.outcome for made in claims_of(lifts, confidence)]
    sure, open_ = outcomes.count("differs"), outcomes.count("undecided")
    return min(float(sure), value), max(float(sure + open_), value)


def more_deals(lifts: Sequence[Lift], confidence: float) -> float:
    """About how many more deals would tell of each card whether it is out of line."""
    grown = [made.more_deals / made.deals for made in claims_of(lifts, confidence)]
    most = max((each for each in grown if math.isfinite(each)), default=math.nan)
    return math.ceil(most * max(lift.deals for lift in lifts)) if most > 0 else math.nan

"""All balance tables of a run folder: a pure function of what is stored there."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.balance import (
    comparison,
    drama,
    growth,
    inner,
    interventions,
    measures,
    seats,
    skill,
    usage,
)
from arena.balance.config import BalanceSpec, deals_of, read_plan
from arena.balance.first_deals import look_at
from arena.balance.measures import Measure
from arena.balance.plan import Plan, make_plan
from arena.balance.replays import Replays, Trace
from arena.balance.samples import NULL, Sample, make_sample, matched
from arena.plan.identity import deal_seed
from arena.plan.schedule import count_matches
from arena.results.groups import Group
from arena.store.record import RunRecord
from arena.store.run_folder import load_spec
from engines.core import Game, load_game, parse_options

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Balance:
    """The tables of a balance analysis; each is described where its columns are listed."""

    folder: Path
    record: RunRecord
    plan: Plan
    spec: BalanceSpec | None  # None: of a run that `arena run` has made
    stored: int
    planned: int
    looked_at: int  # matches, of a large run those of its first deals
    samples: pd.DataFrame
    measures: pd.DataFrame
    seats: pd.DataFrame
    rungs: pd.DataFrame
    usage: pd.DataFrame
    growth: pd.DataFrame
    setup: pd.DataFrame
    comparison: pd.DataFrame
    use_changes: pd.DataFrame
    null_check: pd.DataFrame
    interventions: pd.DataFrame
    distributions: pd.DataFrame
    progress: pd.DataFrame

    @property
    def sampled_text(self) -> str:
        """Of which matches everything is, where that is not all of them."""
        if self.looked_at == self.stored:
            return ""
        return f"of the first deals: {self.looked_at:,} of {self.stored:,} matches"

    @functools.cached_property
    def game(self) -> Game:
        """The one game of the run."""
        return load_game(next(iter(self.record.games.values())).load)


SAMPLES = (
    *("game", "variant", "players", "matches", "deals", "counted", "faults", "repeated"),
    *("capped_share", "bots"),
)


@dataclass(frozen=True)
class Opened:
    """A stored run cut into what is analysed: a part for each variant, number of players and set of deals."""

    record: RunRecord
    plan: Plan
    spec: BalanceSpec | None
    stored: int
    looked_at: int
    samples: "list[Sample]"
    parts: "list[Part]"


def open_run(folder: Path, baseline: str | None = None, replays: int | None = None) -> Opened:
    """Read a run, finished or not; arguments and errors are those of `analyse`."""
    record = load_spec(folder)
    spec = read_plan(folder)
    looked = look_at(folder, record, deals_of(spec))
    results = inner.results_of(looked.rows, record)
    plan = make_plan(record, spec, results.groups, baseline, replays)
    replays_ = Replays(record, looked.moves, plan.replays)
    made = list(samples(results.groups, looked.rows, plan, record))
    parts = [Part(sample, record, replays_) for sample in made if sample.size]
    return Opened(record, plan, spec, looked.stored, len(looked.rows), made, parts)


def analyse(folder: Path, baseline: str | None = None, replays: int | None = None) -> Balance:
    """Make all balance tables of a run, finished or not.

    Args:
        baseline: label of the variant to compare with; by default the config's, else `default` or the first.
        replays: matches of each variant to re-play; by default the config's.

    Raises:
        UserError: no run in this folder, several games, or an unknown baseline.
    """
    run = open_run(folder, baseline, replays)
    tables = {
        **single_tables(run.parts, inner.more_of(folder, run.plan)),
        **compared_tables(run.parts, run.plan),
    }
    tables["samples"] = [counts_row(sample) for sample in run.samples]
    tables["interventions"] = inner.intervention_table(folder)
    return Balance(
        folder,
        run.record,
        run.plan,
        run.spec,
        run.stored,
        count_matches(run.record.lineups.values()),
        run.looked_at,
        **{name: pd.DataFrame(rows, columns=list(COLUMNS[name])) for name, rows in tables.items()},
    )


COLUMNS = {
    "samples": SAMPLES,
    "measures": measures.MEASURES,
    "seats": seats.SEATS,
    "rungs": skill.RUNGS,
    "usage": usage.USAGE,
    "growth": growth.GROWTH,
    "setup": usage.SETUP,
    "comparison": comparison.COMPARISON,
    "use_changes": comparison.USE_CHANGES,
    "null_check": comparison.NULL_CHECK,
    "interventions": interventions.INTERVENTIONS,
    "distributions": measures.DISTRIBUTIONS,
    "progress": drama.PROGRESS,
}


# --- what is compared with what -------------------------------------------------------------------


def samples(
    groups: Sequence[Group], stored: pd.DataFrame, plan: Plan, record: RunRecord
) -> Iterator[Sample]:
    """The baseline, its null variant if it has deals for one, and the other variants, by number of players."""
    order = {label: place for place, label in enumerate(plan.variants)}
    for group in sorted(groups, key=lambda g: (g.players, order.get(g.variant, len(order)))):
        if group.variant not in order:
            continue
        chance = not load_game(record.games[group.game].load).perfect_information
        deals = plan.deals.get(group.players) if group.variant == plan.baseline else None
        own = group.deals < deals if deals is not None else np.ones(len(group.deals), bool)
        yield make_sample(group.kept(own), stored, plan.ladder, chance=chance)
        if not own.all():
            yield make_sample(group.kept(~own), stored, plan.ladder, NULL, chance=chance)


def counts_row(sample: Sample) -> Row:
    """How many matches there are, and how many count."""
    group = sample.group
    return {
        **sample.key,
        "matches": sample.left_out.matches,
        "deals": int(np.unique(group.deals).size),
        "counted": sample.size,
        "faults": sample.left_out.faults,
        "repeated": sample.left_out.repeated,
        "capped_share": float(group.capped.mean()) if sample.size else np.nan,
        "bots": ", ".join(name for name in sample.ladder if name in group.names),
    }


# --- one sample -----------------------------------------------------------------------------------


class Part:
    """A sample with what its tables share, each made once."""

    def __init__(self, sample: Sample, record: RunRecord, replays: Replays) -> None:
        """Take a sample; nothing is worked out yet."""
        self.sample, self.record, self.replays = sample, record, replays

    @functools.cached_property
    def lineup(self) -> Any:
        """Any line-up of the sample: game, variant and players are the same in all."""
        return self.record.lineups[str(self.sample.words("lineup_id")[0])]

    @functools.cached_property
    def game(self) -> Game:
        """The game."""
        return load_game(self.record.games[self.lineup.game].load)

    @functools.cached_property
    def start(self) -> Any:
        """State[1]: a blank State of the variant."""
        variant: Any = parse_options(self.game.Variant, dict(self.lineup.variant), "variant")
        return self.game.blank(self.lineup.players, variant)

    @functools.cached_property
    def traces(self) -> tuple[Sample, list[Trace]]:
        """The matches that were re-played, and what they showed."""
        return self.replays.of(self.sample.chosen)

    @functools.cached_property
    def counts(self) -> Any:
        """(r, names): what every seat used."""
        chosen = self.sample.chosen
        return usage.use_counts(chosen, usage.seats_of(chosen), self.game, self.replays.moves)

    @functools.cached_property
    def facts(self) -> pd.DataFrame:
        """Facts of the setup by deal and player."""
        deals = [int(deal) for deal in np.unique(self.sample.group.deals)]
        spec = self.record.spec
        seeds = [deal_seed(spec.seed, deal, spec.salt) for deal in deals]
        return usage.setup_facts(self.game, self.start, deals, seeds)

    @functools.cached_property
    def measures(self) -> list[Measure]:
        """All measures of the whole sample."""
        return all_measures(self.sample, *self.traces, self.budgets)

    @functools.cached_property
    def budgets(self) -> dict[str, int]:
        """Simulations of the bots that have some."""
        return skill.budgets_of(self.record.entrants)


def all_measures(
    sample: Sample, replayed: Sample, traces: list[Trace], budgets: Mapping[str, int]
) -> list[Measure]:
    """Every measure of a sample; replayed: those of its chosen matches whose traces are given."""
    return [
        *measures.seat_measures(sample.chosen),
        *measures.outcome_measures(sample.chosen),
        *measures.length_measures(sample.chosen),
        *drama.choice_measures(replayed, traces),
        *skill.skill_measures(sample, budgets),
        *drama.drama_measures(replayed, traces),
    ]


def single_tables(parts: Sequence[Part], more: inner.More) -> dict[str, list[Row]]:
    """The tables that look at one variant at a time; more: of the baseline, see `inner.more_of`."""
    made: dict[str, list[Row]] = {name: [] for name in COLUMNS}
    for part in parts:
        sample = part.sample
        alone, pair = more.get((sample.label, sample.group.players), (None, None))
        ladder = sample if pair is None else inner.with_more(sample, pair, part.record)
        found = {measure.key: measure for measure in part.measures}
        if pair is not None:
            found |= {one.key: one for one in skill.skill_measures(sample, part.budgets, ladder)}
        made["measures"] += [{**sample.key, **measure.row()} for measure in found.values()]
        if sample.part == NULL:
            continue
        made["seats"] += seats.seat_rows(sample, alone)
        made["rungs"] += skill.rung_rows(ladder)
        made["distributions"] += measures.distributions(sample.chosen)
        made["progress"] += drama.progress_rows(*part.traces)
        if sample.sides > 1:
            seat_list = usage.seats_of(sample.chosen)
            made["usage"] += usage.usage_rows(sample.chosen, seat_list, part.game, part.counts)
            made["growth"] += growth.growth_rows(sample.chosen, seat_list, part.game, part.counts)
            made["setup"] += usage.setup_rows(sample.chosen, seat_list, part.facts)
    return made


# --- one sample against another -------------------------------------------------------------------


def compared_tables(parts: Sequence[Part], plan: Plan) -> dict[str, list[Row]]:
    """The tables that hold variants, and the null variant, against the baseline."""
    made: dict[str, list[Row]] = {"comparison": [], "use_changes": [], "null_check": []}
    for players in sorted({part.sample.group.players for part in parts}):
        here = [part for part in parts if part.sample.group.players == players]
        base = [p for p in here if p.sample.group.variant == plan.baseline and not p.sample.part]
        if not base:
            continue
        null: list[Row] = []
        for part in (p for p in here if p is not base[0]):
            rows = against(part, base[0], plan)
            made["comparison"] += rows
            null += rows if part.sample.part else []
            if not part.sample.part:
                made["use_changes"] += use_changes(part, base[0])
        if not any(part.sample.part for part in here):
            null = against_itself(base[0], plan)
            made["comparison"] += null
        frame = pd.DataFrame(null, columns=list(comparison.COMPARISON))
        made["null_check"].append(
            comparison.null_check(frame, {**base[0].sample.key, "variant": NULL})
        )
    return made


def against(part: Part, base: Part, plan: Plan) -> list[Row]:
    """The rows of one variant; each set of deals of the null variant makes a family of its own."""
    rows: list[Row] = []
    deals = plan.deals.get(part.sample.group.players, 0)
    last = int(part.sample.group.deals.max(initial=0))
    shifts = range(deals, last + 1, deals) if part.sample.part and deals else (0,)
    for shift in shifts:
        own, other = matched(part.sample, base.sample, shift)
        rows += paired_rows(own, other, part, plan)
    return rows


def against_itself(base: Part, plan: Plan) -> list[Row]:
    """The odd deals of the baseline against the even ones, each beside the one before it."""
    deals = base.sample.group.deals
    odd = base.sample.kept(deals % 2 == 1)
    even = base.sample.kept(deals % 2 == 0)
    own, other = matched(replace(odd, part=NULL), even, 1)
    return paired_rows(own, other, base, plan)


def paired_rows(own: Sample, other: Sample, part: Part, plan: Plan) -> list[Row]:
    """The rows of two samples on the same deals and tables."""
    if not own.size:
        return []
    theirs, ours = (
        all_measures(sample, *part.replays.of(sample.chosen), part.budgets)
        for sample in (other, own)
    )
    return comparison.comparison_rows(own.key, ours, theirs, plan.margins)


def use_changes(part: Part, base: Part) -> list[Row]:
    """How the use of everything differs from the baseline."""
    own, other = matched(part.sample.chosen, base.sample.chosen)
    if not own.size or own.sides < 2:
        return []
    found = []
    for sample, whole in ((own, part), (other, base)):
        seat_list = usage.seats_of(sample)
        counts = whole.counts
        if sample.size != whole.sample.chosen.size:
            counts = usage.use_counts(sample, seat_list, part.game, part.replays.moves)
        found.append(usage.usage_statistics(sample, seat_list, part.game, counts))
    return comparison.use_change_rows(own.key, *found)

"""What is to be made of a run: the baseline, how many deals are its own, the ladder of bots, and margins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.balance.config import BalanceSpec, Margins, deals_of, variant_labels
from arena.plan.identity import DEFAULT
from arena.plan.spec import BotEntry
from arena.plan.tournament import make_entrant
from arena.results.groups import Group
from arena.statistics.ratings import rate
from arena.store.record import RunRecord
from engines.errors import UserError, nearest


@dataclass(frozen=True)
class Plan:
    """What is to be made of a run.

    baseline: label of a variant. deals: for each number of players, deals of the baseline; those from there on are
    the null variant's. ladder: names of bots, weakest first. variants: labels to show.
    """

    baseline: str
    deals: Mapping[int, int]
    ladder: tuple[str, ...]
    variants: tuple[str, ...]
    margins: Margins
    replays: int


def make_plan(
    record: RunRecord,
    spec: BalanceSpec | None,
    groups: Sequence[Group],
    baseline: str | None,
    replays: int | None,
) -> Plan:
    """The plan of a run: its balance config's, or what suits a run that `arena run` has made."""
    if len({group.game for group in groups}) > 1:
        names = ", ".join(sorted({group.game for group in groups}))
        raise UserError(f"this run has several games ({names}), a balance analysis is of one")
    labels = list(dict.fromkeys(group.variant for group in groups))
    ladder = ladder_of(record, spec, groups)
    if spec is not None:
        wanted = variant_labels(spec)
        deals = deals_of(spec)
        margins, count = spec.margins, spec.replays
    else:
        first = DEFAULT if DEFAULT in labels or not labels else labels[0]
        wanted, deals, margins, count = (first, *labels), {}, Margins(), 1000
    if baseline is not None and baseline not in labels:
        hint = nearest(baseline, labels) or f", known are {', '.join(labels)}"
        raise UserError(f"baseline {baseline!r}: no variant of this run{hint}")
    chosen = baseline or wanted[0]
    return Plan(
        chosen,
        deals if chosen == wanted[0] else {},
        ladder,
        tuple(dict.fromkeys((chosen, *wanted))),
        margins,
        count if replays is None else replays,
    )


def ladder_of(
    record: RunRecord, spec: BalanceSpec | None, groups: Sequence[Group]
) -> tuple[str, ...]:
    """The names of the bots, weakest first: as the balance config lists them, else by Elo."""
    known = {entrant.name for entrant in record.entrants.values()}
    if spec is not None:
        names = [entrant_name(entry) for entry in spec.bots]
        return tuple(name for name in names if name in known)
    elo: dict[str, float] = {}
    for group in sorted(groups, key=lambda group: len(group.rows)):
        ratings = rate(group.placements, resamples=0)
        elo |= dict(zip(ratings.names, ratings.elo.tolist(), strict=True))
    return tuple(sorted(elo, key=lambda name: (elo[name], name)))


def entrant_name(entry: BotEntry) -> str:
    """The name of a config's bot, even where its file is missing now."""
    try:
        return entry.name or make_entrant(entry, "bots").name
    except UserError:
        return entry.bot

"""What a changed config does to the matches that a run has stored, said before it is done."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from arena.plan.identity import variant_label
from arena.plan.schedule import LineUp, make_lineups
from arena.plan.tournament import Tournament
from arena.store.parts import FRESH
from arena.store.record import RECORD, RunRecord, load_spec
from arena.store.run_folder import stored_matches

BINDING = (
    "start_seconds",
    "decision_seconds",
    "match_seconds",
    "memory_mb",
)  # limits that may change


def effects_on(folder: Path, tournament: Tournament) -> tuple[str, ...]:
    """A line for each change that stored matches do not show; none for a folder without a run."""
    if not (folder / RECORD).exists():
        return ()
    record = load_spec(folder)
    return tuple(effects(record, tournament, stored_matches(folder, record)))


def effects(record: RunRecord, tournament: Tournament, counts: Mapping[str, int]) -> Iterator[str]:
    """What becomes of stored matches where a run goes on as another tournament.

    counts: stored matches by line-up.
    """
    stored = sum(counts.values())
    if not stored:
        return
    old, new = record.spec, tournament.spec
    for name in BINDING:
        before, now = getattr(old.limits, name), getattr(new.limits, name)
        if before != now:
            yield (
                f"limits.{name}: {before:g} before, now {now:g}; {stored:,} stored matches were played "
                f"under the old limit and count as they are ({FRESH})"
            )
    if old.clock != new.clock:
        was, now_text = (one.text if one else "none" for one in (old.clock, new.clock))
        yield (
            f"clock: {was} before, now {now_text}; {stored:,} stored matches were played by the old "
            f"one and count as they are ({FRESH})"
        )
    yield from other_hosts(record, tournament)
    if old.schedule != new.schedule:
        yield (
            f"schedule: {old.schedule} before, now {new.schedule}; {stored:,} stored matches stay and "
            "count, and are not played again where the new schedule asks for them"
        )
    yield from gone(record, tournament, counts)
    lineups = {lineup.id: lineup for lineup in make_lineups(tournament)}
    yield from fewer(record, lineups, counts)


def other_hosts(record: RunRecord, tournament: Tournament) -> Iterator[str]:
    """Entrants that may call other hosts than before."""
    for entrant in tournament.entrants:
        before = record.entrants.get(entrant.id, entrant).network
        if before != entrant.network:
            was, now = (", ".join(one) or "none" for one in (before, entrant.network))
            yield (
                f"{entrant.name!r} may call other hosts: {was} before, now {now}; its stored matches "
                f"count as they are ({FRESH})"
            )


def gone(record: RunRecord, tournament: Tournament, counts: Mapping[str, int]) -> Iterator[str]:
    """Entrants that play no more; one that another takes the name of is refused when the run is opened."""
    present = {entrant.id for entrant in tournament.entrants}
    names = {entrant.name for entrant in tournament.entrants}
    dropped = {one.name or one.bot for one in tournament.spec.bots if one.retired == "dropped"}
    played: Counter[str] = Counter()
    for name, lineup in record.lineups.items():
        for entrant in set(lineup.entrants) - present:
            played[entrant] += counts.get(name, 0)
    for entrant, count in played.items():
        name = record.entrants[entrant].name
        if name in names:
            continue
        if entrant in record.seeds or not record.seeds:  # it has been said before
            how = (
                "for its opponents"
                if name in dropped
                else "(`retired: dropped` leaves it out of the board)"
            )
            yield f"{name!r} plays no more; its {count:,} stored matches stay and count {how}"


def fewer(
    record: RunRecord, lineups: Mapping[str, LineUp], counts: Mapping[str, int]
) -> Iterator[str]:
    """Tables whose deals are fewer than before."""
    said: dict[str, tuple[int, int, int]] = {}
    for name, lineup in lineups.items():
        old = record.lineups.get(name)
        if old is not None and old.deals > lineup.deals:
            table = f"{old.game} ({variant_label(old.variant)}) with {old.players} players"
            *_, count = said.get(table, (0, 0, 0))
            said[table] = old.deals, lineup.deals, count + counts.get(name, 0)
    for table, (before, now, count) in said.items():
        yield (
            f"{table}: {before:,} deals before, now {now:,}; {count:,} stored matches of its line-ups "
            "stay and count, also those of later deals"
        )

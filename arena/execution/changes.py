"""What a changed config does to a stored run, said before it is done: to its matches, and to who meets whom."""

from collections.abc import Iterator
from pathlib import Path

from arena.plan.formats.courses import IN_ROUNDS, KEYS
from arena.plan.spec import TournamentSpec
from arena.plan.tournament import Tournament
from arena.plan.wording import listed
from arena.store.effects import effects_on
from arena.store.extending import extended
from arena.store.files import move
from arena.store.record import RECORD, RunRecord, load_spec, make_record
from arena.store.run_folder import stored_matches

HISTORY = "history.csv"  # ratings after each call; `results.league` writes it
DECIDING = ("deals", *KEYS, "max_fault_share")  # keys on which the rounds depend


def changes_on(folder: Path, tournament: Tournament) -> tuple[str, ...]:
    """A line for each change that stored matches do not show; none for a folder without a run."""
    if not (folder / RECORD).exists():
        return ()
    record = load_spec(folder)
    stored = sum(stored_matches(folder, record).values())
    return (*effects_on(folder, tournament), *(rounds_anew(record, tournament, stored)))


def check_going_on(folder: Path, tournament: Tournament) -> None:
    """Raise UserError where a stored run cannot go on as this tournament: what `arena run` would say."""
    if (folder / RECORD).exists():
        extended(load_spec(folder), make_record(tournament), folder)


def move_history(folder: Path) -> None:
    """Put the history of a run that has begun anew where its matches have just been moved: it gets its own."""
    kept = max(folder.glob("old-*"), key=lambda path: path.stat().st_mtime_ns, default=None)
    if kept is not None and (folder / HISTORY).exists():
        move(folder / HISTORY, kept / HISTORY)


def rounds_anew(record: RunRecord, tournament: Tournament, stored: int) -> Iterator[str]:
    """What becomes of a tournament in rounds whose keys or bots have changed."""
    old, new = record.spec, tournament.spec
    if not stored or old.schedule != new.schedule or new.schedule not in IN_ROUNDS:
        return
    changed = [*changed_keys(old, new)]
    if (record.seeds or tuple(record.entrants)) != tuple(one.id for one in tournament.entrants):
        changed.append("the list of bots")
    if changed:
        verb = "have" if len(changed) > 1 else "has"
        yield (
            f"{new.schedule.replace('_', ' ')}: {listed(changed)} {verb} changed, so who meets whom follows anew from "
            f"the first round; {stored:,} stored matches stay and count in the rating, and are not played again "
            "where they are asked for"
        )


def changed_keys(old: TournamentSpec, new: TournamentSpec) -> Iterator[str]:
    """The keys with what they were and are."""
    for key in DECIDING:
        before, now = getattr(old, key), getattr(new, key)
        if before != now:
            yield f"{key} ({said(before)} before, now {said(now)})"
    deals = {entry.game: entry.deals for entry in old.games}
    for entry in new.games:
        if entry.deals != deals.get(entry.game, entry.deals):
            yield f"deals of {entry.game} ({said(deals[entry.game])} before, now {said(entry.deals)})"


def said(value: object) -> str:
    """A value of a config in a sentence."""
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

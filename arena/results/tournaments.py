"""Plays a tournament and opens what was stored: what `arena.run` and `arena.match` do."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.execution.batches import default_workers
from arena.execution.gradual import Gradual, Limited
from arena.execution.run import Rounds, Summary, carry_out, never
from arena.execution.watch import Watch
from arena.plan.config import override, settings_of
from arena.plan.formats.courses import ADAPTIVE, IN_ROUNDS
from arena.plan.identity import digest
from arena.plan.question import MOST_DEALS, Limit, Question, limit_of, sprt, until
from arena.plan.schedule import make_lineups
from arena.plan.spec import TournamentSpec, match_spec, parse_spec, plain, read_spec
from arena.plan.tournament import Tournament
from arena.results.adaptive import adaptive_of
from arena.results.contest import Contest
from arena.results.events import events_of
from arena.results.stored import StoredRun
from arena.results.verdict import Duel, duel_of
from arena.store.defaults import resolved
from engines.errors import UserError

RESULTS = Path("results")
MATCH_DEALS = 100


def play_config(
    config: str | Path | Mapping[str, Any],
    out: Path | str | None,
    workers: int | None,
    address: str | None,
    fresh: bool,
    progress: bool,
    changes: Mapping[str, Any],
    minutes: float | None = None,
    matches: int | None = None,
) -> StoredRun:
    """Play what is missing of a config's tournament; see `arena.run`."""
    settings = settings_of(changes)
    if isinstance(config, Mapping):
        spec = parse_spec(override(dict(config), settings))
    else:
        spec = read_spec(str(config), settings)
    folder = Path(out) if out else RESULTS / spec.name
    limit = limit_of(minutes, matches)
    return opened(play(spec, folder, workers, address, fresh, progress, limit=limit)[0])


def play_match(
    game: str,
    bots: Sequence[str],
    players: int | None,
    deals: int | None,
    seed: int,
    variant: Mapping[str, Any] | None,
    opening: int,
    confidence: float | None,
    ratio: str | None,
    most: int | None,
    out: Path | str | None,
    workers: int | None,
    fresh: bool,
    progress: bool,
    minutes: float | None = None,
    matches: int | None = None,
    top: int | None = None,
) -> StoredRun:
    """Let bots meet without a config; see `arena.match`."""
    question, count = question_of(confidence, ratio, deals, most, top)
    spec = match_spec(game, bots, players, count, seed, variant or {}, opening)
    folder = Path(out) if out else RESULTS / match_folder(spec)
    limit = limit_of(minutes, matches)
    played, _ = play(spec, folder, workers, None, fresh, progress, question, limit=limit)
    return opened(played)


def play(
    spec: TournamentSpec,
    folder: Path,
    workers: int | None,
    address: str | None = None,
    fresh: bool = False,
    progress: bool = True,
    question: Question | None = None,
    debug: str = "",
    limit: Limit | None = None,
    bucket: str = "",
) -> tuple[Summary, Duel | Contest | None]:
    """Carry out a tournament, by default with a worker a core; what answers its question."""
    tournament = resolved(spec, folder, fresh)
    duel = duel_of(tournament, question) if question else None
    share = spec.max_fault_share
    fixed = spec.schedule not in IN_ROUNDS  # in rounds results alone say who is set aside
    watch = Watch(make_lineups(tournament), share) if share and fixed else None
    rounds = rounds_of(tournament, limit, watch)
    count = default_workers() if workers is None else workers
    summary = carry_out(
        tournament, folder, count, address, fresh, progress, duel, debug, rounds, watch, bucket
    )
    return summary, duel


def rounds_of(
    tournament: Tournament, limit: Limit | None, watch: Watch | None = None
) -> Rounds | None:
    """What says who plays next: results, or a limit; None where all of a fixed schedule is played."""
    rounds: Rounds | None = events_of(tournament)
    if tournament.spec.schedule == ADAPTIVE:
        rounds = adaptive_of(tournament)
    if limit is None:
        return rounds
    if rounds:
        return Limited(rounds, limit)
    return Gradual(tournament, limit, watch.leaves_out if watch else never)


def opened(summary: Summary) -> StoredRun:
    """The run that was played; what Ctrl-C stopped stays stopped."""
    if summary.interrupted:
        raise KeyboardInterrupt
    return StoredRun(summary.folder)


def question_of(
    confidence: float | None,
    ratio: str | None,
    deals: int | None,
    most: int | None,
    top: int | None = None,
) -> tuple[Question | None, int]:
    """What a match is to decide, if anything, and the number of its deals."""
    if top is not None and confidence is None:
        raise UserError(f"--top {top}: only with --until")
    if confidence is None and ratio is None:
        if most is not None:
            raise UserError("--max-deals: only with --until or --sprt, else --deals says how many")
        return None, deals or MATCH_DEALS
    if confidence is not None and ratio is not None:
        raise UserError("--until and --sprt: give one of them")
    if deals is not None:
        raise UserError(f"--deals: give --max-deals {deals} with --until or --sprt")
    asked = until(confidence, top or 0) if confidence is not None else sprt(str(ratio))
    return asked, most or MOST_DEALS


def match_folder(spec: TournamentSpec) -> str:
    """A folder name that stays the same for the same match and differs for another."""
    facts = {k: v for k, v in plain(spec).items() if k != "deals"}
    return f"match-{Path(spec.games[0].game).name}-{digest(facts)[:8]}"

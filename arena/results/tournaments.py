"""Plays a tournament and opens what was stored: what `arena.run` and `arena.match` do."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.execution.batches import default_workers
from arena.execution.run import Summary, carry_out
from arena.plan.config import override, settings_of
from arena.plan.identity import digest
from arena.plan.question import MOST_DEALS, Question, sprt, until
from arena.plan.spec import TournamentSpec, match_spec, parse_spec, plain, read_spec
from arena.plan.tournament import resolve
from arena.results.events import events_of
from arena.results.stored import StoredRun
from arena.results.verdict import Duel, duel_of
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
) -> StoredRun:
    """Play what is missing of a config's tournament; see `arena.run`."""
    settings = settings_of(changes)
    if isinstance(config, Mapping):
        spec = parse_spec(override(dict(config), settings))
    else:
        spec = read_spec(str(config), settings)
    folder = Path(out) if out else RESULTS / spec.name
    return opened(play(spec, folder, workers, address, fresh, progress)[0])


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
) -> StoredRun:
    """Let bots meet without a config; see `arena.match`."""
    question, count = question_of(confidence, ratio, deals, most)
    spec = match_spec(game, bots, players, count, seed, variant or {}, opening)
    folder = Path(out) if out else RESULTS / match_folder(spec)
    return opened(play(spec, folder, workers, None, fresh, progress, question)[0])


def play(
    spec: TournamentSpec,
    folder: Path,
    workers: int | None,
    address: str | None = None,
    fresh: bool = False,
    progress: bool = True,
    question: Question | None = None,
    debug: str = "",
) -> tuple[Summary, Duel | None]:
    """Carry out a tournament, by default with a worker a core; the duel that answers its question."""
    tournament = resolve(spec)
    duel = duel_of(tournament, question) if question else None
    rounds = events_of(tournament)
    count = default_workers() if workers is None else workers
    summary = carry_out(tournament, folder, count, address, fresh, progress, duel, debug, rounds)
    return summary, duel


def opened(summary: Summary) -> StoredRun:
    """The run that was played; what Ctrl-C stopped stays stopped."""
    if summary.interrupted:
        raise KeyboardInterrupt
    return StoredRun(summary.folder)


def question_of(
    confidence: float | None, ratio: str | None, deals: int | None, most: int | None
) -> tuple[Question | None, int]:
    """What a match is to decide, if anything, and the number of its deals."""
    if confidence is None and ratio is None:
        if most is not None:
            raise UserError("--max-deals: only with --until or --sprt, else --deals says how many")
        return None, deals or MATCH_DEALS
    if confidence is not None and ratio is not None:
        raise UserError("--until and --sprt: give one of them")
    if deals is not None:
        raise UserError(f"--deals: give --max-deals {deals} with --until or --sprt")
    asked = until(confidence) if confidence is not None else sprt(str(ratio))
    return asked, most or MOST_DEALS


def match_folder(spec: TournamentSpec) -> str:
    """A folder name that stays the same for the same match and differs for another."""
    facts = {k: v for k, v in plain(spec).items() if k != "deals"}
    return f"match-{Path(spec.games[0].game).name}-{digest(facts)[:8]}"

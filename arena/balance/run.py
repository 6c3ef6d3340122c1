"""Plays a balance config: the ladder on every variant, then the interventions that its tables ask for."""

from pathlib import Path

from arena.balance.analysis import Balance, analyse
from arena.balance.config import BalanceSpec, tournament_spec, write_plan
from arena.balance.interventions import FOLDER, intervention_spec
from arena.execution.run import Summary, carry_out
from arena.store.defaults import resolved


def play(
    spec: BalanceSpec,
    folder: Path,
    workers: int,
    address: str | None = None,
    fresh: bool = False,
    progress: bool = True,
) -> tuple[Summary, Balance | None]:
    """Play what is missing of an analysis and make its tables; None where nothing is stored yet.

    Args:
        workers: processes that play; 0 = this one, without Ray.
        address: of a Ray cluster to use instead.

    Raises:
        UserError: a wrong config, or a folder that holds another run.
    """
    tournament = resolved(tournament_spec(spec), folder, fresh)
    if spec.intervene is not None:
        intervention_spec(spec, None)  # wrong names show before hours of play, not after
    folder.mkdir(parents=True, exist_ok=True)
    summary = carry_out(tournament, folder, workers, address, fresh, progress)
    write_plan(folder, spec)
    if not summary.stored:
        return summary, None
    balance = analyse(folder)
    if summary.interrupted:
        return summary, balance
    salt = balance.record.spec.salt  # the interventions meet the deals of the run
    (game,) = balance.record.games.values()
    salted = spec.model_copy(update={"salt": salt})
    wanted = intervention_spec(salted, balance.usage, game.defaults)
    if wanted is None or not wanted.games:
        return summary, balance
    inside = folder / FOLDER
    inner = carry_out(resolved(wanted, inside, fresh), inside, workers, address, fresh, progress)
    both = Summary(
        folder,
        summary.planned + inner.planned,
        summary.played + inner.played,
        summary.stored + inner.stored,
        inner.interrupted,
        (*summary.notes, *inner.notes),
    )
    return both, analyse(folder)

"""Plays a balance config: the ladder on every variant, more deals of the baseline, and interventions."""

from pathlib import Path

from arena.balance.analysis import Balance, analyse
from arena.balance.config import BalanceSpec, tournament_spec, write_plan
from arena.balance.interventions import FOLDER, intervention_spec
from arena.balance.more_deals import more_specs
from arena.execution.run import Summary, carry_out
from arena.plan.spec import TournamentSpec
from arena.store.defaults import resolved
from arena.store.run_folder import load_spec


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

    def with_inner(done: Summary, name: str, wanted: TournamentSpec | None) -> Summary:
        """What has been played, with a run inside this one."""
        if done.interrupted or wanted is None or not wanted.games:
            return done
        there = folder / name
        made = resolved(wanted, there, fresh)
        return both(done, carry_out(made, there, workers, address, fresh, progress))

    record = load_spec(folder)
    salted = spec.model_copy(update={"salt": record.spec.salt})  # they meet the deals of the run
    more = summary
    for name, wanted in more_specs(salted):
        more = with_inner(more, name, wanted)
    balance = analyse(folder)
    (game,) = record.games.values()
    banned = intervention_spec(salted, balance.usage, game.defaults)
    whole = with_inner(more, FOLDER, banned)
    return whole, balance if whole.played == more.played else analyse(folder)


def both(one: Summary, other: Summary) -> Summary:
    """What two runs in one folder did together."""
    return Summary(
        one.folder,
        one.planned + other.planned,
        one.played + other.played,
        one.stored + other.stored,
        other.interrupted,
        (*one.notes, *other.notes),
    )

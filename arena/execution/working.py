"""What a worker does with a batch: game and bots loaded, its matches played, their results as columns.

`python -m arena.execution.working` plays a batch that has cost its workers once more, interpreted.
"""

import functools
import pickle
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from arena.execution.batches import MOST_LOSSES, Batch, Outcome
from arena.plan.keeping import kept_columns
from arena.plan.tournament import Entrant
from arena.playing.containment import bubblewrap, contained
from arena.playing.containment.children import KeeperLost, close_children
from arena.playing.containment.starting import Terms
from arena.playing.match import Job, Played, columns, lost_match, play_matches, warm_up
from arena.playing.rerun import interpreted
from arena.store.columns import MACHINE, table_from_columns
from arena.store.files import naming
from arena.store.provenance import package_version
from bots.contract import BotSpec
from bots.readers import granting
from bots.sources import Parcel, carried, unpack
from engines.cache import cache_root
from engines.core import Game, load_game, parse_options
from engines.errors import BrokenGame, UserError

SAME = "install the same on all nodes"


@functools.lru_cache(maxsize=64)
def _loaded(game_text: str, rules: str) -> Game:
    """A game. rules: their digest in the driver; with others it is loaded anew, for its files may have been edited."""
    return load_game(game_text)


@functools.lru_cache(maxsize=256)
def _bot(
    entrant_id: str,
    text: str,
    source_hash: str,
    params: tuple[tuple[str, Any], ...],
    files: tuple[str, ...],
    mount: tuple[str, ...],
    seconds: float,
) -> BotSpec:
    with granting(seconds, mount):
        return Entrant(entrant_id, text, text, dict(params), source_hash, files).load()


def make_job(batch: Batch) -> Job:
    """The job of a batch, with game and bots loaded."""
    conditions, lineup = batch.conditions, batch.lineup
    game = _loaded(conditions.game_text, conditions.rules)
    if problem := difference({conditions.game_text: conditions.rules}, conditions.version):
        raise UserError(f"worker on {socket.gethostname()}: {problem}")
    variant: Any = parse_options(game.Variant, dict(lineup.variant), "variant")
    programs = [file for parcel in conditions.parcels if not parcel.entry for file in parcel.files]
    for parcel in conditions.parcels:
        if parcel.entry:
            kept(parcel)
    start = conditions.limits.start_seconds
    with carried(programs):
        bots = tuple(
            _bot(
                e.id, e.bot, e.source_hash, tuple(sorted(e.params.items())), e.files, e.mount, start
            )
            for e in conditions.entrants
        )
    return Job(
        game,
        variant,
        lineup.players,
        bots,
        lineup.entrants,
        conditions.run_seed,
        batch.seats.astype(np.int64),
        batch.deals.astype(np.int64),
        conditions.limits,
        lineup.opening,
        conditions.isolation,
        conditions.game_text,
        conditions.debug,
        conditions.salt,
        tuple(Terms(e.restart == "match", e.mount, e.network) for e in conditions.entrants),
        conditions.ponder,
        conditions.clock,
    )


def kept(parcel: Parcel) -> None:
    """Keep the files of a bot in the cache of this machine; a DiskError, which names both, where that cannot be."""
    with naming(f"worker on {socket.gethostname()}: {cache_root()}"):
        unpack(parcel)


def difference(rules: Mapping[str, str], version: str) -> str:
    """What keeps this process from playing for a driver, if anything does.

    Args:
        rules: the driver's digest of the rules of each game, by what `load_game` finds it by.
        version: of the driver's package.
    """
    if package_version() != version:
        return f"has tabletop-arena {package_version()}, the run is played with {version}"
    for game_text, wanted in rules.items():
        try:
            game = _loaded(game_text, wanted)
        except UserError as error:
            return str(error)
        if game.rules_digest != wanted:
            return f"its rules of {game.name} are not those of the run"
    return ""


def results_of(
    batch: Batch, stop: Callable[[], bool] = lambda: False
) -> tuple[pa.Table, float, str, tuple[dict[str, Any], ...]] | None:
    """Play a batch in this process: results, seconds, a flaw of the game, talks; None if `stop` said so."""
    job = make_job(batch)
    for _ in range(MOST_LOSSES):
        try:
            warm_up(job)
            began = time.perf_counter()
            played = play_matches(job, stop)
        except KeeperLost:  # nobody's fault: what was played is void
            close_children()
            continue
        if played is None:
            return None
        seconds = time.perf_counter() - began
        table = table_from_columns(named_columns(batch, job, played))
        return table, seconds, played.flaw, named_talks(batch, played)
    problem = f"the keeper of its bots was lost {MOST_LOSSES} times"
    raise UserError(f"match {batch.ids[0]}: {problem} (out of memory?); the same command goes on")


def lacking(rules: Mapping[str, str], version: str, walled: bool) -> str:
    """What a node of a cluster lacks for a run, if anything. walled: whether bots are to play in a sandbox."""
    if problem := difference(rules, version):
        return f"{problem}; {SAME}"
    problem = bubblewrap.problem() if walled else ""
    return f"isolation: sandbox, which this node cannot give to bots: {problem}" if problem else ""


def play_batch(batch: Batch, stop: Callable[[], bool] = lambda: False) -> Outcome | None:
    """Play a batch in this process; None if `stop` said so."""
    done = results_of(batch, stop)
    return None if done is None else Outcome(batch, *done)


def named_columns(batch: Batch, job: Job, played: Played) -> dict[str, Any]:
    """The results with the columns that name the matches."""
    matches, lineup = len(batch), batch.lineup
    return {
        "lineup_id": [lineup.id] * matches,
        "game": [lineup.game] * matches,
        "variant_id": [lineup.variant_id] * matches,
        "players": np.full(matches, lineup.players, np.int8),
        **kept_columns(columns(job, played), batch.conditions.store_actions),
    }


def named_talks(batch: Batch, played: Played) -> tuple[dict[str, Any], ...]:
    """What was said in the matches, with whose they are."""
    ids, lineup = batch.ids if played.talks else (), batch.lineup
    return tuple(
        {
            "match": ids[said["number"]],
            "lineup": lineup.id,
            "entrant": lineup.entrants[int(batch.seats[said["number"], said["player"]])],
            **{name: value for name, value in said.items() if name != "number"},
        }
        for said in played.talks
    )


def lost_outcome(batch: Batch) -> Outcome:
    """A match whose worker was lost too often: the crash of a bot that played in the worker itself.

    Raises:
        BrokenGame: it is the game's fault, as an index far out of range is: interpreted it fails at a line.
        UserError: its bots played elsewhere, so that it is nobody's fault.
    """
    if flaw := interpreted("arena.execution.working", pickle.dumps(batch)):
        raise BrokenGame(flaw)
    if batch.conditions.isolation != "none":
        problem = f"the process that played it was lost {MOST_LOSSES} times"
        raise UserError(
            f"match {batch.ids[0]}: {problem} (out of memory?); the same command goes on"
        )
    job = make_job(batch)
    found = {**named_columns(batch, job, lost_match(job)), MACHINE: [""]}  # nobody knows where
    return Outcome(batch, table_from_columns(found), 0.0)


@contained
def main() -> None:
    """Play the batch on standard input, and print what is wrong with its game, if anything."""
    done = results_of(pickle.load(sys.stdin.buffer))
    print(done[2] if done else "")


if __name__ == "__main__":
    main()

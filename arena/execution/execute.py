"""Spreads matches over workers: Ray tasks, or this process. The only module that knows Ray."""

import functools
import logging
import os
import pickle
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pyarrow as pa

from arena.execution.batches import Batch, Conditions, Feed, Outcome, arrived
from arena.execution.working import SAME, lacking, lost_outcome, play_batch, results_of
from arena.playing.containment import contained
from arena.playing.containment.children import close_children
from arena.store.columns import TOLD
from arena.store.files import reason_of
from arena.store.handing import Handed, hand_over
from arena.store.provenance import package_version
from bots.sources import Parcel
from engines.errors import UserError

WINDOW = 2  # tasks a worker has waiting or running: it never idles, and Ctrl-C loses little
SHARE = (
    64  # of what is under way, so much is taken together: one look at all of it costs milliseconds
)
WAIT_SECONDS = 0.5  # at most, for that
MOST_PACKED = 1000  # conditions that are held as they travel
RAY_STARTS = 3  # how often Ray may be lost in a run
COUNT_SECONDS = 5.0  # between two counts of a cluster's workers


class RayLost(Exception):
    """Ray itself has ended; what it played is void."""


# --- in the worker ----------------------------------------------------------------------------------------

_received: dict[str, Parcel] = {}  # files of bots that this process has


@functools.lru_cache(maxsize=64)
def unpacked(packed: bytes) -> Conditions:
    """Conditions as they travelled; those of the next batch are mostly the same."""
    found: Conditions = pickle.loads(packed)
    return found


@contained
def results_from(
    packed: bytes, matches: bytes, references: Mapping[str, Any] | None = None
) -> tuple[pa.Buffer, float, str, tuple[dict[str, Any], ...], Handed | None] | None:
    """Play a batch in a worker of Ray: rows as a stream, then as an Outcome has it.

    Args:
        packed: the batch's conditions. matches: as `Batch.matches`.
        references: to the files of its bots, if they have any; a node is sent them once.
    """
    import ray  # start-up time: seconds

    for key, reference in (references or {}).items():
        if key not in _received:
            _received[key] = ray.get(reference)
    parcels = tuple(_received[key] for key in references or ())
    conditions = replace(unpacked(packed), parcels=parcels)
    if (done := results_of(arrived(conditions, matches))) is None:
        return None
    table, *rest = done
    handed = hand_over(table, conditions.place) if conditions.place else None
    return streamed(table.select(list(TOLD)) if handed else table), *rest, handed


def streamed(table: pa.Table) -> pa.Buffer:
    """A table as one piece of memory, which travels without being copied."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


# --- in the driver ----------------------------------------------------------------------------------------


def run_here(feed: Feed, stop: Callable[[], bool] = lambda: False) -> Iterator[Outcome | None]:
    """Play everything in this process."""
    while (batch := feed.next(1) or feed.next_waiting(0)) is not None:
        outcome = play_batch(batch, stop)
        if outcome is None:
            return
        feed.pace.learn(outcome)
        yield outcome


class Asking:
    """Sends batches to workers as tasks of Ray, what many have in common packed once; it remembers that."""

    def __init__(self, play: Callable[..., Any], idle: Callable[..., Any]) -> None:
        """Take what plays a batch elsewhere and returns a reference: `results_from` as a remote function.

        idle: the same without a core, for bots that wait for answers from elsewhere.
        """
        self._play, self._idle = play, idle
        self._packed: dict[
            int, tuple[Conditions, bytes]
        ] = {}  # by the id of what is held beside it
        self._references: dict[str, Any] = {}

    def __call__(self, batch: Batch) -> Any:
        """Send a batch; a reference to what `results_from` returns."""
        import ray

        conditions = batch.conditions
        for parcel in conditions.parcels:
            if parcel.key not in self._references:
                self._references[parcel.key] = ray.put(parcel)
        here = {parcel.key: self._references[parcel.key] for parcel in conditions.parcels}
        if id(conditions) not in self._packed:
            if len(self._packed) >= MOST_PACKED:
                self._packed.clear()
            packed = pickle.dumps(replace(conditions, parcels=()))
            self._packed[id(conditions)] = conditions, packed
        play = self._idle if conditions.waiting else self._play
        return play(self._packed[id(conditions)][1], batch.matches, *([here] if here else []))


def run_on_ray(
    feed: Feed, workers: int, cluster: bool = False, play: Callable[..., Any] | None = None
) -> Iterator[Outcome | None]:
    """Play everything on Ray, inside `ray_started`; yields None when nothing came for a while.

    Results stay where they were made until it is their turn, and no more batches are under way than WINDOW a worker:
    where the driver is slow, workers wait and no memory fills.

    Args:
        cluster: nodes may come and go, so the workers are counted now and then.
        play: what plays a batch, else tasks of Ray; see `Asking`.
    """
    import ray

    ask = Asking(
        *(play or ray.remote(num_cpus=n, max_retries=0)(results_from).remote for n in (1, 0))
    )
    flying = 0  # matches under way whose bots wait for answers from elsewhere
    running: dict[Any, Batch] = {}
    counted = time.monotonic()
    while True:
        if cluster and time.monotonic() - counted > COUNT_SECONDS:
            workers, counted = cluster_workers(), time.monotonic()
        while len(running) - flying < WINDOW * workers and (batch := feed.next(workers)):
            running[ask(batch)] = batch
        while (batch := feed.next_waiting(flying)) is not None:
            running[ask(batch)] = batch
            flying += 1
        if not running:
            return
        together = max(1, len(running) // SHARE)
        ready, _ = ray.wait(
            list(running), num_returns=together, timeout=WAIT_SECONDS, fetch_local=False
        )
        if not ready:
            yield None
        batches = [running.pop(reference) for reference in ready]
        flying -= sum(batch.conditions.waiting > 0 for batch in batches)
        for number, answer in enumerate(answers(ready)):
            if isinstance(
                answer, ray.exceptions.LocalRayletDiedError | ray.exceptions.RaySystemError
            ):
                for lost in (*batches[number:], *running.values()):
                    feed.back(lost)
                raise RayLost
            yield from outcomes_of(feed, batches[number], answer)


def answers(references: list[Any]) -> list[Any]:
    """What tasks have returned, or an error of Ray in its place."""
    import ray

    def answer(reference: Any) -> Any:
        try:
            return ray.get(reference)
        except ray.exceptions.RayError as error:
            return error

    try:
        return list(ray.get(references))
    except ray.exceptions.RayError:
        return [answer(one) for one in references]


def outcomes_of(feed: Feed, batch: Batch, answer: Any) -> Iterator[Outcome]:
    """What has become of a batch; where it was lost it goes back to the feed."""
    import ray

    if isinstance(answer, ray.exceptions.RayTaskError):
        raise answer.as_instanceof_cause() from None
    if isinstance(answer, ray.exceptions.NodeDiedError | ray.exceptions.ObjectLostError):
        feed.back(batch)  # with a node, as what it held of others: nobody is to blame
    elif isinstance(answer, ray.exceptions.RayError):
        if not isinstance(
            answer, ray.exceptions.WorkerCrashedError | ray.exceptions.OutOfMemoryError
        ):
            raise answer
        for hopeless in feed.again(batch):
            yield lost_outcome(hopeless)
    elif answer is not None:
        rows, *rest = answer
        outcome = Outcome(batch, pa.ipc.open_stream(rows).read_all(), *rest)
        feed.pace.learn(outcome)
        yield outcome


@contextmanager
def ray_started(workers: int, address: str | None) -> Iterator[int]:
    """Ray with so many workers here, or the cluster at `address`; yields how many there are.

    Usage statistics and the dashboard are off; workers run at nice 0 like everything else.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_worker_niceness", "0")
    os.environ.setdefault("RAY_DEDUP_LOGS", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    started = not ray.is_initialized()
    on_terminate = signal.getsignal(signal.SIGTERM)
    if address is not None:
        check_address(address)
    if started and address is not None:
        try:
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        except (ConnectionError, RuntimeError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"address {address!r}: no Ray cluster answers: {reason}") from None
    elif started:
        start_ray(workers)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, on_terminate)  # Ray has put its own handler there
    try:
        yield cluster_workers() if address else workers
    finally:
        if started:
            ray.shutdown()


def start_ray(workers: int) -> None:
    """A Ray of our own; on a busy machine it may start slower than Ray waits for, so it gets a second try."""
    import ray

    for is_last in (False, True):
        try:
            ray.init(
                address="local",  # else Ray would join any cluster that runs on this machine
                num_cpus=workers,
                include_dashboard=False,
                logging_level=logging.ERROR,
                log_to_driver=False,
                configure_logging=True,
            )
            return
        except Exception as error:  # a plain one is what Ray raises here
            ray.shutdown()
            if is_last:
                reason = str(error).splitlines()[0]
                raise UserError(
                    f"workers: {workers}, but Ray does not start: {reason} (0 plays without Ray)"
                ) from None


def check_address(address: str) -> None:
    """Whether something listens at host:port; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
        except (OSError, OverflowError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else str(error).lower()
            raise UserError(f"address {address!r}: no Ray cluster answers: {reason}") from None


def check_nodes(conditions: Iterable[Conditions]) -> None:
    """Whether every node of the cluster has this package, these rules and the isolation of the run.

    Raises:
        UserError: names the first that has not; one line.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    wanted = list(conditions)
    rules = {one.game_text: one.rules for one in wanted}
    walled = any(one.isolation == "sandbox" for one in wanted)
    task = ray.remote(num_cpus=0, max_retries=0)(lacking)
    asked = []
    for node in ray.nodes():
        if node["Alive"] and node["Resources"].get("CPU"):
            there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
            here = task.options(scheduling_strategy=there)
            asked.append(
                (node["NodeManagerAddress"], here.remote(rules, package_version(), walled))
            )
    for name, answer in asked:
        try:
            problem = ray.get(answer)
        except (ray.exceptions.NodeDiedError, ray.exceptions.TaskUnschedulableError):
            continue  # it is gone
        except ray.exceptions.RayError as error:
            lines = str(error).strip().splitlines() or [type(error).__name__]
            problem = f"cannot run tabletop-arena: {lines[-1]}; {SAME}"
        if problem:
            raise UserError(f"node {name}: {problem}")


def cluster_workers() -> int:
    """The cores of the cluster."""
    import ray

    resources: dict[str, float] = ray.cluster_resources()
    return max(1, int(resources.get("CPU", 1)))


def execute(
    feed: Feed, workers: int, address: str | None = None, stop: Callable[[], bool] = lambda: False
) -> Iterator[Outcome | None]:
    """Play everything a feed has: in this process with no workers, else on Ray."""
    if workers == 0 and address is None:
        try:
            yield from run_here(feed, stop)
        finally:
            close_children()
        return
    for left in reversed(range(RAY_STARTS)):
        try:
            with ray_started(workers, address) as available:
                if address is not None:
                    check_nodes(feed.conditions)
                yield from run_on_ray(feed, available, cluster=address is not None)
                return
        except RayLost:
            if not left or address is not None:
                problem = "Ray has ended in the middle of the run; what is stored stays"
                raise UserError(f"{problem}, the same command goes on") from None

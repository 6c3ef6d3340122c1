"""Spreads matches over workers: Ray tasks, or this process. The only module that knows Ray."""

import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from arena.execution.batches import Batch, Conditions, Feed, Outcome
from arena.execution.working import SAME, lacking, lost_outcome, play_batch, results_of
from arena.playing.containment import contained
from arena.playing.containment.children import close_children
from arena.store.files import reason_of
from arena.store.provenance import package_version
from bots.sources import Parcel
from engines.errors import UserError

WINDOW = 2  # tasks a worker has waiting or running: it never idles, and Ctrl-C loses little
RAY_STARTS = 3  # how often Ray may be lost in a run
COUNT_SECONDS = 5.0  # between two counts of a cluster's workers


class RayLost(Exception):
    """Ray itself has ended; what it played is void."""


# --- in the worker ----------------------------------------------------------------------------------------

_received: dict[str, Parcel] = {}  # files of bots that this process has


@contained
def results_from(
    batch: Batch, references: Mapping[str, Any]
) -> tuple[dict[str, Any], float, str, tuple[dict[str, Any], ...]] | None:
    """Play a batch in a worker of Ray. references: to the files of its bots, which a node is sent once."""
    import ray  # start-up time: seconds

    for key, reference in references.items():
        if key not in _received:
            _received[key] = ray.get(reference)
    parcels = tuple(_received[key] for key in references)
    return results_of(replace(batch, conditions=replace(batch.conditions, parcels=parcels)))


# --- in the driver ----------------------------------------------------------------------------------------


def run_here(feed: Feed, stop: Callable[[], bool] = lambda: False) -> Iterator[Outcome | None]:
    """Play everything in this process."""
    while (batch := feed.next(1) or feed.next_waiting(0)) is not None:
        outcome = play_batch(batch, stop)
        if outcome is None:
            return
        feed.pace.learn(outcome)
        yield outcome


def run_on_ray(feed: Feed, workers: int, cluster: bool = False) -> Iterator[Outcome | None]:
    """Play everything on Ray, inside `ray_started`; yields None when nothing came for a while.

    Args:
        cluster: nodes may come and go, so the workers are counted now and then.
    """
    import ray

    task = ray.remote(num_cpus=1, max_retries=0)(results_from)
    idle = ray.remote(num_cpus=0, max_retries=0)(results_from)  # waits for answers from elsewhere
    references: dict[str, Any] = {}
    running: dict[Any, Batch] = {}
    counted = time.monotonic()
    while True:
        if cluster and time.monotonic() - counted > COUNT_SECONDS:
            workers, counted = cluster_workers(), time.monotonic()
        while (batch := next_batch(feed, workers, running.values())) is not None:
            for parcel in batch.conditions.parcels:
                if parcel.key not in references:
                    references[parcel.key] = ray.put(parcel)
            here = {parcel.key: references[parcel.key] for parcel in batch.conditions.parcels}
            light = replace(batch, conditions=replace(batch.conditions, parcels=()))
            ask = idle if batch.conditions.waiting else task
            running[ask.remote(light, here)] = batch
        if not running:
            return
        ready, _ = ray.wait(list(running), num_returns=1, timeout=0.5)
        if not ready:
            yield None
        for reference in ready:
            batch = running.pop(reference)
            try:
                outcome = Outcome(batch, *ray.get(reference))
            except ray.exceptions.NodeDiedError:
                feed.back(batch)
                continue
            except (ray.exceptions.LocalRayletDiedError, ray.exceptions.RaySystemError):
                for lost in (batch, *running.values()):
                    feed.back(lost)
                raise RayLost from None
            except (
                ray.exceptions.WorkerCrashedError,
                ray.exceptions.OutOfMemoryError,
                ray.exceptions.ObjectLostError,
            ):
                for hopeless in feed.again(batch):
                    yield lost_outcome(hopeless)
                continue
            except ray.exceptions.RayTaskError as error:
                raise error.as_instanceof_cause() from None
            feed.pace.learn(outcome)
            yield outcome


def next_batch(feed: Feed, workers: int, running: Collection[Batch]) -> Batch | None:
    """The next batch: one that keeps a core busy if a worker has room, else one whose bots wait for answers."""
    waiting = sum(batch.conditions.waiting > 0 for batch in running)
    if len(running) - waiting < WINDOW * workers and (batch := feed.next(workers)) is not None:
        return batch
    return feed.next_waiting(waiting)


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

"""Running the cases in a pool of worker processes."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gradcli.shared.records.verification import CaseResult, GradientCase, Verification
from gradcli.verification.reproducing_commands import unrun
from gradcli.verification.worker_process import WorkerProcess

if TYPE_CHECKING:
    from gradcli.verification.cluster_workers import ClusterWorkers

Waiting = queue.SimpleQueue[tuple[int, GradientCase]]  # cases with their positions
Done = queue.SimpleQueue[tuple[int, CaseResult] | BaseException]

TICK = 0.2  # seconds between two calls of `Watcher.ticks`


class Watcher:
    """Receives the progress of a run; this base class ignores it."""

    def begins(self, count: int) -> None:
        """Called at the start with the number of cases."""

    def ends(self, result: CaseResult) -> None:
        """Called with the result of each case."""

    def ticks(self) -> None:
        """Called at regular intervals."""


def run(
    cases: Sequence[GradientCase],
    *,
    workers: int | ClusterWorkers = 1,
    max_memory: int | None = None,
    stops_early: bool = False,
    accepted: frozenset[str] = frozenset(),
    watcher: Watcher | None = None,
) -> Verification:
    """Run cases in worker processes.

    Args:
        cases: the cases.
        workers: the number of processes; 0 for one per processor. Or those of a cluster.
        max_memory: the limit of the memory of each process in bytes, on Linux; None for no limit.
        stops_early: whether to stop at the first failure.
        accepted: the fingerprints of accepted failures.
        watcher: the receiver of the progress.

    Ctrl-C ends the run, and the results so far are returned.
    """
    started = time.perf_counter()
    watcher = watcher or Watcher()
    watcher.begins(len(cases))
    results: dict[int, CaseResult] = {}
    interrupted = False
    try:
        for position, arrived in _results(cases, workers, max_memory, watcher):
            known = arrived.is_failure and arrived.fingerprint in accepted
            results[position] = result = arrived.changed(accepted="baseline") if known else arrived
            watcher.ends(result)
            if stops_early and result.is_failure:
                break
    except KeyboardInterrupt:
        interrupted = True
    done = tuple(results[position] for position in sorted(results))
    return Verification(done, time.perf_counter() - started, interrupted=interrupted, left_out=len(cases) - len(done))


def _results(
    cases: Sequence[GradientCase], workers: int | ClusterWorkers, max_memory: int | None, watcher: Watcher
) -> Iterator[tuple[int, CaseResult]]:
    """The results as they arrive with the positions of their cases, first those that need no worker."""
    left = []
    for position, case in enumerate(cases):
        if (result := unrun(case)) is not None:
            yield position, result
        else:
            left.append((position, case))
    if not left:
        return
    arriving = (
        _by_processes(left, workers, max_memory, watcher)
        if isinstance(workers, int)
        else workers.results(left, max_memory, watcher.ticks)
    )
    for position, result in arriving:
        yield position, result.changed(accepted="allow") if result.outcome in cases[position].allow else result


def _by_processes(
    cases: Sequence[tuple[int, GradientCase]], workers: int, max_memory: int | None, watcher: Watcher
) -> Iterator[tuple[int, CaseResult]]:
    """The results of processes of this machine."""
    waiting: Waiting = queue.SimpleQueue()
    for case in cases:
        waiting.put(case)
    count = len(cases)
    processes = [WorkerProcess(max_memory) for _ in range(min(count, workers or processors()))]
    done: Done = queue.SimpleQueue()
    threads = [threading.Thread(target=_work, args=(process, waiting, done), daemon=True) for process in processes]
    try:
        for thread in threads:
            thread.start()
        while count:
            try:
                arrived = done.get(timeout=TICK)
            except queue.Empty:
                watcher.ticks()
                continue
            if isinstance(arrived, BaseException):
                raise arrived
            count -= 1
            yield arrived
    finally:
        for process in processes:
            process.end()


def processors() -> int:
    """The number of processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work(process: WorkerProcess, waiting: Waiting, done: Done) -> None:
    """Run waiting cases until none is left."""
    try:
        while True:
            position, case = waiting.get_nowait()
            done.put((position, process.judged(case)))
    except queue.Empty:
        return
    except BaseException as error:
        done.put(error)

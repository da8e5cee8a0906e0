"""Running the cases in a pool of worker processes."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from gradcli.records.verification import CaseResult, GradientCase, Verification
from gradcli.verification.reproducing_commands import unrun
from gradcli.verification.worker_process import WorkerProcess

AUTO = 0  # one worker per processor
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
    workers: int = 1,
    stops_early: bool = False,
    accepted: frozenset[str] = frozenset(),
    watcher: Watcher | None = None,
    **fields: Any,
) -> Verification:
    """Run cases in worker processes.

    Args:
        cases: the cases.
        workers: the number of processes; `AUTO` for one per processor.
        stops_early: whether to stop at the first failure.
        accepted: the fingerprints of accepted failures.
        watcher: the receiver of the progress.
        fields: further fields of the record.

    Ctrl-C ends the run, and the results so far are returned.
    """
    started = time.perf_counter()
    watcher = watcher or Watcher()
    watcher.begins(len(cases))
    results: dict[str, CaseResult] = {}
    interrupted = False
    try:
        for found in _results(cases, workers, watcher):
            known = found.is_failure and found.fingerprint in accepted
            result = found.changed(accepted="baseline") if known else found
            results[result.case.name] = result
            watcher.ends(result)
            if stops_early and result.is_failure:
                break
    except KeyboardInterrupt:
        interrupted = True
    done = tuple(results[case.name] for case in cases if case.name in results)
    return Verification(
        done, time.perf_counter() - started, interrupted=interrupted, left_out=len(cases) - len(done), **fields
    )


def _results(cases: Sequence[GradientCase], workers: int, watcher: Watcher) -> Iterator[CaseResult]:
    """The results as they arrive, first those of cases that are not run and need no worker."""
    waiting: queue.SimpleQueue[GradientCase] = queue.SimpleQueue()
    count = 0
    for case in cases:
        if (result := unrun(case)) is not None:
            yield result
        else:
            waiting.put(case)
            count += 1
    processes = [WorkerProcess() for _ in range(min(count, workers or processors()))]
    done: queue.SimpleQueue[CaseResult | BaseException] = queue.SimpleQueue()
    threads = [threading.Thread(target=_work, args=(each, waiting, done), daemon=True) for each in processes]
    try:
        for thread in threads:
            thread.start()
        while count:
            try:
                found = done.get(timeout=TICK)
            except queue.Empty:
                watcher.ticks()
                continue
            if isinstance(found, BaseException):
                raise found
            count -= 1
            yield found
    finally:
        for each in processes:
            each.end()


def processors() -> int:
    """The number of processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _work(
    process: WorkerProcess,
    waiting: queue.SimpleQueue[GradientCase],
    done: queue.SimpleQueue[CaseResult | BaseException],
) -> None:
    """Run waiting cases until none is left."""
    try:
        while True:
            case = waiting.get_nowait()
            result = process.judged(case)
            done.put(result.changed(accepted="allow") if result.outcome in case.allow else result)
    except queue.Empty:
        return
    except BaseException as error:
        done.put(error)

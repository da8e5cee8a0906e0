"""Running the cases on a Dask cluster, each in a process that a worker of the cluster starts."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from gradcli.many_points.executors import answers, executor
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.verification import CaseResult, GradientCase
from gradcli.verification.worker_messages import line, result_of
from gradcli.verification.worker_process import WorkerProcess


class ClusterWorkers(Frozen, eq=False):
    """The workers of a Dask cluster.

    Args:
        client: a client of Dask, or the address of a scheduler.
    """

    client: Any

    def results(
        self, cases: Iterable[tuple[int, GradientCase]], max_memory: int | None, idle: Callable[[], None]
    ) -> Iterator[tuple[int, CaseResult]]:
        """Yield the results as they arrive with the positions of their cases; `idle` is called at regular intervals.

        Raises:
            UsageError: the cluster does not answer, or has other versions.
        """
        waiting = iter(cases)
        known: dict[int, GradientCase] = {}
        with executor(self.client) as (pool, ahead, client):
            try:
                for position, text in answers(partial(_judged, max_memory), _noted(waiting, known), pool, ahead, idle):
                    yield position, result_of(json.loads(text), known.pop(position))
            finally:
                client.run(_end)


def _noted(
    cases: Iterator[tuple[int, GradientCase]], known: dict[int, GradientCase]
) -> Iterator[tuple[int, GradientCase]]:
    """Yield cases, and keep them by position."""
    for position, case in cases:
        known[position] = case
        yield position, case


_PROCESSES: dict[int, WorkerProcess] = {}  # by thread


def _judged(max_memory: int | None, task: tuple[int, GradientCase]) -> tuple[int, bytes]:
    """The result of a case as a line of JSON, on a worker."""
    position, case = task
    if not os.path.isdir(case.folder):
        message = f"the folder {case.folder} is not on the worker; the machines of the cluster must share the project"
        return position, line(CaseResult(case, "error", message))
    process = _PROCESSES.setdefault(threading.get_ident(), WorkerProcess(max_memory))
    return position, line(process.judged(case))


def _end() -> None:
    """End the processes of a worker."""
    while _PROCESSES:
        _PROCESSES.popitem()[1].end()

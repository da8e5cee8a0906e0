"""Where chunks are computed: in this process, in others of this machine, or on a Dask cluster."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from itertools import islice
from typing import Any, TypeVar

from gradcli.errors import EndedProcessError, GradcliError, UsageError

Task = TypeVar("Task")
Answer = TypeVar("Answer")

AHEAD = 3  # chunks for each worker that are read before their turn comes
CONNECTING = 30.0  # seconds
RETRIES = 3
TICK = 0.2  # seconds
LOGGED = 10  # messages that a scheduler keeps, each with its chunk; it would keep a thousand for each worker


def answers(
    run: Callable[[Task], Answer],
    tasks: Iterator[Task],
    executor: Executor | None,
    ahead: int,
    idle: Callable[[], None] = lambda: None,
) -> Iterator[Answer]:
    """Yield the answers as they come; only so many tasks are out at a time. `idle` is called at regular intervals.

    Raises:
        EndedProcessError: a task ended its process, each time that it was tried.
    """
    if executor is None:
        yield from map(run, tasks)
        return
    waiting = {executor.submit(run, task) for task in islice(tasks, ahead)}
    while waiting:
        done, waiting = wait(waiting, TICK, FIRST_COMPLETED)
        idle()
        for future in done:
            try:
                answer = future.result()
            except Exception as error:
                if isinstance(error, BrokenProcessPool) or type(error).__name__ == "KilledWorker":
                    raise EndedProcessError(f"A worker was ended while it computed: {error}") from None
                raise
            waiting |= {executor.submit(run, task) for task in islice(tasks, 1)}
            yield answer


@contextmanager
def executor(client: Any) -> Iterator[tuple[Executor | None, int, Any]]:
    """An executor, how many tasks it should be given at a time, and the client of Dask; None for this process.

    Args:
        client: a client of Dask, the address of a scheduler, or the number of processes on this machine, which are a
            local cluster where Dask is installed.

    Raises:
        UsageError: the scheduler does not answer, has no workers, or has other versions of Python or of libraries.
    """
    with ExitStack() as opened:
        if client == 1:
            yield None, 1, None
            return
        if isinstance(client, int) and not _has_dask():
            yield opened.enter_context(_processes(client)), AHEAD * client, None
            return
        connected = opened.enter_context(dask_client(client))
        check_versions(connected.get_versions(packages=["gradcli"]))
        threads = sum(connected.nthreads().values())
        pool = connected.get_executor(pure=False, retries=RETRIES)
        opened.callback(pool.shutdown, wait=False)
        yield pool, AHEAD * threads, connected


def _has_dask() -> bool:
    from importlib.util import find_spec

    return find_spec("distributed") is not None


@contextmanager
def _processes(workers: int) -> Iterator[Executor]:
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(workers, get_context("spawn"), _set_up)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _set_up() -> None:
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def dask_client(client: Any) -> Iterator[Any]:
    """A client of Dask: itself, one that is connected to an address, or one of a local cluster of so many workers.

    Raises:
        UsageError: Dask is not installed, or the scheduler does not answer or has no workers.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError("A Dask cluster needs Dask.", hint="pip install 'gradcli[dask]'") from None
    with ExitStack() as opened:
        if isinstance(client, int):
            opened.enter_context(dask.config.set({"distributed.admin.low-level-log-length": LOGGED}))
            with _interrupts_ignored():  # as its workers inherit: Ctrl-C is for the command, which ends them
                cluster = LocalCluster(
                    n_workers=client, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
                )
            client = opened.enter_context(Client(opened.enter_context(cluster), direct_to_workers=True))
        elif isinstance(client, str):
            try:
                client = opened.enter_context(Client(client, timeout=CONNECTING))
            except (OSError, ValueError, TimeoutError) as error:
                reason = str(error).split("\n")[0]
                hint = "Type the address that `dask scheduler` prints, such as tcp://127.0.0.1:8786."
                raise UsageError(f"No Dask scheduler answers at {client}: {reason}.", hint=hint) from None
        try:
            client.wait_for_workers(1, timeout=CONNECTING)
        except TimeoutError:
            raise UsageError("The Dask cluster has no workers.", hint="Start some: dask worker ADDRESS") from None
        yield client


def check_versions(versions: dict[str, Any]) -> None:
    """Compare the versions of Python, NumPy and gradcli on the workers with those here.

    Raises:
        UsageError: they differ.
    """
    here = versions["client"]["packages"]
    for address, worker in versions["workers"].items():
        there = worker["packages"]
        for name in ("python", "numpy", "gradcli"):
            if there.get(name) != here.get(name):
                title = {"python": "Python", "numpy": "NumPy"}.get(name, name)
                came = f"{there[name]}" if there.get(name) else "none"
                raise UsageError(
                    f"The worker at {address} has another {title}: {came}, and this machine has {here[name]}.",
                    hint=f"Install {title} {here[name]} there.",
                )


def upload(client: Any, file: str) -> None:
    """Send a Python file to the workers, present and future, where it can be imported by its name.

    Raises:
        UsageError: it cannot be imported there.
    """
    try:
        client.upload_file(file)
    except GradcliError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).split(chr(10))[0]}"
        hint = "What it imports must be installed on the workers."
        raise UsageError(f"The workers cannot import {file!r}: {reason}", hint=hint) from None

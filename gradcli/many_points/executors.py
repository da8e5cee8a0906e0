"""Where chunks are computed: in this process, in others of this machine, or on a Dask cluster."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from itertools import islice
from multiprocessing import get_context
from typing import Any, TypeVar

from gradcli.errors import EndedProcessError, UsageError

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
        elif isinstance(client, int) and find_spec("distributed") is None:
            pool: Executor = ProcessPoolExecutor(client, get_context("spawn"), dask_setup)
            opened.callback(pool.shutdown, cancel_futures=True)
            yield pool, AHEAD * client, None
        else:
            connected = opened.enter_context(dask_client(client))
            check_versions(connected.get_versions(packages=["gradcli"]))
            pool = DaskExecutor(connected)
            opened.callback(pool.shutdown)
            yield pool, AHEAD * sum(connected.nthreads().values()), connected


class DaskExecutor(Executor):
    """The workers of a Dask cluster. A result that is lost with its worker is computed again.

    The executor that Dask's client gives takes such a result for an error, if its worker ends after it has sent it.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._tasks: set[Any] = set()

    def submit(self, run: Callable[..., Answer], /, *values: Any, **options: Any) -> Future[Answer]:
        """Have a task computed by a worker; what it raises is raised by the future."""
        task = self._client.submit(run, *values, **options, pure=False, retries=RETRIES)
        self._tasks.add(task)
        answer: Future[Answer] = Future()
        self._client.loop.add_callback(self._pass_on, task, answer)
        return answer

    async def _pass_on(self, task: Any, answer: Future[Any]) -> None:
        """Wait for a task of Dask, and set its result."""
        try:
            answer.set_result(await self._client.gather(task, asynchronous=True))
        except Exception as error:
            answer.set_exception(error)
        self._tasks.discard(task)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel all tasks that are left, at once."""
        self._client.cancel(list(self._tasks))


def dask_setup(worker: Any = None) -> None:
    """Prepare a process of this machine, by the name that Dask calls: Ctrl-C and stdout are for the command alone."""
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


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
            options = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL, "preload": __name__}
            cluster = LocalCluster(n_workers=client, threads_per_worker=1, **options)
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
        for name, title in (("python", "Python"), ("numpy", "NumPy"), ("gradcli", "gradcli")):
            if (there := worker["packages"].get(name)) != here[name]:
                message = f"The worker at {address} has another {title}: {there or 'none'}"
                raise UsageError(
                    f"{message}, and this machine has {here[name]}.", hint=f"Install {title} {here[name]} there."
                )


def upload(client: Any, file: str) -> None:
    """Send a Python file to the workers, present and future, where it can be imported by its name.

    Raises:
        UsageError: it cannot be imported there.
    """
    try:
        client.upload_file(file)
    except Exception as error:
        message = f"The workers cannot import {file!r}: {type(error).__name__}: {str(error).split(chr(10))[0]}"
        raise UsageError(message, hint="What it imports must be installed on the workers.") from None

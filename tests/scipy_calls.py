"""Calls of SciPy's functions with recorded arguments, each function in a process of its own: none may crash.

`python -m tests.scipy_calls [COUNT]` calls so many functions (default 300) of all that SciPy documents, evenly chosen,
compiled ones among them, and prints those that ended their process. Whether a call is served or refused is not asked.
"""

import contextlib
import gc
import inspect
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np

from gradcli import grad

MODULES = (
    "cluster.hierarchy", "cluster.vq", "fft", "fftpack", "integrate", "interpolate", "linalg", "linalg.blas",
    "linalg.lapack", "ndimage", "optimize", "signal", "signal.windows", "sparse", "sparse.csgraph", "sparse.linalg",
    "spatial", "spatial.distance", "special", "stats", "stats.mstats", "stats.qmc",
)  # fmt: skip
MOST = 4  # arguments
SECONDS = 3  # of the processor for a function; one that takes more is no crash
REPEATS = 3  # a wrong count of references shows later

POINT = np.array([0.3, 0.7, 0.45, 0.6])

Form = Callable[[Any], Any]
FORMS: tuple[Form, ...] = (
    lambda x: x,
    lambda x: x[0],
    lambda x: np.outer(x, x) + np.eye(len(x)),
    lambda x: [x[0], x[1], x[2]],
    lambda x: [[x[0], x[1]], [x[2], 1.0]],
)
FIRSTS: tuple[Form, ...] = (lambda x: lambda *arguments: x[0] * arguments[0], lambda x: np.eye(len(x)), lambda x: 3)


def functions() -> list[tuple[str, Any]]:
    """SciPy's public functions and classes by name, in the order of the modules."""
    known: dict[int, tuple[str, Any]] = {}
    for name in MODULES:
        module = import_module(f"scipy.{name}")
        for key in sorted(getattr(module, "__all__", None) or dir(module)):
            item = getattr(module, key, None)
            if callable(item) and not key.startswith("_") and not key.startswith("test"):
                known.setdefault(id(item), (f"{name}.{key}", item))
    return list(known.values())


def argument_forms(function: Any) -> Iterator[list[Form]]:
    """Yield lists of forms of arguments for a function, by the number that it needs."""
    if isinstance(function, np.ufunc):
        numbers = [function.nin]
    else:
        try:
            parameters = inspect.signature(function).parameters.values()
            numbers = [sum(p.default is p.empty and p.kind < p.VAR_POSITIONAL for p in parameters)]
        except (TypeError, ValueError):
            numbers = [1, 2, 3]
    for number in (min(number, MOST) for number in numbers):
        yield from ([form] * number for form in FORMS)
        yield from ([first, *[FORMS[0]] * (number - 1)] for first in FIRSTS if number)


def call(function: Any) -> None:
    """Call a function with recorded arguments in recorded runs."""
    for forms in argument_forms(function):
        for _ in range(REPEATS):
            with contextlib.suppress(Exception):
                grad(lambda x, forms=forms: np.sum(x) + 0 * np.size(function(*[form(x) for form in forms])))(POINT)
        gc.collect()


def ended(function: Any) -> int:
    """The signal that ended the process of the calls of a function; 0 for none."""
    if not (child := os.fork()):
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nowhere, number)
        signal.signal(signal.SIGPROF, lambda *_: os._exit(0))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        with contextlib.suppress(BaseException), warnings.catch_warnings(action="ignore"):
            call(function)
        os._exit(0)
    for _ in range(SECONDS * 200 + 1000):
        number, status = os.waitpid(child, os.WNOHANG)
        if number:
            return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        signal.sigtimedwait([], 0.005)
    os.kill(child, signal.SIGKILL)  # it does not return from C
    os.waitpid(child, 0)
    return 0


def crashed(count: int) -> list[str]:
    """The functions, of so many evenly chosen ones, whose calls ended their process, each with the signal."""
    every = functions()
    call(np.hypot)  # what all processes need is then imported
    chosen = [every[n * len(every) // count] for n in range(min(count, len(every)))]
    with warnings.catch_warnings(action="ignore"):  # those of threads, which a fork ends
        found = ((name, ended(function)) for name, function in chosen)
        return [f"{name}: {signal.Signals(number).name}" for name, number in found if number]


def main() -> int:
    """Print the functions that crashed, and return whether any has."""
    lines = crashed(int(sys.argv[1]) if sys.argv[1:] else 300)
    sys.stdout.write("".join(f"{line}\n" for line in lines) or "no function crashed\n")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())

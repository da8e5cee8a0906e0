"""`python -m benchmarks.pullbacks [TEXT]`: the functions whose gradient costs out of proportion to themselves.

Every served function of NumPy's and SciPy's (or those whose program contains TEXT) is summed, with weights and with its
argument, at 100, 10,000 and 1,000,000 elements. The gradient of the sum should take at most ten times as long as the
sum at the largest size, and its share should not grow. `EXCEPTIONS` names those that may, with the reason.

The row of `python -m benchmarks` takes the same functions at smaller sizes. There the cost may be that of calls
and not of elements, so only the growth counts.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np

import gradcli
from benchmarks.functions_at_size import EXCEPTIONS, MODULES, forms
from benchmarks.timing import Call
from tests.array_forms import parts, positive

SIZES = (100, 10_000, 1_000_000)
FEW = (300, 3_000, 30_000)  # of the row; from one to the next, the share of a quadratic gradient grows tenfold
MOST = 10.0  # times the function, at the largest size
GROWTH = 4.0  # of that ratio, from one size to the next
LONGEST = 3.0  # seconds that a function or a gradient may take; larger sizes are left out
SLICE = 2e-3  # seconds of a measurement
ALL_PAIRS = 5 * SIZES[0]  # elements of a result; one of all pairs of the argument's has more


class Measured(NamedTuple):
    """A program and the seconds that it and its gradient take, by size."""

    text: str
    times: dict[int, tuple[float, float]]

    @property
    def ratios(self) -> dict[int, float]:
        """The time of the gradient relative to that of the program, by size."""
        return {size: gradient / function for size, (function, gradient) in self.times.items()}

    @property
    def grows(self) -> bool:
        """Whether the gradient grows faster than the program."""
        *before, last = self.ratios.values()
        return bool(before) and last > GROWTH * max(1.0, before[-1])

    @property
    def is_proportionate(self) -> bool:
        """Whether the gradient keeps to the bounds."""
        return not self.grows and [*self.ratios.values()][-1] <= MOST

    def __str__(self) -> str:
        ratios = ", ".join(f"{ratio:.3g}x at {size:,}" for size, ratio in self.ratios.items())
        return f"{self.text}: {ratios}"


def numbers(kind: str, size: int, seed: int) -> Any:
    """A line or an image of so many numbers between 0.5 and 2, or a well-conditioned matrix."""
    side = math.isqrt(size)
    values = np.random.default_rng(seed).uniform(0.5, 2.0, size if kind == "line" else (side, side))
    return values if kind != "matrix" else (values - 1.25) / (8.0 * side) + np.diag(np.linspace(1.0, 2.0, side))


class Subject(NamedTuple):
    """A program with the kind of its argument, and whether its result has the square of the argument's size."""

    text: str
    kind: str
    squares: bool = False

    def function(self, size: int) -> tuple[Callable[[Any, Any], Any], Any, Any]:
        """The program, and arguments of which they or the result have about so many elements."""
        size = math.isqrt(size) if self.squares else size
        x, y = numbers(self.kind, size, 0), numbers(self.kind, size, 1)
        sites = {"at": np.linspace(0.5, 2.0, len(x)), "few": np.linspace(0.2, 1.0, 9)}
        libraries = {name: import_module(path) for name, path in MODULES.items() if f"{name}." in self.text}
        names = {"np": np, "parts": parts, "positive": positive, **sites, **libraries, "__name__": "a_program"}
        return eval(f"lambda x, y: {self.text}", names), x, y  # the text is our own

    def calls(self, size: int) -> tuple[Call, Call]:
        """The sum of the argument and of the weighted result, and its gradient."""
        function, x, y = self.function(size)
        weights = np.random.default_rng(2).uniform(-1.0, 1.0, np.shape(function(x, y)))

        def total(x: Any) -> Any:
            return np.sum(x) + np.sum(np.real(function(x, y)) * weights)

        gradient = gradcli.grad(total)
        return lambda: total(x), lambda: gradient(x)


def subject(text: str, kind: str) -> Subject:
    """A program of a line or a matrix; of an image if it takes no line.

    Raises:
        ValueError: it takes neither.
    """
    for taken in dict.fromkeys((kind, "image")):
        with suppress(ValueError, TypeError, IndexError, np.linalg.LinAlgError):
            function, x, y = Subject(text, taken).function(SIZES[0])
            return Subject(text, taken, np.size(function(x, y)) >= ALL_PAIRS)
    raise ValueError(f"{text} takes neither a line nor an image")


def measured(program: Subject, sizes: Sequence[int] = SIZES) -> dict[int, tuple[float, float]]:
    """The times at the first two sizes, and at larger ones that take seconds at most."""
    times: dict[int, tuple[float, float]] = {}
    work = 1000.0 if program.kind == "matrix" else 100.0  # from one size to the next
    for size in sizes:
        times[size] = shortest(program.calls(size), 1)
        if size >= sizes[1] and work * max(times[size]) > LONGEST:
            break
    return times


def remeasured(program: Subject, sizes: Sequence[int]) -> dict[int, tuple[float, float]]:
    """The times in a process of its own, whose memory no other program has used."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(_repeated, program, sizes).result()


def _repeated(program: Subject, sizes: Sequence[int]) -> dict[int, tuple[float, float]]:
    with quiet():
        return {size: shortest(program.calls(size), 5) for size in sizes}


@contextmanager
def quiet() -> Iterator[None]:
    """A context without warnings of numbers that are not finite."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def shortest(calls: tuple[Call, Call], repeats: int) -> tuple[float, float]:
    """The shortest processor time of two calls that take turns, which other programs affect less than the wall time."""
    rounds = []
    for call in calls:
        call()  # which compiles, and fills caches
        rounds.append(max(1, round(SLICE / max(seconds(call, 1), 1e-9))))
    taken = [[seconds(call, n) for call, n in zip(calls, rounds, strict=True)] for _ in range(repeats)]
    function, gradient = map(min, zip(*taken, strict=True))
    return function, gradient


def seconds(call: Call, rounds: int) -> float:
    """The processor time of a call."""
    begin = time.process_time()
    for _ in range(rounds):
        call()
    return (time.process_time() - begin) / rounds


def swept(part: str, sizes: Sequence[int], keeps: Callable[[Measured], bool]) -> Iterator[Measured]:
    """The programs whose text contains `part`, measured again at the last sizes if they do not keep to a bound."""
    with quiet():
        for text, kind in forms():
            if part in text:
                program = subject(text, kind)
                times = measured(program, sizes)
                if text not in EXCEPTIONS and not keeps(Measured(text, times)):
                    times |= remeasured(program, [*times][-2:])
                yield Measured(text, times)


def growing(part: str, sizes: Sequence[int]) -> int:
    """The number of programs whose gradient grows faster than they do and that are not among the exceptions."""
    programs = swept(part, sizes, lambda program: not program.grows)
    worse = [program for program in programs if program.grows and program.text not in EXCEPTIONS]
    for program in worse:
        print(program, file=sys.stderr)
    return len(worse)


def main() -> int:
    """Sweep and print; returns 1 if a program is out of proportion and not listed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="?", default="", help="measure the programs with this text in them")
    parser.add_argument("--all", action="store_true", help="print those in proportion too")
    chosen = parser.parse_args()
    count = new = 0
    for program in swept(chosen.part, SIZES, lambda program: program.is_proportionate):
        count += 1
        listed = EXCEPTIONS.get(program.text)
        new += not program.is_proportionate and listed is None
        if chosen.all or not program.is_proportionate:
            print(f"{program}{f' (listed: {listed})' if listed else ''}", flush=True)
    print(f"{count} programs, {new} out of proportion and not listed")
    return int(new > 0)


if __name__ == "__main__":
    sys.exit(main())

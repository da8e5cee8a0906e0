"""`python -m benchmarks.cost`: what a gradient costs beside its function and differences, for more and more inputs.

Four families of programs, from 1 to 1,000,000 inputs. Times are divided by that of the function: a reverse sweep takes
at most about 8 times its operations (B. Speelpenning, Compiling fast partial derivatives of functions given by
algorithms, 1980), and one-sided differences take a call per input and one more.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

import gradcli
from benchmarks.timing import medians

SIZES = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000)
BOUND = 8.0  # of the reverse sweep, in operations
MOST_OF_LOOPS = 100_000  # inputs of a loop over numbers, of which recording takes a microsecond each
WAYS = ("recorded", "derived", "compiled")


def product(x: Any) -> Any:
    """A loop over numbers."""
    total = 1.0
    for number in x:
        total = total * (1.0 + 1e-6 * number)
    return total


def valley(x: Any) -> Any:
    """Elements beside each other."""
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2) + np.sum((1 - x) ** 2)


def walk(x: Any) -> Any:
    """A running sum and functions of one number."""
    return np.sum(np.exp(-0.01 * np.cumsum(np.sin(x)) ** 2))


def regression(w: Any) -> Any:
    """Products of a matrix, of ten rows."""
    rows = np.cos(np.arange(10 * len(w))).reshape(10, len(w))
    return np.sum(np.logaddexp(0.0, -(rows @ w)))


FAMILIES = {"loop": product, "elements": valley, "running sum": walk, "matrix": regression}


def point(family: str, size: int) -> Any:
    """The point of a family, a list for a loop over numbers."""
    x = 1.0 + 0.5 * np.sin(np.arange(size))
    return x.tolist() if family == "loop" else x


def sizes(family: str) -> Iterator[int]:
    """The numbers of inputs of a family."""
    return (size for size in SIZES if family != "loop" or size <= MOST_OF_LOOPS)


def gradients(f: Callable[..., Any], x: Any) -> dict[str, Callable[..., Any]]:
    """The gradients by each way."""
    return {
        "recorded": gradcli.grad(f),
        "derived": derived(f, min(len(x), 3)),
        "compiled": gradcli.grad(f, compile=True),
    }


@functools.cache
def derived(f: Callable[..., Any], few: int) -> Callable[..., Any]:
    """The derived program at a few inputs, which serves any number of them."""
    family = next(name for name, other in FAMILIES.items() if other is f)
    return gradcli.derive(f, at=(point(family, few),)).function


def ratios(family: str, size: int, repeats: int, slice_s: float) -> dict[str, float]:
    """The time of each way divided by that of the function, and the function's own seconds."""
    f, x = FAMILIES[family], point(family, size)
    calls = {"function": partial(f, x), **{way: partial(g, x) for way, g in gradients(f, x).items()}}
    taken = medians(calls, repeats, slice_s)
    return {"function": taken["function"], **{way: taken[way] / taken["function"] for way in WAYS}}


def line(size: int, measured: Mapping[str, float]) -> str:
    """A line of the table; the break-even is that of the fastest way, in inputs."""
    cells = "".join(f"{measured[way]:>10.3g}{'*' if measured[way] > BOUND else ' '}" for way in WAYS)
    fastest = min(measured[way] for way in WAYS)
    return f"{size:>9,}{measured['function'] * 1e6:>12.3g}{cells}{size + 1:>14,}{max(1, int(fastest)):>12,}"


HEAD = f"{'inputs':>9}{'f, µs':>12}{''.join(f'{way:>10} ' for way in WAYS)}{'differences':>14}{'break-even':>12}"


def main(arguments: list[str] | None = None) -> int:
    """Print the tables."""
    build = argparse.ArgumentParser(prog="python -m benchmarks.cost", description=__doc__)
    build.add_argument("--only", choices=FAMILIES, help="this family alone")
    build.add_argument("--quick", action="store_true", help="few inputs and one repeat: shows that it runs")
    options = build.parse_args(arguments)
    print(f"times divided by that of the function; * is over {BOUND:g}")
    for family, f in FAMILIES.items():
        if options.only in (None, family):
            print(f"\n{family}: {f.__doc__}\n{HEAD}")
            for size in sizes(family):
                if not options.quick or size <= 10:
                    effort = (1, 1e-3) if options.quick else (5, 0.03)
                    print(line(size, ratios(family, size, *effort)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

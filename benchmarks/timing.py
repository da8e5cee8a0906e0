"""Medians over interleaved repeats, so that a slowdown of the machine affects all contenders."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from operator import truediv
from pathlib import Path

Call = Callable[[], object]

ROOT = Path(__file__).resolve().parents[1]


def medians(calls: Mapping[str, Call], repeats: int, slice_s: float) -> dict[str, float]:
    """The median seconds per call of each contender, which take turns of about `slice_s` in every repeat.

    A machine's speed drifts from one second to the next. So the ratio of two times is that of slices in the same
    repeat: the time of every contender after the first is the first one's median times the median of these ratios.

    Existing objects are exempt from garbage collection: scanning the modules of all libraries takes a tenth of a
    second, which would be charged to an arbitrary contender.
    """
    gc.collect()
    gc.freeze()
    rounds = {name: rounds_in(call, slice_s) for name, call in calls.items()}
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(repeats):
        for name, call in calls.items():
            samples[name].append(seconds(call, rounds[name]) / rounds[name])
    first, *_ = samples.values()
    typical = statistics.median(first)
    return {name: typical * statistics.median(map(truediv, taken, first)) for name, taken in samples.items()}


def rounds_in(call: Call, slice_s: float) -> int:
    """The number of calls that fill the slice; the first, which includes compilation and caches, does not count."""
    call()
    rounds = 1
    while (taken := seconds(call, rounds)) < slice_s / 4:
        rounds *= 4
    return max(1, round(rounds * slice_s / taken))


def seconds(call: Call, rounds: int) -> float:
    """The wall time of a number of calls."""
    start = time.perf_counter()
    for _ in range(rounds):
        call()
    return time.perf_counter() - start


def process(code: str) -> Call:
    """A call that runs Python code in a fresh process at the project's root and requires success.

    Bytecode is written, as `pip install` does; otherwise a source tree would be compiled at every start.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=own)

    return run

"""Medians over interleaved repeats, so that a machine that slows down slows everybody."""

from __future__ import annotations

import gc
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

Call = Callable[[], object]

ROOT = Path(__file__).resolve().parents[1]


def medians(calls: Mapping[str, Call], repeats: int, slice_s: float) -> dict[str, float]:
    """The median seconds of one call of each, every repeat giving each of them its turn of about `slice_s`.

    What was there before is kept from the garbage collector: to look through the modules of all tools together takes a
    tenth of a second, which would fall to whoever happens to make the next object.
    """
    gc.collect()
    gc.freeze()
    try:
        rounds = {name: rounds_in(call, slice_s) for name, call in calls.items()}
        samples: dict[str, list[float]] = {name: [] for name in calls}
        for _ in range(repeats):
            for name, call in calls.items():
                samples[name].append(seconds(call, rounds[name]) / rounds[name])
    finally:
        gc.unfreeze()
    return {name: statistics.median(taken) for name, taken in samples.items()}


def rounds_in(call: Call, slice_s: float) -> int:
    """How many calls fill the slice; the first, which pays for compiling and caches, does not count."""
    call()
    rounds = 1
    while (taken := seconds(call, rounds)) < slice_s / 4:
        rounds *= 4
    return max(1, round(rounds * slice_s / taken))


def seconds(call: Call, rounds: int) -> float:
    """The wall time of so many calls."""
    start = time.perf_counter()
    for _ in range(rounds):
        call()
    return time.perf_counter() - start


def process(code: str) -> Call:
    """A call that runs Python code in a fresh process at the project's root and insists that it succeeds.

    Bytecode is written, as `pip install` does it: otherwise a source tree would be compiled anew at every start.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run() -> None:
        subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, cwd=ROOT, env=own)

    return run

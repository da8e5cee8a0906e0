"""Gradients in gradients: one outer gradient of GradBench's nested evaluations in each mode, beside autograd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import gradcli
from benchmarks.bounds import Faster
from benchmarks.gradbench.modes import forward
from benchmarks.gradbench.programs import particle, saddle
from benchmarks.neighbours import OURS
from benchmarks.row import Effort, Row
from benchmarks.timing import medians

MODES = {"r": gradcli.grad, "f": forward}
WORDS = {"r": "reverse", "f": "forward"}
START = [1.0, 1.0]  # of the descent in each call of the saddle's maximum
POINTS = {"saddle": [0.5, 0.5], "particle": [0.2]}


def gradient(name: str, mode: str, programs: Any, modes: Any) -> Callable[[Any], Any]:
    """The outer gradient of an evaluation by one library's programs and gradients."""
    outer, inner = (modes[letter] for letter in mode)
    return outer(programs.maximum(inner, START) if name == "saddle" else programs.distance(inner))  # type: ignore[no-any-return]


def measured(name: str, mode: str) -> Callable[[Effort], dict[str, float]]:
    """A measurement of an evaluation's outer gradient; the results must agree."""

    def measure(effort: Effort) -> dict[str, float]:
        ours = gradient(name, mode, {"saddle": saddle, "particle": particle}[name], MODES)
        calls = {OURS: partial(ours, POINTS[name])}
        if "autograd" in effort.adapters:
            from benchmarks.gradbench import with_autograd

            theirs = gradient(name, mode, with_autograd, with_autograd.MODES)
            calls["autograd"] = partial(theirs, np.array(POINTS[name]))
            np.testing.assert_allclose(calls[OURS](), calls["autograd"](), 1e-9)
        return medians(calls, min(effort.repeats, 5), effort.slice_s)

    return measure


def rows() -> Iterator[Row]:
    """A row for each evaluation and mode."""
    for name in POINTS:
        for mode in ("rr", "ff", "fr", "rf"):
            work = f"{name}: {WORDS[mode[0]]} over {WORDS[mode[1]]}"
            yield Row(f"{name}-{mode}", work, measured(name, mode), None, {"autograd": Faster(1)})

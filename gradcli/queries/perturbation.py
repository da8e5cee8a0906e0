"""Tests of a sensitivity: one quantity of a run is changed, and the rest of the run is computed again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.answers.targets import Asked, Where
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Diverged
from gradcli.errors import UnsupportedError
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import ask
from gradcli.queries.node_selection import Picked, picked
from gradcli.queries.tape_listing import place_of
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import record_value
from gradcli.shared.records.explanations import CentralDifference, Perturbation

STEPS = (1e-1, 1e-3, 1e-5)  # relative to the size of the quantity; the last is near the best for float64 differences


def perturb(target: Asked, at: Where, node: str, wrt: str | None = None, *, libraries: bool = False) -> Perturbation:
    """The sensitivity to the quantity `node`, and the results with it decreased and increased.

    Everything after the quantity is computed again along the recorded path; nothing before it is. With `libraries`,
    the quantities inside installed packages have names too.

    Raises:
        UsageError: the target, the point or the quantity cannot be understood, found or fitted.
        ResultError: the result is not one number.
        UnsupportedError: the quantity is complex.
    """
    question = ask(target, at, wrt)
    trace = question.record(names=True, libraries=libraries)
    value = float(number_of(question.function, trace.value, needed_by="explain"))
    chosen = picked(trace, node)
    there = trace.nodes[chosen.node]
    here = there.value
    if np.iscomplexobj(here):
        raise UnsupportedError(f"{chosen.name} is complex, and only real quantities can be perturbed")
    return question.answer(
        Perturbation,
        value,
        chosen.name,
        record_value(chosen.read(here)),
        float(np.sum(chosen.read(trace.sensitivities()[chosen.node]))),
        tuple(_pushes(trace, chosen, here)),
        *place_of(there),
    )


def _pushes(trace: Trace, chosen: Picked, here: Any) -> Iterator[CentralDifference]:
    size = float(np.max(np.abs(chosen.read(here)), initial=0.0)) or 1.0
    for part in STEPS:
        step = part * size
        less, more = (_result(trace, chosen, here, move) for move in (-step, step))
        slope = None if less is None or more is None else (more - less) / (2 * step)
        yield CentralDifference(step, less, more, slope)


def _result(trace: Trace, chosen: Picked, here: Any, move: float) -> float | None:
    """The result with the quantity moved; None if the program would take another path."""
    moved = np.array(here, copy=True)
    moved[chosen.place or ...] += moved.dtype.type(move)
    last = trace.result_index()
    if last is None:
        return float(trace.value)
    try:
        with ignored_float_errors():
            there = moved if isinstance(here, np.ndarray) else type(here)(moved)
            return float(trace.values_at({chosen.node: there})[last])
    except Diverged:
        return None

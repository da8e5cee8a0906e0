"""The neighbouring point at which a slip must account for the components too."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcli.answers.checks import references
from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.culprit.wrong_components import Discrepancy
from gradcli.answers.checks.culprit.wrong_derivatives import WrongGradient
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.methods.numerics.coordinates import Coordinate, coordinates, copied, pick
from gradcli.shared.pytree import map_leaves

ASIDE = (0.03, 1e-3)  # relative distances of the second point
MOST_DIFFERENCED = 16  # most derivatives computed by differences at the second point


def gradient_beside(case: Case, here: WrongGradient, by_hand: HandWrittenGradient) -> WrongGradient | None:
    """The gradient at a neighbouring point, if it can be evaluated there; without a trace if it takes other steps."""
    there: WrongGradient | None = at_second_point(case.point, here, lambda point: _gradient_at(case, point, by_hand))
    return there


def at_second_point(point: Mapping[str, Any], here: Any, derivative_at: Callable[[Mapping[str, Any]], Any]) -> Any:
    """The derivative at a neighbouring point with the same steps as `here`, else at the nearest one that has any."""
    nearest = None
    for distance in ASIDE:
        try:
            there = derivative_at(point_beside(point, distance))
        except Exception:  # the user's code may reject the point
            continue
        if there is not None and operations(there.trace) == operations(here.trace):
            return there
        nearest = nearest or there
    return nearest


def point_beside(point: Mapping[str, Any], distance: float) -> dict[str, Any]:
    """A point whose numbers are all larger in size by up to a relative distance."""
    generator = np.random.default_rng(0)

    def moved_leaf(leaf: Any) -> Any:
        size = np.maximum(np.abs(leaf), distance) * (1 + 1j if np.iscomplexobj(leaf) else 1)
        moved = leaf + distance * generator.uniform(0.3, 1.0, np.shape(leaf)) * size
        return moved.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(moved)

    return {name: map_leaves(moved_leaf, structure) for name, structure in point.items()}


def _gradient_at(case: Case, point: Mapping[str, Any], by_hand: HandWrittenGradient) -> WrongGradient | None:
    wanted = {part.number for part in case.parts}
    parts = [part for part in coordinates(point) if part.number in wanted]
    if any(part.value == before.value for part, before in zip(parts, case.parts, strict=True)):
        return None  # the point holds whole numbers, which stay where they are
    run = None
    if case.recorded:
        run = record_trace(case.function, tuple(copied(tuple(point.values()))), names=True)
    value = math.nan if run is None else float(run.value)
    there = Case(case.function, point, parts, run, value, case.guard)
    numbers, slack = by_hand.numbers(there)
    candidate = np.array(numbers)
    reference = np.array(_by_differences(there) if run is None else gradient_by_the_tape(run, parts))
    finite = np.isfinite([candidate, reference]).all()
    return WrongGradient(parts, run, Discrepancy(candidate, reference, slack), value) if finite else None


def is_gradient_at(run: Trace | None, point: Mapping[str, Any], parts: list[Coordinate], gap: Discrepancy) -> bool:
    """Whether a wrong gradient is the right one for another point."""
    if run is None:
        return False
    try:
        return gap.is_filled_by(np.array(gradient_by_the_tape(run.replay(*point.values()), parts)))
    except Exception:  # the user's code may reject the point
        return False


def gradient_by_the_tape(run: Trace, parts: list[Coordinate]) -> list[float]:
    """The derivatives of a recorded run by some numbers of its point."""
    sensitivities = run.sensitivities()
    leaves = [sensitivities[row] for row in run.input_indices()]
    return [pick(leaves, part) for part in parts]


def _by_differences(case: Case) -> list[float]:
    if len(case.parts) > MOST_DIFFERENCED:
        return [math.nan] * len(case.parts)
    slopes = [references.slope_by(case, part) for part in case.parts]
    return [math.nan if slope is None else slope.value for slope in slopes]


def operations(run: Trace | None) -> list[str]:
    """The operations of a program, in order."""
    return [] if run is None else [node.operation for node in run.nodes]

"""The change of the exact gradient when inputs and constants of the program change in their last digits.

A rounding error of that size is inherent in the given numbers. A larger one is due to the algorithm, such as an
alternating series of huge terms whose derivative hardly changes. (J. Wilkinson, Rounding Errors in Algebraic Processes,
1963: backward error.)
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.answers.checks.evidence_types import Evidence
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.methods.exact import gradient
from gradcli.methods.exact.one_sided_limits import scale
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.rounding import is_short

ULPS = 32.0  # units in the last place by which every number is moved
FEW = 4.0  # units in the last place by which untraced arithmetic on a few constants may be off
LEAST = 0.25  # smallest fraction of the move; numbers that are moved alike might cancel
TRIALS = 3
SMALLEST = 1e-3  # assumed size of an input that is 0
TINY = 1e-12  # relative to the size of the function on the scale of an input


def derivative_changes(case: Case, *, cancels: bool = False, inputs: bool = True) -> list[float]:
    """The change of the exact derivative for each part; infinite if a moved point has no derivative.

    Args:
        case: the case that is checked.
        cancels: whether most digits cancel, so that the highest precision is needed.
        inputs: whether the inputs move too; otherwise only the constants do, by a few units in the last place.
    """
    last = case.trace.result_index()
    if last is None:
        return [0.0] * len(case.parts)
    generator = np.random.default_rng(0)
    try:
        count = gradient.PRECISIONS[-1 if cancels else 0]
        here = _gradient(case.trace, last, count)
        moved = [
            _gradient(perturbed_trace(case.trace, case.eps, generator, inputs), last, count) for _ in range(TRIALS)
        ]
    except UNABLE:
        return [math.inf] * len(case.parts)
    share = 1.0 if inputs else FEW / ULPS
    return [
        share * _largest(here[part.number], [derivative[part.number] for derivative in moved]) for part in case.parts
    ]


def _gradient(trace: Trace, last: int, count: int) -> list[Any]:
    return gradient.derivative_with_digits(trace, last, list(trace.input_indices()), count)


def _largest(here: Any, moved: list[Any]) -> float:
    sizes = [float(abs(x - here)) for x in moved]
    return math.inf if any(map(math.isnan, sizes)) else max(sizes)


def perturbed_trace(trace: Trace, eps: float, generator: np.random.Generator, moves_inputs: bool = True) -> Trace:
    """The trace with every input, and every constant that is not short, moved at random in its last digits."""

    def shake(x: Any, least: float) -> Any:
        sizes = np.where(x == 0, least, np.abs(x))
        ways = _ways(np.shape(x), generator)
        if np.iscomplexobj(x):
            ways = ways + 1j * _ways(np.shape(x), generator)
        there = x + ULPS * eps * sizes * ways
        return there if isinstance(x, np.ndarray) or np.iscomplexobj(x) else float(there)

    def constant(x: Any) -> Any:
        floating = isinstance(x, float) or getattr(x, "dtype", np.dtype(int)).kind in "fc"
        return shake(x, 0.0) if floating and not np.all(is_short(x)) else x

    inputs = (
        {index: shake(trace.nodes[index].value, SMALLEST) for index in trace.input_indices()} if moves_inputs else {}
    )
    return trace.with_numbers(inputs, constant)


def _ways(shape: tuple[int, ...], generator: np.random.Generator) -> Any:
    return generator.choice([-1.0, 1.0], shape) * generator.uniform(LEAST, 1.0, shape)


def is_tiny(case: Case, part: Coordinate, e: Evidence) -> bool:
    """Whether the candidate's error is negligible next to the slopes that the function has elsewhere."""
    return e.off <= TINY * case.size / scale(part)


def is_off_by_cancelled_terms(case: Case, part: Coordinate, e: Evidence, summand: float) -> bool:
    """Whether the candidate's error is small next to terms that cancel in the derivative or in the program.

    The terms of a chaotic program are large because they grow, so the error must be small next to its values too.
    """
    if e.off <= e.slack * e.rounding.largest_term:
        return True
    return e.off <= e.slack * summand and e.off * scale(part) <= TINY * case.largest_value

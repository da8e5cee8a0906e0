"""Comparison of two functions at a point: values and derivatives, each with a bound on its rounding error."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import numpy as np

from gradcli.answers.checks.problem.compared_case import SLACK
from gradcli.engine.traces.trace import Trace
from gradcli.errors import UnsupportedError
from gradcli.methods.diagnose.finite_run_findings import KINKS, notes
from gradcli.methods.numerics import rounding
from gradcli.methods.numerics.coordinates import Coordinate, pick
from gradcli.methods.numerics.precision_loss import dtype_of
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.function_comparisons import Closeness, ComparedNumber

VALUE = "value"


class RunResult(Frozen):
    """The result of one run of a function.

    Args:
        numbers: the value and each derivative, in the order of the point.
        errors: bounds on the rounding error of each.
        dtype: the coarsest floating-point dtype in the run.
        bends: whether the run is at a kink, where its derivative is a convention.
    """

    numbers: tuple[float, ...]
    errors: tuple[float, ...]
    dtype: str
    bends: bool


def measured(trace: Trace, value: float, parts: Sequence[Coordinate]) -> RunResult:
    """The value and the gradient of a recorded run, with bounds on their rounding errors.

    Args:
        trace: the run.
        value: its result.
        parts: the numbers of the point to differentiate by.

    Raises:
        UnsupportedError: the run computes with complex numbers, whose rounding is not analysed.
    """
    if trace.has_complex:
        hint = "Compare a real function of real and imaginary parts."
        raise UnsupportedError("a program with complex numbers cannot be compared up to rounding", hint=hint)
    dtype, last = dtype_of(trace), trace.result_index()
    half_ulp = float(np.finfo(dtype).eps) / 2
    inputs = list(trace.input_indices())
    with ignored_float_errors():  # numbers that are not finite are compared too
        sensitivities = trace.sensitivities()
        by_leaf = [sensitivities[index] for index in inputs]
        numbers = (value, *(pick(by_leaf, part) for part in parts))
        if last is None:  # the result is constant
            return RunResult(numbers, (0.0,) * len(numbers), dtype, False)
        analysis = rounding.error_analysis(trace, last, half_ulp, typed=True)
        of_value, of_slopes = analysis.of_values([last])[0], analysis.of_derivatives(last, inputs)
        bends = any(note.code in KINKS for note in notes(trace))
    return RunResult(numbers, (of_value, *(of_slopes[part.number] for part in parts)), dtype, bends)


def compare_functions(
    names: list[str], first: RunResult | None, second: RunResult | None, rtol: float, atol: float
) -> Iterator[ComparedNumber]:
    """Compare the value and each derivative of two functions.

    Args:
        names: the names of the derivatives.
        first, second: the results of the runs; None for a run that raised.
        rtol, atol: differences allowed beyond rounding, relative to the larger number and absolute.
    """
    nothing = RunResult((math.nan,) * (len(names) + 1), (0.0,) * (len(names) + 1), "float64", False)
    one, other = first or nothing, second or nothing
    dtype = max(one.dtype, other.dtype, key=SLACK.__getitem__)
    rows = zip((VALUE, *names), one.numbers, other.numbers, one.errors, other.errors, strict=True)
    for name, x, y, *errors in rows:
        scale = max(abs(x), abs(y))
        allowed = max(rtol * scale, atol)
        row = _row(name, float(x), float(y), sum(errors), allowed, dtype)
        is_choice = row.verdict == "differ" and name != VALUE and (one.bends or other.bends)
        yield row.changed(verdict="kink") if is_choice else row


def _row(name: str, x: float, y: float, error: float, allowed: float, dtype: str) -> ComparedNumber:
    if not (math.isfinite(x) and math.isfinite(y)):
        same = x == y or (math.isnan(x) and math.isnan(y))
        return ComparedNumber(name, x, y, None, None, "equal" if same else "differ")
    distance, scale = abs(x - y), max(abs(x), abs(y))
    ulps = distance / float(np.spacing(np.dtype(dtype).type(scale))) if distance else 0.0
    tolerance = max(error, allowed) if math.isfinite(error) else math.inf
    doubtful = max(SLACK[dtype] * scale, allowed)
    verdict: Closeness = "differ" if distance > tolerance else "roundoff" if distance > doubtful else "equal"
    return ComparedNumber(name, x, y, tolerance, ulps, verdict)


def is_without_value(numbers: Sequence[ComparedNumber]) -> bool:
    """Whether neither function has a finite value, and both agree in that."""
    value = numbers[0]
    return not (math.isfinite(value.first) or math.isfinite(value.second)) and value.verdict == "equal"


def verdict_of(numbers: Iterable[ComparedNumber]) -> Literal["differ", "inconclusive", "equal"]:
    """The verdict on a point, from those on the value and the derivatives."""
    verdicts = {number.verdict for number in numbers}
    return "differ" if "differ" in verdicts else "equal" if verdicts == {"equal"} else "inconclusive"

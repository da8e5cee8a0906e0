"""Two functions at one point: values and derivatives, each with a bound of its rounding error, number by number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from gradcli.diagnose.finite_run_findings import KINKS, notes
from gradcli.errors import UnsupportedError
from gradcli.numerics import rounding
from gradcli.numerics.coordinates import coordinates, pick
from gradcli.numerics.precision_loss import dtype_of
from gradcli.record_base import Frozen
from gradcli.records import Closeness, ComparedNumber
from gradcli.traces.trace import Trace

SLACK = {"float64": 1e-7, "float32": 1e-4, "float16": 1e-2}
"""By type: the relative difference from which one that rounding explains is doubtful."""
VALUE = "value"


class Measured(Frozen):
    """What a run of a function gives.

    Args:
        numbers: the value and each derivative, in the order of the point.
        errors: how far rounding may have moved each.
        dtype: the coarsest type of floating-point numbers in which it computes.
        bends: whether it stands at a kink, where its derivative is a choice.
    """

    numbers: tuple[float, ...]
    errors: tuple[float, ...]
    dtype: str
    bends: bool


def measured(trace: Trace, value: float, point: Mapping[str, Any]) -> Measured:
    """The value and the gradient of a recorded run with bounds of their rounding errors.

    Args:
        trace: the run.
        value: its result.
        point: where it ran, by name.

    Raises:
        UnsupportedError: it computes with complex numbers, whose rounding is not analysed.
    """
    if trace.has_complex:
        hint = "Compare a real function of real and imaginary parts."
        raise UnsupportedError("a program of complex numbers cannot be compared within rounding", hint=hint)
    dtype, last = dtype_of(trace), trace.result_index()
    half_ulp = float(np.finfo(dtype).eps) / 2
    inputs, parts = list(trace.input_indices()), coordinates(point)
    with np.errstate(all="ignore"):  # what is not finite differs, or does not
        sensitivities = trace.sensitivities()
        by_leaf = [sensitivities[index] for index in inputs]
        numbers = (value, *(pick(by_leaf, part) for part in parts))
        if last is None:  # a constant
            return Measured(numbers, (0.0,) * len(numbers), dtype, False)
        of_value = rounding.value_errors(trace, [last], half_ulp, typed=True)[0]
        of_slopes = rounding.sweep_errors(trace, last, inputs, half_ulp, typed=True)
        bends = any(each.code in KINKS for each in notes(trace))
    return Measured(numbers, (of_value, *(of_slopes[part.number] for part in parts)), dtype, bends)


def compared(
    names: list[str], first: Measured | None, second: Measured | None, rtol: float, atol: float
) -> Iterator[ComparedNumber]:
    """The value and each derivative of two functions beside each other; nothing where neither has a value.

    Args:
        names: of the derivatives.
        first, second: what the runs gave; None where one raised.
        rtol, atol: what differences are allowed beyond rounding, relative to the larger number and at least.
    """
    nothing = Measured((math.nan,) * (len(names) + 1), (0.0,) * (len(names) + 1), "float64", False)
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
    apart, scale = abs(x - y), max(abs(x), abs(y))
    ulps = apart / float(np.spacing(np.dtype(dtype).type(scale))) if apart else 0.0
    tolerance = max(error, allowed) if math.isfinite(error) else math.inf
    doubtful = max(SLACK[dtype] * scale, allowed)
    verdict: Closeness = "differ" if apart > tolerance else "roundoff" if apart > doubtful else "equal"
    return ComparedNumber(name, x, y, tolerance, ulps, verdict)


def is_without_value(numbers: Sequence[ComparedNumber]) -> bool:
    """Whether neither function has a finite value."""
    value = numbers[0]
    return not (math.isfinite(value.first) or math.isfinite(value.second)) and value.verdict == "equal"


def verdict_of(numbers: Iterable[ComparedNumber]) -> Literal["differ", "inconclusive", "equal"]:
    """What the value and the derivatives at a point come to."""
    found = {each.verdict for each in numbers}
    return "differ" if "differ" in found else "equal" if found == {"equal"} else "inconclusive"

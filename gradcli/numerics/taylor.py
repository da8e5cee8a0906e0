"""The Taylor test: the rate at which the remainder of a linear model falls with the step. It needs no tolerance.

For a right gradient the remainder falls like the square of the step, for a wrong one like the step itself.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from itertools import pairwise

LONGEST = 0.1
HALVINGS = 12
CLEAR = 20.0  # times the rounding error of the values: smaller remainders are ignored
LEAST = 3  # remainders needed for a rate


def rate(f: Callable[[float], float], slope: float, eps: float, reach: float = math.inf) -> float | None:
    """The power of the step with which |f(h) - f(0) - h * slope| falls; None if rounding hides it.

    Args:
        f: the function along a direction, of the distance from the point.
        slope: the derivative of `f` at 0 according to the gradient under test.
        eps: the rounding unit of the function's own arithmetic.
        reach: the distance within which the function keeps its path.
    """
    here = f(0.0)
    longest = min(LONGEST, 0.5 * reach)
    remainders = []
    for n in range(HALVINGS):
        step = longest * 2.0**-n
        there = f(step)
        remainder = abs(there - here - step * slope)
        floor = CLEAR * eps * max(abs(here), abs(there), abs(step * slope))
        if math.isfinite(remainder) and remainder > floor:
            remainders.append(remainder)
        elif remainders:
            break
    if len(remainders) < LEAST:
        return None
    return statistics.median(math.log2(a / b) for a, b in pairwise(remainders))


def in_words(found: float | None) -> str:
    """The meaning of a rate in words."""
    if found is None:
        return "rounding hides the remainder: the test says nothing"
    if found >= 1.8:
        return f"rate {found:.2f}: the remainder falls like the square of the step, as for a right gradient"
    if found <= 1.2:
        return f"rate {found:.2f}: the remainder falls like the step itself, so the first-order term is wrong"
    return f"rate {found:.2f}: between 2, that of a right gradient, and 1, that of a wrong one"

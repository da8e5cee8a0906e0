"""The minimiser of the nested evaluations: a step that grows while the function falls and is halved where it rises."""

import math
from collections.abc import Callable

ENOUGH = 1e-5


def argmin(f: Callable[..., float], gradient: Callable[..., list[float]], x: list[float]) -> list[float]:
    """The place of a minimum of a function of several numbers, from `x` on."""
    value, slope = f(x), gradient(x)
    falls, step = 0, 1e-5
    while math.hypot(*slope) > ENOUGH:
        if falls == 10:
            step, falls = 2 * step, 0
            continue
        there = [a - step * b for a, b in zip(x, slope, strict=True)]
        if math.dist(x, there) <= ENOUGH:
            break
        lower = f(there)
        if lower < value:
            x, value, slope, falls = there, lower, gradient(there), falls + 1
        else:
            step, falls = step / 2, 0
    return x

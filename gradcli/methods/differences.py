"""Finite differences that know their own error: Ridders' extrapolation of central differences, with one-sided slopes.

The step starts from the scale of the input, is kept inside the distance to the next outcome, and is divided by the
difference of the two points as they are in floating point.  The error bar is the larger of what the extrapolation still
moves and what rounding of the function's values can do.  (C. Ridders, Accurate computation of F'(x) and F'(x) F''(x),
Advances in Engineering Software 4, 1982.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

SHRINK = 4.0
LEVELS = 9
SAFETY = 2.0

Function = Callable[[float], float]


@dataclass(frozen=True)
class Slope:
    """A derivative by differences: the value, a bound of its error, and the slopes to the left and to the right."""

    value: float
    error: float
    left: float
    left_error: float
    right: float
    right_error: float
    step: float
    reason: str = ""


NOTHING = Slope(math.nan, math.inf, math.nan, math.inf, math.nan, math.inf, 0.0)


def slope(f: Function, x: float, eps: float, reach: float = math.inf) -> Slope:
    """The derivative of `f` at `x`.

    Args:
        f: a function of one number; nan where it is not defined.
        x: the point.
        eps: the rounding unit of the function's own arithmetic, 2.2e-16 for float64.
        reach: how far from `x` the function keeps its path; no step is longer than half of it.

    Returns:
        The derivative, with an error bound that holds for functions smooth within the steps tried.  Costs 33 calls for
        an `x` of moderate size, more for a large one.
    """
    here = f(x)
    steps = _steps(x, reach)
    if not math.isfinite(here) or not steps:
        return NOTHING
    right = [_quotient(f, x, h, here) for h in steps]
    left = [_quotient(f, x, -h, here) for h in steps]
    values = [here, *(value for _, value in left + right if math.isfinite(value))]
    rough = max(eps * max(map(abs, values)), noise_level(f, x))
    noise = [2 * rough / h for h in steps]
    best, error, at = _extrapolate([_middle(a, b) for a, b in zip(left, right, strict=True)], noise, order=2)
    left_best, left_error, _ = _extrapolate([q for q, _ in left], noise, order=1)
    right_best, right_error, _ = _extrapolate([q for q, _ in right], noise, order=1)
    if not math.isfinite(best):
        best, error = min((left_best, left_error), (right_best, right_error), key=lambda pair: pair[1])
    return Slope(best, error, left_best, left_error, right_best, right_error, steps[at])


def noise_level(f: Function, x: float) -> float:
    """How far the values of `f` near `x` scatter about a smooth curve, from fourth differences over tiny steps.

    Two odd steps are tried, because rounding that is in step with the steps does not show.
    (R. Hamming, Introduction to Applied Numerical Analysis, 1971, chapter on the difference table.)
    """
    scale = min(max(abs(x), 1e-3), 1.0)
    return max(_scatter(f, x, max(factor * scale, ulps * math.ulp(x))) for factor, ulps in ((1.3819e-8, 19), (7.2361e-7, 31)))


def _scatter(f: Function, x: float, step: float) -> float:
    values = [f(x + k * step) for k in range(-3, 4)]
    while len(values) > 3:  # noqa: PLR2004 - four times the difference of neighbours
        values = [b - a for a, b in zip(values, values[1:], strict=False)]
    scatter = max(map(abs, values)) / math.sqrt(70.0)
    return scatter if math.isfinite(scatter) else 0.0


def _steps(x: float, reach: float) -> list[float]:
    """Steps from a tenth of the scale of `x` down, each of which moves `x` well.

    A large `x` gets more of them, because what is computed from it may vary on the scale of 1.
    """
    scale = max(abs(x), 1e-3) if x else 1.0
    longest = min(0.1 * scale, 0.5 * reach)
    shortest = max(1e-6 * min(scale, 1.0), 64 * math.ulp(x))
    count = max(LEVELS, math.ceil(math.log(longest / shortest, SHRINK)) + 1) if longest > shortest else LEVELS
    steps = [longest / SHRINK**n for n in range(count)]
    return [h for h in steps if h > 4 * math.ulp(x)]  # noqa: PLR2004 - so that the step itself is known to two digits


def _quotient(f: Function, x: float, h: float, here: float) -> tuple[float, float]:
    """The one-sided difference quotient and the value there; divided by the actual difference of the points."""
    there = x + h
    value = f(there)
    return (value - here) / (there - x), value


def _middle(left: tuple[float, float], right: tuple[float, float]) -> float:
    return 0.5 * (left[0] + right[0])


def _extrapolate(quotients: list[float], noise: list[float], order: int) -> tuple[float, float, int]:
    """Neville's scheme to step 0: the value with the least error, its error, and the level of its step.

    `order` is the power of the step in which the error of the quotients falls: 2 for central ones, 1 for one-sided.
    Long steps may agree with each other by chance, on a function that oscillates: a value from long steps is taken only
    while it agrees with those of all shorter ones.
    """
    found = _best_of_each_level(quotients, noise, order)
    best, least, at = found[-1]
    for value, error, level in reversed(found[:-1]):
        if not math.isfinite(best):
            best, least, at = value, error, level
        elif not abs(value - best) <= error + least:
            break
        elif error < least:
            best, least, at = value, error, level
    return best, least, at


def _best_of_each_level(quotients: list[float], noise: list[float], order: int) -> list[tuple[float, float, int]]:
    """For each level the entry of Neville's scheme with the least error: value, error, level."""
    found = []
    previous: list[float] = []
    grown: list[float] = []
    for level, quotient in enumerate(quotients):
        row, errors = [quotient], [noise[level]]
        best, least = quotient, math.inf
        for k in range(1, level + 1):
            factor = SHRINK ** (order * k)
            row.append((factor * row[k - 1] - previous[k - 1]) / (factor - 1))
            errors.append((factor * errors[k - 1] + grown[k - 1]) / (factor - 1))
            moved = max(abs(row[k] - row[k - 1]), abs(row[k] - previous[k - 1]))
            if SAFETY * moved + errors[k] < least:
                best, least = row[k], SAFETY * moved + errors[k]
        found.append((best, least, level))
        previous, grown = row, errors
    return found

"""The replacement of `scipy.integrate.quad`, which records the integral as a sum over subintervals.

A Gauss-Legendre sum of f, recorded, carries the derivative of the integral by everything f depends on; the value is
QUADPACK's to the last digit. QUADPACK's intervals are halved until the Legendre coefficients of f decay in each, so
that the sum is accurate for the derivative too. Where they never decay, f has a corner or a jump, and the contribution
of its motion is invisible at the nodes: that is refused, except at the ends of the range, which the nodes move with.
[Piessens et al., QUADPACK, 1983; Trefethen, Approximation Theory and Approximation Practice, 2013.]
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, Never

import numpy as np

from gradcli.engine.solvers.implicit_differentiation import Plainly, stands_for
from gradcli.engine.tape.tape import active_tape
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.function_registry import unsupported

_SUM = "integral"  # the outcome that holds the recorded sum over the chosen intervals
_NODES = 20  # per interval; QUADPACK's rules have 21 or 15
_LAST = 3  # the number of coefficients that must be small where f is smooth,
_SMALL, _ROUNDING = 1e-6, 1e-12  # relative to the variation of f; the sum's error is about the square of the first
_NOTHING = 1e-30  # of the integral: a negligible contribution of an interval
_NARROW = 1e-9  # of the range: such an interval is not halved again
_ASIDE = 1e-9  # of the range: steps to the sides of the ends of an interval, to see whether f bends or jumps there
_JUMP, _BEND = 1e-5, 1e-3  # relative to the largest |f|: differences of the values, and of the slopes by the range
_Intervals = list[tuple[float, float]]
_NAME = "scipy.integrate.quad"
_POSITIONAL = ("epsabs", "epsrel", "limit", "points", "weight", "wvar", "wopts", "maxp1", "limlst", "complex_func")


@cache
def _rule() -> tuple[list[float], list[float], Any]:
    """The nodes and weights on (0, 1), and the matrix from values at the nodes to the last Legendre coefficients."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    vander = np.polynomial.legendre.legvander(nodes, _NODES - 1)
    coefficients = (np.arange(_NODES) + 0.5)[:, None] * (vander * weights[:, None]).T
    return ((nodes + 1) / 2).tolist(), (weights / 2).tolist(), coefficients[-_LAST:]


def _quad(original: Any) -> Callable[..., Any]:
    @stands_for(original)
    def quad(func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, *rest: Any, **options: Any) -> Any:
        tape = active_tape()
        if tape is None:
            return original(func, a, b, args, full_output, *rest, **options)
        args = args if isinstance(args, tuple) else (args,)
        given = dict(zip(_POSITIONAL, rest, strict=False)) | options
        points = () if given.get("points") is None else given["points"]
        if any(is_recorded(x) and x.depends() for x in (points, *points)):
            raise unsupported(f"{_NAME} with points= that depend on an input")
        if len(points):
            given["points"] = [float(plain_value(x)) for x in points]
        followed, before = Plainly(func), len(tape.outcomes)
        value, error, report, *details = original(followed, plain_value(a), plain_value(b), args, 1, **given)
        asked = len(tape.outcomes) > before  # by a comparison, which may be a jump
        if followed.recorded or asked or is_recorded(a) or is_recorded(b):
            for option in ("weight", "complex_func"):
                if given.get(option):
                    raise unsupported(f"{_NAME} with {option}=")
            recorded_sum = _sum(
                lambda x: func(x, *args), a, b, _Parts(_intervals(report), value, asked, given.get("points") or [])
            )
            value = _with_derivative(value, error, recorded_sum)
        if details and not full_output:
            from scipy.integrate import IntegrationWarning

            warnings.warn(details[0], IntegrationWarning, stacklevel=2)
        return (value, error, report, *details) if full_output else (value, error)

    return quad


def _with_derivative(value: float, error: float, recorded_sum: Any) -> Any:
    """QUADPACK's value with the derivative of the recorded sum, which must agree with it to its accuracy.

    Raises:
        UnsupportedError: the sum does not agree.
    """
    if abs(plain_value(recorded_sum) - value) > max(10 * error, 1e-8 * abs(value)):
        raise unsupported(f"{_NAME} of a function that it does not resolve")
    if not is_recorded(recorded_sum):
        return value
    moved = value + (recorded_sum - recorded_sum.fixed(_SUM))
    return moved if type(plain_value(moved)) is float else moved.item()


def _intervals(report: dict[str, Any]) -> _Intervals:
    last = int(report["last"])
    return list(zip(report["alist"][:last].tolist(), report["blist"][:last].tolist(), strict=True))


class _Parts(NamedTuple):
    """QUADPACK's division of a range.

    Attributes:
        intervals: the intervals.
        value: the integral.
        asked: whether the function compares recorded numbers, so that it may jump at an end of an interval.
        points: the plain numbers at which the caller has divided the range; they do not move with its ends.
    """

    intervals: _Intervals
    value: float
    asked: bool
    points: Any = ()


def _sum(f: Callable[[Any], Any], a: Any, b: Any, parts: _Parts) -> Any:
    """The sum over intervals of the range; of (0, 1) if the range is infinite, mapped as in QUADPACK."""
    low, high = float(plain_value(a)), float(plain_value(b))
    if high < low:  # as QUADPACK does
        return -_sum(f, b, a, parts)
    if np.isfinite(low) and np.isfinite(high):
        ends = [a, *sorted({point for point in parts.points if low < point < high}), b]
        return sum(_between(f, start, end, parts) for start, end in pairwise(ends))
    intervals, value, asked, _ = parts
    if np.isfinite(low) or np.isfinite(high):
        end, sign = (a, 1.0) if np.isfinite(low) else (b, -1.0)
        return _over(lambda t: f(end + sign * (1.0 - t) / t) / t**2, intervals, value, asked)
    return _over(lambda t: (f((1.0 - t) / t) + f(-(1.0 - t) / t)) / t**2, intervals, value, asked)


def _between(f: Callable[[Any], Any], a: Any, b: Any, parts: _Parts) -> Any:
    """The sum over the intervals between two numbers that are ends of the range or points of the caller."""
    low, high = float(plain_value(a)), float(plain_value(b))
    width = high - low or 1.0
    inside = [
        ((start - low) / width, (end - low) / width) for start, end in parts.intervals if low <= start < end <= high
    ]
    inner = {(end - low) / width for end in (low, high) if end in parts.points}
    # Equal limits leave no interval, but the integral grows with each limit by the function's value there.
    inside = inside or [(0.0, 1.0)]
    return (b - a) * _over(lambda t: f(a + (b - a) * t), inside, parts.value / width, parts.asked, inner)


def _over(
    f: Callable[[float], Any],
    intervals: _Intervals,
    value: float,
    asked: bool,
    inner: AbstractSet[float] = frozenset(),
) -> Any:
    """The sum over intervals of (0, 1), each halved until f is smooth in it; `inner` holds ends within the whole range.

    Raises:
        UnsupportedError: f is not smooth somewhere inside the range.
    """
    nodes, weights, _ = _rule()
    total: Any = 0.0
    ends, most = set(), 0.0
    waiting = list(intervals)
    while waiting:
        low, high = waiting.pop()
        width = high - low
        values = [f(low + width * node) for node in nodes]
        if _is_smooth(values, _NOTHING * abs(value) / width) or (
            width < _NARROW and (low < _NARROW or high > 1.0 - _NARROW)
        ):
            total = total + width * sum(map(operator.mul, weights, values))
            ends |= {low, high}
            most = max(most, *(abs(float(plain_value(y))) for y in values))
        elif width < _NARROW:
            _refuse_corner()
        else:
            waiting += [(low, low + width / 2), (low + width / 2, high)]
    if asked and any(_has_corner(f, end, most) for end in ends - {min(ends), max(ends)} | inner):
        _refuse_corner()
    return total


def _has_corner(f: Callable[[float], Any], end: float, most: float) -> bool:
    """Whether f bends or jumps at the end of an interval, by its values and slopes on the two sides."""
    far, below, above, beyond = (float(plain_value(f(end + step * _ASIDE))) for step in (-2, -1, 1, 2))
    slopes = (below - far) / _ASIDE, (beyond - above) / _ASIDE
    return abs(above - below) > _JUMP * most or abs(slopes[1] - slopes[0]) > _BEND * (most + max(map(abs, slopes)))


def _refuse_corner() -> Never:
    raise UnsupportedError(
        f"{_NAME} of a function with a corner, a jump or a pole inside of the range is not followed",
        hint="Split the integral there: quad(f, a, c)[0] + quad(f, c, b)[0]. `gradcli help G404` says more.",
    )


def _is_smooth(values: list[Any], nothing: float) -> bool:
    """Whether a function, by its values at the nodes, has small last Legendre coefficients or is negligible."""
    plain = np.array([*map(plain_value, values)], dtype=float)
    last, most = float(np.max(np.abs(_rule()[2] @ plain))), float(np.max(np.abs(plain)))
    return last <= _SMALL * float(np.ptp(plain)) + _ROUNDING * most or most <= nothing


def with_replaced_quad(name: str, original: Any) -> Any:
    """An attribute of `scipy.integrate`, with `quad` replaced."""
    return _quad(original) if name == "quad" else original

"""What is lent in place of `scipy.integrate.quad`: the integral follows, by a sum over intervals of the range.

A sum of f at the nodes of Gauss and Legendre, recorded, carries the derivative of the integral by whatever f holds; the
value is QUADPACK's to the last digit.  Its intervals are halved until the Legendre coefficients of f fall off in each,
so that the sum is as exact for the derivative.  Where they never do, f has a corner or a jump, and what it would add if
it moved is not seen by any node: that is refused, but for the ends of the range.  With the ends the nodes move.
[Piessens et al., QUADPACK, 1983; Trefethen, Approximation Theory and Approximation Practice, 2013.]
"""

from __future__ import annotations

import functools
import operator
import types
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.rules.function_registry import unsupported
from gradcli.tape import active_runs
from gradcli.tape.sweeps.implicit_differentiation import NAMED, Plainly
from gradcli.tape.value import bare, is_recorded

_SUM = "integral"  # an outcome: the recorded sum over the intervals that were chosen
_NODES = 20  # in each interval; of QUADPACK's rule there are 21, or 15
_LAST = 3  # coefficients that have to be small where f is smooth,
_SMALL, _ROUNDING = 1e-6, 1e-12  # by how much f varies; the error of the sum is about the square of the first
_NOTHING = 1e-30  # of the integral: what an interval may be without
_NARROW = 1e-9  # of the range: an interval is not halved any more
_Intervals = list[tuple[float, float]]
_NAME = "scipy.integrate.quad"


@cache
def _rule() -> tuple[list[float], list[float], Any]:
    """The nodes and the weights of the rule on (0, 1), and what makes the last Legendre coefficients of the values."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    vander = np.polynomial.legendre.legvander(nodes, _NODES - 1)
    coefficients = (np.arange(_NODES) + 0.5)[:, None] * (vander * weights[:, None]).T
    return ((nodes + 1) / 2).tolist(), (weights / 2).tolist(), coefficients[-_LAST:]


def _quad(original: Any) -> Callable[..., Any]:
    @functools.wraps(original, assigned=NAMED)
    def quad(func: Any, a: Any, b: Any, args: Any = (), full_output: Any = 0, *rest: Any, **options: Any) -> Any:
        tape = active_runs.tape()
        if tape is None:
            return original(func, a, b, args, full_output, *rest, **options)
        args = args if isinstance(args, tuple) else (args,)
        followed, before = Plainly(func), len(tape.outcomes)
        value, error, report, *told = original(followed, bare(a), bare(b), args, 1, *rest, **options)
        asked = len(tape.outcomes) > before  # by a comparison that may be a jump
        if followed.recorded or asked or is_recorded(a) or is_recorded(b):
            for option in ("weight", "complex_func", "points"):
                if options.get(option) is not None:
                    raise unsupported(f"{_NAME} with {option}=")
            value = _with_derivative(value, error, _sum(lambda x: func(x, *args), a, b, _intervals(report), value))
        if told and not full_output:
            from scipy.integrate import IntegrationWarning

            warnings.warn(told[0], IntegrationWarning, stacklevel=2)
        return (value, error, report, *told) if full_output else (value, error)

    return quad


def _with_derivative(value: float, error: float, found: Any) -> Any:
    """The value, with the derivative of a sum that comes as near to it as it is known.

    Raises:
        UnsupportedError: the sum does not.
    """
    if abs(bare(found) - value) > max(10 * error, 1e-8 * abs(value)):
        raise unsupported(f"{_NAME} of a function that it does not resolve")
    if not is_recorded(found):
        return value
    moved = value + (found - found.fixed(_SUM))
    return moved if type(bare(moved)) is float else moved.item()


def _intervals(report: dict[str, Any]) -> _Intervals:
    last = int(report["last"])
    return list(zip(report["alist"][:last].tolist(), report["blist"][:last].tolist(), strict=True))


def _sum(f: Callable[[Any], Any], a: Any, b: Any, intervals: _Intervals, value: float) -> Any:
    """The sum over intervals of the range, or of (0, 1) where the range is infinite, as QUADPACK maps it."""
    low, high = float(bare(a)), float(bare(b))
    if high < low:  # QUADPACK too takes it so
        return -_sum(f, b, a, intervals, value)
    if np.isfinite(low) and np.isfinite(high):
        width = high - low or 1.0
        parts = [((start - low) / width, (end - low) / width) for start, end in intervals if start != end]
        return (b - a) * _over(lambda t: f(a + (b - a) * t), parts, value / width)
    if np.isfinite(low) or np.isfinite(high):
        end, sign = (a, 1.0) if np.isfinite(low) else (b, -1.0)
        return _over(lambda t: f(end + sign * (1.0 - t) / t) / t**2, intervals, value)
    return _over(lambda t: (f((1.0 - t) / t) + f(-(1.0 - t) / t)) / t**2, intervals, value)


def _over(f: Callable[[float], Any], intervals: _Intervals, value: float) -> Any:
    """The sum over intervals of (0, 1), each halved until f is smooth in it.

    Raises:
        UnsupportedError: it is not, and not at an end.
    """
    nodes, weights, _ = _rule()
    total: Any = 0.0
    waiting = list(intervals)
    while waiting:
        low, high = waiting.pop()
        width = high - low
        values = [f(low + width * node) for node in nodes]
        if _is_smooth(values, _NOTHING * abs(value) / width) or (
            width < _NARROW and (low < _NARROW or high > 1.0 - _NARROW)
        ):
            total = total + width * sum(map(operator.mul, weights, values))
        elif width < _NARROW:
            raise UnsupportedError(
                f"{_NAME} of a function with a corner, a jump or a pole inside of the range is not followed",
                hint="Split the integral there: quad(f, a, c)[0] + quad(f, c, b)[0]. `gradcli help G404` says more.",
            )
        else:
            waiting += [(low, low + width / 2), (low + width / 2, high)]
    return total


def _is_smooth(values: list[Any], nothing: float) -> bool:
    """Whether the last Legendre coefficients of a function are small, by its values at the nodes; or all of it is."""
    plain = np.array([*map(bare, values)], dtype=float)
    last, most = float(np.max(np.abs(_rule()[2] @ plain))), float(np.max(np.abs(plain)))
    return last <= _SMALL * float(np.ptp(plain)) + _ROUNDING * most or most <= nothing


def attribute(module: types.ModuleType, name: str) -> Any:
    """What stands for an attribute of `scipy.integrate`: ours for `quad`."""
    original = getattr(module, name)
    return _quad(original) if name == "quad" else original

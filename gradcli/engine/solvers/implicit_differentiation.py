"""Solutions of equations as functions of the equation's parameters, by the implicit function theorem.

A root r of f(r, p) = 0 depends on the parameters p with dr/dp = -(df/dr)^-1 df/dp, however it was found. The solver
runs on plain numbers. Then f is recorded at the root, and a Newton step from there, of length 0 to the last digit,
carries the first derivative; a second step makes the derivatives up to the third correct. The value is the solver's,
and the derivative is as accurate as the root.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.code.stack_frames import LIBRARY_CODES
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.solver_notes import LOOSELY, SolvedEquation
from gradcli.engine.tape.sweeps.reverse_and_forward import reverse_recorded
from gradcli.engine.tape.tape import active_tape
from gradcli.engine.tape.value import Value, is_recorded, plain_value
from gradcli.engine.tape.values.array_creation import asarray
from gradcli.engine.tape.values.array_function import holds_recorded
from gradcli.mathematics.rules.function_registry import unconverged, unsupported

# The attributes that make our solver look like SciPy's, without being part of SciPy.
_NAMED = ("__name__", "__qualname__", "__doc__")
_STEPS = 2
_MOST_CONDITION = 1e12  # of the slopes at a root: at a larger one their inverse is rounding
ROOT, START = "root", "start"  # outcomes: the residual at the solution, and the starting point of a solver


def stands_for(original: Callable[..., Any]) -> Callable[[Any], Callable[..., Any]]:
    """A decorator for a function that runs in place of SciPy's, whose work belongs to the line that calls it."""

    def decorate(function: Any) -> Callable[..., Any]:
        LIBRARY_CODES.add(function.__code__)
        return functools.wraps(original, assigned=_NAMED)(function)

    return decorate


class Plainly:
    """A function as a solver calls it, with plain results. `recorded` says whether any result was recorded."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.recorded = False

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        result = self._function(*arguments, **options)
        self.recorded = self.recorded or holds_recorded(result)
        return plainly(result)


def plainly(x: Any) -> Any:
    """The plain numbers of `x`, also within lists and tuples."""
    return type(x)(map(plainly, x)) if type(x) in (list, tuple) else plain_value(x)


def starting_point(x: Any) -> Any:
    """The starting point of a solver, which the solution does not depend on. Recorded numbers become outcomes."""
    if type(x) in (list, tuple):
        return type(x)(map(starting_point, x))
    return x.fixed(START) if is_recorded(x) else x


def root_of(f: Callable[..., Any], root: Any, name: str, near: float = LOOSELY, *, elementwise: bool = False) -> Any:
    """A root of `f`, a number or an array, with correct derivatives by everything that `f` depends on, up to the third.

    Args:
        f: a function of the root. Its value has as many elements as the root.
        root: the root that a solver found.
        name: the name of the solver, for errors.
        near: the length of the Newton step from the root that is accepted, relative to the root or 1.
        elementwise: whether each element of the value depends on the same element of the root alone.

    Raises:
        UnsupportedError: the slope of `f` at the root is zero or singular, as at a double root, or a Newton step leads
            away from it; or `f` does not depend on it.
    """
    tape = active_tape()
    assert tape is not None
    first = None
    for _ in range(_STEPS):
        residual, slopes, entered = _linearized(f, root, elementwise)
        if not is_recorded(residual):
            raise unsupported(f"{name} of a function that does not depend on what is sought")
        moved, size = _newton_step(plain_value(residual), plain_value(slopes), plain_value(root), name, near)
        tape.run.solved_equations += (SolvedEquation(name, len(tape.outcomes), moved, size),)
        step = residual - residual.fixed(ROOT)
        if tape.run.data is not None and first is None:
            first = root = entered  # a replay enters another root here
        if np.ndim(slopes) > 1:
            root = root - np.reshape(np.linalg.solve(slopes, np.ravel(step)), np.shape(root))
        else:
            after = root - step / slopes
            root = after.item() if type(plain_value(root)) is float is not type(plain_value(after)) else after
    if tape.run.data is not None and first is not None:
        tape.run.data.solutions.append((first.index, root.index))
    return root


def _newton_step(residual: Any, slopes: Any, root: Any, name: str, near: float) -> tuple[float, float]:
    """The length of a Newton step from a root, and the root's size. A root without a derivative, or far, is refused.

    Raises:
        UnsupportedError: see `root_of`.
    """
    if not np.all(np.isfinite(residual)) or not np.all(np.isfinite(slopes)):
        raise unsupported(f"{name} at a solution where the function or its slope is not finite")
    if np.ndim(slopes) < 2:
        if not np.all(slopes):
            raise unsupported(f"{name} at a root where the function has the slope 0")
        step = residual / slopes
    else:
        if _is_singular(slopes):
            raise unsupported(f"{name} at a solution that is not unique nearby")
        step = np.reshape(np.linalg.solve(slopes, np.ravel(residual)), np.shape(root))
    far, size = np.max(np.abs(step), initial=0.0), np.max(np.abs(root), initial=0.0)
    if far > near * max(1.0, size):
        raise unconverged(name)
    return float(far), float(size)


def _is_singular(a: Any) -> bool:
    """Whether a matrix is singular to rounding, whatever the units of its rows and columns."""
    for axis in (1, 0):
        size = np.max(np.abs(a), axis=axis, keepdims=True)
        if not np.all(size):
            return True
        a = a / size
    return not np.linalg.cond(a) < _MOST_CONDITION


def minimum_of(f: Callable[..., Any], place: Any, name: str, near: float = LOOSELY) -> Any:
    """A minimum of `f`, a number or an array: a root of its gradient."""
    return root_of(lambda x: jacobian_of(f, x), place, name, near)


def jacobian_of(f: Callable[..., Any], at: Any) -> Any:
    """The derivative of `f` at a point, recorded: of an array by an array, a matrix."""
    return _linearized(f, at)[1]


def _linearized(f: Callable[..., Any], at: Any, elementwise: bool = False) -> tuple[Any, Any, Any]:
    """The value of `f` at a point, its derivative there, and the point, all recorded.

    The derivative of an array by an array is a matrix, of which an elementwise function needs the diagonal only.
    """
    tape = active_tape()
    assert tape is not None
    _, start, (entered,), value = tape.run.call(f, (at,), tape)
    if type(value) in (list, tuple):
        value = asarray(value)
    if not is_recorded(value):
        return value, np.zeros(np.shape(value) + np.shape(at)), entered
    assert isinstance(value, Value)
    if elementwise or not np.ndim(value):
        one = 1.0 if type(value._value) is float else np.ones_like(value._value)[()]
        return value, _swept(tape, start, entered, value, one), entered
    seeds: Any = np.eye(np.size(value)).reshape((-1, *np.shape(value)))
    return value, asarray([_swept(tape, start, entered, value, seed) for seed in seeds]), entered


def _swept(tape: Any, start: int, entered: Any, value: Value, seed: Any) -> Any:
    cts = reverse_recorded(tape, value.index, seed, start)
    ct = cts[entered.index] if entered.index < len(cts) else UNTOUCHED
    return plain_value(entered) * 0.0 if ct is UNTOUCHED else ct

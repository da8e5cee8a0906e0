"""The effect of rounding on a program's results, by trial: the program is replayed with an error at every step.

A running analysis adds up errors that cannot all occur together, so in a loop its bound grows without end; a trial
shows what the loop itself does to an error. Some trials err in the same direction at every step, as the repeated sum of
one number does. (D. Parker, Monte Carlo Arithmetic, 1997.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np

from gradcli.engine.tape.pullbacks import ARITHMETIC
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.number_systems import Floats, Step
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Diverged, Traversal
from gradcli.methods.numerics.rounding.arithmetic import is_short
from gradcli.methods.numerics.rounding.bounds import own_errors
from gradcli.shared.float_errors import ignored_float_errors

ALIKE = (1.0, -1.0)  # trials in which every step errs in the same direction
RANDOM = 6  # further trials
MANY = 4099  # numbers that are drawn once and then reused in turn
SECONDS = 3.0
SAFETY = 16.0  # times the largest change of the trials: the estimate


def moved_by_trial(trace: Trace, indices: Sequence[int], half_ulp: float) -> list[float]:
    """The estimated rounding error of each number in some nodes, in order; a complex number has two.

    Costs eight runs of the recorded program. Infinite if the program cannot be run with other numbers, or not in time.
    """
    last = max(indices, default=-1)
    generator = np.random.default_rng(0)
    here = [x for index in indices for x in _numbers(trace.nodes[index].value)]
    try:
        errors = [*map(_seen, own_errors(trace, last, half_ulp), [node.value for node in trace.nodes[: last + 1]])]
        until = time.monotonic() + SECONDS
        sides = (*ALIKE, *(0.0,) * RANDOM)
        tried = [_Trial(errors, half_ulp, _Draws(generator, side), until).values(trace, last) for side in sides]
    except (Diverged, *ARITHMETIC, TypeError, LookupError, AttributeError, NotImplementedError, TimeoutError):
        return [math.inf] * len(here)
    moved = np.array([[x for index in indices for x in _numbers(values[index])] for values in tried])
    with ignored_float_errors():
        most = SAFETY * np.max(np.abs(moved - np.array(here)), axis=0, initial=0.0)
    return [math.inf if math.isnan(x) else x for x in most.tolist()]


class _Draws:
    """Draws the fraction of its error that each number gets: at random, or always in the same direction."""

    def __init__(self, generator: np.random.Generator, side: float) -> None:
        self.side, self.generator = side, generator
        self.next = cycle(self.array((MANY,)).tolist()).__next__

    def array(self, shape: tuple[int, ...]) -> Any:
        """The fractions for an array."""
        least = 0.5 if self.side else -1.0
        return (self.side or 1.0) * self.generator.uniform(least, 1.0, shape)


class _Trial(Floats):
    """The number system of values with an error in each constant and each step; the inputs are exact.

    Args:
        errors: the bound on each node's own rounding error.
        half_ulp: the relative error of one rounding.
        draws: the fractions of those errors.
        until: the value of `time.monotonic` at which to give up.
    """

    def __init__(self, errors: Sequence[Any], half_ulp: float, draws: _Draws, until: float) -> None:
        self.errors, self.half_ulp, self.draws, self.until = errors, half_ulp, draws, until

    def values(self, trace: Trace, last: int) -> list[Any]:
        """The values of the nodes.

        Raises:
            TimeoutError: the replay takes too long.
        """
        with ignored_float_errors():
            return Traversal(trace.steps, self, last).values({}, asks_again=False)

    def constant(self, value: Any) -> Any:
        """A constant with a rounding error, unless it is short."""
        return _off(value, _of_constant(value, self.half_ulp), self.draws)

    def entered(self, value: Any) -> Any:
        """An input: exact."""
        return value

    def sees_node(self, operation: Operation) -> bool:
        """The error of a step belongs to its node."""
        return True

    def function(self, operation: Operation) -> Callable[..., Any]:
        """The result of the step with some of its error added."""
        return partial(self._computed, super().function(operation))

    def _computed(self, function: Callable[..., Any], node: TraceNode, *arguments: Any) -> Any:
        return _off(function(*arguments), self.errors[node.index], self.draws)

    def between(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Stop when the time is up."""
        for count, step in enumerate(steps):
            if not count % 256 and time.monotonic() > self.until:
                raise TimeoutError
            yield step


def _of_constant(x: Any, half_ulp: float) -> Any:
    """The rounding error of a constant of the program."""
    if isinstance(x, float):
        return 0.0 if is_short(x) else _seen(half_ulp * abs(x), x)
    if getattr(x, "dtype", np.dtype(int)).kind not in "fc":
        return 0.0
    return _seen(np.where(is_short(x), 0.0, half_ulp * np.abs(x)), x)


def _seen(error: Any, x: Any) -> Any:
    """An error large enough not to be rounded away: if nonzero, at least the distance to the next number."""
    if type(x) is float and type(error) is float:
        return max(error, math.ulp(x)) if error > 0.0 else error
    if getattr(x, "dtype", np.dtype(float)).kind not in "fc":
        return error
    with ignored_float_errors():
        return np.where(np.asarray(error) > 0, np.maximum(error, np.spacing(np.abs(x))), error)


def _off(x: Any, error: Any, draws: _Draws) -> Any:
    """A number or an array with some of its error added."""
    if type(x) is float and type(error) is float:
        return x + error * draws.next() if error > 0.0 else x
    if not np.any(error):
        return x
    moved = x + np.where(np.asarray(error) > 0, error, 0.0) * draws.array(np.shape(x))
    return moved.astype(x.dtype)[()] if hasattr(x, "dtype") else type(x)(moved)


def _numbers(value: Any) -> list[float]:
    flat = np.ravel(np.asarray(value))
    return [part for x in flat for part in (x.real, x.imag)] if np.iscomplexobj(flat) else flat.astype(float).tolist()

"""How far rounding moves what a program computes, by trial: the program is played again, every step a little off.

A running analysis adds up what cannot come together, so that in a loop its bound grows without end; a trial sees what
the loop itself makes of an error.  Some trials err the same way at every step, as the repeated sum of one number does.
(D. Parker, Monte Carlo Arithmetic, 1997.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import cycle
from typing import Any

import numpy as np

from gradcli.numerics.rounding.arithmetic import is_short
from gradcli.numerics.rounding.bounds import own_errors
from gradcli.tape.pullbacks import ARITHMETIC
from gradcli.traces.node import TraceNode
from gradcli.traces.program import Operation
from gradcli.traces.trace import Trace
from gradcli.traces.traversal import Diverged, Floats, Step, Traversal

ALIKE = (1.0, -1.0)  # trials in which every step errs to the same side
RANDOM = 6  # and others
MANY = 4099  # numbers that are drawn at once, and again in turn
SECONDS = 3.0
SAFETY = 16.0  # times what was seen: more than that rounding hardly does


def moved_by_trial(trace: Trace, indices: Sequence[int], half_ulp: float) -> list[float]:
    """How far rounding may move each number of some nodes, in order; two for the two parts of a complex one.

    Costs eight runs of the recorded program; infinite where it cannot be run with other numbers, or not in time.
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
    with np.errstate(all="ignore"):
        most = SAFETY * np.max(np.abs(moved - np.array(here)), axis=0, initial=0.0)
    return [math.inf if math.isnan(x) else x for x in most.tolist()]


class _Draws:
    """Draws how much of its error each number has: at random, or each to one side."""

    def __init__(self, generator: np.random.Generator, side: float) -> None:
        self.side, self.generator = side, generator
        self.next = cycle(self.array((MANY,)).tolist()).__next__

    def array(self, shape: tuple[int, ...]) -> Any:
        """For an array."""
        least = 0.5 if self.side else -1.0
        return (self.side or 1.0) * self.generator.uniform(least, 1.0, shape)


class _Trial(Floats):
    """The numbers of the run, each constant and each step a little off; the inputs are exact.

    Args:
        errors: what the own rounding of each node may move.
        half_ulp: what one rounding moves, relative.
        draws: how much of that.
        until: when to give up.
    """

    def __init__(self, errors: Sequence[Any], half_ulp: float, draws: _Draws, until: float) -> None:
        self.errors, self.half_ulp, self.draws, self.until = errors, half_ulp, draws, until

    def values(self, trace: Trace, last: int) -> list[Any]:
        """The values of the nodes.

        Raises:
            TimeoutError: it takes too long.
        """
        with np.errstate(all="ignore"):
            return Traversal(trace, self, last).values({}, asks_again=False)

    def constant(self, value: Any) -> Any:
        """Off by what it was rounded when it was written down, unless it is short."""
        return _off(value, _of_constant(value, self.half_ulp), self.draws)

    def entered(self, value: Any) -> Any:
        """Exact."""
        return value

    def sees_node(self, operation: Operation) -> bool:
        """How far a step is off is known of its node."""
        return True

    def function(self, operation: Operation) -> Callable[..., Any]:
        """What was computed, off by some of its error."""
        return partial(self._computed, super().function(operation))

    def _computed(self, function: Callable[..., Any], node: TraceNode, *arguments: Any) -> Any:
        return _off(function(*arguments), self.errors[node.index], self.draws)

    def between(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Stops when the time is up."""
        for count, step in enumerate(steps):
            if not count % 256 and time.monotonic() > self.until:
                raise TimeoutError
            yield step


def _of_constant(x: Any, half_ulp: float) -> Any:
    """What the rounding of a constant of the program moves."""
    if isinstance(x, float):
        return 0.0 if is_short(x) else _seen(half_ulp * abs(x), x)
    if getattr(x, "dtype", np.dtype(int)).kind not in "fc":
        return 0.0
    return _seen(np.where(is_short(x), 0.0, half_ulp * np.abs(x)), x)


def _seen(error: Any, x: Any) -> Any:
    """An error that is not rounded away when it is added: where there is one, no less than to the next number."""
    if type(x) is float and type(error) is float:
        return max(error, math.ulp(x)) if error > 0.0 else error
    if getattr(x, "dtype", np.dtype(float)).kind not in "fc":
        return error
    with np.errstate(all="ignore"):
        return np.where(np.asarray(error) > 0, np.maximum(error, np.spacing(np.abs(x))), error)


def _off(x: Any, error: Any, draws: _Draws) -> Any:
    """A number or an array, off by some of its error."""
    if type(x) is float and type(error) is float:
        return x + error * draws.next() if error > 0.0 else x
    if not np.any(error):
        return x
    moved = x + np.where(np.asarray(error) > 0, error, 0.0) * draws.array(np.shape(x))
    return moved.astype(x.dtype)[()] if hasattr(x, "dtype") else type(x)(moved)


def _numbers(value: Any) -> list[float]:
    flat = np.ravel(np.asarray(value))
    return [part for x in flat for part in (x.real, x.imag)] if np.iscomplexobj(flat) else flat.astype(float).tolist()

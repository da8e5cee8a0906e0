"""How far rounding moves what a program computes, by trial: the program is played again, every step a little off.

A running analysis adds up what cannot come together, so that in a loop its bound grows without end; a trial sees what
the loop itself makes of an error.  Some trials err the same way at every step, as the repeated sum of one number does.
(D. Parker, Monte Carlo Arithmetic, 1997.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from gradcli.methods.rounding.arithmetic import is_short
from gradcli.methods.rounding.bounds import own_errors
from gradcli.tape.compiled import ARITHMETIC
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace
from gradcli.traces.traversal import Diverged

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
        steps = list(_steps(trace, last, half_ulp))
        until = time.monotonic() + SECONDS
        tried = [_played(steps, _Draws(generator, side), until) for side in (*ALIKE, *(0.0,) * RANDOM)]
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


class _Step(NamedTuple):
    """A node, what its own rounding may move, and its arguments: where each is from, or what it is and is off by."""

    node: TraceNode
    error: Any
    arguments: list[tuple[int, Any, Any]]


def _steps(trace: Trace, last: int, half_ulp: float) -> Iterator[_Step]:
    for node, error in zip(trace.nodes[: last + 1], own_errors(trace, last, half_ulp), strict=True):
        pairs = node.arguments() if node.is_computed else ()
        arguments = [(i, x, _of_constant(x, half_ulp) if i == CONSTANT else 0.0) for i, x in pairs]
        yield _Step(node, _seen(error, node.value), arguments)


def _of_constant(x: Any, half_ulp: float) -> Any:
    """What a constant of the program is off by, which was rounded when it was written down unless it is short."""
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


def _played(steps: list[_Step], draws: _Draws, until: float) -> list[Any]:
    """The values of the nodes, each a little off.

    Raises:
        TimeoutError: it takes too long.
    """
    values: list[Any] = []
    with np.errstate(all="ignore"):
        for node, error, arguments in steps:
            if not node.is_computed:
                values.append(node.value)
                continue
            given = [values[i] if i != CONSTANT else _off(x, off, draws) for i, x, off in arguments]
            values.append(_off(node.computed(given), error, draws))
            if not len(values) % 256 and time.monotonic() > until:
                raise TimeoutError
    return values


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

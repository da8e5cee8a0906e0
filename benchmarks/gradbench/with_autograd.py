"""The nested evaluations as a user of autograd writes them, on its arrays: what gradcli's are measured beside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograd
import autograd.numpy as np

from benchmarks.gradbench.gradient_descent import ENOUGH
from benchmarks.gradbench.programs.particle import STEP
from benchmarks.gradbench.programs.saddle import f

Function = Callable[[Any], Any]
Gradient = Callable[[Function], Function]


def forward(f: Function) -> Function:
    """The gradient of a function of an array, with a forward sweep for each number."""
    product = autograd.make_jvp(f)
    return lambda x: np.array([product(x)(unit)[1] for unit in np.eye(len(x))])


MODES: dict[str, Gradient] = {"r": autograd.grad, "f": forward}


def norm(x: Any) -> Any:
    """The length of a vector."""
    return np.sqrt(np.sum(x**2))


def argmin(f: Function, gradient: Function, x: Any) -> Any:
    """The minimum, as `benchmarks.gradbench.gradient_descent.argmin` finds it."""
    value, slope = f(x), gradient(x)
    falls, step = 0, 1e-5
    while norm(slope) > ENOUGH:
        if falls == 10:
            step, falls = 2 * step, 0
            continue
        there = x - step * slope
        if norm(x - there) <= ENOUGH:
            break
        lower = f(there)
        if lower < value:
            x, value, slope, falls = there, lower, gradient(there), falls + 1
        else:
            step, falls = step / 2, 0
    return x


def maximum(inner: Gradient, start: list[float]) -> Function:
    """The largest `f(x, y)` of all y, as a function of x."""

    def largest(x: Any) -> Any:
        return f(x, argmin(lambda y: -f(x, y), inner(lambda y: -f(x, y)), np.array(start)))

    return largest


def distance(inner: Gradient) -> Function:
    """The squared distance from the origin at which the particle passes."""

    def squared(controls: Any) -> Any:
        charges = np.array([10.0, 10.0]), np.array([10.0 - controls[0], 0.0])
        force = inner(lambda at: np.sum(1 / np.sqrt((at[0] - charges[0]) ** 2 + (at[1] - charges[1]) ** 2)))
        place, speed = np.array([0.0, 8.0]), np.array([0.75, 0.0])
        while True:
            pulled = force(place)
            place = place + STEP * speed
            if place[1] <= 0:
                return (place[0] - place[1] / speed[1] * speed[0]) ** 2
            speed = speed - STEP * pulled

    return squared

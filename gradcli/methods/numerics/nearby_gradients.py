"""Gradients at points nearby; at a kink, these are the gradients of the pieces that meet there.

Each limit of such gradients is a derivative on one side of the point. Any convex combination of the limits is equally
valid. (F. Clarke, Optimization and Nonsmooth Analysis, 1983: the generalized gradient.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.traces.trace import record_trace
from gradcli.methods.numerics.coordinates import Coordinate, coordinates, pick
from gradcli.methods.numerics.deadline import is_interrupted
from gradcli.methods.numerics.difference_quotients import Slope, value_or_nan
from gradcli.methods.numerics.differences import slope
from gradcli.shared.pytree import map_leaves

NEAR = (2.0**-26, 2.0**-32)  # distances, in scales of each number; at least `UNITS` rounding units of its dtype
UNITS = (64.0, 8.0)
FARTHER = (2.0**-16, 2.0**-18)  # distances where gradients are computed by differences
SHORT = 2.0**-9  # fraction of the distance: the steps of these differences
LONGEST = 0.1  # longest step along a direction, as a fraction
STRAIGHT = 4 * SHORT  # largest gap between the two sides of a difference, as a fraction of the largest component
ZERO = 1.0  # scale of a number that is 0, next to larger ones
UNLIKE = 4.0  # powers of ten between the steps of two numbers, in every other direction


class RayGradients(NamedTuple):
    """The gradients at two points nearby, on the same ray.

    Attributes:
        way: the displacement of each part, in units of its scale and of the distance.
        value: the function's value at the farther point.
        far, near: the gradients at the farther and the nearer point.
    """

    way: Any
    value: float
    far: Any
    near: Any


@dataclass(frozen=True)
class Surroundings:
    """The surroundings of a point.

    Args:
        function: takes the inputs of `point` in order.
        point: the inputs by name.
        parts: the numbers to differentiate by.
        eps: the rounding unit of the program.
        until: the value of `time.monotonic` after which no more calls are made.
        taped: whether the tape follows the function; otherwise gradients are computed by differences.
    """

    function: Callable[..., Any]
    point: Mapping[str, Any]
    parts: Sequence[Coordinate]
    eps: float
    until: float = math.inf
    taped: bool = True

    @cached_property
    def _sizes(self) -> Any:
        """The sizes of all numbers in the point."""
        return np.abs(np.array([part.value for part in coordinates(self.point)]))

    @cached_property
    def scales(self) -> Any:
        """The scale of each part: its size, or for a 0 the smallest nonzero size in the point, at most `ZERO`."""
        smallest = min(ZERO, np.min(self._sizes, initial=math.inf, where=self._sizes > 0))
        sizes = np.abs(np.array([part.value for part in self.parts]))
        return np.where(sizes > 0, sizes, smallest)

    def reach(self, level: int) -> float:
        """The distance, in scales, of the farther points (level 0) and the nearer ones (level 1)."""
        return max(NEAR[level], UNITS[level] * self.eps) if self.taped else FARTHER[level]

    def meet(self, way: Any) -> RayGradients | None:
        """The gradients in a direction; None if the function cannot be computed there or is not finite.

        Costs two gradients.
        """
        far, near = (self._gradient(self.reach(level) * self.scales * way, level) for level in (0, 1))
        return RayGradients(way, far[0], far[1], near[1]) if far and near else None

    def gradient(self, way: Any) -> Any | None:
        """The gradient at a displacement of each part in units of its scale; None if it cannot be computed there."""
        there = self._gradient(self.scales * way, 0)
        return None if there is None else there[1]

    def slopes(self, way: Any) -> Slope:
        """The slopes of the plain function along a direction, per unit of distance; empty when the time is over.

        The distance is counted from a number that has the resolution of the moving parts.
        """
        if self.is_over():
            return Slope()
        unit = self.scales * way
        sizes = np.abs([part.value for part in self.parts])
        here = float(max(1.0, np.max(np.divide(sizes, np.abs(unit), where=unit != 0, out=np.zeros(len(unit))))))
        return slope(lambda t: self._value((t - here) * unit), here, self.eps, 2 * LONGEST)

    def is_over(self) -> bool:
        return time.monotonic() > self.until or is_interrupted()

    def _value(self, steps: Any) -> float:
        return value_or_nan(self.function, self._moved(steps))

    def _gradient(self, steps: Any, level: int) -> tuple[float, Any] | None:
        if self.is_over():
            return None
        return self._recorded(steps) if self.taped else self._differenced(steps, level)

    def _differenced(self, steps: Any, level: int) -> tuple[float, Any] | None:
        """The value and the gradient by differences; None if the function bends within the steps."""
        here = self._value(steps)
        lengths = SHORT * self.reach(level) * self.scales
        ways = np.diag(lengths)
        ahead, back = (np.array([self._value(steps + sign * way) - here for way in ways]) for sign in (1.0, -1.0))
        slopes, bends = (ahead - back) / (2 * lengths), (ahead + back) / lengths
        straight = np.max(np.abs(bends)) <= STRAIGHT * np.max(np.abs(slopes))
        return (here, slopes) if math.isfinite(here) and np.all(np.isfinite(slopes)) and straight else None

    def _recorded(self, steps: Any) -> tuple[float, Any] | None:
        try:
            run = record_trace(self.function, tuple(self._moved(steps)), names=False)
            value, sensitivities = float(run.value), run.sensitivities()
        except program_errors():
            return None
        by_leaf = [sensitivities[index] for index in run.input_indices()]
        gradient = np.array([pick(by_leaf, part) for part in self.parts])
        return (value, gradient) if math.isfinite(value) and np.all(np.isfinite(gradient)) else None

    def _moved(self, steps: Any) -> list[Any]:
        """The arguments with every part moved by its step."""
        every = np.zeros(len(self._sizes))
        every[[part.number for part in self.parts]] = steps
        rest = iter(every)

        def move(leaf: Any) -> Any:
            halves = 2 if np.iscomplexobj(leaf) else 1
            taken = np.array([next(rest) for _ in range(np.size(leaf) * halves)])
            there = leaf + (taken if halves == 1 else taken.view(complex)).reshape(np.shape(leaf))[()]
            return there.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(there)

        return [map_leaves(move, structure) for structure in self.point.values()]


def directions(size: int, trials: int) -> Iterator[Any]:
    """Directions: one in ascending order, its opposite, then random ones with steps of equal and of unequal sizes."""
    generator = np.random.default_rng(0)
    in_order = np.arange(1.0, size + 1) / size
    for trial in range(trials):
        sizes = 10.0 ** (-UNLIKE * (trial % 2) * generator.uniform(0, 1, size))
        yield (in_order, -in_order)[trial] if trial < 2 else sizes * generator.uniform(-1, 1, size)

"""The gradients at points close by, which at a kink are those of the pieces that meet there.

Every limit of such gradients is one that the function has on some side of the point, and what lies between limits is as
good as they are.
(F. Clarke, Optimization and Nonsmooth Analysis, 1983: the generalized gradient.)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gradcli.numerics.coordinates import Coordinate, coordinates, pick
from gradcli.numerics.differences import Slope, slope
from gradcli.pytree import map_leaves
from gradcli.traces.trace import recorded

NEAR = (2.0**-26, 2.0**-32)  # how close, in scales of each number; at least as many units of rounding as its type has
UNITS = (64.0, 8.0)
FARTHER = (2.0**-16, 2.0**-18)  # how close where gradients are differences
SHORT = 2.0**-9  # of that: the steps of these differences
LONGEST = 0.1  # of a direction: the longest step along it
STRAIGHT = 4 * SHORT  # of the largest number of a gradient by differences: how far its two sides may be apart
ZERO = 1.0  # the scale of a number that is 0, beside larger ones
UNLIKE = 4.0  # powers of ten between the steps of two numbers, in every other direction


class Met(NamedTuple):
    """What was met at a point close by, and on the same ray at one that is closer yet.

    Attributes:
        way: by how much each part was moved, in its scale and that of the closeness.
        value: of the function, at the farther of the two.
        far, near: the gradients.
    """

    way: Any
    value: float
    far: Any
    near: Any


@dataclass(frozen=True)
class Surroundings:
    """A function around a point.

    Args:
        function: takes the inputs of `point` in order.
        point: the inputs by name.
        parts: the numbers to differentiate by.
        eps: the rounding unit of the program.
        until: the time by `time.monotonic` from which on nothing is asked any more.
        taped: whether the tape follows the function; differences take its place.
    """

    function: Callable[..., Any]
    point: Mapping[str, Any]
    parts: Sequence[Coordinate]
    eps: float
    until: float = math.inf
    taped: bool = True

    @property
    def scales(self) -> Any:
        """For each part how large it is; for a 0 no more than the smallest of all numbers of the point."""
        every = np.abs(np.array([part.value for part in coordinates(self.point)]))
        smallest = min(ZERO, np.min(every, initial=math.inf, where=every > 0))
        sizes = np.abs(np.array([part.value for part in self.parts]))
        return np.where(sizes > 0, sizes, smallest)

    def reach(self, level: int) -> float:
        """How close, in scales, the farther points are (level 0), and the closer ones (1)."""
        return max(NEAR[level], UNITS[level] * self.eps) if self.taped else FARTHER[level]

    def meet(self, way: Any) -> Met | None:
        """What is met in a direction; None where the function cannot be computed, or is not finite.

        Costs two gradients.
        """
        far, near = (self._gradient(self.reach(level) * self.scales * way, level) for level in (0, 1))
        return Met(way, far[0], far[1], near[1]) if far and near else None

    def slopes(self, way: Any) -> Slope:
        """What differences of the plain function say along a direction, by how far one goes in it; nothing out of time.

        The way along it is counted from a number that has the resolution of those that move.
        """
        if time.monotonic() > self.until:
            return Slope()
        unit = self.scales * way
        sizes = np.abs([part.value for part in self.parts])
        here = float(max(1.0, np.max(np.divide(sizes, np.abs(unit), where=unit != 0, out=np.zeros(len(unit))))))
        return slope(lambda t: self._value((t - here) * unit), here, self.eps, 2 * LONGEST)

    def _value(self, steps: Any) -> float:
        try:
            return float(self.function(*self._moved(steps)))
        except (Exception, SystemExit):  # off the point the user's function may raise whatever it likes
            return math.nan

    def _gradient(self, steps: Any, level: int) -> tuple[float, Any] | None:
        if time.monotonic() > self.until:
            return None
        return self._recorded(steps) if self.taped else self._differenced(steps, level)

    def _differenced(self, steps: Any, level: int) -> tuple[float, Any] | None:
        """The value and the gradient by differences; None where the function bends within their steps."""
        here = self._value(steps)
        lengths = SHORT * self.reach(level) * self.scales
        ways = np.diag(lengths)
        ahead, back = (np.array([self._value(steps + sign * way) - here for way in ways]) for sign in (1.0, -1.0))
        found, apart = (ahead - back) / (2 * lengths), (ahead + back) / lengths
        straight = np.max(np.abs(apart)) <= STRAIGHT * np.max(np.abs(found))
        return (here, found) if math.isfinite(here) and np.all(np.isfinite(found)) and straight else None

    def _recorded(self, steps: Any) -> tuple[float, Any] | None:
        try:
            run = recorded(self.function, tuple(self._moved(steps)), names=False)
            value, sensitivities = float(run.value), run.sensitivities()
        except (Exception, SystemExit):  # off the point the user's function may raise whatever it likes
            return None
        by_leaf = [sensitivities[index] for index in run.input_indices()]
        found = np.array([pick(by_leaf, part) for part in self.parts])
        return (value, found) if math.isfinite(value) and np.all(np.isfinite(found)) else None

    def _moved(self, steps: Any) -> list[Any]:
        """The arguments with every part moved by its step."""
        every = np.zeros(len(coordinates(self.point)))
        every[[part.number for part in self.parts]] = steps
        rest = iter(every)

        def move(leaf: Any) -> Any:
            halves = 2 if np.iscomplexobj(leaf) else 1
            taken = np.array([next(rest) for _ in range(np.size(leaf) * halves)])
            there = leaf + (taken if halves == 1 else taken.view(complex)).reshape(np.shape(leaf))[()]
            return there.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(there)

        return [map_leaves(move, structure) for structure in self.point.values()]


def ways(size: int, trials: int) -> Iterator[Any]:
    """Directions: in the order in which the numbers stand, against it, then at random, with steps alike and unlike."""
    generator = np.random.default_rng(0)
    in_order = np.arange(1.0, size + 1) / size
    for trial in range(trials):
        sizes = 10.0 ** (-UNLIKE * (trial % 2) * generator.uniform(0, 1, size))
        yield (in_order, -in_order)[trial] if trial < 2 else sizes * generator.uniform(-1, 1, size)

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
from typing import Any

import numpy as np

from gradcli.errors import TapeError
from gradcli.methods.components import Component, components, pick
from gradcli.tape.quiet import quiet
from gradcli.tape.structure import map_leaves
from gradcli.transforms import trace

NEAR = (2.0**-26, 2.0**-32)  # how close, in scales of each number; at least as many units of rounding as its type has
UNITS = (64.0, 8.0)
ZERO = 1e-3  # the scale of a number that is 0, beside larger ones
TRIALS = 24  # points, half of them closer than the others
LASTING = 0.25  # of the spread of the gradients, which is the same at points that are closer yet


@dataclass(frozen=True)
class Surroundings:
    """A function around a point.

    Args:
        function: takes the inputs of `point` in order.
        point: the inputs by name.
        parts: the numbers to differentiate by.
        eps: the rounding unit of the program.
        until: the time by `time.monotonic` from which on nothing is asked any more.
    """

    function: Callable[..., Any]
    point: Mapping[str, Any]
    parts: Sequence[Component]
    eps: float
    until: float = math.inf

    @property
    def scales(self) -> Any:
        """For each number of the point how large it is; for a 0 no more than the smallest of the others."""
        sizes = np.abs(np.array([part.value for part in components(self.point)]))
        smallest = min(ZERO, np.min(sizes, initial=math.inf, where=sizes > 0))
        return np.where(sizes > 0, sizes, smallest)

    def reach(self, level: int) -> float:
        """How close, in scales, the points of a level are."""
        return max(NEAR[level], UNITS[level] * self.eps)

    def gradient(self, steps: Any) -> Any:
        """The gradient by `parts` where every number of the point is moved by its step; None where there is none."""
        if time.monotonic() > self.until:
            return None
        try:
            tape = trace(self.function, *_moved(self.point, steps), names=False)
            sensitivities = tape.sensitivities()
        except (TapeError, ArithmeticError, ValueError, TypeError, LookupError):
            return None
        by_leaf = [sensitivities[row] for row in tape.input_rows()]
        found = np.array([pick(by_leaf, part) for part in self.parts])
        return found if np.all(np.isfinite(found)) else None

    def sample(self, level: int, trials: int = TRIALS // 2) -> tuple[Any, Any]:
        """Random steps of a level, and the gradients there: first of them those that put equal numbers in order."""
        generator = np.random.default_rng(level)
        taken, found = [], []
        for ways in _ways(len(self.scales), trials, generator):
            steps = self.reach(level) * self.scales * ways
            gradient = self.gradient(steps)
            if gradient is not None:
                taken.append(steps)
                found.append(gradient)
        return np.array(taken).reshape(-1, len(self.scales)), np.array(found).reshape(-1, len(self.parts))


def _ways(size: int, trials: int, generator: np.random.Generator) -> Iterator[Any]:
    """In scales of a level how each number is moved: in the order they stand in, against it, then at random."""
    in_order = np.arange(1.0, size + 1) / size
    for trial in range(trials):
        yield (in_order, -in_order)[trial] if trial < 2 else generator.uniform(-1, 1, size)


def _moved(point: Mapping[str, Any], steps: Any) -> list[Any]:
    rest = iter(steps)

    def move(leaf: Any) -> Any:
        halves = 2 if np.iscomplexobj(leaf) else 1
        taken = np.array([next(rest) for _ in range(np.size(leaf) * halves)])
        there = leaf + (taken if halves == 1 else taken.view(complex)).reshape(np.shape(leaf))[()]
        return there.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(there)

    return [map_leaves(move, structure) for structure in point.values()]


def extremes(around: Surroundings) -> tuple[list[float], list[float]]:
    """The least and the most of the derivatives by each part at points close by: infinite, the least above the most,
    where they do not differ as much at closer points.

    Where many things are tied, the slopes to the left and to the right are two of many.  Those of a smooth function
    draw together as the points come closer; rounding, and a path that holds next to the point alone, drive them apart.
    """
    with quiet():
        (_, found), (_, closer) = (around.sample(level) for level in (0, 1))
    if not len(found) or not len(closer):
        return [math.inf] * len(around.parts), [-math.inf] * len(around.parts)
    spreads = np.ptp(found, 0), np.ptp(closer, 0)
    lasts = np.minimum(*spreads) > LASTING * np.maximum(*spreads)
    least, most = np.min(found, 0), np.max(found, 0)
    return np.where(lasts, least, math.inf).tolist(), np.where(lasts, most, -math.inf).tolist()

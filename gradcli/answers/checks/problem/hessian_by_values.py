"""The Hessian of a function that the tape cannot follow, by differences of its values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.engine.tape.value import is_recorded
from gradcli.errors import TapeError
from gradcli.methods.exact.one_sided_limits import direction, scale
from gradcli.methods.numerics import differences
from gradcli.methods.numerics.coordinates import Coordinate, arguments_along, coordinates
from gradcli.methods.numerics.difference_quotients import Slope, value_or_nan
from gradcli.methods.numerics.second_differences import HERE, second_slope
from gradcli.shared.pytree import leaves

EPS = float(np.finfo(float).eps)


class NotFiniteGradientError(TapeError):
    """The gradient by the tape is not finite, so that its derivatives are not those of the function."""

    code = "G102"


@dataclass(frozen=True)
class HessianByValues:
    """The rows of a Hessian by differences of values, in place of a gradient that can be recorded.

    Attributes:
        function: takes the inputs in order and returns one number.
        names: the names of the inputs.
        wanted: the names of the inputs to differentiate by.
        withdrawn: the reason why the tape cannot follow the function.
    """

    function: Callable[..., Any]
    names: tuple[str, ...]
    wanted: Sequence[str]
    withdrawn: TapeError

    def number(self, n: int, count: int) -> SlopeAlong:
        """The slope by number `n` of `count`, whose gradient is a row."""
        return self.along(np.eye(1, count, n)[0])

    def along(self, weights: Any) -> SlopeAlong:
        """The slope along a direction with these steps in the wanted numbers, whose gradient is a sum of rows."""
        return SlopeAlong(self, np.asarray(weights, dtype=float))


@dataclass(frozen=True, eq=False)
class SlopeAlong:
    """The slope of a function along a direction, and its derivatives, by differences of the function's values."""

    hessian: HessianByValues
    weights: Any

    def __call__(self, *inputs: Any) -> float:
        """The slope at a point.

        Raises:
            TapeError: an input is recorded.
        """
        if any(map(is_recorded, leaves(inputs))):
            raise self.hessian.withdrawn.with_traceback(None)
        point = dict(zip(self.hessian.names, inputs, strict=True))
        ways = self._ways(point)
        size = _length(*ways)
        return differences.slope(self._towards(point, [(ways, size)]), HERE, EPS).value / size

    def by(self, point: Mapping[str, Any], parts: Sequence[Coordinate], steps: Sequence[float], eps: float) -> Slope:
        """The derivative of the slope along a direction with some steps in some parts."""
        own, other = self._ways(point), (parts, steps)
        a, b = _length(*own), _length(*other)
        one, two = dict(zip((p.number for p in own[0]), a * own[1], strict=True)), {}
        two = {part.number: b * step for part, step in zip(parts, steps, strict=True)}
        if all(math.isclose(one.get(n, 0.0), two.get(n, 0.0)) for n in {*one, *two}):
            return second_slope([(1.0 / (a * b), self._towards(point, [(own, a)]))], eps)
        pair = ((sign, self._towards(point, [(own, a), (other, sign * b)])) for sign in (1.0, -1.0))
        return second_slope([(sign / (4 * a * b), f) for sign, f in pair], eps)

    def _ways(self, point: Mapping[str, Any]) -> tuple[list[Coordinate], Any]:
        """The numbers that the direction moves, and their steps."""
        moved = [
            (part, weight)
            for part, weight in zip(coordinates(point, self.hessian.wanted), self.weights, strict=True)
            if weight
        ]
        return [part for part, _ in moved], np.array([weight for _, weight in moved])

    def _towards(
        self, point: Mapping[str, Any], ways: Sequence[tuple[tuple[Sequence[Coordinate], Any], float]]
    ) -> Callable[[float], float]:
        """The function of the distance along the sum of some directions, each with a length; nan where it raises."""
        steps: dict[int, float] = {}
        known: dict[int, Coordinate] = {}
        for (parts, sizes), length in ways:
            for part, size in zip(parts, sizes, strict=True):
                known[part.number] = part
                steps[part.number] = steps.get(part.number, 0.0) + length * size
        towards = direction(point, list(known.values()), [steps[n] for n in known])
        function = self.hessian.function
        return lambda distance: value_or_nan(function, arguments_along(point, towards, distance - HERE))


def _length(parts: Sequence[Coordinate], steps: Any) -> float:
    """The multiple of some steps that moves no part by more than its scale, and one by its scale."""
    return min(scale(part) / abs(float(step)) for part, step in zip(parts, steps, strict=True))

"""Verification of a derived program against the tape and against differences of the function."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.errors import GradcliError, InconclusiveError, InternalError, UnsupportedError
from gradcli.methods.transforms.gradients import grad
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.ignored_warnings import ignored_warnings
from gradcli.shared.message_wording import first_items, shortened
from gradcli.shared.pytree import leaves, map_leaves

NOT_DEFINED = (ArithmeticError, np.linalg.LinAlgError)  # exceptions of a derivative at a point where it divides by zero

# Tolerance relative to the largest number, by the dtype of the point: the tape and the program round differently
CLOSE = {"float64": 1e-8, "float32": 1e-4, "float16": 1e-2}
LOOSE = 1e-4  # relative to the slope, for differences
STEPS = (1e-4, 1e-5, 1e-6)


class Verified(Frozen):
    """The comparisons that a derived program passed.

    Attributes:
        by_tape: the number of points at which it agreed with the tape.
        by_differences: the number of points at which it agreed with differences.
    """

    by_tape: int
    by_differences: int


def _closeness(point: list[Any]) -> float:
    """The tolerance for the coarsest dtype in a point."""
    return (
        max((CLOSE.get(str(getattr(leaf, "dtype", "")), 0.0) for leaf in leaves(point)), default=0.0)
        or CLOSE["float64"]
    )


def flat(value: Any) -> list[float]:
    """The numbers of a gradient, in order."""
    parts = leaves(list(value) if isinstance(value, tuple) else value)
    return [float(x) for leaf in parts for x in np.ravel(leaf)]


class DerivedTrial:
    """A comparison of a derived gradient with its function.

    Args:
        function: the user's function.
        derived: the gradient function.
        places: the positions of the arguments to differentiate with respect to.
        truth: the tape's derivative to compare with; by default the gradient, which is also compared with differences.
        is_along_path: whether the program was derived from one run and holds only on its path.
        ends: whether the function ends at another point, where that is not certain.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        derived: Callable[..., Any],
        places: Sequence[int],
        truth: Callable[..., Any] | None = None,
        *,
        is_along_path: bool = False,
        ends: Callable[[list[Any]], bool] = bool,
    ) -> None:
        self.function = function
        self.derived = derived
        self.places = tuple(places)
        self.truth = truth or grad(function, self.places)
        self.is_gradient = truth is None
        self.is_along_path = is_along_path
        self.ends = ends

    def at(self, points: Sequence[list[Any]]) -> Verified:
        """Compare at some points; at the first one, both must have a value.

        Raises:
            InconclusiveError: nothing could be compared.
            InternalError: the two disagree, or the program raises where the function does not.
        """
        by_tape = by_differences = compared = 0
        with ignored_float_errors(), ignored_warnings():
            for n, point in enumerate(points):
                if not self._answers(point):
                    continue
                derived = self._derived(point, is_first=n == 0)
                if derived is None:
                    continue
                compared += 1
                by_tape += self._agrees_with_tape(derived, point, is_first=n == 0)
                by_differences += self._agrees_with_differences(derived, point)
        if not by_tape and by_differences < max(1, compared):
            raise InconclusiveError(
                f"the derived program agrees with differences at {by_differences} of {compared} points, and with the "
                "tape at none",
                hint="Nothing was written. Choose a point at which the value and the gradient are finite.",
            )
        return Verified(by_tape, by_differences)

    def is_silently_wrong(self, point: list[Any]) -> bool:
        """Whether the program gives other numbers than the tape, or arrays of other shapes, without an exception."""
        with ignored_float_errors(), ignored_warnings():
            if not self.ends(point) or not self._answers(point):
                return False
            try:
                computed, expected = (leaves(f(*copy.deepcopy(point))) for f in (self.derived, self.truth))
            except Exception:  # an assertion of the program, or shapes that do not fit
                return False
            if list(map(np.shape, computed)) != list(map(np.shape, expected)):
                return True
            return not np.allclose(flat(computed), flat(expected), rtol=LOOSE, equal_nan=True)

    def _answers(self, point: list[Any]) -> bool:
        try:
            return all(map(math.isfinite, flat(self.function(*copy.deepcopy(point)))))
        except Exception:
            return False

    def _derived(self, point: list[Any], *, is_first: bool) -> list[float] | None:
        try:
            return flat(self.derived(*copy.deepcopy(point)))
        except Exception as error:
            is_undefined = isinstance(error, NOT_DEFINED) or not self._has_derivative(point)
            if is_undefined and is_first:
                raise InconclusiveError(
                    f"the derived program raises {type(error).__name__} at {shown(point)}: {error}",
                    hint="Nothing was written. Choose a point at which the function has a derivative.",
                ) from None
            if is_undefined or (isinstance(error, AssertionError) and not is_first):
                return None
            error_text = f"{type(error).__name__}: {error}"
            raise InternalError(
                f"the derived program raises {error_text} at {shown(point)}, where the function has a value",
                hint="Nothing was written. Please report the function.",
            ) from error

    def _has_derivative(self, point: list[Any]) -> bool:
        """Whether the tape's derivative is finite."""
        try:
            return all(map(math.isfinite, flat(self.truth(*copy.deepcopy(point)))))
        except GradcliError:
            return False

    def _agrees_with_tape(self, slopes: list[float], point: list[Any], *, is_first: bool) -> bool:
        try:
            expected = flat(self.truth(*copy.deepcopy(point)))
        except GradcliError:
            return False
        if not all(map(math.isfinite, expected)):
            return False
        if any(map(math.isnan, slopes)):
            raise UnsupportedError(
                f"the derived program would give nan at {shown(point)}, where a lane that is not taken has an infinite "
                "partial",
                hint="Choose the argument instead of the result: np.sqrt(np.where(x > 0, x, 1.0)).",
            )
        scale = max([*map(abs, expected), 1e-300])
        scale = max(scale, 1e-15 * self._size(point))
        if len(slopes) != len(expected) or not all(
            abs(a - b) <= _closeness(point) * scale for a, b in zip(slopes, expected, strict=True)
        ):
            if self._agrees_with_differences(slopes, point):
                raise InconclusiveError(
                    f"at {shown(point)} differences agree with the derived program, {brief(slopes)}, "
                    f"and the tape gives {brief(expected)}",
                    hint="Nothing was written. Does the function do something else when it is recorded?",
                )
            self._refuse_unsteady(point)
            if self.is_along_path and not is_first:
                raise UnsupportedError(
                    f"the run goes another way at {shown(point)}, by what no assertion can hold it to",
                    hint="Write what decides as an `if` of the inputs.",
                )
            raise InternalError(
                f"the derived program gives {brief(slopes)} at {shown(point)}, and the tape {brief(expected)}",
                hint="Nothing was written. Please report the function.",
            )
        return True

    def _refuse_unsteady(self, point: list[Any]) -> None:
        values = [flat(self.function(*copy.deepcopy(point))) for _ in range(2)]
        if values[0] != values[1]:
            raise InconclusiveError(
                f"the function returns a different value at each call: {brief(values[0])}, then {brief(values[1])}",
                hint="Nothing was written. Draw random numbers outside, and hand them in.",
            )

    def _size(self, point: list[Any]) -> float:
        return max(map(abs, flat(self.function(*copy.deepcopy(point)))), default=0.0)

    def _agrees_with_differences(self, slopes: list[float], point: list[Any]) -> bool:
        """Whether the slope along a random direction agrees with differences of some step; False is no verdict."""
        if not self.is_gradient:
            return False
        generator = random.Random(len(slopes))
        direction = [generator.uniform(-1.0, 1.0) for _ in slopes]
        slope = math.fsum(a * b for a, b in zip(slopes, direction, strict=True))
        estimates = []
        for step in STEPS:
            try:
                ahead, behind = (self._moved(point, direction, sign * step) for sign in (1.0, -1.0))
                estimates.append((ahead - behind) / (2 * step))
            except Exception:
                return False
        scale = max(abs(slope), *map(abs, slopes), 1e-12)
        return any(abs(estimate - slope) <= LOOSE * scale for estimate in estimates)

    def _moved(self, point: list[Any], direction: list[float], step: float) -> float:
        numbers = iter(direction)

        def move(value: Any) -> Any:
            if isinstance(value, np.ndarray):
                return value + step * np.array([next(numbers) for _ in range(value.size)]).reshape(value.shape)
            return value + step * next(numbers)

        moved = [
            map_leaves(move, argument) if n in self.places else argument
            for n, argument in enumerate(copy.deepcopy(point))
        ]
        if not self.ends(moved):
            raise InconclusiveError("the function does not end there")
        return float(self.function(*moved))


def brief(numbers: Sequence[float]) -> str:
    """The first few numbers as text."""
    return first_items([f"{number:.6g}" for number in numbers], 6)


def shown(point: Sequence[Any]) -> str:
    """A point as text, shortened."""
    return shortened(", ".join(repr(value.tolist() if isinstance(value, np.ndarray) else value) for value in point), 80)

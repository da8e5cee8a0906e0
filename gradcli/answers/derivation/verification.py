"""Verification of a derived program against the tape and against differences of the function."""

from __future__ import annotations

import copy
import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.answers.derivation.trial_points import moved
from gradcli.engine.code.program_errors import program_errors
from gradcli.errors import GradcliError, InconclusiveError, InternalError, UnsupportedError
from gradcli.methods.transforms.gradients import grad, trace
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


def _closeness(values: list[Any]) -> float:
    """The tolerance for the coarsest dtype among some values."""
    return max((CLOSE.get(str(getattr(leaf, "dtype", "")), 0.0) for leaf in leaves(values)), default=0.0)


def flat(value: Any) -> Any:
    """The numbers of a gradient, in order, as an array of float64."""
    parts = leaves(value)
    if any(map(np.ndim, parts)):
        return np.concatenate([np.asarray(part, float).ravel() for part in parts])
    return np.array(parts, float)


def _are_equal(x: Any, y: Any) -> bool:
    """Whether two parts of an argument are equal numbers or arrays; True for parts of other types."""
    return np.asarray(x).dtype.kind not in "biufc" or np.array_equal(x, y, equal_nan=True)


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
                size = self._size(point)
                if not math.isfinite(size):
                    continue
                derived = self._derived(point, is_first=n == 0)
                if derived is None:
                    continue
                compared += 1
                by_tape += self._agrees_with_tape(derived, point, size, is_first=n == 0)
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
            if not self.ends(point) or not math.isfinite(self._size(point)):
                return False
            try:
                computed, expected = (leaves(f(*copy.deepcopy(point))) for f in (self.derived, self.truth))
            except program_errors():  # an assertion of the program, or shapes that do not fit
                return False
            is_alike = list(map(np.shape, computed)) == list(map(np.shape, expected))
            return not is_alike or not np.allclose(flat(computed), flat(expected), rtol=LOOSE, equal_nan=True)

    def _size(self, point: list[Any]) -> float:
        """The largest number of the function's result; nan if it has none."""
        try:
            return float(np.max(np.abs(flat(self.function(*copy.deepcopy(point)))), initial=0.0))
        except program_errors():
            return math.nan

    def _derived(self, point: list[Any], *, is_first: bool) -> Any:
        given = copy.deepcopy(point)
        try:
            derived = flat(self.derived(*given))
        except Exception as error:
            is_outside = isinstance(error, NOT_DEFINED) or str(error) == "math domain error"
            is_undefined = is_outside or self._truth(point) is None
            if is_undefined and is_first:
                raise InconclusiveError(
                    f"the derived program raises {type(error).__name__} at {shown(point)}: {error}",
                    hint="Nothing was written. Choose a point at which the function has a derivative.",
                ) from None
            if is_undefined or (isinstance(error, AssertionError) and not is_first):
                return None
            raise InternalError(
                f"the derived program raises {type(error).__name__}: {error} at {shown(point)}, "
                "where the function has a value",
                hint="Nothing was written. Please report the function.",
            ) from error
        if not all(map(_are_equal, leaves(given), leaves(point))):
            raise InternalError(
                f"the derived program changes its arguments at {shown(point)}",
                hint="Nothing was written. Please report the function.",
            )
        return derived

    def _truth(self, point: list[Any]) -> Any:
        """The numbers of the tape's derivative, if it is finite; None otherwise."""
        try:
            expected = flat(self.truth(*copy.deepcopy(point)))
        except GradcliError:
            return None
        return expected if np.isfinite(expected).all() else None

    def _agrees_with_tape(self, slopes: Any, point: list[Any], size: float, *, is_first: bool) -> bool:
        expected = self._truth(point)
        if expected is None:
            return False
        if np.isnan(slopes).any():
            raise UnsupportedError(
                f"the derived program would give nan at {shown(point)}, where a lane that is not taken has an infinite "
                "partial",
                hint="Choose the argument instead of the result: np.sqrt(np.where(x > 0, x, 1.0)).",
            )
        scale = max(np.max(np.abs(expected), initial=1e-300), 1e-15 * size)
        is_alike = slopes.shape == expected.shape
        off = np.max(np.abs(slopes - expected), initial=0.0) / scale if is_alike else math.inf
        if not off <= max(CLOSE["float64"], _closeness(point)) and not off <= self._closeness_of_run(point):
            self._refuse_unsteady(point)
            if self._is_ill_conditioned(point, expected, slopes):
                return False
            if self._agrees_with_differences(slopes, point):
                raise InconclusiveError(
                    f"at {shown(point)} differences agree with the derived program, {brief(slopes)}, "
                    f"and the tape gives {brief(expected)}",
                    hint="Nothing was written. Does the function do something else when it is recorded?",
                )
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

    def _closeness_of_run(self, point: list[Any]) -> float:
        """The tolerance for the coarsest dtype of what the function computes; 0 if it is not recorded."""
        try:
            run = trace(self.function, *copy.deepcopy(point), names=False)
        except GradcliError:
            return 0.0
        return _closeness([node.value for node in run.nodes])

    def _is_ill_conditioned(self, point: list[Any], expected: Any, slopes: Any) -> bool:
        """Whether the tape's own derivative differs by about as much where the numbers differ in their last digits."""
        generator = random.Random(0)
        near = [self._truth([moved(argument, generator, 1e-15) for argument in point]) for _ in range(3)]
        is_alike = slopes.shape == expected.shape and all(other is not None for other in near)
        off = 0.01 * np.max(np.abs(slopes - expected)) if is_alike else math.inf
        return any(np.max(np.abs(other - expected)) > off for other in near if other is not None)

    def _refuse_unsteady(self, point: list[Any]) -> None:
        values = [flat(self.function(*copy.deepcopy(point))) for _ in range(2)]
        if values[0] != values[1]:
            raise InconclusiveError(
                f"the function returns a different value at each call: {brief(values[0])}, then {brief(values[1])}",
                hint="Nothing was written. Draw random numbers outside, and hand them in.",
            )

    def _agrees_with_differences(self, slopes: Any, point: list[Any]) -> bool:
        """Whether the slope along a random direction agrees with differences of some step; False is no verdict."""
        if not self.is_gradient:
            return False
        direction = np.random.default_rng(slopes.size).uniform(-1.0, 1.0, slopes.size)
        slope = float(slopes @ direction)
        scale = np.max(np.abs(slopes), initial=max(abs(slope), 1e-12))
        for step in STEPS:
            try:
                ahead, behind = (self._value_at(point, sign * step * direction) for sign in (1.0, -1.0))
            except program_errors():
                return False
            if abs((ahead - behind) / (2 * step) - slope) <= LOOSE * scale:
                return True
        return False

    def _value_at(self, point: list[Any], steps: Any) -> float:
        """The value where the numbers to differentiate by are some steps from a point."""
        begin = 0

        def move(value: Any) -> Any:
            nonlocal begin
            part = steps[begin : begin + np.size(value)]
            begin += len(part)
            return value + (part.reshape(np.shape(value)) if np.ndim(value) else float(part[0]))

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

"""`opaque`: a function that no rule knows, as one step of a program whose derivative is measured by differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.running.bound_call import name_of
from gradcli.engine.tape.value import is_recorded
from gradcli.errors import ResultError, UnsupportedError
from gradcli.methods.numerics import differences
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.methods.transforms.custom_function_steps import Arguments
from gradcli.methods.transforms.custom_functions import CustomFunction
from gradcli.shared.message_wording import count_text
from gradcli.shared.pytree import leaves, map_leaves

Place = tuple[int, tuple[int, ...]]  # the number of an array among the arguments, and the index of an element in it


def opaque(f: Callable[..., Any]) -> OpaqueFunction:
    """A function that computes with plain numbers, such as one of a compiled library, as one step of a program.

    Its derivative is measured by finite differences, each with an error bar that `check` takes into account. That costs
    some 36 calls for each number of its arguments and each run, whatever the number of sweeps over it.

    Args:
        f: takes and returns numbers, arrays, and structures of them.

    Raises:
        UnsupportedError: a second derivative is asked for.
    """
    return OpaqueFunction(f)


class OpaqueFunction(CustomFunction):
    """A function whose derivative is measured. What a step keeps are the values beside its arguments."""

    has_own_code = False

    def require_derivative(self) -> None:
        """Every function has differences."""

    def forward(self, given: Arguments) -> tuple[Any, Any]:
        """The value, and no values beside the arguments yet."""
        if any(map(is_recorded, leaves(given))):
            message = f"{self.__name__} is opaque: differences give its first derivative only"
            raise UnsupportedError(message, hint="Write it in plain Python, or give it a rule by gradcli.custom_vjp.")
        return self.function(*given), {}

    def pull(self, given: Arguments, kept: Any, cotangent: Any) -> Arguments:
        """The slopes of the product of the cotangent and the value."""
        return self._of_slopes(given, kept, cotangent, lambda slope: slope.value)

    def errors(self, given: Arguments, kept: Any, cotangent: Any) -> Arguments:
        """The errors of these slopes."""
        return self._of_slopes(given, kept, cotangent, lambda slope: slope.error)

    def push(self, given: Arguments, kept: Any, tangents: Arguments) -> Any:
        """The slope of each number of the value along the tangents."""
        values = map_leaves(np.asarray, self.function(*given))
        seeds = iter(np.eye(sum(map(np.size, leaves(values)))))

        def moved(part: Any) -> Any:
            return np.reshape([self._along(given, kept, next(seeds), tangents) for _ in range(part.size)], part.shape)

        return map_leaves(lambda part: moved(part)[()], values)

    def _along(self, given: Arguments, kept: Any, seed: Any, tangents: Arguments) -> float:
        pulled = self._of_slopes(given, kept, seed, lambda slope: slope.value)
        return float(sum(np.sum(slope * t) for slope, t in zip(leaves(pulled), leaves(tangents), strict=True)))

    def _of_slopes(self, given: Arguments, kept: Any, cotangent: Any, part: Callable[[Slope], float]) -> Arguments:
        """A part of the slope by each number, in the structure of the arguments."""
        weights = np.concatenate([np.ravel(ct) for ct in leaves(cotangent)])
        parts = _Slopes(self.function, given, kept, weights).by_array(part)
        return tuple(map_leaves(lambda _: next(parts), given))


class _Slopes:
    """The slopes of a weighted sum of a function's results by each number of its arguments."""

    def __init__(self, function: Callable[..., Any], given: Arguments, values: dict[Any, Any], weights: Any) -> None:
        self.function = function
        self.given = given
        self.arrays = leaves(given)
        self.values = values
        self.weights = weights

    def by_array(self, part: Callable[[Slope], float]) -> Iterator[Any]:
        """Yield a part of the slope by each number or array of the arguments; zero for what is no float."""
        for n, x in enumerate(self.arrays):
            is_float = np.asarray(x).dtype.kind == "f"
            numbers = [part(self._slope((n, k), float(number))) if is_float else 0.0 for k, number in np.ndenumerate(x)]
            yield np.reshape(numbers, np.shape(x))[()]

    def _slope(self, place: Place, x: float) -> Slope:
        eps = float(np.finfo(np.asarray(self.arrays[place[0]]).dtype).eps)
        return differences.slope(lambda moved: float(self.weights @ self._value(place, moved)), x, eps)

    def _value(self, place: Place, moved: float) -> Any:
        """The numbers of the result where one number is moved; each value is computed once."""
        key = place, moved
        if key not in self.values:
            numbers = np.concatenate([np.ravel(x) for x in leaves(self.function(*self._moved(*key)))])
            if len(numbers) != len(self.weights):
                counts = f"{count_text(self.weights, 'number')}, and {len(numbers)} beside its arguments"
                raise ResultError(f"{name_of(self.function)} returned {counts}: differences need as many")
            self.values[key] = numbers
        return self.values[key]

    def _moved(self, place: Place, moved: float) -> Arguments:
        arrays = [*self.arrays]
        changed = np.array(arrays[place[0]])
        changed[place[1]] = moved
        arrays[place[0]] = float(changed) if type(arrays[place[0]]) is float else changed[()]
        remaining = iter(arrays)
        return tuple(map_leaves(lambda _: next(remaining), self.given))

"""A hand-written Jacobian or Hessian: its rows as functions of the point, whatever form it is returned in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.answers.checks.candidate import function_of_inputs, numeric
from gradcli.answers.targets import Target
from gradcli.answers.targets.target import Parameter
from gradcli.engine.tape.value import is_recorded
from gradcli.errors import ResultError
from gradcli.shared.pytree import leaves


class CandidateMatrix:
    """A hand-written matrix, with a row for each number of the result and a column for each number of the point.

    Args:
        target: the function that returns the matrix, given the inputs of the point.
        point: the point.
        wanted: the names of the inputs to differentiate by.
        count: the number of rows.
    """

    def __init__(self, target: Target, point: Mapping[str, Any], wanted: Sequence[str], count: int) -> None:
        self.target = target
        self.names = list(point)
        self.function = function_of_inputs(target, self.names)
        self.sizes = [sum(map(np.size, leaves(value))) for value in point.values()]
        self.wanted = sum(size for name, size in zip(point, self.sizes, strict=True) if name in wanted)
        self.count = count
        alone = leaves(list(point.values()))
        self.shape = np.shape(alone[0]) if len(alone) == 1 else None

    def row(self, n: int) -> Target:
        """The function that returns row `n`, in the shape of the point."""
        return with_inputs(self.target, lambda *inputs: self._shaped(self.numbers(inputs)[n]), self.names)

    def weighted(self, weights: Any) -> Target:
        """The function that returns the weighted sum of the rows."""
        return with_inputs(self.target, lambda *inputs: self._shaped(weights @ self.numbers(inputs)), self.names)

    def _shaped(self, row: Any) -> Any:
        return row.reshape(self.shape) if self.shape and row.size == int(np.prod(self.shape)) else row

    def numbers(self, inputs: Sequence[Any]) -> Any:
        """The matrix at a point.

        Raises:
            ResultError: the number of rows or columns is wrong.
        """
        returned = self._unpaired(self.function(*inputs))
        blocks = self._blocks(returned)
        if blocks is not None:
            return np.concatenate(blocks, axis=1)
        parts = [_dense(leaf, self.target.name) for leaf in leaves(returned)]
        flat = np.concatenate([np.ravel(part) for part in parts]) if parts else np.zeros(0)
        columns = next((n for n in (sum(self.sizes), self.wanted) if flat.size == self.count * n), None)
        if columns is None or (len(parts) == 1 and self._is_transposed(np.shape(parts[0]), columns)):
            raise self._misshapen(parts)
        return flat.reshape(self.count, columns)

    def _unpaired(self, returned: Any) -> Any:
        """The second item of a pair of the result and its Jacobian; any other value unchanged."""
        if not isinstance(returned, tuple) or len(returned) != 2:
            return returned
        first, second = (sum(map(np.size, map(_dense, leaves(part)))) for part in returned)
        return returned[1] if first == self.count and second == self.count * sum(self.sizes) else returned

    def _blocks(self, returned: Any) -> list[Any] | None:
        """The column blocks of a matrix given as one array per input; None for other forms."""
        parts = list(returned.values()) if isinstance(returned, dict) else returned
        named = isinstance(returned, (dict, tuple)) and len(parts) == len(self.sizes) > 1
        if not named or not all(hasattr(part, "shape") for part in parts):
            return None
        arrays = [_dense(part, self.target.name) for part in parts]
        if any(array.size != self.count * size for array, size in zip(arrays, self.sizes, strict=True)):
            return None
        return [array.reshape(self.count, -1) for array in arrays]

    def _is_transposed(self, shape: tuple[int, ...], columns: int) -> bool:
        return len(shape) == 2 and shape != (self.count, columns) and shape == (columns, self.count)

    def _misshapen(self, parts: list[Any]) -> ResultError:
        came = f"an array of shape {np.shape(parts[0])}" if len(parts) == 1 else f"{sum(map(np.size, parts))} numbers"
        return ResultError(
            f"{self.target.name} returned {came}; a matrix of {self.count} by {sum(self.sizes)} is needed",
            hint="Return a row for each number of the result, with a column for each number of the point.",
        )


def _dense(leaf: Any, name: str = "") -> Any:
    """An array of numbers, which may be recorded; a sparse matrix becomes dense."""
    if is_recorded(leaf):
        return leaf
    return numeric(leaf.toarray() if hasattr(leaf, "toarray") else leaf, name, complex_too=False)


def with_inputs(target: Target, function: Callable[..., Any], names: Iterable[str]) -> Target:
    """A target with another function, whose inputs have these names."""
    return target.changed(function=function, parameters=tuple(map(Parameter, names)))

"""NumPy's norms of vectors and matrices.

The derivatives of norms of vectors are right also where the squares of the numbers leave the range of floats, and with
them NumPy's value.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.mathematics.rules.elementwise import ROOT
from gradcli.mathematics.rules.function_registry import axes_of, numeric, serves
from gradcli.mathematics.rules.numpy.linalg import spectral_norm
from gradcli.mathematics.rules.numpy.reductions import squared_size, sum
from gradcli.mathematics.rules.numpy.scaled_lengths import root_of_total


@serves("linalg.norm", other_steps=True)
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """`numpy.linalg.norm`; its derivative at 0 is 0."""
    x = numeric(x)
    if axis is None and ord is None:
        return _euclidean(x, None, keepdims)
    axes = axes_of(x, axis)
    if len(axes) == 1:
        return vector_norm(x, axis=axes, ord=2 if ord is None else ord, keepdims=keepdims)
    if len(axes) == 2:
        return _matrix_norm(x, axes, "fro" if ord is None else ord, keepdims)
    raise ValueError("Improper number of dimensions to norm.")


@serves("linalg.vector_norm", other_steps=True)
def vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2) -> Any:
    """`numpy.linalg.vector_norm`; the norm of order 0, a count, is plain."""
    x, options = numeric(x), {"axis": axis, "keepdims": keepdims}
    axes_of(x, axis)
    if isinstance(ord, str):
        raise ValueError(f"Invalid norm order '{ord}' for vectors")
    if ord == 0:
        return np.count_nonzero(x, **options).astype(np.result_type(x, 0.0))
    if ord == 2:
        return _euclidean(x, axis, keepdims)
    sizes = np.abs(x)
    if ord in (np.inf, -np.inf, 1):
        return _COMBINED[ord](sizes, **options)
    power_sum = lambda x: np.sum(x**ord, **options)  # noqa: E731
    return root_of_total(power_sum, partial(_root_of_power, order=ord), sizes, axis, keepdims, abs(ord))


_COMBINED: dict[float, Callable[..., Any]] = {np.inf: np.max, -np.inf: np.min, 1: np.sum}


def _euclidean(x: Any, axis: Any, keepdims: bool) -> Any:
    return root_of_total(lambda x: sum(squared_size(x), axis, keepdims=keepdims), ROOT, x, axis, keepdims)


def _root_of_power(total: Any, order: Any) -> Any:
    """The last step of a norm of another order, without the infinite slope of a root at 0."""
    length = total ** (1 / order)
    return length if order < 1 or np.all(total != 0) else np.where(total != 0, length, 0.0)


@serves("linalg.matrix_norm", other_steps=True)
def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Any:
    """`numpy.linalg.matrix_norm`."""
    x = numeric(x)
    return _matrix_norm(x, (np.ndim(x) - 2, np.ndim(x) - 1), "fro" if ord is None else ord, keepdims)


# The axis to sum over, of the two, and the function that combines the sums.
_BY_SUMS: dict[float, tuple[int, Callable[..., Any]]] = {
    1: (0, np.max),
    -1: (0, np.min),
    np.inf: (1, np.max),
    -np.inf: (1, np.min),
}


def _matrix_norm(x: Any, axes: tuple[int, ...], order: Any, keepdims: bool) -> Any:
    if axes[0] == axes[1]:
        raise ValueError("Duplicate axes given.")
    if order in ("fro", "f"):
        return _euclidean(x, axes, keepdims)
    if order in _BY_SUMS:
        first, combine = _BY_SUMS[order]
        sums = np.sum(np.abs(x), axis=axes[first], keepdims=True)
        combine = np.sum if np.shape(x)[axes[1 - first]] == 0 and combine is np.max else combine
        result = combine(sums, axis=axes[1 - first], keepdims=True)
    elif order in (2, -2, "nuc"):
        result = np.expand_dims(spectral_norm(np.moveaxis(x, axes, (-2, -1)), order), axes)
    else:
        raise ValueError("Invalid norm order for matrices.")
    return result if keepdims else np.squeeze(result, axes)

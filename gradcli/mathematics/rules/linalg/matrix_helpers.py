"""Helpers for the rules of linear algebra: transposes, quotients by differences of eigenvalues, masks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule, compiled
from gradcli.mathematics.rules.linalg.matrix_errors import attempted


def matrix_rule(
    name: str,
    definition: str | Callable[..., Any],
    *vjps: Callable[..., Any],
    function: str = "",
    **options: Any,
) -> ArrayRule:
    """An array rule in which every element of a matrix affects every element of its result, also for complex numbers.

    Its vjps accept stacked cotangents, as stacks of matrices, unless `batched` is empty. With `function`, its name in
    `numpy.linalg`, errors about a matrix are translated.
    """
    if function:
        compute = compiled(definition) if isinstance(definition, str) else definition
        options["compute"] = partial(attempted, function, compute)
    return array_rule(name, definition, *vjps, **{"batched": vjps, "reach": whole_matrices, "complex": True, **options})


def plain_array(x: Any) -> Any:
    """The plain array of `x`, recorded or not."""
    return getattr(x, "_value", x)


def nan_beyond_floats(solve: Callable[[Any], Any], ct: Any) -> Any:
    """A linear function of a cotangent or tangent, by SciPy; nan if that has overflowed, which SciPy refuses."""
    try:
        return solve(ct)
    except ValueError:
        if np.all(np.isfinite(plain_array(ct))):
            raise
        return ct * np.nan


def conj(x: Any) -> Any:
    """The complex conjugate; a real array unchanged. Object arrays use the conjugate of their elements."""
    return np.conj(x) if plain_array(x).dtype.kind in "cO" else x


def transposed(x: Any) -> Any:
    """The transpose of every matrix in a stack."""
    return np.swapaxes(x, -1, -2)


def adjoint(x: Any) -> Any:
    """The conjugate transpose of every matrix in a stack."""
    return conj(np.swapaxes(x, -1, -2))


def real(x: Any) -> Any:
    """The real part; a real array unchanged."""
    kind = plain_array(x).dtype.kind
    return np.real(x) if kind == "c" else 0.5 * (x + np.conj(x)) if kind == "O" else x


def integers_below(x: Any, count: int) -> Any:
    """The integers below `count`, on the device of `x`."""
    return np.arange(count, like=plain_array(x))


def eye(x: Any, count: int, dtype: Any = bool) -> Any:
    """The identity with `count` rows, on the device of `x`. CuPy's own does not support NumPy's `like`."""
    n = integers_below(x, count)
    return (n[:, None] == n).astype(dtype)


def diagonal(x: Any) -> Any:
    """The diagonal of every matrix."""
    n = integers_below(x, np.shape(x)[-1])
    return x[..., n, n]


def diagonal_matrix(x: Any) -> Any:
    """Diagonal matrices from vectors."""
    return eye(x, np.shape(x)[-1], x.dtype) * x[..., None, :]


def lower(x: Any, k: int = 0) -> Any:
    """The lower triangle of every matrix, with zeros above diagonal `k`."""
    rows, columns = np.shape(x)[-2:]
    return np.where(
        np.tri(rows, columns, k, dtype=bool, like=plain_array(x)), x, np.zeros_like(plain_array(x), shape=())
    )


def differences(x: Any) -> Any:
    """The matrix of all differences `x[k] - x[j]`, in row j and column k, of eigenvalues or singular values.

    Differences within the rounding error of the largest value are set to zero, as quotients by them have no correct
    digit.
    """
    gaps = x[..., None, :] - x[..., :, None]
    if (values := plain_array(x)).dtype.kind == "O" or not values.size:
        return gaps
    rounding = values.shape[-1] * np.finfo(values.dtype).eps * np.max(np.abs(values), axis=-1)
    equal = np.abs(plain_array(gaps)) <= rounding[..., None, None]
    return np.where(equal, np.zeros_like(plain_array(gaps), shape=()), gaps)


USED_ALIKE = 1e-8  # the allowed difference between cotangents of equal values, relative to the largest cotangent


def largest(sizes: Any, **options: Any) -> Any:
    """The largest of some sizes, 0 where there is none; CuPy has no `initial=`."""
    return np.max(sizes, **options) if np.size(sizes) else np.sum(sizes, **options)


def told_apart(values: Any, used: Any, vectors: Any) -> bool:
    """Whether the result uses two equal values differently, or depends on the choice of their vectors.

    Args:
        values: eigenvalues or singular values.
        used: their cotangents.
        vectors: whether each of their vectors has a cotangent.
    """
    equal = (differences(values) == 0) & ~eye(values, np.shape(values)[-1])
    if not equal.any():
        return False
    differs = np.abs(used[..., None, :] - used[..., :, None]) > USED_ALIKE * largest(np.abs(used))
    return bool(np.any(equal & (differs | vectors[..., None, :])))


def quotient(numerator: Any, denominator: Any, unused: Any) -> Any:
    """A quotient that is zero where it is `unused`, even if it would divide by zero there."""
    hollow = unused & (plain_array(denominator) == 0)
    return numerator / (np.where(hollow, 1.0, denominator) if np.any(hollow) else denominator)


def whole_matrices(marks: Any, v: Any, *arguments: Any, **static: Any) -> Any:
    """The mask of an argument if every element of a matrix affects every element of its result."""
    return np.where(np.any(marks != 0, axis=(-2, -1), keepdims=True), 1.0, 0.0)

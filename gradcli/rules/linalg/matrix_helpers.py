"""What the rules of linear algebra share: transposes, quotients by differences of eigenvalues, packed results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.rules.array_rule import ArrayRule, compiled
from gradcli.rules.linalg.matrix_errors import attempted
from gradcli.rules.rule_types import array_rule


def matrix_rule(
    name: str,
    definition: str | Callable[..., Any],
    *vjps: Callable[..., Any],
    function: str = "",
    **options: Any,
) -> ArrayRule:
    """An array rule in which every number of a matrix has a part in every number of its result, complex ones too.

    Its vjps take many cotangents at once, as stacks of matrices, unless `batched` is empty.  With `function`, its name
    in `numpy.linalg`, an error about a matrix is told in our words.
    """
    if function:
        compute = compiled(definition) if isinstance(definition, str) else definition
        options["compute"] = partial(attempted, function, compute)
    return array_rule(name, definition, *vjps, **{"batched": vjps, "reach": whole_matrices, "complex": True, **options})


def plain(x: Any) -> Any:
    """The plain array of `x`, recorded or not."""
    return getattr(x, "_value", x)


def conj(x: Any) -> Any:
    """The complex conjugate; a real array is handed back as it is.  Numbers of many digits know their own."""
    return np.conj(x) if plain(x).dtype.kind in "cO" else x


def transposed(x: Any) -> Any:
    """Every matrix of a stack transposed."""
    return np.swapaxes(x, -1, -2)


def adjoint(x: Any) -> Any:
    """Every matrix of a stack transposed and conjugated."""
    return conj(np.swapaxes(x, -1, -2))


def real(x: Any) -> Any:
    """The real part; a real array is handed back as it is."""
    kind = plain(x).dtype.kind
    return np.real(x) if kind == "c" else 0.5 * (x + np.conj(x)) if kind == "O" else x


def places(x: Any, count: int) -> Any:
    """The whole numbers below `count`, beside the numbers of `x`: on a device where they are."""
    return np.arange(count, like=plain(x))


def eye(x: Any, count: int, dtype: Any = bool) -> Any:
    """The identity of `count` rows, where `x` is; CuPy's own does not answer to NumPy's `like`."""
    n = places(x, count)
    return (n[:, None] == n).astype(dtype)


def diagonal(x: Any) -> Any:
    """The diagonal of every matrix."""
    n = places(x, np.shape(x)[-1])
    return x[..., n, n]


def diagonal_matrix(x: Any) -> Any:
    """Vectors as the diagonals of matrices."""
    return eye(x, np.shape(x)[-1], x.dtype) * x[..., None, :]


def lower(x: Any, k: int = 0) -> Any:
    """The lower triangle of every matrix, zeros above its diagonal number `k`."""
    rows, columns = np.shape(x)[-2:]
    return np.where(np.tri(rows, columns, k, dtype=bool, like=plain(x)), x, np.zeros_like(plain(x), shape=()))


def differences(x: Any) -> Any:
    """The matrix of all `x[k] - x[j]`, in row j and column k, of eigenvalues or singular values.

    What is within the rounding of the largest is none: a quotient by it would be a number without a good digit.
    """
    apart = x[..., None, :] - x[..., :, None]
    if (values := plain(x)).dtype.kind == "O" or not values.size:
        return apart
    rounding = values.shape[-1] * np.finfo(values.dtype).eps * np.max(np.abs(values), axis=-1)
    equal = np.abs(plain(apart)) <= rounding[..., None, None]
    return np.where(equal, np.zeros_like(plain(apart), shape=()), apart)


USED_ALIKE = 1e-8  # of the largest cotangent: by how much those of equal values may differ


def told_apart(values: Any, used: Any, vectors: Any) -> bool:
    """Whether the result uses two values differently that are equal, or asks which of their vectors is which.

    Args:
        values: eigenvalues or singular values.
        used: their cotangents.
        vectors: of each of their vectors, whether it has a cotangent.
    """
    equal = (differences(values) == 0) & ~eye(values, np.shape(values)[-1])
    apart = np.abs(used[..., None, :] - used[..., :, None]) > USED_ALIKE * np.max(np.abs(used), initial=0.0)
    return bool(np.any(equal & (apart | vectors[..., None, :])))


def quotient(numerator: Any, denominator: Any, unused: Any) -> Any:
    """A quotient that is nothing where it is `unused`, although it divides by zero there."""
    hollow = unused & (plain(denominator) == 0)
    return numerator / (np.where(hollow, 1.0, denominator) if np.any(hollow) else denominator)


def whole_matrices(marks: Any, v: Any, *arguments: Any, **static: Any) -> Any:
    """The marks of an argument where every number of a matrix has a part in every number of its result."""
    return np.where(np.any(marks != 0, axis=(-2, -1), keepdims=True), 1.0, 0.0)

"""The error for a matrix that cannot be inverted or factored. It is also NumPy's `LinAlgError`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Never

import numpy as np

from gradcli.errors import UserCodeError


class MatrixError(UserCodeError, np.linalg.LinAlgError):
    """A matrix is singular, not square or not positive definite. Programs may catch it as `LinAlgError`."""

    kind = "matrix"


def attempted(name: str, compute: Callable[..., Any], *matrices: Any, **options: Any) -> Any:
    """`compute(*matrices)`, with NumPy's error about a matrix translated.

    Raises:
        MatrixError: the first matrix cannot be inverted or factored.
    """
    try:
        return compute(*matrices, **options)
    except np.linalg.LinAlgError as error:
        _explain(name, matrices[0], str(error))


def _explain(name: str, x: Any, message: str) -> Never:
    shape = np.shape(x)
    if len(shape) < 2:
        raise MatrixError(
            f"numpy.linalg.{name} needs a matrix or a stack of them, and got an array of shape {shape}",
            hint="Give it two axes: x[:, None] is a column, np.diag(x) a diagonal matrix.",
        ) from None
    if shape[-1] != shape[-2] and name in _SQUARE:
        raise MatrixError(
            f"numpy.linalg.{name} needs a square matrix, and got one of shape {shape[-2:]}", hint=_SQUARE[name]
        ) from None
    if name == "cholesky":
        least = np.min(np.linalg.eigvalsh(x))
        raise MatrixError(
            f"the matrix is not positive definite: its smallest eigenvalue is {least:.3g}",
            hint="Add a small multiple of the identity, or use np.linalg.eigh, which accepts every symmetric matrix.",
        ) from None
    if message == "Singular matrix":
        rank, where = _least_rank(x)
        raise MatrixError(
            f"numpy.linalg.{name} met a singular matrix{where}: its rank is {rank} of {shape[-1]}",
            hint="np.linalg.pinv and np.linalg.lstsq accept singular matrices.",
        ) from None
    raise MatrixError(f"numpy.linalg.{name}: {message}") from None


_LEAST_SQUARES = "np.linalg.pinv and np.linalg.lstsq accept matrices of any shape."
_SQUARE = {
    "inv": _LEAST_SQUARES, "solve": _LEAST_SQUARES, "det": "Only a square matrix has a determinant.",
    "slogdet": "Only a square matrix has a determinant.", "cholesky": "x @ x.T is square, and symmetric.",
    "eigh": "np.linalg.svd accepts matrices of any shape.", "eig": "np.linalg.svd accepts matrices of any shape.",
}  # fmt: skip


def _least_rank(x: Any) -> tuple[int, str]:
    """The smallest rank in a stack of matrices, and its position as a clause for messages."""
    ranks = np.linalg.matrix_rank(x)
    at = np.unravel_index(int(np.argmin(ranks)), np.shape(ranks))
    return int(np.min(ranks)), f" at {list(map(int, at))}" if at else ""

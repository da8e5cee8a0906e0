"""Eigenvalues and singular values in many digits, by Jacobi rotations that start from LAPACK's vectors.

Plain numbers are rotated until the off-diagonal part vanishes; equal values cause no difficulty. Traced numbers add the
first order of perturbation theory, which changes no value but has the derivative of the values and vectors. (G. Golub &
C. Van Loan, Matrix Computations, 4th edition, 2013, 8.5 and 8.6.3; T. Kato, Perturbation Theory, II.)
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import combinations, permutations
from typing import Any

import numpy as np

from gradcli.methods.exact import decimals

# Of rotations; each squares the off-diagonal part, and twelve suffice without a single correct digit at the start
SWEEPS = 30
GUARD = 10  # digits that rounding may take


class NoSolutionError(ArithmeticError):
    """The equation of a matrix has no unique solution that varies smoothly."""


def _small() -> Decimal:
    """The rounding error that may remain of a zero, relative to 1."""
    return Decimal(10) ** (GUARD - decimals.count())


def eigen(plain: Any, start: Any) -> tuple[Any, Any]:
    """The eigenvalues of a symmetric matrix in ascending order, with the vectors near those of `start`."""
    vectors = _orthonormal(decimals.to_decimals(start))
    middle = np.dot(np.dot(vectors.T, plain), vectors)
    size = max(map(abs, np.ravel(plain)), default=decimals.ZERO)
    for _ in range(SWEEPS):
        turned = False
        for i, j in combinations(range(len(plain)), 2):
            if abs(middle[i, j]) > _small() * size:
                turned, turn = True, _rotation(middle[i, i], middle[j, j], middle[i, j])
                for x in (middle.T, middle, vectors.T):
                    x[[i, j]] = np.dot(turn, x[[i, j]])
        if not turned:
            values = np.diagonal(middle)
            order = np.argsort(values, kind="stable")
            return values[order], vectors[:, order]
    raise NoSolutionError("the rotations for the eigenvalues do not converge")


def singular(plain: Any, start: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """Left vectors, singular values in descending order, and right vectors of a matrix that is not wide.

    `start` has both kinds of vectors to a few digits, as columns.
    """
    right = _orthonormal(decimals.to_decimals(start[1]))
    images = np.dot(plain, right)
    for _ in range(SWEEPS):
        turned = False
        size = max(_length(column) for column in images.T)
        for i, j in combinations(range(len(right)), 2):
            a, b = images[:, i], images[:, j]
            if abs(overlap := np.dot(a, b)) > _small() * size * size:
                turned, turn = True, _rotation(np.dot(a, a), np.dot(b, b), overlap)
                for x in (images.T, right.T):
                    x[[i, j]] = np.dot(turn, x[[i, j]])
        if not turned:
            return _in_order(images, right, decimals.to_decimals(start[0]))
    raise NoSolutionError("the rotations for the singular values do not converge")


def _in_order(images: Any, right: Any, start: Any) -> tuple[Any, Any, Any]:
    """Sort the vectors by the sizes of their images; a zero image gets LAPACK's left vector, orthogonalised."""
    sizes = np.array([_length(column) for column in images.T], dtype=object)
    order = np.argsort(-sizes, kind="stable")
    least = _small() * max(sizes)
    sizes = np.where(sizes > least, sizes, decimals.ZERO)[order]
    columns = [
        images[:, k] / size if size else start[:, n] for n, (k, size) in enumerate(zip(order, sizes, strict=True))
    ]
    return _orthonormal(np.stack(columns, axis=1)), sizes, right[:, order]


def _rotation(a: Any, b: Any, off: Any) -> Any:
    """The rotation by the smaller angle that makes [[a, off], [off, b]] diagonal."""
    half = (b - a) / (2 * off)
    tangent = (1 if half >= 0 else -1) / (abs(half) + (half * half + 1).sqrt())
    cosine = 1 / (tangent * tangent + 1).sqrt()
    return np.array([[cosine, -tangent * cosine], [tangent * cosine, cosine]], dtype=object)


def _orthonormal(columns: Any) -> Any:
    """The columns orthonormalised by Gram-Schmidt, twice for accuracy."""
    orthonormal: list[Any] = []
    for column in columns.T:
        rest = column
        for vector in orthonormal * 2:
            rest = rest - vector * np.dot(vector, rest)
        orthonormal.append(rest / _length(rest))
    return np.stack(orthonormal, axis=1)


def _length(column: Any) -> Any:
    return np.dot(column, column).sqrt()


# First order in the difference between the given numbers and the plain ones


def turning_eigenvectors(values: Any, move: Any) -> Any:
    """The rates of rotation between eigenvectors; `move` is the matrix's change in their coordinates."""
    return _off_diagonal(values, move, lambda j, k: move[j, k] / (values[k] - values[j]))


def turning_singular_vectors(sizes: Any, move: Any) -> tuple[Any, Any]:
    """The rates of rotation between left singular vectors, and between right ones."""

    def difference(j: int, k: int) -> Any:
        return (sizes[k] - sizes[j]) * (sizes[k] + sizes[j])

    left = _off_diagonal(sizes, move, lambda j, k: (move[j, k] * sizes[k] + move[k, j] * sizes[j]) / difference(j, k))
    right = _off_diagonal(sizes, move, lambda j, k: (move[j, k] * sizes[j] + move[k, j] * sizes[k]) / difference(j, k))
    return left, right


def _off_diagonal(values: Any, move: Any, speed: Callable[[int, int], Any]) -> Any:
    """The rates of all pairs; vectors of equal values are arbitrary, and stay.

    Raises:
        NoSolutionError: two values are equal, and the rate of their vectors is needed.
    """
    least = _small() * max(map(abs, values), default=decimals.ZERO)
    rates = np.full((len(values), len(values)), decimals.ZERO)
    for j, k in permutations(range(len(values)), 2):
        if abs(values[j] - values[k]) > least:
            rates[j, k] = speed(j, k)
        elif not isinstance(move[j, k], Decimal):
            raise NoSolutionError("equal values have no unique vectors")
    return rates

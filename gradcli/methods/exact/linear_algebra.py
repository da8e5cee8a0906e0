"""Linear algebra in many digits: forward computations for the rules that LAPACK computes in floating point.

Each accepts object arrays of decimals.

Eigenvalues and singular values are found by Jacobi rotations that start from LAPACK's vectors, until the off-diagonal
part vanishes; equal values cause no difficulty. (G. Golub & C. Van Loan, Matrix Computations, 4th edition, 2013, 8.5
and 8.6.3.)
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from itertools import combinations, permutations
from typing import Any

import numpy as np

from gradcli.methods.exact import decimals
from gradcli.methods.exact.complex_decimals import is_complex

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


def turning_eigenvectors(values: Any, move: Any) -> Any:
    """The rates of rotation between eigenvectors; `move` is the matrix's change in their coordinates.

    Vectors of equal values are arbitrary, and stay. (T. Kato, Perturbation Theory, II.)
    """
    least = _small() * max(map(abs, values), default=decimals.ZERO)
    rates = np.full((len(values), len(values)), decimals.ZERO)
    for j, k in permutations(range(len(values)), 2):
        if abs(values[j] - values[k]) > least:
            rates[j, k] = move[j, k] / (values[k] - values[j])
    return rates


DEFICIENT = 1e-12  # of the largest singular value: one that counts as 0


def on_stacks(function: Callable[..., Any]) -> Callable[..., Any]:
    """Extend a function of matrices to stacks of matrices."""

    def stacked(*matrices: Any, **static: Any) -> Any:
        arrays = [np.asarray(x, dtype=object) for x in matrices]
        outer = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
        spread = [np.broadcast_to(x, (*outer, *x.shape[-2:])) for x in arrays]
        if not outer:
            return np.asarray(function(*spread, **static), dtype=object)
        by_place = {place: function(*(x[place] for x in spread), **static) for place in np.ndindex(outer)}
        results = np.empty((*outer, *np.shape(next(iter(by_place.values()), ()))), dtype=object)
        for place, result in by_place.items():
            results[place] = result
        return results

    return stacked


def floats(x: Any) -> Any:
    """Convert an object array to float64.

    Raises:
        NoSolutionError: its numbers are complex.
    """
    if is_complex(x):
        raise NoSolutionError("a factorisation of complex numbers has no exact form here")
    return np.asarray(x, dtype=float)


def eliminated(a: Any, b: Any) -> tuple[Any, Any]:
    """The solution of a @ x = b by Gaussian elimination with pivoting, and the determinant of a.

    Raises:
        NoSolutionError: the matrix is singular.
    """
    a, b = a.copy(), b.copy()
    count = len(a)
    determinant = decimals.ONE
    for k in range(count):
        pivot = max(range(k, count), key=lambda row: abs(a[row, k]))
        if not a[pivot, k]:
            raise NoSolutionError("the matrix is singular")
        if pivot != k:
            a[[k, pivot]], b[[k, pivot]], determinant = a[[pivot, k]], b[[pivot, k]], -determinant
        determinant = determinant * a[k, k]
        for row in range(k + 1, count):
            if factor := a[row, k] / a[k, k]:
                a[row, k:] = a[row, k:] - factor * a[k, k:]
                b[row] = b[row] - factor * b[k]
    x = np.empty_like(b)
    for k in range(count - 1, -1, -1):
        x[k] = (b[k] - np.dot(a[k, k + 1 :], x[k + 1 :])) / a[k, k] if k + 1 < count else b[k] / a[k, k]
    return x, determinant


def identity(count: int) -> Any:
    """The identity matrix in decimals."""
    return decimals.to_decimals(np.eye(count))


def inverse(x: Any) -> Any:
    """The inverse."""
    return eliminated(x, identity(len(x)))[0]


def solution(a: Any, b: Any) -> Any:
    """The solution of a @ x = b."""
    return eliminated(a, b)[0]


def substituted(a: Any, b: Any, *, below: bool) -> Any:
    """The solution of a @ x = b for a triangular matrix."""
    return solution(a, b)


def determinant(x: Any) -> Any:
    """The determinant of an invertible matrix."""
    return eliminated(x, identity(len(x)))[1]


def log_determinant(x: Any) -> Any:
    """The logarithm of the absolute value of the determinant."""
    return decimals.functions()["log"](abs(determinant(x)))


def root(x: Any) -> Any:
    """The square root of a number."""
    return x.sqrt()


def cholesky(x: Any) -> Any:
    """The lower Cholesky factor of a Hermitian matrix, from its lower triangle."""
    count = len(x)
    factor = np.full((count, count), decimals.ZERO)
    for j in range(count):
        factor[j, j] = root((x[j, j] - sum(factor[j, k] * factor[j, k].conjugate() for k in range(j))).real)
        for i in range(j + 1, count):
            factor[i, j] = (x[i, j] - sum(factor[i, k] * factor[j, k].conjugate() for k in range(j))) / factor[j, j]
    return factor


def qr(x: Any) -> Any:
    """Both QR factors in one array, by Gram-Schmidt, with LAPACK's signs."""
    rows, columns = x.shape
    square = min(rows, columns)
    signs = np.sign(np.diagonal(np.linalg.qr(floats(x))[1]))
    q = np.empty((rows, square), dtype=object)
    for k in range(square):
        rest = x[:, k]
        for j in range(k):
            rest = rest - q[:, j] * np.dot(q[:, j], rest)
        q[:, k] = rest / (root(np.dot(rest, rest)) * int(signs[k]))
    r = np.dot(q.T, x)
    r = np.where(np.tri(square, columns, -1, dtype=bool), decimals.ZERO, r)
    return np.concatenate([q, r.T], axis=0)


def pseudo_inverse(x: Any, *, rcond: Any = None) -> Any:
    """The pseudo-inverse of a matrix of full rank.

    Raises:
        NoSolutionError: the rank is lower.
    """
    sizes = np.linalg.svd(floats(x), compute_uv=False)
    if not sizes.size or sizes[-1] <= DEFICIENT * sizes[0]:
        raise NoSolutionError("the matrix does not have full rank")
    if x.shape[0] >= x.shape[1]:
        return np.dot(inverse(np.dot(x.T, x)), x.T)
    return np.dot(x.T, inverse(np.dot(x, x.T)))


def least_squares(a: Any, b: Any, *, rcond: Any = None) -> Any:
    """The least-squares solution for a matrix of full rank."""
    return np.dot(pseudo_inverse(a), b)


def eigh(x: Any, *, uplo: str = "L") -> Any:
    """The eigenvalues in the first row and the vectors below, for a matrix that is symmetric up to small changes."""
    start = np.linalg.eigh(floats(x), UPLO="U" if uplo == "U" else "L").eigenvectors
    symmetric = (x + x.T) / 2
    eigenvalues, vectors = eigen(symmetric, start)
    if np.any(x != symmetric):
        move = np.dot(np.dot(vectors.T, x - symmetric), vectors)
        vectors = vectors + np.dot(vectors, turning_eigenvectors(eigenvalues, move))
        eigenvalues = eigenvalues + np.diagonal(move)
    return np.concatenate([eigenvalues[None], vectors])


def svd(x: Any) -> Any:
    """Left vectors, singular values and right vectors, stacked in one array."""
    u, _, vh = np.linalg.svd(floats(x), full_matrices=False)
    if len(x) >= x.shape[1]:
        left, sizes, right = singular(x, (u, vh.T))
    else:
        right, sizes, left = singular(x.T, (vh.T, u))
    return np.concatenate([left, sizes[None], right])


def unitary(x: Any) -> Any:
    """The unitary polar factor: the product of the left and right singular vectors."""
    packed = svd(x)
    return np.dot(packed[: len(x)], packed[len(x) + 1 :].T)


FORWARDS: dict[str, Callable[..., Any]] = {
    "inv": on_stacks(inverse),
    "solve": on_stacks(solution),
    "substitution": on_stacks(substituted),
    "det": on_stacks(determinant),
    "logdet": on_stacks(log_determinant),
    "cholesky": on_stacks(cholesky),
    "qr": on_stacks(qr),
    "pinv": on_stacks(pseudo_inverse),
    "lstsq": on_stacks(least_squares),
    "eigh": on_stacks(eigh),
    "svd": on_stacks(svd),
    "unitary": on_stacks(unitary),
}
"""By the names of the rules whose forward computations they replace."""


def operations(name: str, rows: int, columns: int) -> int:
    """The approximate number of additions and products for one matrix, including those traced for the reverse pass."""
    cubes = 10 * (rows + columns) * min(rows, columns) ** 2
    return (rows + columns) * cubes if name in ("eigh", "svd", "unitary") else cubes

"""Array rules for the systems of equations that SciPy solves: Sylvester's, banded ones, and the factors of LU."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.array_rules import ArrayRule
from gradcli.rules.linalg.failures import attempted
from gradcli.rules.linalg.inverses import solution
from gradcli.rules.linalg.matrices import eye, lower, transposed, whole_matrices
from gradcli.rules.scipys import scipys
from gradcli.rules.table import array_rule

# a x + x b = q


def _sylvester_adjoint(ct: Any, a: Any, b: Any) -> Any:
    return SYLVESTER(transposed(a), transposed(b), ct)


SYLVESTER: ArrayRule = array_rule(
    "sylvester",
    scipys("linalg.solve_sylvester"),
    lambda ct, v, a, b, q: -np.matmul(_sylvester_adjoint(ct, a, b), transposed(v)),
    lambda ct, v, a, b, q: -np.matmul(transposed(v), _sylvester_adjoint(ct, a, b)),
    lambda ct, v, a, b, q: _sylvester_adjoint(ct, a, b),
    complex=True,
)


# A triangle; the numbers on its other side have to be zero


def _substituted(a: Any, b: Any, *, below: bool) -> Any:
    return scipys("linalg.solve_triangular")(a, b, lower=below)


def _substituted_back(ct: Any, a: Any, below: bool) -> Any:
    return SUBSTITUTION(transposed(a), ct, below=not below)


SUBSTITUTION: ArrayRule = array_rule(
    "substitution",
    lambda a, b, *, below: attempted("solve", _substituted, a, b, below=below),
    lambda ct, v, a, b, *, below: -np.matmul(_substituted_back(ct, a, below), transposed(v)),
    lambda ct, v, a, b, *, below: _substituted_back(ct, a, below),
    reach=whole_matrices,
    complex=True,
)


# A matrix by its diagonals: its number i, j stands in row u + i - j of column j


def _banded(ab: Any, b: Any, *, below: int, above: int) -> Any:
    return scipys("linalg.solve_banded")((below, above), ab, b)


def _turned(ab: Any, below: int, above: int) -> Any:
    """The diagonals of the transpose: the same ones from below, each shifted to its other index."""
    return np.stack([np.roll(ab[row], row - above, axis=-1) for row in range(below + above, -1, -1)])


def _banded_adjoint(ct: Any, ab: Any, below: int, above: int) -> Any:
    return BANDED(_turned(ab, below, above), ct, below=above, above=below)


def _banded_left(ct: Any, v: Any, ab: Any, b: Any, *, below: int, above: int) -> Any:
    """Minus the product of the adjoint's solution with the solution, along each diagonal."""
    left = _banded_adjoint(ct, ab, below, above)
    products = left[:, None] * v[None] if np.ndim(v) == 1 else np.matmul(left, transposed(v))
    n = np.shape(v)[0]
    rows = []
    for offset in range(-above, below + 1):
        inside = np.diagonal(products, -offset)
        before, after = (np.zeros_like(inside, shape=(max(0, k),)) for k in (-offset, offset))
        rows.append(np.concatenate([before, -inside, after])[:n])
    return np.stack(rows)


BANDED: ArrayRule = array_rule(
    "solve_banded",
    _banded,
    _banded_left,
    lambda ct, v, ab, b, *, below, above: _banded_adjoint(ct, ab, below, above),
    complex=True,
)


# Both factors in one matrix, of a matrix whose rows are in the order that the pivots ask for


def _factors(x: Any) -> Any:
    return scipys("linalg.lu_factor")(x)[0]


def _factors_vjp(ct: Any, v: Any, x: Any) -> Any:
    """De Hoog, Anderssen & Lukas, Differentiation of matrix functionals using triangular factorization, 2011, 4.1."""
    unit = lower(v, -1) + eye(v, np.shape(v)[-1], v.dtype)
    upper = v - lower(v, -1)
    middle = lower(np.matmul(transposed(unit), lower(ct, -1)), -1)
    product = np.matmul(ct - lower(ct, -1), transposed(upper))
    middle = middle + product - lower(product, -1)
    return solution(transposed(unit), transposed(solution(upper, transposed(middle))))


LU = array_rule("lu", _factors, _factors_vjp, reach=whole_matrices, complex=True)

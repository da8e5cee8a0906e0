"""Array rules for systems that SciPy solves: Sylvester equations, triangular and banded systems, and LU factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.mathematics.rules.linalg.inverses_determinants_systems import right_side, solution
from gradcli.mathematics.rules.linalg.matrix_helpers import (
    eye,
    lower,
    matrix_rule,
    nan_beyond_floats,
    plain_array,
    transposed,
)

# a x + x b = q


def _sylvester_adjoint(ct: Any, a: Any, b: Any) -> Any:
    return nan_beyond_floats(lambda ct: SYLVESTER(transposed(a), transposed(b), ct), ct)


def _sylvester_jvp(tangents: dict[int, Any], v: Any, a: Any, b: Any, q: Any) -> Any:
    moved = tangents.get(2, 0.0)
    moved = moved - np.matmul(tangents[0], v) if 0 in tangents else moved
    moved = moved - np.matmul(v, tangents[1]) if 1 in tangents else moved
    return nan_beyond_floats(lambda moved: SYLVESTER(a, b, moved), moved)


SYLVESTER: ArrayRule = array_rule(
    "sylvester",
    "a, b, q: scipy.linalg.solve_sylvester(a, b, q)",
    lambda ct, v, a, b, q: -np.matmul(_sylvester_adjoint(ct, a, b), transposed(v)),
    lambda ct, v, a, b, q: -np.matmul(transposed(v), _sylvester_adjoint(ct, a, b)),
    lambda ct, v, a, b, q: _sylvester_adjoint(ct, a, b),
    jvp=_sylvester_jvp,
    complex=True,
)


# Triangular systems; the other triangle must be zero


def _substituted_back(ct: Any, a: Any, below: bool) -> Any:
    return nan_beyond_floats(lambda ct: SUBSTITUTION(transposed(a), ct, below=not below), ct)


SUBSTITUTION: ArrayRule = matrix_rule(
    "substitution",
    "a, b, *, below: scipy.linalg.solve_triangular(a, b, lower=below)",
    lambda ct, v, a, b, *, below: -np.matmul(_substituted_back(ct, a, below), transposed(v)),
    lambda ct, v, a, b, *, below: _substituted_back(ct, a, below),
    jvp=lambda tangents, v, a, b, *, below: nan_beyond_floats(
        lambda moved: SUBSTITUTION(a, moved, below=below), right_side(tangents, v)
    ),
    batched=(),
    function="solve",
)


# Banded matrices by diagonals: element i, j is stored in row u + i - j of column j


def _turned(ab: Any, below: int, above: int) -> Any:
    """The diagonals of the transpose: the same ones in reverse order, each shifted to its new column index."""
    return np.stack([np.roll(ab[row], row - above, axis=-1) for row in range(below + above, -1, -1)])


def _banded_adjoint(ct: Any, ab: Any, below: int, above: int) -> Any:
    return nan_beyond_floats(lambda ct: BANDED(_turned(ab, below, above), ct, below=above, above=below), ct)


def _banded_left(ct: Any, v: Any, ab: Any, b: Any, *, below: int, above: int) -> Any:
    """Minus the product of the adjoint solution and the solution, along each diagonal."""
    left, right = (x[:, None] if np.ndim(x) == 1 else x for x in (_banded_adjoint(ct, ab, below, above), v))
    n, rows = np.shape(v)[0], []
    for offset in range(-above, below + 1):
        k = min(abs(offset), n)
        pair = (left[k:], right[: n - k]) if offset > 0 else (left[: n - k], right[k:])
        inside = -np.sum(pair[0] * pair[1], axis=-1)
        gap = np.zeros_like(inside, shape=(k,))
        rows.append(np.concatenate([inside, gap] if offset > 0 else [gap, inside]))
    return np.stack(rows)


def _banded_jvp(tangents: dict[int, Any], v: Any, ab: Any, b: Any, *, below: int, above: int) -> Any:
    moved = tangents.get(1, 0.0)
    if 0 in tangents:
        moved = moved - _product(tangents[0], v, below, above)
    return nan_beyond_floats(lambda moved: BANDED(ab, moved, below=below, above=above), moved)


def _product(ab: Any, x: Any, below: int, above: int) -> Any:
    """The matrix with these diagonals times vectors. Element j of a diagonal multiplies element j of the vector."""
    columns = x[:, None] if np.ndim(x) == 1 else x
    total = np.zeros_like(plain_array(columns))
    n = np.shape(x)[0]
    for offset in range(-above, below + 1):
        part = ab[above + offset][:, None] * columns
        k = min(abs(offset), n)
        gap = np.zeros_like(plain_array(part)[:k])
        shifted = [gap, part[: n - k]] if offset > 0 else [part[k:], gap]
        total = total + np.concatenate(shifted)
    return np.reshape(total, np.shape(x))


BANDED: ArrayRule = array_rule(
    "solve_banded",
    "ab, b, *, below, above: scipy.linalg.solve_banded((below, above), ab, b)",
    _banded_left,
    lambda ct, v, ab, b, *, below, above: _banded_adjoint(ct, ab, below, above),
    jvp=_banded_jvp,
    complex=True,
)


# Both LU factors in one matrix, for rows already in pivot order


def _factors_vjp(ct: Any, v: Any, x: Any) -> Any:
    """De Hoog, Anderssen & Lukas, Differentiation of matrix functionals using triangular factorization, 2011, 4.1."""
    unit, upper = _unpacked(v)
    middle = lower(np.matmul(transposed(unit), lower(ct, -1)), -1)
    middle = middle + _upper(np.matmul(_upper(ct), transposed(upper)))
    return solution(transposed(unit), transposed(solution(upper, transposed(middle))))


def _factors_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    """De Hoog, Anderssen & Lukas 2011, 4.1: below its diagonal, `l^-1 dx u^-1` is `l^-1 dl`."""
    unit, upper = _unpacked(v)
    half = transposed(solution(transposed(upper), transposed(tangents[0])))
    inner = solution(unit, half)
    below = lower(inner, -1)
    return lower(np.matmul(unit, below), -1) + _upper(np.matmul(inner - below, upper))


def _unpacked(v: Any) -> tuple[Any, Any]:
    """The two factors."""
    return lower(v, -1) + eye(v, np.shape(v)[-1], v.dtype), _upper(v)


def _upper(x: Any) -> Any:
    return x - lower(x, -1)


LU = matrix_rule("lu", "x: scipy.linalg.lu_factor(x)[0]", _factors_vjp, jvp=_factors_jvp)

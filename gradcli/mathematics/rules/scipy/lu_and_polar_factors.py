"""SciPy's LU and polar factorisations, which NumPy lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves
from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.mathematics.rules.linalg.inverses_determinants_systems import solution
from gradcli.mathematics.rules.linalg.matrix_helpers import adjoint, conj, matrix_rule, transposed
from gradcli.mathematics.rules.linalg.triangular_lu_sylvester import LU, SYLVESTER
from gradcli.mathematics.rules.scipy.linalg import needed, solved, triangle


def _unitary_vjp(ct: Any, v: Any, x: Any) -> Any:
    """From x = v p with p Hermitian: the skew part of v^H dx is w p + p w, where w = v^H dv.

    No differences of singular values occur, so they may be equal: near a rotation all of them are 1.
    """
    g = conj(ct)
    stretch = _stretch(v, x)
    inner = np.matmul(adjoint(v), g)
    pulled = np.matmul(v, SYLVESTER(stretch, stretch, inner - adjoint(inner)))
    if np.shape(x)[0] > np.shape(x)[1]:
        outside = g - np.matmul(v, inner)
        pulled = pulled + adjoint(solution(stretch, adjoint(outside)))
    return conj(pulled)


def _unitary_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    """The same `w`, plus the component outside the span of `v`."""
    stretch = _stretch(v, x)
    inner = np.matmul(adjoint(v), tangents[0])
    moved = np.matmul(v, SYLVESTER(stretch, stretch, inner - adjoint(inner)))
    if np.shape(x)[0] > np.shape(x)[1]:
        outside = tangents[0] - np.matmul(v, inner)
        moved = moved + adjoint(solution(stretch, adjoint(outside)))
    return moved


def _stretch(v: Any, x: Any) -> Any:
    """The Hermitian polar factor."""
    stretch = np.matmul(adjoint(v), x)
    return 0.5 * (stretch + adjoint(stretch))


UNITARY = matrix_rule(
    "unitary",
    "x: np.matmul(*np.linalg.svd(x, full_matrices=False)[::2])",
    _unitary_vjp,
    jvp=_unitary_jvp,
    batched=(),
    function="svd",
)


def _pivoted(a: Any) -> tuple[Any, Any, Any]:
    """The factors in one matrix, and two outcomes: the pivots, and the row of `a` for each row of the factors."""
    pivots = a.apply_outcome("pivots", _pivots, (a,)) if hasattr(a, "apply_outcome") else _pivots(a)
    order = _order(pivots)
    return LU(a[order]), pivots, order


def _pivots(a: Any) -> Any:
    return SCIPY.linalg.lu_factor(a)[1]


def _order(pivots: Any) -> Any:
    """The order of the rows after all exchanges."""
    order = np.arange(len(pivots))
    for row, pivot in enumerate(pivots):
        order[[row, pivot]] = order[[pivot, row]]
    return order


@serves("scipy.linalg.lu_factor", other_steps=True)
def lu_factor(a: Any, **options: Any) -> tuple[Any, Any]:
    """`scipy.linalg.lu_factor`, for a single square matrix."""
    packed, pivots, _ = _pivoted(_square(a, "lu_factor"))
    return packed, pivots


@serves("scipy.linalg.lu", other_steps=True)
def lu(a: Any, permute_l: bool = False, *, p_indices: bool = False, **options: Any) -> Any:
    """`scipy.linalg.lu`, for a single square matrix."""
    packed, _, order = _pivoted(_square(a, "lu"))
    places = np.argsort(order)
    below, above = triangle(packed, True, unit=True), triangle(packed, False, unit=False)
    if permute_l:
        return below[places], above
    return places if p_indices else np.eye(len(order))[places], below, above


def _square(a: Any, name: str) -> Any:
    a = numeric(a)
    needed(name, {"a matrix that is not square": np.ndim(a) != 2 or len(set(np.shape(a))) > 1})
    return a


@serves("scipy.linalg.lu_solve", sequences=("lu_and_piv",), other_steps=True)
def lu_solve(lu_and_piv: tuple[Any, Any], b: Any, trans: int = 0, **options: Any) -> Any:
    """`scipy.linalg.lu_solve`."""
    packed, pivots = lu_and_piv
    packed, b = numeric(packed), numeric(b)
    order = _order(pivots)
    below, above = triangle(packed, True, unit=True), triangle(packed, False, unit=False)
    if trans == 0:
        return solved(above, solved(below, b[order]))
    turn = adjoint if trans == 2 else transposed
    return solved(turn(below), solved(turn(above), b))[np.argsort(order)]


@serves("scipy.linalg.polar", other_steps=True)
def polar(a: Any, side: str = "right") -> tuple[Any, Any]:
    """`scipy.linalg.polar`, also for equal singular values."""
    a = numeric(a)
    turn = UNITARY(a) if np.shape(a)[0] >= np.shape(a)[1] else adjoint(UNITARY(adjoint(a)))
    part = np.matmul(adjoint(turn), a) if side == "right" else np.matmul(a, adjoint(turn))
    return turn, 0.5 * (part + adjoint(part))

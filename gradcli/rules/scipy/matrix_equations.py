"""SciPy's matrix equations (Sylvester, Lyapunov) and the factorisations that NumPy lacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import numeric, serves
from gradcli.rules.lazy_scipy import SCIPY
from gradcli.rules.linalg.matrix_helpers import adjoint, eye, plain, transposed
from gradcli.rules.linalg.polar_factor import UNITARY
from gradcli.rules.linalg.triangular_lu_sylvester import LU, SYLVESTER
from gradcli.rules.numpy import linalg
from gradcli.rules.scipy.linalg import needed, solved, triangle
from gradcli.rules.shape import CAST

# Systems of equations


@serves("scipy.linalg.solve_sylvester", other_steps=True)
def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """`scipy.linalg.solve_sylvester`."""
    return SYLVESTER(numeric(a), numeric(b), numeric(q))


@serves("scipy.linalg.solve_continuous_lyapunov", "scipy.linalg.solve_lyapunov", other_steps=True)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """`scipy.linalg.solve_continuous_lyapunov`."""
    a = numeric(a)
    return SYLVESTER(a, adjoint(a), numeric(q))


@serves("scipy.linalg.solve_discrete_lyapunov", other_steps=True)
def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """`scipy.linalg.solve_discrete_lyapunov`, as a system of n**2 equations, as in SciPy for small matrices."""
    a, q = numeric(a), numeric(q)
    whole = eye(a, np.size(q), a.dtype) - np.kron(a, np.conj(a))
    return np.reshape(solved(whole, np.ravel(q)), np.shape(q))


# Factorisations


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


@serves("scipy.linalg.pinvh", other_steps=True)
def pinvh(a: Any, atol: Any = None, rtol: Any = None, lower: bool = True, **options: Any) -> Any:
    """`scipy.linalg.pinvh`."""
    needed("pinvh", {**options, "atol": atol})
    a = linalg.hermitian_part(a, "L" if lower else "U")
    return linalg.pinv(a, np.shape(a)[-1] * np.finfo(a.dtype).eps if rtol is None else rtol)


@serves("scipy.linalg.eig")
def eig(a: Any, b: Any = None, left: bool = False, right: bool = True, **options: Any) -> Any:
    """`scipy.linalg.eig`, for matrices with distinct eigenvalues. The eigenvalues are always complex."""
    needed("eig", {**options, "b": b is not None, "left": left})
    values, vectors = linalg.eig(a)
    complex_type = np.result_type(plain(values).dtype, np.complex64)
    values = CAST(values, dtype=complex_type)
    return (values, vectors) if right else values


@serves("scipy.linalg.eigvals")
def eigvals(a: Any, b: Any = None, **options: Any) -> Any:
    """`scipy.linalg.eigvals`."""
    return eig(a, b, right=False, **options)

"""SciPy's matrix equations: Sylvester and Lyapunov."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import numeric, serves
from gradcli.rules.linalg.matrix_helpers import adjoint, eye
from gradcli.rules.linalg.triangular_lu_sylvester import SYLVESTER
from gradcli.rules.scipy.linalg import solved


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

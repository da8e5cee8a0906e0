"""The iterative solvers of `scipy.sparse.linalg`: the solution of a linear system follows the system."""

import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.linalg as linalg
from scipy.sparse.linalg import cg

import gradcli
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.function_registry import SOLVERS, UNFOLLOWED

A, B = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, 2.0])
START = np.linalg.solve(A, B)
NAMES = [name.rpartition(".")[2] for name in SOLVERS if name.startswith("scipy.sparse.linalg.")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sorted(NAMES))
@pytest.mark.parametrize("start", [None, START], ids=["from 0", "from the solution"])
def test_the_solution_follows(name, start):
    """The matrix and the right-hand side; by what the inverse does."""
    f = lambda a: getattr(linalg, name)(A * a[0], B * a[1], x0=start)[0][1]

    np.testing.assert_allclose(gradcli.grad(f)(np.ones(2)), [-START[1], START[1]], rtol=1e-12)


SYSTEMS = {
    "a matrix": lambda a: cg(sparse.csr_array(A), B * a, x0=START)[0],
    "by its package": lambda a: sparse.linalg.cg(A, B * a, x0=START)[0],
    "an operator": lambda a: cg(linalg.aslinearoperator(A), B * a, x0=START)[0],
    "its product": lambda a: cg(linalg.LinearOperator((2, 2), matvec=lambda x: A @ x / a), B, x0=START)[0],
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_kind_of_matrix(name):
    np.testing.assert_allclose(gradcli.jacobian(SYSTEMS[name])(1.0), START, rtol=1e-12)


def test_plain_systems_are_solved_as_ever():
    assert gradcli.grad(lambda a: a**2 * cg(A, B)[0][0])(1.0) == pytest.approx(2 * START[0], rel=1e-5)


@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_least_squares_are_refused(name):
    assert f"scipy.sparse.linalg.{name}" in UNFOLLOWED
    with pytest.raises(UnsupportedError, match=name) as refused:
        gradcli.grad(lambda a: getattr(linalg, name)(A * a, B, x0=START)[0][0])(1.0)

    assert "numpy.linalg.lstsq" in str(refused.value)


def test_what_does_not_converge_is_refused():
    with pytest.raises(UnsupportedError, match="did not converge"):
        gradcli.grad(lambda a: cg(A * a, B, maxiter=1)[0][0])(1.0)


def test_a_large_system_is_refused():
    many = np.ones(1001)

    with pytest.raises(UnsupportedError, match="more than 1000 unknowns"):
        gradcli.grad(lambda a: cg(sparse.eye_array(1001), many * a)[0][0])(1.0)

"""The refusal of an operation says why it is refused."""

import importlib

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError


@pytest.mark.parametrize(("module", "name"), [("special", "logsumexp"), ("linalg", "det"), ("linalg", "inv")])
def test_a_supported_function_under_a_name_looked_up_in_the_run(module, name):
    """It is not said to have no rule, and the hint names the import that helps."""
    pytest.importorskip("scipy")

    def f(x):
        return np.sum(getattr(importlib.import_module(f"scipy.{module}"), name)(x))

    with pytest.raises(UnsupportedError, match=f"scipy.{module}.{name} has a derivative rule, but") as caught:
        gradcli.grad(f)(np.eye(2) + 0.1)

    assert f"Write `from scipy.{module} import {name}` at the top of the file." == caught.value.hint


def test_a_function_without_a_rule():
    spatial = pytest.importorskip("scipy.spatial")

    with pytest.raises(UnsupportedError, match=r"scipy.spatial.KDTree has no derivative rule"):
        gradcli.grad(lambda x: spatial.KDTree(x).query([0.5, 0.5])[0])(np.eye(3, 2))


@pytest.mark.parametrize(
    ("name", "instead"), [("trtrs", "solve_triangular"), ("potrf", "cholesky"), ("potrs", "cho_solve")]
)
@pytest.mark.parametrize("form", [str, lambda name: (name,)])
def test_a_routine_of_lapack_is_refused_by_its_own_name(name, instead, form):
    """Not by that of the function that looks it up, which has a rule for one routine; the hint says what to call."""
    linalg = pytest.importorskip("scipy.linalg")
    matrix = np.eye(2) + 0.1

    def f(x):
        routines = linalg.get_lapack_funcs(form(name), (matrix, x))
        routine = routines if form is str else routines[0]
        return np.sum(routine(matrix * x[0], x)[0])

    with pytest.raises(UnsupportedError, match=f"scipy.linalg.lapack.{name} has no derivative rule") as caught:
        gradcli.grad(f)(np.ones(2))

    assert caught.value.hint.startswith(f"The nearest supported spelling is scipy.linalg.{instead}. ")


def test_the_solver_of_banded_systems_is_looked_up_by_one_name_or_several():
    linalg = pytest.importorskip("scipy.linalg")
    band = np.array([[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [3.0, 3.0, 3.0], [0.2, 0.2, 0.0]])

    def by_name(b):
        return np.sum(linalg.get_lapack_funcs("gbsv", (band, b))(1, 1, band, b)[2])

    def by_list(b):
        return np.sum(linalg.get_lapack_funcs(("gbsv",), (band, b))[0](1, 1, band, b)[2])

    expected = linalg.solve_banded((1, 1), band[1:], np.eye(3)).sum(axis=0)
    for f in (by_name, by_list):
        np.testing.assert_allclose(gradcli.grad(f)(np.array([1.0, 2.0, 3.0])), expected, rtol=1e-12)

"""The imports of a derived file are all that its functions need, from public modules."""

import numpy as np
import pytest
import scipy.linalg as theirs
from scipy.linalg import solve_sylvester

import gradcli

MATRIX = np.array([[2.0, 1.0], [0.5, 3.0]])


def of_a_module(x):
    """A solution of Sylvester's equation, by the name that a module has here."""
    return np.sum(theirs.solve_sylvester(x, x.T, np.eye(2)))


def of_a_name(x):
    return np.sum(solve_sylvester(x, x.T, np.eye(2)))


@pytest.mark.parametrize("function", [of_a_module, of_a_name])
def test_what_a_rule_calls_is_imported(function):
    source = gradcli.derive(function, at=(MATRIX,))

    assert "import scipy\n" in str(source)
    np.testing.assert_allclose(source.function(MATRIX), gradcli.grad(function)(MATRIX), rtol=1e-12)


def test_a_function_is_imported_from_its_public_module():
    assert "from scipy.linalg import solve_sylvester" in str(gradcli.derive(of_a_name, at=(MATRIX,)))

"""What a refusal suggests in place of a function without a rule is supported."""

import re

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.function_registry import FOLLOWED, FUNCTIONS, INSTEAD, SOLVERS

scipy = pytest.importorskip("scipy")
from scipy.integrate import quad  # noqa: E402
from scipy.interpolate import RegularGridInterpolator  # noqa: E402
from scipy.optimize import leastsq  # noqa: E402

pytestmark = pytest.mark.sampled(3)  # many like cases

NAMES = re.compile(r"(?:numpy|scipy)(?:\.\w+)+")


class Own(np.ndarray):
    """An array class of the user's."""


@pytest.mark.parametrize("what", [name for name in INSTEAD if NAMES.search(INSTEAD[name])])
def test_what_is_suggested_is_supported(what):
    suggested = NAMES.findall(INSTEAD[what])

    assert [name for name in suggested if not is_served(name)] == []


def is_served(name):
    """Whether a function of NumPy or SciPy has a derivative."""
    module, _, last = name.rpartition(".")
    known = {name, name.removeprefix("numpy.")}
    return (
        bool(known & set(FUNCTIONS))
        or last in FOLLOWED.get(module, ())
        or name in SOLVERS | {"numpy.array", "numpy.asarray", "numpy.matmul", "numpy.ndindex", "numpy.vectorize"}
    )


def solve_sparse(b):
    return scipy.sparse.linalg.spsolve(scipy.sparse.eye(2).tocsc(), b)[0]


def interpolated(x):
    axis = np.linspace(0, 1, 5)
    return RegularGridInterpolator((axis, axis), np.outer(axis, axis), method="cubic")(x)[0]


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize(
    ("f", "at", "message", "hint"),
    [
        (lambda x: np.sum(np.matrix(x)), np.ones(2), "numpy.matrix has", "with @ for products"),
        (lambda x: np.asmatrix(x)[0, 0], np.ones(2), "numpy.matrix has", "Use numpy.array"),
        (lambda x: np.sum(x.view(Own)), np.ones(2), "the class Own has", "Use numpy.array"),
        (lambda x: np.ma.array(x, mask=[0, 1]).sum(), np.ones(2), "numpy.ma.core.array has", "numpy.where with"),
        (lambda x: leastsq(lambda p: p - x, [1.0])[0][0], 2.0, "optimize.leastsq has", "scipy.optimize.least_squares"),
        (solve_sparse, np.ones(2), "scipy.sparse.linalg.spsolve has", "numpy.linalg.solve of A.toarray()"),
        (interpolated, np.array([0.3, 0.4]), "has no derivative rule for these arguments", "method='linear'"),
        (lambda x: quad(lambda t: t * x, 0, 1, points=[x])[0], 0.5, "points= that depend on an input", "help"),
    ],
)
def test_a_refusal_names_what_was_called(f, at, message, hint):
    """The function or class of the user, and what does its job."""
    with pytest.raises(UnsupportedError, match=re.escape(message)) as raised:
        gradcli.grad(f)(at)
    assert hint in raised.value.hint


def test_a_toeplitz_matrix_of_a_number():
    assert gradcli.grad(lambda x: scipy.linalg.toeplitz(x)[0, 0] ** 2)(3.0) == 6.0

"""Formulas of a session as Python functions with source code, and their derived gradients."""

import numpy as np
import pytest
import sympy

from gradcli import queries
from gradcli.errors import ResultError, UnsupportedError
from gradcli.queries.session_workspace import Workspace

pytestmark = pytest.mark.sampled(2)  # many like cases

NUMBERS = [
    # definitions, target, the derivative by x in SymPy
    (["k = -3"], "p(x) = x*k^2", "9"),
    (["k = -3"], "p(x) = x^k - k", "-3*x**-4"),
    (["pi = 3"], "p(x) = pi*x*e", "3*E"),
    (["k = -3"], "p(x) = x*relu(k) + x^2", "2*x"),
    (["g(x) = x^2"], "p(x) = g(x) + 1", "2*x"),
    (["f(x) = x^2", "k = 2"], "p(x) = f(f(x)) + k*f(3)*x", "4*x**3 + 18"),
    (["def g(x):\n    return x**3"], "p(x) = g(2*x)", "24*x**2"),
    (["v = [1, 2, 3]"], "p(x) = sum(v*sin(x)) + v[1]*x", "6*cos(x) + 2"),
    (["v = [1, 2, 3]", "g(x) = sum(v*x^2)"], "p(x) = g(x)*v[2]", "36*x"),
    ([], "p(x) = sum([x, x^2])", "1 + 2*x"),
]


def derived(workspace, target, at, **options):
    """The function of a derived program, from its text."""
    record = queries.derive(workspace.target(target), at, **options)
    scope = {}
    exec(record.source, scope)
    return next(value for name, value in scope.items() if name.startswith("grad_"))


@pytest.mark.parametrize(("definitions", "formula", "slope"), NUMBERS)
def test_a_formula_with_names_of_the_session(definitions, formula, slope):
    workspace = Workspace()
    for text in (*definitions, formula):
        workspace.define(text)
    gradient = derived(workspace, "p", "1.7")

    assert gradient(1.3) == pytest.approx(float(sympy.sympify(slope).subs("x", 1.3)), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v @ A @ v", [8.0, 14.0]),
        ("sum([[1, 2], [3, 4]] @ v)", [4.0, 6.0]),
        ("norm(v)^2", [2.0, 4.0]),
        ("np.cumsum(v)[1] * A[0, 0]", [2.0, 2.0]),
    ],
)
def test_a_formula_of_arrays(text, expected):
    workspace = Workspace()
    for line in ("A = [[2, 1], [1, 3]]", f"q(v) = {text}"):
        workspace.define(line)

    assert derived(workspace, "q", "[1, 2]")(np.array([1.0, 2.0])) == pytest.approx(expected)


def test_references_to_earlier_results():
    workspace = Workspace()
    workspace.refer({"%1": 9.0, "_": 2.0})

    assert derived(workspace, "%1*y + _*y^2", "2")(2.0) == 17.0


@pytest.mark.parametrize("c", ["c(x) = k*x", "def c(x):\n    return k*x"])
def test_a_function_that_reads_an_input_by_its_name_is_refused(c):
    """The input replaces the name in a call, but not in a program of its own."""
    workspace = Workspace()
    for line in ("k = 2", c):
        workspace.define(line)

    with pytest.raises(UnsupportedError, match=r"gives 7.0 at 3.0 instead of 9.0: .* reads an input as a name"):
        queries.derive(workspace.target("c(2) + k"), "k=3")


def test_a_value_that_no_input_changes():
    with pytest.raises(ResultError, match=r"floor\(x\) returns an integer .* at 0.0, which depends on no input"):
        queries.derive("floor(x)", "0")


def test_a_value_that_an_input_may_change_elsewhere():
    with pytest.raises(UnsupportedError, match=r"max\(x, 3\), a whole number in every run"):
        queries.derive("max(x,3)", "0")

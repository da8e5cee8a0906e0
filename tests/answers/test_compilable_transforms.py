"""Formulas as text in the library: their arguments, their meaning, and what is refused."""

import pickle

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.errors import ExpressionError, PointError, UsageError


def test_the_arguments_are_the_names_in_order_of_appearance():
    assert gradcli.grad("y * x**2", (0, 1))(2.0, 3.0) == (9.0, 12.0)
    assert gradcli.grad("y * x**2", "x")(x=3.0, y=2.0) == 12.0
    assert gradcli.grad("y * x**2")(2.0, x=3.0) == 9.0


@pytest.mark.parametrize(("text", "point"), [("x^2 * sin(y)", (3.0, 2.0)), ("2*pi*x", (1.0,)), ("abs(x)", (0.0,))])
def test_a_formula_means_what_it_means_at_the_prompt(text, point):
    names = queries.resolve(text).names
    asked = queries.gradient(text, dict(zip(names, point, strict=True)))

    assert gradcli.value_and_grad(text, tuple(range(len(point))))(*point) == (
        asked.value,
        tuple(asked.gradient.values()),
    )


def test_functions_of_files_and_arrays(tmp_path):
    path = tmp_path / "cubes.py"
    path.write_text("def cube(x):\n    return x**3\n")

    assert gradcli.grad(f"{path}:cube")(2.0) == 12.0
    assert gradcli.grad("sum(x^2)")(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]


def test_all_that_is_done_with_functions():
    """A gradient of a gradient, and one from a pickle."""
    assert gradcli.grad(gradcli.grad("x**3"))(2.0) == 12.0
    assert pickle.loads(pickle.dumps(gradcli.grad("x**3")))(2.0) == 12.0


@pytest.mark.parametrize(
    ("text", "point"), [("x**3 * log(y)", (2.0, 3.0)), ("sum(x**3 * log(y))", (np.array([2.0, 4.0]), 3.0))]
)
def test_a_formula_is_compiled(text, point):
    compiled, eager = (gradcli.grad(text, (0, 1), compile=compile) for compile in (True, False))
    for _ in range(3):
        for ours, theirs in zip(compiled(*point), eager(*point), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-13)

    assert compiled.report().programs[0].calls == 2


def test_a_formula_at_many_points():
    np.testing.assert_array_equal(gradcli.grad("x**3 * y", points="x")(np.array([1.0, 2.0]), 2.0), [6.0, 24.0])


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: gradcli.grad("x*y z"), ExpressionError, "An operator is missing"),
        (lambda: gradcli.grad("3"), PointError, "no inputs"),
        (lambda: gradcli.grad("x*y")(2.0), TypeError, "missing a required argument: 'y'"),
        (lambda: gradcli.grad("x*y")(2.0, z=3.0), TypeError, "unexpected keyword argument 'z'|missing"),
        (lambda: gradcli.hessian("x**2"), UsageError, r"gradcli.grad\('x\*\*2'\) takes the text"),
    ],
    ids=range(5),
)
def test_what_is_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask()

"""Constants of products, folded where no digit changes."""

import ast

import numpy as np
import pytest

import gradcli
from gradcli.answers.derivation.passes.folded_constants import folded


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 * (0.5 * x)", "x"),
        ("2 * x * (0.5 / y)", "x * (1.0 / y)"),
        ("2 * x * 100.0", "200.0 * x"),
        ("2 * (x - y) / 2", "x - y"),
        ("2 * (x / (2 * y))", "x / y"),
        ("-(x * (-1.0 * y))", "x * y"),
        ("-x * -y", "x * y"),
        ("2 * x / 3 * 4", "8 * x / 3"),
        ("-(2 * (4 * x))", "-(8 * x)"),
        ("2 * 5", "10"),
    ],
)
def test_constants_of_which_all_but_one_are_powers_of_2_are_folded(text, expected):
    assert ast.unparse(folded(ast.parse(text, mode="eval").body)) == expected


@pytest.mark.parametrize(
    "text", ["0.1 * x * 3.0", "2 * 1e+308 * x", "1 / x", "-x / 2", "x * 0.0 * y", "2 ** n * 0.5", "2 * f(0.5 * x)", "x"]
)
def test_other_products_stay(text):
    assert ast.unparse(folded(ast.parse(text, mode="eval").body)) == text


def halved_squares(x):
    return np.sum(0.5 * x * x)


def halved_and_written(x):
    y = 0.5 * x * x
    y[0] = y[0] * x[1]
    return np.sum(0.5 * y * y)


@pytest.mark.parametrize("function", [halved_squares, halved_and_written])
def test_an_array_of_the_caller_is_not_returned(function):
    x = np.array([0.5, 1.5, -0.7])

    derived = gradcli.derive(function, at=x).function(x)

    assert derived is not x
    np.testing.assert_allclose(derived, gradcli.grad(function)(x), rtol=1e-14)


def test_an_integer_stays_a_float():
    text = str(gradcli.derive(lambda x, n: 0.5 * n * x * 2, at=(1.5, 3), wrt=["x"]))

    assert isinstance(eval_of(text)(1.5, 3), float)


def eval_of(text):
    scope = {}
    exec(text, scope)
    return next(value for name, value in scope.items() if name.startswith("grad_"))

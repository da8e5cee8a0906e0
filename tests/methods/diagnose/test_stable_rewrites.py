"""Rewrites are recognised, and equal what they stand for."""

import math

import numpy as np
import pytest

from gradcli import queries
from gradcli.methods.diagnose.stable_rewrites import Rewriting
from gradcli.methods.transforms.gradients import trace

pytestmark = pytest.mark.sampled(4)  # many like cases

# What is lost, where, and what to write: both are typed expressions, so that their values can be compared.
KNOWN = [
    ("1 - cos(x)", "x=1e-6", "2 * sin(x / 2)**2"),
    ("cos(x) - 1", "x=1e-6", "-2 * sin(x / 2)**2"),
    ("exp(x) - 1", "x=1e-9", "expm1(x)"),
    ("1 - exp(x)", "x=1e-9", "-expm1(x)"),
    ("1 - tanh(x)**2", "x=15", "1 / cosh(x)**2"),
    ("1 - square(sin(x))", "x=1.5707", "cos(x)**2"),
    ("1 - cos(x) * cos(x)", "x=1e-6", "sin(x)**2"),
    ("sqrt(x + 1) - sqrt(x)", "x=1e9", "1 / (sqrt(x + 1) + sqrt(x))"),
    ("sqrt(x + 1) - sqrt(x)", "x=1e17", "1 / (sqrt(x + 1) + sqrt(x))"),
    ("sqrt(x) - sqrt(y)", "x=1.000000001,y=1", "(x - y) / (sqrt(x) + sqrt(y))"),
    ("x**2 - y**2", "x=1.0000001,y=1", "(x - y) * (x + y)"),
    ("log(x + 2) - log(x + 1)", "x=1e9", "log1p(1 / (x + 1))"),
    ("sin(x + y) - sin(x)", "x=1,y=1e-9", "2 * cos(((x + y) + x) / 2) * sin(y / 2)"),
    ("cos(x + y) - cos(x)", "x=1,y=1e-9", "-2 * sin(((x + y) + x) / 2) * sin(y / 2)"),
    ("1 - cos(x + 1)", "x=-0.999999", "2 * sin((x + 1) / 2)**2"),
    ("exp(x + y) - exp(x)", "x=1,y=1e-9", "exp(x) * expm1(y)"),
    ("exp(x) - exp(y)", "x=1.000000001,y=1", "exp(y) * expm1(x - y)"),
    ("log(1 + x)", "x=1e-9", "log1p(x)"),
    ("log(x + 1)", "x=1e-9", "log1p(x)"),
    ("log(1 - x)", "x=1e-9", "log1p(-x)"),
    ("x**2 - 2*x + 1", "x=1.0001", "(x - 1)**2"),
    ("x**3 - 3*x**2 + 3*x - 1", "x=1.001", "(x - 1)**3"),
    ("x**3 - y**3", "x=1.0000001,y=1", "(x - y)*(x**2 + x*y + y**2)"),
    ("1 - x**2", "x=1.0000001", "-(x - 1)*(x + 1)"),
    ("x*x - 2*x*y + y*y", "x=1.0001,y=1", "(x - y)**2"),
    ("mean(x**2) - mean(x)**2", "x=[1000000.1,1000001.3]", "mean((x - mean(x))**2)"),
]


@pytest.mark.parametrize(("lossy", "at", "expected"), KNOWN)
def test_a_known_formula(lossy, at, expected):
    """The row that loses digits has its rewrite, in the user's own names."""
    (found,) = [loss for loss in queries.precision(lossy, at).nodes if loss.rewrite]

    assert found.rewrite == expected
    assert found.rewritten > 14


def value(text, at):
    return queries.gradient(text, at).value


@pytest.mark.parametrize(("lossy", "at", "rewrite"), KNOWN)
def test_a_rewrite_has_the_same_value(lossy, at, rewrite):
    known = queries.precision(lossy, at).value

    assert abs(value(rewrite, at) - value(lossy, at)) <= known.error


@pytest.mark.parametrize(("lossy", "at", "rewrite"), KNOWN)
def test_a_rewrite_keeps_more_digits(lossy, at, rewrite):
    assert queries.precision(rewrite, at).value.digits > queries.precision(lossy, at).value.digits


@pytest.mark.parametrize("text", ["1 - sin(x)", "x - y", "exp(x) - 2", "log(2 + x)"])
def test_what_is_not_known_has_no_rewrite(text):
    at = {"1 - sin(x)": "1.5707", "exp(x) - 2": str(math.log(2)), "log(2 + x)": "-0.9999999"}.get(text, "1.0000001")
    at = at if "y" not in text else f"{at},1"

    assert not any(loss.rewrite for loss in queries.precision(text, at).nodes)


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: np.sqrt(x[0] ** 2 + x[1] ** 2), np.array([3.0, 4.0]), "hypot(r1, r3)"),
        (lambda x: np.log(np.sum(np.exp(x))), np.array([1.0, 2.0]), "m + log(sum(exp(r0 - m))) with m = max(r0)"),
    ],
    ids=["root of squares", "logarithm of a sum"],
)
def test_what_may_leave_the_range(f, at, expected):
    tape = trace(f, at)

    found = Rewriting(tape).of(len(tape.nodes) - 1)

    assert found.text(lambda index: f"r{index}") == expected
    np.testing.assert_allclose(found.value(), tape.value, rtol=1e-14)

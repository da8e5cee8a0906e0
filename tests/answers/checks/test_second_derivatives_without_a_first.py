"""A Hessian is not right where the gradient does not exist."""

import math

import numpy as np
import pytest

import gradcli


def entropy(p):
    return -sum(q * math.log(q) if q > 0 else 0.0 for q in p)


INFINITE = {
    "root": (lambda x: math.sqrt(x) if x > 0 else 0.0, 0.0, [0.0, 0.5, 1000.0, -1000.0]),
    "root of an array": (
        lambda x: np.sum(np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0)),
        np.zeros(1),
        [[[0.0]]],
    ),
    "x log x": (lambda x: x * math.log(x) if x > 0 else 0.0, 0.0, [0.0, 0.5]),
    "entropy": (entropy, [0.0, 1.0], [[[7.0, 0.0], [0.0, -1.0]], [[0.0, 0.0], [0.0, -1.0]]]),
}


@pytest.mark.parametrize("name", INFINITE)
def test_no_hessian_passes_where_the_slope_is_infinite(name):
    f, at, candidates = INFINITE[name]

    for candidate in candidates:
        assert gradcli.check(f, at=at, of="hessian", against=candidate).verdict in ("nonfinite", "inconclusive")


JUMPS = {
    "step": (lambda x: 1.0 if x > 0 else 0.0, 0.0),
    "floor": (lambda x: float(math.floor(x)), 1.0),
    "step of an array": (lambda x: np.sum(np.where(x > 0, 1.0, 0.0)), np.zeros(1)),
}


@pytest.mark.parametrize("name", JUMPS)
@pytest.mark.parametrize("of", ["hessian", "hvp"])
def test_no_second_derivative_passes_where_the_value_jumps(name, of):
    f, at = JUMPS[name]

    found = gradcli.check(f, at=at, of=of)

    assert found.verdict == "inconclusive"
    assert {str(each.verdict.name) for each in found.components} <= {"JUMP", "NOISY"}


def test_another_input_has_its_second_derivatives():
    f = lambda x: (1.0 if x[0] > 0 else 0.0) + x[1] ** 2

    found = gradcli.check(f, at=[0.0, 3.0], of="hessian", against=[[0.0, 0.0], [0.0, 2.0]])

    assert {each.name: each.verdict.name for each in found.components}["x[1] x[1]"] == "PASS"


@pytest.mark.parametrize(
    ("f", "at", "candidate"),
    [
        (lambda x: x * abs(x), 0.0, 0.0),
        (lambda x: max(x, 0.0) ** 2, 0.0, 2.0),
        (lambda x: x * x if x > 0 else 0.0 * x, 0.0, 1.0),
    ],
)
def test_a_kink_of_the_gradient_passes(f, at, candidate):
    assert gradcli.check(f, at=at, of="hessian", against=candidate).verdict == "pass"

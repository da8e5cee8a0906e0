"""How far a derivative moves with the last digits of what it is computed from."""

from contextlib import nullcontext

import numpy as np
import pytest

from examples import rosenbrock
from gradcli.answers.checks.input_conditioning import derivative_changes
from gradcli.answers.checks.problem.compared_case import open_case
from gradcli.answers.targets.functions import function_target
from tests.corpus.scales import exp_series


def unguarded(doing, **_):
    return nullcontext()


def sway_of(f, x):
    return derivative_changes(open_case(function_target("f", "f", f), {"x": x}, ["x"], unguarded))


@pytest.mark.parametrize(
    ("f", "x", "least", "most"),
    [
        (lambda x: 3 * x, 2.0, 0.0, 0.0),
        (lambda x: 0.1 * x, 2.0, 1e-16, 1e-15),
        (lambda x: x * x, 2.0, 1e-15, 1e-13),
        (exp_series, -30.0, 0.0, 1e-24),
        (lambda x: x**3, 1e-160, 0.0, 1e-330),
        (rosenbrock.rosen, np.full(3, 1 + 1e-15), 1e-14, 1e-10),
    ],
    ids=[
        "short constants",
        "a rounded constant",
        "a square",
        "a series of huge terms",
        "a tiny number",
        "a valley's floor",
    ],
)
def test_the_sway(f, x, least, most):
    assert all(least <= found <= most for found in sway_of(f, x))


def test_as_many_digits_as_the_terms_need():
    case = open_case(function_target("f", "f", lambda x: x / x + x), {"x": 1e-300}, ["x"], unguarded)

    assert derivative_changes(case, cancels=True)[0] < 1e-100 < derivative_changes(case)[0]


def test_the_sway_of_the_constants_alone():
    """A few units in the last place of each; the inputs stay where they are."""
    case = open_case(function_target("f", "f", lambda x: 0.1 * x * x), {"x": 2.0}, ["x"], unguarded)

    assert 1e-17 < derivative_changes(case, inputs=False)[0] < 1e-15

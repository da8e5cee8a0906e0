"""Right gradients in hard places never fail, wrong ones never pass."""

import math

import numpy as np
import pytest

import gradcli
from examples import hyperbox, logistic, newton_sqrt, rosenbrock
from gradcli.answers.checks import references
from gradcli.shared.records.checks import Verdict

pytestmark = pytest.mark.sampled(8)  # many like cases

VALLEY = np.array([1.3, 0.7, 0.8, 1.9, 1.2])


def grad_logistic(w, b):
    """The gradient of the logistic loss by hand."""
    pull = -logistic.LABELS / (1 + np.exp(logistic.LABELS * (logistic.SAMPLES @ w + b)))
    return logistic.SAMPLES.T @ pull, np.sum(pull)


def softmax_loss(x):
    shifted = x - np.max(x)
    return np.log(np.sum(np.exp(shifted))) - shifted[0]


def grad_softmax_loss(x):
    share = np.exp(x - np.max(x))
    share /= np.sum(share)
    share[0] -= 1
    return share


def memory(x, seen=[0]):  # noqa: B006 - the state is the point
    """A function that counts its calls, and lets the count leak into its value."""
    seen[0] += 1
    return x * x + 1e-3 * math.sin(seen[0])


RIGHT = [
    ("box", hyperbox.f4, [1.0, 2.0, 3.0, 4.0], hyperbox.grad_f4),
    ("valley", rosenbrock.rosen, VALLEY, rosenbrock.grad_rosen),
    ("valley's floor", rosenbrock.rosen, np.ones(5), rosenbrock.grad_rosen),
    ("beside the floor", rosenbrock.rosen, np.full(5, 1 + 1e-9), rosenbrock.grad_rosen),
    ("a hair off the floor", rosenbrock.rosen, np.full(5, 1 + 1e-15), rosenbrock.grad_rosen),
    ("valley at 0", rosenbrock.rosen, np.zeros(5), rosenbrock.grad_rosen),
    ("valley far out", rosenbrock.rosen, np.full(5, 1e8), rosenbrock.grad_rosen),
    ("many numbers", rosenbrock.rosen, np.linspace(-1, 1, 200), rosenbrock.grad_rosen),
    ("Newton's loop", newton_sqrt.newton_sqrt, 2.0, lambda a: 0.5 / math.sqrt(a)),
    ("Newton's loop, far", newton_sqrt.newton_sqrt, 1e12, lambda a: 0.5 / math.sqrt(a)),
    ("logistic", logistic.loss, (np.array([0.3, -0.2]), 0.1), grad_logistic),
    ("softmax", softmax_loss, np.array([20.0, -20.0, 3.0]), grad_softmax_loss),
    ("huge", lambda x: 1e200 * x**2, 1e50, lambda x: 2e200 * x),
    ("tiny", lambda x: 1e-200 * x**2, 1e-50, lambda x: 2e-200 * x),
    ("saturated", math.tanh, 300.0, lambda x: 1 / math.cosh(x) ** 2),
    ("far oscillation", math.sin, 1e10, math.cos),
    ("fast oscillation", lambda x: math.sin(1e9 * x), 1.0, lambda x: 1e9 * math.cos(1e9 * x)),
    ("edge of the domain", math.log, 1e-300, lambda x: 1 / x),
    ("power at 0", lambda x: x**3 + x, 0.0, lambda x: 1.0),
    ("root of a power at 0", lambda x: x**1.5, 0.0, lambda x: 0.0),
    ("constant", lambda x: 3.0, 2.0, lambda x: 0.0),
    ("unused input", lambda x, y: x * x, (2.0, 3.0), lambda x, y: (4.0, 0.0)),
    ("masked lane", lambda x: np.where(x < 1, x, np.sqrt(x)), np.float64(0.0), lambda x: 1.0),
    ("beside a kink", abs, 1e-300, lambda x: 1.0),
    ("sum of kinks", lambda x: np.sum(np.abs(x)), np.array([1e-12, -1e-12, 3.0]), np.sign),
    ("stopped", lambda x: x * gradcli.stop_gradient(x), 2.0, lambda x: x),
    ("a large pedestal", lambda x: 1e15 + x * x, 3.0, lambda x: 2 * x),
    ("cancelling terms", lambda x: (1e8 * x + 3 * x) - 1e8 * x, 3.0, lambda x: 3.0),
]


@pytest.mark.parametrize(("f", "at", "gradient"), [case[1:] for case in RIGHT], ids=[case[0] for case in RIGHT])
def test_a_right_gradient_passes(f, at, gradient):
    own, by_hand = gradcli.check(f, at=at), gradcli.check(f, at=at, against=gradient)

    assert (own.verdict, by_hand.verdict) == ("pass", "pass")


def test_a_function_that_remembers_is_not_judged():
    """Its recorded run has another value than a plain one, which the finding on its calls tells."""
    found = gradcli.check(memory, at=2.0, against=lambda x: 2 * x)

    assert (found.verdict, [each.code for each in found.findings]) == ("inconclusive", ["G412"])


def test_a_gradient_lost_in_its_own_rounding_is_no_failure():
    """A share of 1 less 1 is 0 in doubles, where the slope is -2e-303: nothing is said against the formula."""
    found = gradcli.check(softmax_loss, at=np.array([700.0, -700.0, 3.0]), against=grad_softmax_loss)

    assert [row.verdict.value for row in found.components] == ["ROUNDOFF", "PASS", "PASS"]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: 0.0 if x == 0 else x * math.log(x),
        lambda x: np.where(x > 0, np.sqrt(x), 0.0),
        lambda x: math.sqrt(abs(x)),
    ],
    ids=["x log x", "root on one side", "root of abs"],
)
def test_an_infinite_slope_is_not_finite(f):
    found = gradcli.check(f, at=0.0).components[0]

    assert found.verdict is Verdict.NONFINITE


def spoiled(number, change):
    """The gradient of the valley with one number changed."""

    def gradient(x):
        found = rosenbrock.grad_rosen(x)
        found[number] = change(found[number])
        return found

    return gradient


@pytest.mark.parametrize("number", [0, 7, 29])
@pytest.mark.parametrize(
    "change",
    [
        lambda g: g * (1 + 1e-6),
        lambda g: g * (1 - 1e-6),
        lambda g: -g,
        lambda g: 0.0,
        lambda g: 2 * g,
        lambda g: g + 1e-3,
    ],
    ids=["a millionth more", "a millionth less", "sign", "zero", "twice", "a little more"],
)
def test_a_wrong_number_of_thirty_is_found(number, change):
    found = gradcli.check(rosenbrock.rosen, at=np.linspace(-1, 1, 30), against=spoiled(number, change))

    assert [f"x[{number}]"] == [row.name for row in found.components if row.verdict is Verdict.FAIL]


@pytest.mark.parametrize(("b", "expected"), [(1e-9, "pass"), (1.001e-9, "fail"), (0.0, "fail"), (-1e-9, "fail")])
def test_a_small_number_beside_a_large_one(b, expected):
    found = gradcli.check(lambda x, y: 1e3 * x + 1e-9 * y, at=(2.0, 3.0), against=lambda x, y: (1e3, b))

    assert found.verdict == expected


WRONG = [
    ("a slip", hyperbox.f4, [1.0, 2.0, 3.0, 4.0], hyperbox.grad_f4_slip),
    ("a slip on the floor", rosenbrock.rosen, np.ones(5), lambda x: rosenbrock.grad_rosen(x) + 1e-9),
    ("the sign at saturation", math.tanh, 300.0, lambda x: -1 / math.cosh(x) ** 2),
    ("nothing at saturation", math.tanh, 300.0, lambda x: 0.0),
    ("nan", math.sin, 1.0, lambda x: math.nan),
    ("outside a kink", abs, 0.0, lambda x: 1.5),
    ("outside a small kink", lambda x: 1e-9 * abs(x), 0.0, lambda x: 1.5e-9),
    ("the other side", abs, 1e-300, lambda x: -1.0),
    ("something of a constant", lambda x: 3.0, 2.0, lambda x: 1e-3),
    ("something of a rounding", lambda x: math.floor(x) * 2.0, 2.5, lambda x: -2.0),
]


@pytest.mark.parametrize(("f", "at", "gradient"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_a_wrong_gradient_fails(f, at, gradient):
    assert gradcli.check(f, at=at, against=gradient).verdict == "fail"


def spoiled_square(number):
    """The gradient of a sum of 30,000 squares with one sign wrong."""

    def gradient(x):
        found = 2 * x
        found[number] *= -1
        return found

    return gradient


MANY_NUMBERS = [(spoiled_square(12_345), "fail"), (lambda x: 2 * x, "pass")]


@pytest.mark.sampled(16)
@pytest.mark.long
@pytest.mark.parametrize(("gradient", "expected"), MANY_NUMBERS)
def test_more_numbers_than_can_be_checked_one_by_one(gradient, expected, monkeypatch):
    monkeypatch.setattr(references, "exact_derivatives", references.no_exact_derivatives)
    found = gradcli.check(lambda x: np.sum(x**2), at=np.linspace(1, 2, 30_000), against=gradient)

    assert found.verdict == expected

"""Which of many components is wrong, and what is said where none can be judged; other hard places are in the corpus."""

import math

import numpy as np
import pytest

import gradcli
from examples import rosenbrock
from gradcli.answers.checks import references
from gradcli.shared.records.checks import Verdict
from tests.corpus.arrays import grad_softmax_loss, softmax_loss

pytestmark = pytest.mark.sampled(8)  # many like cases


def memory(x, seen=[0]):  # noqa: B006 - the state is the point
    """A function that counts its calls, and lets the count leak into its value."""
    seen[0] += 1
    return x * x + 1e-3 * math.sin(seen[0])


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

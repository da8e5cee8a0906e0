"""Where the first value that is not finite was born, and of what kind its birth is."""

import math

import numpy as np
import pytest

from gradcli.methods.diagnose.nonfinite_forward import first_nonfinite_value
from gradcli.methods.transforms.gradients import trace

DATA = np.array([1.0, math.nan])


def overflowing(x):
    """The value overflows in its second step."""
    large = x * 1e200
    larger = large * large
    return larger * 0.5


def found(f, *at):
    """The finding of a run."""
    with np.errstate(all="ignore"):
        return first_nonfinite_value(trace(f, *at))


def test_a_value_is_named_with_its_operands():
    """The first, by the user's name and line, with the way to it and its numbers."""
    finding = found(overflowing, 1.0)

    assert (
        "larger = 1e+200 * 1e+200 = inf is the first value that is not finite; the largest number of float64 is "
        "1.8e+308. Its path: x → large → larger. 1 later value is not finite either. "
        "`gradcli help G108` gives the repair."
    ) == finding.message
    assert (__file__, overflowing.__code__.co_firstlineno + 3, 2) == (finding.file, finding.line, finding.node)
    assert finding.numbers == {"x": 1e200, "y": 1e200, "value": math.inf}


def test_the_path_begins_at_an_input():
    """Not at a constant that is the first operand."""

    def f(w):
        data = np.array([[0.0, 900.0], [1.0, 2.0]])
        scores = data @ w
        return np.sum(np.exp(scores))

    assert "Its path: w → scores." in found(f, np.ones(2)).message


@pytest.mark.parametrize(("f", "at", "code", "said"), [
    (lambda x: np.log(x), (-1.0,), "G101", "log(x) is defined for x > 0"),
    (lambda x: np.divide(x, x), (0.0,), "G101", "the divisor is 0"),
    (lambda x: np.sum(1 / x), (np.array([1.0, 0.0]),), "G101", "1.0 / 0.0 = inf"),
    (lambda x: np.sum(x * np.log(x)), (np.array([1.0, 0.0]),), "G106", "log(0.0) = -inf"),
    (lambda x: np.linalg.slogdet(x)[1], (np.ones((2, 2)),), "G106",
        "= -inf is the first value that is not finite; the"),
    (lambda x: np.exp(x), (1000.0,), "G108", "exp overflows above 709.78 in float64"),
    (lambda x: np.exp(x), (np.float32(100.0),), "G108", "exp overflows above 88.72 in float32"),
    (lambda x: np.sum(x), (np.full(3, 1e308),), "G108", "[1e+308, 1e+308, 1e+308]"),
    (lambda x: np.sum(x * DATA), (np.ones(2),), "G110", "1.0 * nan = nan: one operand is a constant nan"),
    (lambda x: x + math.inf, (1.0,), "G110", "1.0 + inf = inf: one operand is a constant inf"),
    (lambda x: x * 2, (math.nan,), "G110", "x = nan is part of the point"),
    (lambda x: math.nan, (1.0,), "G110", "the result is nan, a constant"),
])  # fmt: skip
def test_the_kind_of_a_birth(f, at, code, said):
    """Outside the domain, a logarithm of 0, an overflow, or brought from outside."""
    finding = found(f, *at)

    assert code == finding.code
    assert said in finding.message


def softmax(x):
    """Without the maximum subtracted."""
    e = np.exp(x)
    return (e / np.sum(e))[0]


def test_a_softmax_is_told_what_helps():
    """The maximum, before exp."""
    assert "subtract the maximum of its arguments before it" in found(softmax, np.array([1000.0, 0.0])).message


def test_inputs_without_a_part_are_named():
    """What is clean need not be looked at."""
    assert "y does not affect it" in found(lambda x, y: np.log(x) * y, -1.0, 2.0).message


def test_a_lane_that_was_not_taken_is_not_blamed():
    """The first value that is not finite does not count where nothing depends on it."""

    def f(x):
        aside = np.where(x > 0, x, 1 / x)
        return np.sum(aside) + np.log(x[1] - 1)

    assert "log(0.0)" in found(f, np.array([1.0, 1.0, 2.0])).message
    assert found(lambda x: np.sum(np.where(x > 0, x, np.exp(x))), np.array([1.0, 1000.0])) is None


def test_a_finite_run_has_no_birth():
    """Nothing to tell."""
    assert found(lambda x: x * x, 1.0) is None

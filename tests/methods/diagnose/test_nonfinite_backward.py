"""Where the first sensitivity that is not finite was born, and of what kind its birth is."""

import math

import numpy as np
import pytest

from gradcli.methods.diagnose.nonfinite_backward import first_nonfinite_sensitivity
from gradcli.methods.transforms.gradients import trace


def found(f, *at):
    with np.errstate(all="ignore"):
        return first_nonfinite_sensitivity(trace(f, *at))


def squared_root(x, y):
    """The slope of a root at 0 meets a zero."""
    root = math.sqrt(x)
    return root * root + y


def test_zero_times_infinity():
    """The step with its line, its numbers, and the inputs that it spoils."""
    finding = found(squared_root, 0.0, 1.0)

    assert finding.code == "G102"
    assert (
        "in the reverse sweep, sqrt(0.0) multiplies 0.0 by its slope inf, which is nan: it takes 1.0 / 0.0, which is "
        "inf. It affects x; y stays finite."
    ) == finding.message
    assert (__file__, squared_root.__code__.co_firstlineno + 2) == (finding.file, finding.line)
    assert finding.numbers == {"x": 0.0, "value": 0.0, "slope": math.inf, "cotangent": 0.0}


def length(x):
    """The length of a vector, as everybody writes it first."""
    return np.sqrt(np.sum(x**2))


@pytest.mark.parametrize(
    ("f", "at", "code", "said"),
    [
        (lambda x: math.sqrt(x), (0.0,), "G104", "the slope of sqrt at 0.0 is inf: it takes 1.0 / 0.0, which is inf"),
        (lambda x: np.sum(np.sqrt(x)), (np.array([1.0, 0.0]),), "G104", "the slope of sqrt at 0.0 is inf"),
        (length, (np.zeros(3),), "G102", "np.linalg.norm(x) is finite"),
        (lambda x, y: x**y, (-2.0, 2.0), "G107", "the derivative of (-2.0) ** 2.0 by its exponent is not real"),
        (lambda x, y: x**y, (0.0, 0.0), "G107", "by its exponent is -inf: it takes log(0.0), which is -inf"),
        (lambda x: x**x, (0.0,), "G107", "of 0.0 ** 0.0 by its exponent is -inf: it takes log(0.0), which is -inf"),
        (np.arctan2, (0.0, 0.0), "G102", "by its slope by the first argument, nan, which is nan: it takes 0.0 / 0.0"),
        (np.float_power, (np.float64(0.0), np.float64(0.5)), "G104", "of pow by the first argument at 0.0 is inf"),
        (lambda x: np.exp(x * 1e200) * 1e200, (1e-200,), "G102", "multiplies"),
    ],
    ids=[
        "root",
        "roots",
        "length",
        "negative base",
        "nothing to the nothing",
        "x to the x",
        "angle of nothing",
        "root as power",
        "product",
    ],
)  # fmt: skip
def test_the_kind_of_a_birth(f, at, code, said):
    """A slope that is infinite, a product of zero and infinity, a power that is not real, an overflow."""
    finding = found(f, *at)

    assert code == finding.code
    assert said in finding.message


def test_a_finite_sweep_has_no_birth():
    assert found(lambda x: x * x, 1.0) is None
    assert found(lambda x: 3.0, 1.0) is None

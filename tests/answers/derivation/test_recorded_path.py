"""The program of one recorded run: it agrees with the tape on its path, and asserts the path."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import gradcli
from gradcli.errors import UnsupportedError


class Spring:
    """An object that keeps a number."""

    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x):
        return 0.5 * self.stiffness * x * x


def hidden(x, y):
    """Objects, dictionaries, a try and a function inside a function."""
    springs = {"soft": Spring(x), "hard": Spring(x * y)}
    try:
        total = sum(spring.energy(y) for spring in springs.values())
    except ValueError:
        total = 0.0
    while total > 1.0:
        total = total / 3.0
    return math.sin(total)


def test_what_the_source_hides():
    source = gradcli.derive(hidden, at=(1.0, 2.0), straight=True)

    assert source.function(1.0, 2.0) == pytest.approx(gradcli.grad(hidden, (0, 1))(1.0, 2.0), rel=1e-14)
    with pytest.raises(AssertionError, match="derived for another path"):
        source.function(0.1, 0.2)


def test_another_length():
    """The path of three numbers is not that of four."""
    source = gradcli.derive(lambda x: sum(each * each for each in x), at=np.array([1.0, 2.0, 3.0]), straight=True)

    assert list(source.function(np.array([1.0, 2.0, 3.0]))) == [2.0, 4.0, 6.0]
    with pytest.raises(AssertionError):
        source.function(np.array([1.0, 2.0, 3.0, 4.0]))


def test_outcomes_that_are_arrays():
    """The places at which SciPy's distributions have a value are asserted as a whole."""
    point = np.array([0.5, -1.0, 2.0])

    def of_a_distribution(x):
        return np.sum(norm.logpdf(2.0, loc=x, scale=1.3))

    derived = gradcli.derive(of_a_distribution, at=point, straight=True).function

    np.testing.assert_allclose(derived(2.0 * point), gradcli.grad(of_a_distribution)(2.0 * point), rtol=1e-12)


def test_nothing_more_is_proposed():
    with pytest.raises(UnsupportedError) as refused:
        gradcli.derive(lambda x: x[0]["a"] * 2.0, at=([{"a": 1.0}],), straight=True)

    assert "--straight" not in refused.value.hint

"""Programs that compute with complex numbers: judged by differences, at real points."""

import numpy as np
import pytest

from gradcli import check
from gradcli.diagnose.finite import finite
from gradcli.errors import PointError


def power(x):
    """The power of a spectrum that is not that of the point alone."""
    return np.sum(np.abs(np.exp(1j * x) + 0.5) ** 2)


def test_complex_numbers_inside():
    """The exact methods withdraw and say why; differences judge."""
    comparison = check(power, at=np.array([1.0, 2.0]))

    assert "pass" == comparison.verdict
    assert [None, None] == [each.symbolic for each in comparison.components]
    assert any("complex numbers" in note for note in comparison.notes)


def test_a_wrong_gradient():
    """It fails by differences too."""
    assert "fail" == check(power, at=np.array([1.0, 2.0]), against=lambda x: np.sin(x)).verdict


def test_a_complex_point():
    """It is refused, with what to do."""
    with pytest.raises(PointError, match=r"complex, and a point is made of real numbers(.|\n)*complex\(re, im\)"):
        check(lambda z: abs(z) ** 2, at={"z": 1 + 2j})


@pytest.mark.parametrize(("value", "expected"), [(1j, True), ([1, complex("inf")], False), (np.array([1j]), True)])
def test_finite(value, expected):
    """A complex number is finite where both parts are."""
    assert expected is finite(value)


def test_a_wrong_gradient_of_a_quotient():
    """The search for the slip passes over complex constants."""
    f = lambda x: np.sum(np.real(x / (2 + 0j)) ** 2)
    assert "fail" == check(f, at=np.array([1.0, 2.0]), against=lambda x: x).verdict

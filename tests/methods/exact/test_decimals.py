"""Numbers of many digits: what they are made of, and back."""

import math
from decimal import Decimal

import mpmath
import numpy as np
import pytest

from gradcli.methods.exact import decimals


@pytest.mark.parametrize("x", [0.1, -3.0, 1e-300, 5e-324, 1.7e308, 0.0, math.inf, -math.inf, math.nan])
def test_there_and_back(x):
    """A double becomes a decimal, a number of mpmath's, and is the same again."""
    with decimals.digits(60):
        again = float(decimals.from_mpmath(decimals.to_mpmath(decimals.to_decimals(x))))

    assert x == pytest.approx(again, rel=0, abs=0, nan_ok=True)


def test_a_number_far_out_of_the_range_of_doubles():
    with decimals.digits(60):
        x = Decimal("1.25e-5000")
        assert abs(decimals.from_mpmath(decimals.to_mpmath(x)) / x - 1) < Decimal("1e-58")


@pytest.mark.parametrize("x", [True, 1, np.True_, np.int64(1), np.float32(1), np.array(1.0)])
def test_every_kind_of_number(x):
    """Whole numbers and booleans too, so that a quotient by them has all digits."""
    found = decimals.to_decimals(x)

    assert (Decimal, 1) == (type(found), found)


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (0, 0, 1), (0, 2, 0), (-2, 3, -8), (2, -1, 0.5), (4, 1.5, 8), (4, -0.5, 0.5), (2, 0.3, 2**0.3),
        (-2, 0.5, math.nan), (0, -1, math.inf), (0, 0.5, 0),
    ],
)  # fmt: skip
def test_powers(x, y, expected):
    with decimals.digits(60):
        found = float(decimals.power(Decimal(x), Decimal(y)))

    assert pytest.approx(found, rel=1e-15, nan_ok=True) == expected


def test_nothing_raises():
    with decimals.digits(60):
        zero = Decimal(0)
        assert (Decimal(1) / zero, (zero / zero).is_nan()) == (Decimal("inf"), True)
        assert decimals.functions()["sqrt"](Decimal(-1)).is_nan()
        assert decimals.functions()["log"](zero) == Decimal("-inf")


def test_constants_have_all_digits():
    with decimals.digits(100), mpmath.workdps(100):
        assert abs(decimals.to_mpmath(decimals.functions().constants["pi"]) - mpmath.pi) < mpmath.mpf(10) ** -98

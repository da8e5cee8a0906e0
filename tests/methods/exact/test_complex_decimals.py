"""Complex numbers of many digits, against Python's own."""

import operator

import numpy as np
import pytest

from gradcli.methods.exact import decimals

Z, W = 1.5 - 2.25j, -0.5 + 4.0j
PAIRS = [(Z, W), (Z, 3.0), (3.0, Z), (Z, 2), (2, Z)]


def exactly(x):
    """A number with many digits; a whole one as it is."""
    return x if isinstance(x, int) else decimals.to_decimals(x)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
@pytest.mark.parametrize(("x", "y"), PAIRS)
def test_arithmetic(name, x, y):
    compute = getattr(operator, name)
    found = compute(exactly(x), exactly(y))

    assert abs(complex(float(found.real), float(found.imag)) - compute(x, y)) < 1e-15


@pytest.mark.parametrize("exponent", [-2, -1, 0, 1, 2, 5])
def test_whole_powers(exponent):
    found = exactly(Z) ** exponent

    assert abs(complex(float(found.real), float(found.imag)) - Z**exponent) < 1e-12


def test_floats_are_refused():
    with pytest.raises(TypeError):
        exactly(Z) * 0.1


def test_the_sign_of_zero_is_kept():
    assert (-exactly(1 + 0j)).imag.is_signed()


def test_order_is_that_of_numpy():
    numbers = [1 + 2j, 1 - 1j, -3 + 9j, 1 + 2j]
    ours = sorted(map(exactly, numbers))

    assert list(np.sort(numbers)) == [complex(z) for z in ours]

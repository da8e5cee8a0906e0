"""Complex numbers of many digits, against Python's own."""

import operator
from decimal import Decimal

import numpy as np
import pytest

from gradcli.methods.exact import decimals
from gradcli.methods.exact.complex_decimals import ComplexDecimal, conjugate, imaginary_part, is_complex, real_part

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


def test_size_and_conjugate():
    z = exactly(3 - 4j)

    assert (Decimal(5), ComplexDecimal(3, 4)) == (abs(z), z.conjugate())


def test_the_sign_of_zero_is_kept():
    assert (-exactly(1 + 0j)).imag.is_signed()


def test_order_is_that_of_numpy():
    numbers = [1 + 2j, 1 - 1j, -3 + 9j, 1 + 2j]
    ours = sorted(map(exactly, numbers))

    assert list(np.sort(numbers)) == [complex(z) for z in ours]


def test_as_floats():
    assert complex(exactly(Z)) == Z
    assert list(np.array([exactly(Z), Decimal(2)], dtype=object).astype(complex)) == [Z, 2 + 0j]


def test_parts_of_arrays():
    array = np.array([exactly(Z), Decimal(2)], dtype=object)

    assert [Decimal("1.5"), Decimal(2)] == list(real_part(array))
    assert [Decimal("-2.25"), Decimal(0)] == list(imaginary_part(array))
    assert [exactly(Z.conjugate()), Decimal(2)] == list(conjugate(array))
    assert (is_complex(array), is_complex(real_part(array))) == (True, False)


def test_through_mpmath_and_back():
    with decimals.digits(60):
        assert exactly(Z) == decimals.from_mpmath(decimals.to_mpmath(exactly(Z)))

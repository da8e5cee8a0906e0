"""Programs that compute with complex numbers, at real and at complex points."""

import numpy as np
import pytest

import gradcli
from gradcli import check
from gradcli.errors import PointError
from tests.methods.numerics.complex_programs import COMPLEX

pytestmark = pytest.mark.sampled(3)  # many like cases

POINT = np.array([1.0, 2.0])
Z = np.array([1 + 2j, 3 - 1j])


def power(x):
    """The power of a spectrum that is not that of the point alone."""
    return np.sum(np.abs(np.exp(1j * x) + 0.5) ** 2)


def cubed(z):
    return np.sum(np.abs(z) ** 2 * np.real(z))


def of_cubed(z):
    """Its derivative by the real part, plus i times that by the imaginary part."""
    return np.abs(z) ** 2 + 2 * np.real(z) * z


@pytest.mark.parametrize(("f", "at"), [case[1:3] for case in COMPLEX], ids=[case[0] for case in COMPLEX])
def test_right_gradients_pass(f, at):
    comparison = check(f, at=(at,))

    assert comparison.verdict == "pass"
    assert all(each.exact is not None for each in comparison.components)


@pytest.mark.parametrize(("f", "at"), [case[1:3] for case in COMPLEX[:12]], ids=[case[0] for case in COMPLEX[:12]])
def test_one_part_in_a_million_fails(f, at):
    wrong = lambda x: np.asarray(gradcli.grad(f)(x)) * (1 + 1e-6)

    assert check(f, at=(at,), against=wrong).verdict == "fail"


def test_complex_numbers_have_two_components():
    found = {each.name: each.candidate for each in check(cubed, at=Z).components}

    assert pytest.approx(found) == {"z[0].real": 7.0, "z[0].imag": 4.0, "z[1].real": 28.0, "z[1].imag": -6.0}


def test_a_gradient_by_hand_follows_the_convention():
    """The conjugate, as JAX would have it, is wrong in its imaginary parts."""
    assert check(cubed, at=Z, against=of_cubed).verdict == "pass"

    found = check(cubed, at=Z, against=lambda z: np.conj(of_cubed(z)))
    assert {each.name for each in found.components if each.verdict.value == "FAIL"} == {"z[0].imag", "z[1].imag"}


def test_numbers_of_both_kinds():
    """A real and a complex argument, and a gradient by hand of both."""
    f = lambda x, z: np.real(np.exp(x * z))
    by_hand = lambda x, z: (np.real(z * np.exp(x * z)), np.conj(x * np.exp(x * z)))

    assert check(f, at=(0.3, 1 - 2j), against=by_hand).verdict == "pass"


def test_a_function_that_is_not_recorded():
    f = lambda z: float(repr(abs(complex(repr(z).strip("()"))) ** 2))

    assert check(f, at=1 + 2j, against=lambda z: 2 * z).verdict == "pass"
    assert check(f, at=1 + 2j, against=lambda z: 2.1 * z).verdict == "fail"


def test_more_points():
    """Drawn in the plane; a box is one of real numbers."""
    assert check(cubed, at=Z, points=3).verdict == "pass"
    with pytest.raises(PointError, match=r"z, which is complex"):
        check(cubed, at=Z, points=3, box={"z": (0, 1)})


def test_a_kink():
    found = check(lambda z: abs(z), at=0j)

    assert [each.verdict.value for each in found.components] == ["KINK", "KINK"]


def test_a_wrong_gradient_of_a_quotient():
    """The search for the slip passes over complex constants."""
    f = lambda x: np.sum(np.real(x / (2 + 0j)) ** 2)
    assert check(f, at=POINT, against=lambda x: x).verdict == "fail"

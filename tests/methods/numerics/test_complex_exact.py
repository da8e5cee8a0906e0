"""The exact derivative of programs that compute with complex numbers, against mpmath's of the same mathematics."""

import mpmath
import numpy as np
import pytest

import gradcli
from gradcli.mathematics.rules import RULES
from gradcli.mathematics.rules.special_functions import HOLOMORPHIC
from gradcli.methods.exact import gradient
from gradcli.methods.numerics import rounding
from tests.methods.numerics.complex_programs import COMPLEX, parts
from tests.methods.numerics.programs import derivatives, recorded

pytestmark = pytest.mark.sampled(4)  # many like cases

NAMES = [case[0] for case in COMPLEX]


@pytest.mark.parametrize(("f", "at", "twin"), [case[1:] for case in COMPLEX], ids=NAMES)
def test_derivatives_are_those_of_mpmath(f, at, twin):
    """Twenty-five digits of every component agree; a complex number has two."""
    found = gradient.gradient(*recorded(f, at)).derivatives
    known = derivatives(twin, parts(at))

    assert [True] * len(known) == [abs(a - b) <= 1e-25 * max(1, abs(b)) for a, b in zip(found, known, strict=True)]


@pytest.mark.parametrize(("f", "at", "twin"), [case[1:] for case in COMPLEX], ids=NAMES)
def test_the_sweep_is_within_its_bound(f, at, twin):
    """Our own gradient is off by no more than its rounding may do, and that is little."""
    tape, last, inputs = recorded(f, at)
    bounds = np.array(rounding.sweep_errors(tape, last, inputs))
    known = np.array([float(x) for x in derivatives(twin, parts(at))])
    ours = np.ravel(parts(gradcli.grad(f)(at)))

    assert np.all(np.abs(ours - known) <= bounds)
    assert np.all(bounds <= 1e-10 * (1 + np.abs(known)))


def test_a_derivative_that_cancels_is_zero():
    found = gradient.gradient(*recorded(lambda x: np.sum(np.abs(np.exp(1j * x))), np.array([0.7, 1.9])))

    assert found.derivatives == (0, 0)


@pytest.mark.parametrize("name", sorted({"erf", "erfc", *HOLOMORPHIC}))
def test_special_functions(name):
    """The derivative of each by a complex number is, to rounding, what its row has."""
    fixed = (2.0, 1.3, 1.6)[: len(RULES[name].parameters) - 1]
    f = lambda z: np.sum(np.real((0.7 - 0.4j) * RULES[name](*fixed, z)))
    z = np.array([0.31 + 0.72j])
    found = gradient.gradient(*recorded(f, z)).derivatives

    np.testing.assert_allclose(np.ravel(parts(gradcli.grad(f)(z))), [float(x) for x in found], rtol=1e-12)


def test_what_has_no_exact_form_says_so():
    tape = recorded(lambda x: np.linalg.eigvalsh(np.array([[2, 1j], [-1j, 0]]) + np.diag(x))[0], np.array([1.0, 2.0]))

    with pytest.raises(ArithmeticError, match="complex numbers"):
        gradient.gradient(*tape)


def test_more_digits_are_at_hand():
    """The slope of Re(exp(ix)) is -sin(x), to fifty digits."""
    (found,) = gradient.gradient(*recorded(lambda x: np.real(np.exp(1j * x)), np.float64(0.3))).derivatives

    with mpmath.workdps(60):
        assert abs(found + mpmath.sin(mpmath.mpf(0.3))) < mpmath.mpf(10) ** -50

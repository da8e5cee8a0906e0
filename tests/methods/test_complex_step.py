"""The complex step: where it is right it is nearly exact, and where it is not it withdraws."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

from gradcli.methods import complex_step, differences

EPS = 2.0**-52


def by_complex_step(f, x):
    """The slope, with differences of the real part beside it."""
    return complex_step.slope(f, x, EPS, differences.slope(lambda t: float(complex(f(t)).real), x, EPS))


@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (cmath.sin, 1.0, math.cos(1.0)),
        (cmath.exp, -30.0, math.exp(-30.0)),
        (lambda z: z**3 - 2 * z, 0.0, -2.0),
        (lambda z: np.exp(z) / np.sqrt(np.sin(z) ** 3 + np.cos(z) ** 3), 1.5, 4.0534278938986201),
        (lambda z: 1e8 * z * z, 1e6, 2e14),
        (cmath.sin, 1e3, math.cos(1e3)),
    ],
    ids=["sin", "exp", "polynomial", "Squire and Trapp's", "steep", "far"],
)
def test_an_analytic_program(f, x, expected):
    """Thirteen digits, where differences have eight."""
    found = by_complex_step(f, x)

    assert abs(found.value - expected) <= max(found.error, 4e-16 * abs(expected))
    assert found.error <= 1e-11 * abs(expected)


@pytest.mark.parametrize(
    "f",
    [
        abs,
        lambda z: complex(z).real ** 2,
        lambda z: (z * complex(z).conjugate()).real,
        lambda z: z if complex(z).imag == 0 else 2 * z,
        lambda z: z**2 + 1e-3 * abs(z),
        lambda z: math.sin(z),
        lambda z: z if z < 3 else z * z,
        lambda z: float(z),
    ],
    ids=["abs", "real part", "norm", "asks", "partly", "math", "compares", "float"],
)
def test_what_is_not_analytic_is_refused(f):
    """Whatever it returns along the imaginary axis."""
    real = differences.slope(lambda t: float(complex(f(t)).real), 2.0, EPS)

    assert complex_step.slope(f, 2.0, EPS, real) is None


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda z: math.cos(complex(z).real), 0.0),
        (lambda z: 1.0 + 1e-14 * complex(z).real, 0.5),
        (cmath.cos, 0.0),
    ],
    ids=["flat, and drops it", "lost, and drops it", "flat"],
)
def test_a_slope_that_differences_do_not_show_proves_nothing(f, x):
    """A 0 may be that of the function, or of an imaginary part that was dropped."""
    assert by_complex_step(f, x) is None


def test_one_sided_slopes_are_kept():
    """They are those of differences."""
    found = by_complex_step(cmath.sin, 1.0)

    assert (found.left, found.right) == pytest.approx((math.cos(1.0), math.cos(1.0)), rel=1e-6)


@pytest.mark.parametrize(
    ("f", "expected"), [(abs, True), (lambda z: z**2 + abs(z), True), (cmath.sin, False), (math.sin, False)]
)
def test_what_is_told_of_a_refusal(f, expected):
    """A function that takes no complex numbers is not called another."""
    assert expected is complex_step.is_refuted(f, 2.0, EPS)

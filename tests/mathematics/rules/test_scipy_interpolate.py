"""SciPy's interpolators on recorded points, values and places: its own Python code, and rules for its compiled code."""

import numpy as np
import pytest
import scipy.interpolate
from scipy.interpolate import (
    Akima1DInterpolator,
    BarycentricInterpolator,
    BPoly,
    CubicHermiteSpline,
    CubicSpline,
    KroghInterpolator,
    PchipInterpolator,
    PPoly,
    RegularGridInterpolator,
    interp1d,
)

from gradcli import grad, trace
from gradcli.errors import UnsupportedError
from tests.mathematics.rules.agreement import agree_nearby, of_families, slope_agrees

pytestmark = pytest.mark.sampled(4)  # many like cases

X, Y = np.array([0.0, 1.0, 2.3, 3.1]), np.array([0.3, 0.7, 0.2, 0.9])
INSIDE, OUTSIDE = np.array([0.4, 1.7, 2.9]), np.array([-0.5, 0.4, 3.6])
COLUMNS = np.stack([Y, Y**2 + 1, np.cos(Y)], axis=1)
POWERS = np.array([[0.3, 0.7], [0.2, 0.9], [1.1, 0.4]])

CASES = {
    "splines by their values": [
        *((lambda y, b=b: CubicSpline(X, y, bc_type=b)(INSIDE), Y) for b in ("not-a-knot", "natural", "clamped")),
        (lambda y: CubicSpline(X, np.append(y[:3], y[0]), bc_type="periodic")(OUTSIDE), Y),
        (lambda y: CubicSpline(X, y, bc_type=((1, y[0]), (2, y[1])))(INSIDE), Y),
        (lambda y: CubicSpline(X, y)(INSIDE), COLUMNS), (lambda y: CubicSpline(X, y.T, axis=1)(INSIDE), COLUMNS),
        (lambda y: CubicHermiteSpline(X, y, np.sin(y))(INSIDE), Y), (lambda y: PchipInterpolator(X, y)(INSIDE), Y)],
    "splines by their points": [(lambda x: CubicSpline(x, Y)(INSIDE), X),
        (lambda x: PchipInterpolator(x, Y)(INSIDE), X)],
    "splines by the place": [(lambda q: CubicSpline(X, Y)(q), INSIDE), (lambda q, y: CubicSpline(X, y)(q), OUTSIDE, Y),
        (lambda q: PchipInterpolator(X, Y)(q), INSIDE)],
    "what is made of splines": [(lambda y, q: CubicSpline(X, y)(q, 1), Y, INSIDE),
        (lambda y, q: CubicSpline(X, y).derivative(2)(q), Y, INSIDE),
        (lambda y, q: CubicSpline(X, y).antiderivative()(q), Y, INSIDE),
        (lambda y, x: CubicSpline(x, y).antiderivative(2)(INSIDE), Y, X),
        (lambda y, e: CubicSpline(X, y).integrate(e[0], e[1]), Y, np.array([0.2, 2.9])),
        (lambda y, e: CubicSpline(X, y).integrate(e[0], e[1]), Y, np.array([2.9, -0.4])),
        (lambda y: CubicSpline(X, y).integrate(0.2, 0.9), COLUMNS)],
    "polynomials in pieces": [(lambda c, q: PPoly(c, X[:3])(q), POWERS, np.array([0.5, 1.2, 2.0])),
        (lambda c, q: PPoly(c, X[2::-1])(q), POWERS, np.array([0.5, 1.2, 2.0])),
        (lambda c, e: PPoly(c, X[2::-1]).integrate(e[0], e[1]), POWERS, np.array([0.5, 2.0])),
        (lambda c, q: PPoly(c, X[:3])(q, 4), POWERS, INSIDE),
        (lambda c, q: BPoly(c, X[:3])(q), POWERS, np.array([0.5, 1.7])),
        (lambda c, q: BPoly(c, X[:3])(q, 1), POWERS, np.array([0.5, 1.7]))],
    "interpolators of other kinds": [(lambda y: Akima1DInterpolator(X, y)(INSIDE), Y),
        (lambda y: BarycentricInterpolator(X, y)(INSIDE), Y), (lambda y: scipy.interpolate.lagrange(X, y)(INSIDE), Y),
        (lambda y, q: interp1d(X, y)(q), Y, INSIDE), (lambda y: KroghInterpolator(X, y)(INSIDE), Y),
        (lambda y, q: RegularGridInterpolator((X,), y)(q), Y, INSIDE),
        (lambda y, q: RegularGridInterpolator((X, X[:3]), y)(q), COLUMNS, np.array([[0.4, 1.7], [2.9, 0.3]])),
        (lambda y, q: RegularGridInterpolator((X, X), y, method="pchip")(q), np.outer(Y, Y), np.array([[0.4, 1.7]]))],
}  # fmt: skip
"""Programs by what they do."""


@pytest.mark.sampled(20, each="family")
@pytest.mark.parametrize(("family", "f", "arrays"), of_families(CASES))
def test_interpolators(family, f, arrays):
    """Value, gradient, forward sweep and second derivative against differences."""
    agree_nearby(f, *arrays)


def test_outside_of_all_pieces():
    """Where SciPy does not extrapolate it is nan, and the other points have their derivative."""
    spline = lambda y: CubicSpline(X, y, extrapolate=False)(OUTSIDE)
    assert np.isnan(trace(spline, Y, names=False).value).tolist() == [True, False, True]
    slope_agrees(lambda y: spline(y)[1], (Y,), (np.cos(Y),))


def test_the_type_of_a_point():
    assert pytest.approx(float(CubicSpline(X, Y)(0.4, 1))) == grad(lambda q: CubicSpline(X, Y)(q))(0.4)


@pytest.mark.parametrize(
    "f",
    [
        lambda q: CubicSpline(X, Y)(q),
        lambda q: CubicSpline(X, Y, extrapolate=False)(q),
        lambda q: CubicSpline(X, Y).integrate(q[0], q[1]),
        lambda q: RegularGridInterpolator((X,), Y)(q),
    ],
)
def test_the_intervals_are_outcomes(f):
    there = np.array([2.5, 0.2, 1.4])
    np.testing.assert_allclose(f(there), trace(f, INSIDE).replay(there).value, rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "instead"),
    [("UnivariateSpline", "CubicSpline"), ("RBFInterpolator", "linalg.solve")],
)
def test_refusals(name, instead):
    """What is compiled as a whole is refused by its public name, at the user's line."""
    made = getattr(scipy.interpolate, name)
    points = X[:, None] if name == "RBFInterpolator" else X
    with pytest.raises(UnsupportedError, match=rf"scipy\.interpolate\.{name} has no derivative rule") as caught:
        grad(lambda y: np.sum(made(points, y)(points[:2])))(Y)
    assert __file__ == caught.value.file
    assert instead in caught.value.hint

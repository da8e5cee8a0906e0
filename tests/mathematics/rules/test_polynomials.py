"""Polynomials: their roots, and NumPy's package `numpy.polynomial`, which is plain Python by NumPy's functions."""

import numpy as np
import pytest
from numpy.polynomial import (
    Chebyshev,
    Hermite,
    Legendre,
    Polynomial,
    chebyshev,
    hermite,
    laguerre,
    legendre,
    polynomial,
)

from gradcli import grad, trace
from gradcli.errors import UnsupportedError
from tests.mathematics.rules.agreement import agree_nearby
from tests.mathematics.rules.sample_arrays import complexes, numbers

pytestmark = pytest.mark.sampled(8)  # many like cases

FEW, MORE = numbers((3,), seed=2), numbers((5,), seed=5)
APART = np.array([1.0, -6.0, 11.0, -6.5])

PROGRAMS = {
    "roots of a list": (lambda p: np.real(np.roots([p[0], p[1], -2.0]))[0], FEW),
    "roots": (lambda p: np.sort(np.real(np.roots(p))), APART),
    "zeros at the ends": (lambda p: np.real(np.roots(np.concatenate([[0.0], p, [0.0, 0.0]]))), APART[:3]),
    "poly of a matrix": (lambda x: np.poly(x @ x.T), numbers((3, 3))),
    "Polynomial of a point": (lambda x: Polynomial([1.0, 2.0, 3.0])(x), numbers((2, 3))),
    "Polynomial of coefficients": (lambda c, x: Polynomial(c)(x), MORE, FEW),
    "its derivative": (lambda c: Polynomial(c).deriv()(0.3), MORE),
    "its integral": (lambda c: Polynomial(c).integ(2)(0.3), MORE),
    "a product": (lambda c, d: (Polynomial(c) * Polynomial(d) - Polynomial(d) ** 2)(0.7), FEW, MORE),
    "on a domain": (lambda c, x: Polynomial(c, domain=[-2.0, 3.0])(x), FEW, MORE),
    "Chebyshev": (lambda c, x: Chebyshev(c)(x), MORE, FEW),
    "Legendre": (lambda c, x: Legendre(c)(x), MORE, FEW),
    "Hermite": (lambda c, x: Hermite(c)(x), MORE, FEW),
    "polyval": (polynomial.polyval, FEW, MORE),
    "polyval of a list": (lambda x: polynomial.polyval(x[0], [x[1], 2.0, x[2]]), FEW),
    "polyval2d": (lambda x, y, c: polynomial.polyval2d(x, y, c), FEW, FEW[::-1], numbers((3, 2))),
    "polyvander": (lambda x: polynomial.polyvander(x, 3), FEW),
    "polyfromroots": (polynomial.polyfromroots, FEW),
    "chebval": (chebyshev.chebval, FEW, MORE),
    "legval": (legendre.legval, FEW, MORE),
    "hermval": (hermite.hermval, FEW, MORE),
    "lagval": (laguerre.lagval, FEW, MORE),
    "polyder": (lambda c: polynomial.polyder(c, 2), MORE),
}


@pytest.mark.sampled(40)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    """Value, gradient, forward sweep and second derivative against differences."""
    f, *arrays = PROGRAMS[name]
    agree_nearby(f, *arrays)


@pytest.mark.parametrize("p", [np.array([1.0, 0.5, 2.0, 0.3]), complexes((4,))])
def test_complex_roots(p):
    """Roots off the real line, of real and of complex coefficients."""
    agree_nearby(np.roots, p)


def test_no_roots():
    assert grad(lambda p: np.sum(np.real(np.roots(p))) + 0.0 * p[0])(np.array([2.0]))[0] == 0
    assert grad(lambda p: np.sum(np.roots(p)))(np.array([2.0, 0.0])).tolist() == [0.0, 0.0]


def test_a_sorted_copy_of_complex_numbers():
    found = grad(lambda x: np.sum(np.real(np.sort_complex(x)) * np.array([1.0, 2.0, 3.0])))(np.array([3.0, 1.0, 2.0]))
    assert found.tolist() == [3.0, 1.0, 2.0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("f", "name", "near"),
    [
        (lambda x: np.frompyfunc(lambda t: t * t, 1, 1)(x), "numpy.frompyfunc", "numpy.vectorize"),
        (lambda x: np.hamming(x[0] * 10), "numpy.hamming", ""),
        (lambda x: np.tri(3, k=x[0]), "numpy.tri", "numpy.triu"),
        (lambda x: np.ma.masked_array(x, mask=[0, 1, 0]), "numpy.ma.MaskedArray", "numpy.where"),
        (lambda x: x.view(np.int64), "numpy.ndarray.view in another type", ".astype(dtype)"),
        (lambda x: x.resize((1, 3)), "numpy.ndarray.resize", "numpy.resize"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_python_code_of_numpys_is_refused_by_name(f, name, near):
    """Not by what it asked of the value: the program's own call is what a user can change."""
    with pytest.raises(UnsupportedError) as caught:
        grad(lambda x: np.sum(f(x)))(FEW)
    assert f"{name} has no derivative rule" == caught.value.message
    assert near in caught.value.hint


@pytest.mark.parametrize(
    "f",
    [
        lambda c: np.polynomial.Polynomial(c)(np.polynomial.Polynomial([1.0, 2.0])).coef,
        lambda c: (c[0] * np.polynomial.Polynomial([1.0, 2.0]) + c[1]).coef,
        lambda c: (c[0] - np.polynomial.Chebyshev(c)).coef,
        lambda c: np.polynomial.Legendre(c).convert(kind=np.polynomial.Polynomial).coef,
    ],
)
def test_a_recorded_number_meets_a_polynomial(f):
    """The polynomial computes, as with a plain number on its left."""
    agree_nearby(f, FEW)


def test_a_vandermonde_matrix_takes_a_product_for_each_column():
    """A power of each element, and its partial, would take ten times as long."""
    recorded = trace(lambda x: np.sum(np.vander(x, 6)), np.array([0.0, -0.5, 2.0]), names=False)

    assert sum(node.operation == "mul" for node in recorded.nodes) == 5
    assert not [node for node in recorded.nodes if node.operation == "pow"]
    assert recorded.sensitivities()[0] == pytest.approx([1.0, 1 - 1 + 0.75 - 0.5 + 0.3125, 1 + 4 + 12 + 32 + 80])


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize("increasing", [False, True])
def test_a_narrow_vandermonde_matrix(count, increasing):
    x = np.array([0.5, 2.0])
    expected = np.vander(x, count, increasing=increasing)

    assert np.array_equal(trace(lambda x: np.vander(x, count, increasing=increasing), x).value, expected)
    assert grad(lambda x: np.sum(np.vander(x, count, increasing=increasing)))(x).tolist() == [float(count == 2)] * 2

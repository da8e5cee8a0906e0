"""SciPy's special functions that are Python code, or have several results."""

import numpy as np
import pytest
import scipy.signal
import scipy.special as special

from gradcli import grad, trace
from gradcli.errors import UnsupportedError
from tests.mathematics.rules.agreement import agree_nearby, of_families
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(8)  # many like cases

A, FEW, ONE = numbers((2, 3)), numbers((3,), seed=1), numbers((1,), seed=2)
SIGNED = np.array([[1.0, -2.0, 0.5], [0.3, 3.0, 0.0]])

CASES = {
    "sici": [(lambda x: special.sici(x)[0] * special.sici(x)[1], A)],
    "shichi": [(lambda x: special.shichi(x)[0] * special.shichi(x)[1], A)],
    "fresnel": [(lambda x: special.fresnel(x)[0] * special.fresnel(x)[1], A)],
    "logsumexp": [(special.logsumexp, A), (special.logsumexp, ONE), (lambda x: special.logsumexp(x, axis=1), 300 * A),
        (lambda x: special.logsumexp(x, axis=(0, 1), keepdims=True), A),
        (lambda x: special.logsumexp(x, 0, b=[1.0, 2.0, 0.5]), A),
        (lambda x, b: special.logsumexp(x, axis=1, b=b), A, np.abs(SIGNED)),
        (lambda x, b: special.logsumexp(x, axis=0, b=b, return_sign=True)[0], A, SIGNED),
        (lambda x: special.logsumexp([x[0], 0.0, x[1]]), FEW)],
    "softmax": [(special.softmax, A), (lambda x: special.softmax(x, axis=-1), 50 * A), (special.softmax, ONE)],
    "log_softmax": [(special.log_softmax, A), (lambda x: special.log_softmax(x, axis=0), 50 * A)],
    "lambertw": [(lambda x: np.real(special.lambertw(x)), A), (lambda x: np.real(special.lambertw(-x / 10, -1)), A),
        (lambda x: np.abs(special.lambertw(x, k=2)), FEW)],
    "polygamma": [(lambda x: special.polygamma(1, x), A), (lambda x: special.polygamma([0, 1, 2], x), FEW)],
    "zeta": [(lambda x: special.zeta(2.5, x), A)],
    "multigammaln": [(lambda x: special.multigammaln(x, 3), 2 + FEW)],
    "comb": [(lambda x: special.comb(x + 3, 2.5), A),
        (lambda x: special.comb(5.0, x), A)] + [(lambda x: special.comb(x, [1.0, 0.3, 3.0]), FEW)],
    "factorial": [(lambda x: special.factorial(x, extend="complex"), A)],
}  # fmt: skip
"""Programs with these functions, by name."""


@pytest.mark.sampled(8, each="family")
@pytest.mark.parametrize(("family", "f", "arrays"), of_families(CASES))
def test_functions(family, f, arrays):
    """Value, gradient, forward sweep and second derivative against differences."""
    agree_nearby(f, *arrays)


def test_a_weight_of_zero():
    """The derivative by a weight is there at zero too, and what it multiplies may be infinite."""
    found = grad(lambda b: special.logsumexp(np.array([1.0, 2.0]), b=b))(np.array([0.0, 1.0]))
    np.testing.assert_allclose([np.exp(-1.0), 1.0], found, rtol=1e-14)
    found = grad(lambda x: special.logsumexp(x, b=[0.0, 1.0, 2.0]))(np.array([np.inf, 1.0, 1.0]))
    np.testing.assert_allclose([0.0, 1 / 3, 2 / 3], found, rtol=1e-14)


def test_minus_infinity():
    x = np.array([-np.inf, 0.0, 1.0])
    assert special.logsumexp(x) == pytest.approx(trace(special.logsumexp, x, names=False).value)
    np.testing.assert_allclose(special.softmax(x), grad(special.logsumexp)(x), rtol=1e-14)


def test_refusals():
    """The zeta function of its first argument is refused by name."""
    with pytest.raises(UnsupportedError, match=r"scipy\.special\.\w*zeta"):
        grad(special.zeta)(4.0)


def test_lists_of_recorded_numbers():
    """SciPy's functions take lists, as they do of plain numbers."""
    assert grad(lambda x: special.softmax([x, 0.0])[0])(0.0) * 2 == pytest.approx(0.5)
    assert pytest.approx(np.cos(0.0)) == grad(lambda x: special.expit([4 * x])[0])(0.0)


def test_the_rule_serves_where_names_of_scipy_are_replaced():
    """A weight of zero has a slope, though SciPy's own code, which could be followed by then, takes it for absent."""
    x, weights = np.array([1.0, 2.0]), np.array([0.0, 1.0])

    def f(b):
        return scipy.signal.fftconvolve(b, x)[0] + special.logsumexp(x, b=b)

    np.testing.assert_allclose([1.0 + np.exp(-1.0), 1.0], grad(f)(weights))

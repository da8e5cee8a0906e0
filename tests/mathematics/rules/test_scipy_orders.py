"""The incomplete gamma and beta functions by their parameters: against 40 digits, and against differences."""

import math

import mpmath
import numpy as np
import pytest
import scipy.special as special
import scipy.stats as stats

from gradcli import grad, trace
from gradcli.errors import UnsupportedError
from tests.mathematics.rules.agreement import agree_nearby
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

GAMMA = [(0.3, 0.1), (3.0, 3.0), (2.0, 30.0), (50.0, 45.0), (50.0, 120.0), (1e-3, 0.5), (7.0, 8.0), (2.0, 1e-8),
         (5000.0, 5100.0), (5000.0, 5400.0), (0.1, 30.0)]  # fmt: skip
BETA = [(0.5, 0.5, 0.3), (2.0, 3.0, 0.9), (10.0, 0.1, 0.8), (100.0, 3.0, 0.95), (0.01, 5.0, 0.2), (5.0, 2.0, 1e-6)]


def slopes(f, at):
    """The first two derivatives of a function of one number of many digits."""
    with mpmath.workdps(40):
        return [float(mpmath.diff(f, at, n)) for n in (1, 2)]


@pytest.mark.parametrize(("a", "x"), GAMMA)
@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_gamma_by_its_order(name, a, x):
    ends = (0, x) if name == "gammainc" else (x, mpmath.inf)
    f = lambda a: getattr(special, name)(a, x)
    expected = slopes(lambda a: mpmath.gammainc(a, *ends, regularized=True), a)
    np.testing.assert_allclose([grad(f)(a), grad(grad(f))(a)], expected, rtol=3e-10)
    assert f(a) == trace(f, a).value


@pytest.mark.parametrize(("a", "b", "x"), BETA)
@pytest.mark.parametrize("name", ["betainc", "betaincc"])
def test_beta_by_its_parameters(name, a, b, x):
    ends = (0, x) if name == "betainc" else (x, 1)
    f = lambda a, b: getattr(special, name)(a, b, x)
    by_a, by_b = grad(f, (0, 1))(a, b)
    expected = slopes(lambda a: mpmath.betainc(a, b, *ends, regularized=True), a)[0]
    np.testing.assert_allclose(expected, by_a, rtol=1e-11)
    np.testing.assert_allclose(slopes(lambda b: mpmath.betainc(a, b, *ends, regularized=True), b)[0], by_b, rtol=1e-11)


X, A, P = numbers((2, 3)), numbers((3,), seed=1), numbers((3,), seed=2) / 3
PROGRAMS = {
    "gammainc": (special.gammainc, A, X),
    "gammaincc": (lambda a, x: special.gammaincc(a, 9 * x), A, X),
    "gammaincinv": (special.gammaincinv, A, P),
    "gammainccinv": (special.gammainccinv, A, P),
    "chdtr": (special.chdtr, A, X),
    "chdtrc": (special.chdtrc, A, X),
    "gdtr": (special.gdtr, A, A[::-1].copy(), X),
    "gdtrc": (special.gdtrc, A, A[::-1].copy(), X),
    "betainc": (special.betainc, A, X, P),
    "betaincc": (special.betaincc, A, X, P),
    "fdtr": (special.fdtr, A, X, P),
    "fdtrc": (special.fdtrc, A, X, P),
    "at the ends": (lambda a: special.gammainc(a, [0.0, 1.0, 2.0]) + special.betaincc(a, 2.0, [0.0, 1.0, 0.5]), A),
    "of none": (special.gammainc, A[:0], A[:0]),
    "distributions": (lambda x, a: stats.gamma.cdf(x, a) + stats.chi2.sf(x, a) + stats.beta.cdf(x / 3, a, 2.0), X, A),
}


@pytest.mark.sampled(16)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    """Value, gradient, forward sweep and second derivative against differences, by all arguments."""
    f, *arrays = PROGRAMS[name]
    agree_nearby(f, *arrays, rtol=1e-11)


def test_single_precision():
    value = trace(lambda a: special.gammainc(a, A.astype(np.float32)), A.astype(np.float32)).value
    assert (np.float32, special.gammainc(A, A).astype(np.float32).tolist()) == (value.dtype, value.tolist())


def test_too_large_arguments():
    with pytest.raises(UnsupportedError, match="for such large arguments"):
        grad(lambda a: special.gammainc(a, 1e10))(1e10)


@pytest.mark.filterwarnings("ignore::gradcli.FindingWarning")
@pytest.mark.parametrize("a", [0.5, 1.0, 2.0])
def test_the_slope_at_an_end_is_that_beside_it(a):
    """By the argument alone and by all: 0, a number or infinite. The parameters do not change the value there."""
    density = {0.5: math.inf, 1.0: 1.0, 2.0: 0.0}[a]

    assert (0.0, density) == grad(special.gammainc, (0, 1))(a, 0.0)
    assert (0.0, -density) == grad(special.gammaincc, (0, 1))(a, 0.0)
    assert (0.0, 1 / density if density else math.inf) == grad(special.gammaincinv, (0, 1))(a, 0.0)
    assert (0.0, -1 / density if density else -math.inf) == grad(special.gammainccinv, (0, 1))(a, 1.0)
    slope = {0.5: math.inf, 1.0: 3.0, 2.0: 0.0}[a]  # (1 - x)**2 has 3 as its density at 0
    assert (0.0, 0.0, slope) == pytest.approx(grad(special.betainc, (0, 1, 2))(a, 3.0, 0.0))
    assert (0.0, 0.0, -slope) == pytest.approx(grad(special.betaincc, (0, 1, 2))(a, 3.0, 0.0))
    assert (0.0, 0.0, slope) == pytest.approx(grad(special.betainc, (0, 1, 2))(3.0, a, 1.0))


def test_ends_among_other_numbers():
    x, a = np.array([0.0, 0.5, 2.0]), np.array([1.0, 1.5, 2.0])
    by_a, by_x = grad(lambda a, x: np.sum(special.gammainc(a, x)), (0, 1))(a, x)
    inverse = grad(lambda a, p: np.sum(special.gammaincinv(a, p)), (0, 1))(a, np.array([0.0, 0.5, 0.25]))

    assert [1.0, *np.exp(-x[1:]) * x[1:] ** (a[1:] - 1) / special.gamma(a[1:])] == pytest.approx(by_x)
    assert by_a[0] == 0.0
    assert np.isfinite(by_a).all()
    assert (inverse[0][0], inverse[1][0]) == (0.0, 1.0)
    assert np.isfinite(inverse).all()

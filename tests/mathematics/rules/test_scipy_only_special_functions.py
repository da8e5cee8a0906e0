"""SciPy's special functions that have rows of partials alone: held to SciPy's differences, and some to 50 digits."""

import mpmath
import numpy as np
import pytest
import scipy.special as special
import scipy.stats as stats

from gradcli import grad, jvp
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.scipy_only_special_functions import BY_PARTIALS
from tests.mathematics.rules.agreement import agree_nearby, of_families
from tests.mathematics.rules.sample_arrays import complexes, numbers

pytestmark = pytest.mark.sampled(8)  # many like cases

X, P, FEW = numbers((2, 3)), numbers((3,), seed=1) / 3, numbers((2, 1), seed=2)
WHOLE = np.array([[0], [1], [4]])


def read(name, *before):
    """A program with a function of one further argument, all results in one array."""
    function = getattr(special, name)
    return lambda x: np.stack(np.atleast_1d(function(*before, x)))


CASES = {
    "gammaincinv": [(lambda p: special.gammaincinv([1.3, 2.0, 0.7], p), P)],
    "gammainccinv": [(lambda p: special.gammainccinv(1.3, p), P)],
    "betaincinv": [(lambda p: special.betaincinv(1.3, 2.4, p), P)],
    "betainccinv": [(lambda p: special.betainccinv(1.3, 2.4, p), P)],
    "chdtri": [(lambda q: special.chdtri(2.5, q), P)],
    "pdtrc": [(lambda x: special.pdtrc(2.0, x), X), (lambda x: special.pdtrc(1.7, x), X)],
    "pdtri": [(lambda p: special.pdtri(2, p), P)],
    "gdtrc": [(lambda a, x: special.gdtrc(a, 1.7, x), FEW, X)],
    "gdtrix": [(lambda a, p: special.gdtrix(a, 1.7, p), FEW, P)],
    "gdtria": [(lambda p, x: special.gdtria(p, 1.7, x), P, FEW)],
    "stdtrit": [(lambda p: special.stdtrit(2.5, p), P)],
    "fdtr": [(lambda x: special.fdtr(2.5, 3.5, x), X)],
    "fdtrc": [(lambda x: special.fdtrc(2.5, 3.5, x), X)],
    "fdtri": [(lambda p: special.fdtri(2.5, 3.5, p), P)],
    "bdtr": [(lambda p: special.bdtr(2, 5, p), P)],
    "bdtrc": [(lambda p: special.bdtrc(2, 5, p), P)],
    "bdtri": [(lambda p: special.bdtri(2, 5, p), P)],
    "nbdtr": [(lambda p: special.nbdtr(2, 5, p), P)],
    "nbdtrc": [(lambda p: special.nbdtrc(2, 5, p), P)],
    "nbdtri": [(lambda p: special.nbdtri(2, 5, p), P)],
    "owens_t": [(special.owens_t, FEW, X), (lambda h, a: special.owens_t(-h, -3 * a), FEW, X)],
    **{
        name: [(read(name), X)]
        for name in ("itj0y0", "iti0k0", "it2j0y0", "it2i0k0", "itstruve0", "it2struve0", "itmodstruve0")
    },
    **{
        name: [(read(name, WHOLE), P)]
        for name in (
            "eval_hermite",
            "eval_hermitenorm",
            "eval_chebyc",
            "eval_chebys",
            "eval_sh_legendre",
            "eval_sh_chebyt",
            "eval_sh_chebyu",
        )
    },
    "tandg": [(lambda x: special.tandg(20 * x), X)],
    "cotdg": [(lambda x: special.cotdg(20 * x), X)],
    "radian": [(special.radian, X, FEW, X)],
    "inv_boxcox1p": [(special.inv_boxcox1p, X, P), (lambda x, y: special.inv_boxcox1p(x, y / 50 - 0.01), X, P)],
    "ndtri_exp": [(lambda y: special.ndtri_exp(-y), X)],
    "_beta_ppf": [(lambda p: stats.beta.ppf(p, 1.3, 2.4), P)],
    "_cauchy_ppf": [(stats.cauchy.ppf, P, X, FEW)],
    "_cauchy_isf": [(stats.cauchy.isf, P, X, FEW)],
    "_binom_pmf": [(lambda p: stats.binom.pmf(WHOLE, 5, p), P), (lambda p: stats.bernoulli.pmf([[0], [1]], p), P)],
    "_binom_cdf": [(lambda p: stats.binom.cdf(WHOLE, 5, p), P)],
    "_binom_sf": [(lambda p: stats.binom.sf(WHOLE, 5, p), P)],
    "_nbinom_pmf": [(lambda n, p: stats.nbinom.pmf(WHOLE[:2], n, p), X, P)],
    "_nbinom_cdf": [(lambda p: stats.nbinom.cdf(WHOLE, 5, p), P)],
    "_nbinom_sf": [(lambda p: stats.nbinom.sf(WHOLE, 5, p), P)],
    "wright_bessel": [(lambda x: special.wright_bessel(0.7, 1.2, x), X)],
    "lpmv": [(lambda x: special.lpmv(1, 2.5, x), P), (lambda x: special.lpmv(0, 0, x), P)],
    "ellipj": [(lambda u: np.stack(special.ellipj(u, 0.4)), X)],
}
"""Programs with these functions, by name."""

OTHERS = {
    "voigt_profile": [(special.voigt_profile, X - 1, FEW, P), (special.voigt_profile, 40 * X, FEW, P)],
    "spherical": [
        (lambda x, f=f: f(WHOLE[:2], x) + f(WHOLE[:2], x, derivative=True), X[0] + 1)
        for f in (special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn)
    ],
    "hankel": [
        (lambda x: np.abs(special.hankel1(1.5, x) + 2), X),
        (lambda x: np.real(special.hankel2(0, x) * (1 + 2j)), X),
    ],
}


@pytest.mark.sampled(8, each="family")
@pytest.mark.parametrize(("family", "f", "arrays"), of_families(CASES | OTHERS))
def test_functions(family, f, arrays):
    """Value, gradient, forward sweep and second derivative against differences."""
    agree_nearby(f, *arrays, rtol=1e-9)


def test_every_row_has_a_program():
    assert set(BY_PARTIALS) == set(CASES)


@pytest.mark.parametrize("z", [complexes((3,)), 3 * complexes((3,)) + 14j, np.conj(complexes((3,)))])
def test_the_faddeeva_function(z):
    agree_nearby(special.wofz, z)


@pytest.mark.parametrize("z", [0.3 + 0.7j, 2.0 - 1.5j, 11.9 + 1j, 12.5 + 1j, 300.0 + 0.01j, 1e6 + 1e5j])
def test_the_faddeeva_function_in_many_digits(z):
    with mpmath.workdps(50):
        w = lambda t: mpmath.exp(-t * t) * mpmath.erfc(-1j * t)
        wanted = complex(mpmath.diff(w, mpmath.mpc(z)))
    found = np.conj(grad(lambda t: np.real(special.wofz(t)))(z))
    assert abs(found - wanted) <= 1e-12 * abs(wanted)


@pytest.mark.parametrize(
    ("f", "told"),
    [
        (lambda x: special.betaincinv(x, 2.0, 0.5), "betaincinv has no derivative by its argument a"),
        (lambda x: special.ellipj(0.5, x / 9)[0], "ellipj has no derivative by its argument m"),
        (lambda x: special.spherical_jn(x, 0.5), "spherical_jn has no derivative by its argument n"),
        (lambda x: np.real(special.hankel1(x, 0.5)), "jv has no derivative by its argument n"),
    ],
)
def test_what_has_no_partial(f, told):
    with pytest.raises(UnsupportedError, match=rf"scipy\.special\.{told}"):
        grad(f)(2.0)


FILLED = {
    "zeta": lambda a, x: special.zeta(a, x),
    "jv": lambda a, x: special.jv(a, x),
    "stdtrit": lambda a, x: special.stdtrit(a, x / 3),
    "spherical_jn": lambda a, x: special.spherical_jn(a, x),
}


@pytest.mark.parametrize("f", FILLED.values(), ids=FILLED)
@pytest.mark.parametrize("size", [2, 2000])
def test_constants_where_there_is_no_partial(f, size):
    """An array that the program made of plain numbers depends on no input; one that an input was written to does."""

    def constant(x):
        order = np.zeros(size)
        order[:] = 2.0
        return f(np.sqrt(order * order)[:2], x)

    def written(x):
        order = np.zeros(size)
        order[1] = x[0]
        return np.sum(f(order[:2] + 1.0, x))

    agree_nearby(constant, numbers((2,), seed=3))
    with pytest.raises(UnsupportedError, match="has no derivative by its argument"):
        grad(written)(numbers((2,), seed=3))


def test_poisson_between_whole_numbers():
    """The distribution is a step there, which the density has to follow."""
    agree_nearby(lambda x: special.pdtr(1.7, x), X)


def test_a_tangent_of_zero_takes_no_part_whatever_the_partial():
    """The inverse is vertical at the first number, which stays where it is."""
    tangent = jvp(lambda p: special.betaincinv(2.0, 2.0, p), (np.array([0.0, 0.5]),), (np.array([0.0, 3.0]),))[1]

    np.testing.assert_allclose([0.0, 2.0], tangent)

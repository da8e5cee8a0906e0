"""SciPy's functions and classes in Python, which run on recorded values as they are: held to differences."""

import gc
import re
import sys

import numpy as np
import pytest
import scipy.integrate as integrate
import scipy.interpolate as interpolate
import scipy.ndimage as ndimage
import scipy.optimize as optimize
import scipy.signal as signal
import scipy.sparse as sparse
import scipy.spatial.distance as distance
import scipy.stats as stats

from gradcli import grad
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.function_registry import FOLLOWED
from tests.mathematics.rules.agreement import agree_nearby
from tests.mathematics.rules.sample_arrays import symmetric

pytestmark = pytest.mark.sampled(8)  # many like cases

X, Y, Q = np.array([0.0, 1.0, 2.3, 3.1]), np.array([0.3, 0.7, 0.2, 0.9]), np.array([0.4, 1.7, 2.9])
MATRIX = np.array([[1.0, 0.3, 0.2], [0.4, 2.0, 0.5], [0.1, 0.7, 3.0]])
KERNEL, FIVE, OTHER = np.array([0.2, 0.5, 0.1]), np.array([0.1, 0.2, 0.5, 0.3, 0.2]), Y[::-1] + 0.1
LONG, SECTIONS = np.cos(np.arange(30.0)), np.array([[0.2, 0.3, 0.1, 1.0, 0.4, 0.1], [0.5, 0.1, 0.2, 1.0, -0.3, 0.2]])
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.3, 3.1, 3.1, 3.1, 3.1])
PARAMETERS = np.array([3.3, 0.2, 1.1])
GRID = np.repeat(X, 4), np.tile(X, 4)
TENTHS = np.linspace(0.0, 3.1, 10)
HEIGHTS = np.outer(np.sin(TENTHS), np.cos(TENTHS))
CURVE = interpolate.splrep(TENTHS, np.sin(TENTHS))
SMOOTHED = interpolate.UnivariateSpline(TENTHS, np.sin(TENTHS), s=0.01)
LEAST_SQUARES = interpolate.LSQUnivariateSpline(TENTHS, np.sin(TENTHS), [1.0, 2.0])
GRIDDED = interpolate.RectBivariateSpline(TENTHS, TENTHS, HEIGHTS)
SCATTERED = interpolate.SmoothBivariateSpline(np.repeat(TENTHS, 10), np.tile(TENTHS, 10), HEIGHTS.ravel(), s=0.01)
SURFACE = SCATTERED.get_knots() + (SCATTERED.get_coeffs(), 3, 3)


def interpolated(name):
    """A program that reads an interpolator between its points, by the values there."""
    return lambda y: getattr(interpolate, name)(X, y)(Q), Y


def distanced(name):
    """A program of a distance between two points."""
    return lambda x, y: np.reshape(getattr(distance, name)(x, y), (1,)), Y, OTHER


def described(name):
    """A program of a statistic of some numbers."""
    return lambda x: np.reshape(getattr(stats, name)(x), (-1,)), Y


FIRST = [1.0, 2.0, 3.0]
TIGHT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}  # the steps are held, so their choice must not matter
PROGRAMS = {
    "scipy.integrate": {
        "cumulative_simpson": (lambda y, x: integrate.cumulative_simpson(y, x=x), Y, X),
        "cumulative_trapezoid": (lambda y, x: integrate.cumulative_trapezoid(y, x, initial=0), Y, X),
        "fixed_quad": (lambda x: integrate.fixed_quad(lambda s: np.exp(-x[0] * s), x[1], x[2])[0], Q),
        "romb": (lambda y: integrate.romb(y, dx=0.3), FIVE),
        "simpson": (lambda y, x: integrate.simpson(y, x=x), Y, X),
        "solve_ivp": (lambda x: integrate.solve_ivp(lambda t, y: -x * y, (0, 1), FIRST, **TIGHT).y[:, -1], Q / 9),
        "trapezoid": (lambda y, x: integrate.trapezoid(y, x), Y, X),
    },
    "scipy.interpolate": {
        "Akima1DInterpolator": interpolated("Akima1DInterpolator"),
        "BPoly": (lambda c, q: interpolate.BPoly(c, X)(q), MATRIX, Q),
        "BSpline": (lambda c, q: interpolate.BSpline(KNOTS, c, 3)(q) + interpolate.BSpline(KNOTS, c, 3)(q, 1), FIVE, Q),
        "BarycentricInterpolator": interpolated("BarycentricInterpolator"),
        "CubicHermiteSpline": (lambda y, d: interpolate.CubicHermiteSpline(X, y, d)(Q), Y, OTHER),
        "CubicSpline": interpolated("CubicSpline"),
        "InterpolatedUnivariateSpline": (interpolate.InterpolatedUnivariateSpline(X, Y), Q),
        "KroghInterpolator": interpolated("KroghInterpolator"),
        "LSQUnivariateSpline": (lambda q: LEAST_SQUARES(q) + LEAST_SQUARES(q, 1), Q),
        "PPoly": (lambda c, q: interpolate.PPoly(c, X)(q), MATRIX, Q),
        "PchipInterpolator": interpolated("PchipInterpolator"),
        "RectBivariateSpline": (lambda p, q: GRIDDED(p, q) + GRIDDED.ev(p, q, dx=1), Q, Q / 3),
        "RegularGridInterpolator": (lambda y: interpolate.RegularGridInterpolator((X,), y)(Q), Y),
        "SmoothBivariateSpline": (lambda p, q: SCATTERED(p, q, dy=1) * SCATTERED.ev(p, q), Q, Q / 3),
        "UnivariateSpline": (lambda q: np.append(SMOOTHED(q), SMOOTHED.integral(q[0], q[2])), Q),
        "bisplev": (lambda p, q: interpolate.bisplev(p, q, SURFACE), Q, Q / 3),
        "interp1d": interpolated("interp1d"),
        "lagrange": interpolated("lagrange"),
        "make_interp_spline": (lambda x, y: interpolate.make_interp_spline(x, y, bc_type="clamped")(Q), X, Y),
        "splev": (lambda q: interpolate.splev(q, CURVE) + interpolate.splev(q, CURVE, der=2), Q),
        "splint": (lambda q: np.reshape(interpolate.splint(q[0], q[1], CURVE), (1,)), Q),
    },
    "scipy.ndimage": {
        name: (lambda x, name=name, at=at: getattr(ndimage, name)(x, *at), MATRIX)
        for name, at in {
            "convolve": [MATRIX], "convolve1d": [KERNEL], "correlate": [MATRIX], "correlate1d": [KERNEL],
            "gaussian_filter": [0.8], "gaussian_filter1d": [0.8], "gaussian_gradient_magnitude": [0.8],
            "gaussian_laplace": [0.8], "laplace": [], "maximum_filter1d": [3],
            "minimum_filter1d": [3], "prewitt": [], "sobel": [], "uniform_filter": [3], "uniform_filter1d": [3],
            "affine_transform": [np.array([[0.9, 0.1], [-0.2, 0.8]])],
            "geometric_transform": [lambda at: (at[0] / 2, at[1])],
            "map_coordinates": [MATRIX[:2]], "rotate": [31.0], "shift": [0.3], "spline_filter": [], "zoom": [1.7],
        }.items()
    },
    "scipy.optimize": {
        "rosen": (optimize.rosen, Y),
        "rosen_der": (lambda x: optimize.rosen_der(x) / 100, Y),
    },
    "scipy.signal": {
        "convolve": (lambda x, k: signal.convolve(x, k, mode="same"), Y, KERNEL),
        "convolve2d": (signal.convolve2d, MATRIX, MATRIX[:2, :2]),
        "correlate": (lambda x, k: signal.correlate(x, k, mode="valid"), Y, KERNEL),
        "correlate2d": (signal.correlate2d, MATRIX, MATRIX[:2, :2]),
        "decimate": (lambda x: signal.decimate(x, 2, n=3), LONG[:22]),
        "detrend": (lambda x: signal.detrend(x) + signal.detrend(x, type="constant"), Y),
        "fftconvolve": (signal.fftconvolve, Y, KERNEL),
        "filtfilt": (lambda x: signal.filtfilt(KERNEL, [1.0, 0.4], x), LONG),
        "hilbert": (lambda x: np.abs(signal.hilbert(x)), Y),
        "lfilter": (lambda b, a, x: signal.lfilter(b, a, x), KERNEL, Q, Y),
        "oaconvolve": (signal.oaconvolve, Y, KERNEL),
        "periodogram": (lambda x: signal.periodogram(x)[1], Y),
        "resample": (lambda x: signal.resample(x, 6), Y),
        "savgol_filter": (lambda x: signal.savgol_filter(x, 3, 1), Y),
        "sosfilt": (lambda x: signal.sosfilt(SECTIONS, x), Y),
        "sosfiltfilt": (lambda x: signal.sosfiltfilt(SECTIONS, x), LONG),
        "welch": (lambda x: signal.welch(x, nperseg=4)[1], Y),
    },
    "scipy.spatial.distance": {
        **{
            name: distanced(name)
            for name in ("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean",
                         "minkowski", "sqeuclidean")
        },
        "mahalanobis": (lambda x, v: np.reshape(distance.mahalanobis(x, np.zeros(3), v), (1,)), Q, MATRIX),
    },
    "scipy.stats": {
        **{
            name: described(name)
            for name in ("entropy", "gmean", "hmean", "kurtosis", "moment", "sem", "skew", "zscore")
        },
        "beta": (lambda x, p: stats.beta.logpdf(x, p[0], p[2]) + stats.beta.pdf(x, p[0], p[2]), Y, PARAMETERS),
        "binom": (lambda p: stats.binom.logpmf([1, 2, 0], 5, p), KERNEL),
        "cauchy": (lambda x, p: stats.cauchy.logpdf(x, p[1] / 3, p[2]), Y, PARAMETERS),
        "chi2": (lambda x, p: stats.chi2.logpdf(x, p[0], scale=p[2]), Y, PARAMETERS),
        "dirichlet": (lambda p: stats.dirichlet.logpdf([0.2, 0.3, 0.5], p), PARAMETERS),
        "expon": (lambda x, p: stats.expon.logpdf(x, scale=p[2]) + stats.expon.cdf(x, scale=p[0]), Y, PARAMETERS),
        "gamma": (lambda x, p: stats.gamma.logpdf(x, p[0], scale=p[2]), Y, PARAMETERS),
        "invgamma": (lambda x, p: stats.invgamma.logpdf(x, p[0], scale=p[2]), Y, PARAMETERS),
        "laplace": (lambda x, p: stats.laplace.logpdf(x, p[1] / 3, p[2]), Y, PARAMETERS),
        "linregress": (lambda y: np.stack(stats.linregress(X, y)[:2]), Y),
        "logistic": (lambda x, p: stats.logistic.logpdf(x, p[1] / 3, p[2]), Y, PARAMETERS),
        "lognorm": (lambda x, p: stats.lognorm.logpdf(x, p[2]) + stats.lognorm.sf(x, p[0]), Y, PARAMETERS),
        "matrix_normal": (lambda x, c: stats.matrix_normal.logpdf(x, 0 * x, np.eye(3), symmetric(c)), MATRIX, MATRIX),
        "multivariate_normal": (lambda x, c: stats.multivariate_normal.logpdf(x, Y[:3], symmetric(c)), Q, MATRIX),
        "multivariate_t": (lambda x, c: stats.multivariate_t.logpdf(x, Y[:3], symmetric(c), 2.5), Q, MATRIX),
        "nbinom": (lambda n, p: stats.nbinom.logpmf([1, 2, 0], n, p), Q, KERNEL),
        "norm": (lambda x, p: stats.norm.logpdf(x, p[1], p[2]) + stats.norm(p[1], p[2]).cdf(x), Y, PARAMETERS),
        "pareto": (lambda x, p: stats.pareto.logpdf(x + 2, p[0], scale=p[2]), Y, PARAMETERS),
        "poisson": (lambda m: stats.poisson.logpmf([1, 2, 0], m), KERNEL),
        "trim_mean": (lambda x: np.reshape(stats.trim_mean(x, 0.25), (1,)), Y),
        "uniform": (lambda x, p: stats.uniform.logpdf(x, p[1] - 1, p[0]), Y, PARAMETERS),
        "weibull_min": (lambda x, p: stats.weibull_min.logpdf(x, p[0], scale=p[2]), Y, PARAMETERS),
        "wishart": (lambda c: np.reshape(stats.wishart.logpdf(symmetric(c), 5, np.eye(3)), (1,)), MATRIX),
        "t": (lambda x, p: stats.t.logpdf(x, *p), Y, PARAMETERS),
    },
}  # fmt: skip
"""Programs by module and name."""


@pytest.mark.sampled(48)
@pytest.mark.filterwarnings("ignore:`lagrange` is deprecated")  # since SciPy 1.18
@pytest.mark.parametrize(
    ("f", "arrays"),
    [pytest.param(f, x, id=f"{module}.{name}") for module, p in PROGRAMS.items() for name, (f, *x) in p.items()],
)
def test_programs(f, arrays):
    """Value, gradient, forward sweep and second derivative against differences."""
    agree_nearby(f, *arrays, rtol=1e-10)


def test_nothing_is_promised_that_is_not_tested():
    assert {module: sorted(names) for module, names in FOLLOWED.items()} == {
        module: sorted(programs) for module, programs in PROGRAMS.items()
    }


SPARSE = sparse.csr_matrix(np.eye(4) + np.eye(4, k=1))
REFUSED = {
    "scipy.sparse.csr_matrix": (lambda x: sparse.csr_matrix(np.outer(x, x)).sum(), "numpy.matmul of A.toarray()"),
    "scipy.sparse.linalg.spsolve": (lambda x: np.sum(sparse.linalg.spsolve(SPARSE, x)), "numpy.linalg.solve of A"),
    "scipy.stats.gaussian_kde": (lambda x: np.sum(stats.gaussian_kde(x)(Q)), "scipy.special.logsumexp"),
    "scipy.integrate.LSODA": (
        lambda x: integrate.solve_ivp(lambda t, y: -x[0] * y, (0, 1), [1.0], method="LSODA").y[0, -1],
        'scipy.integrate.solve_ivp with method="BDF"',
    ),
    "scipy.integrate.ode": (
        lambda x: (
            integrate.ode(lambda t, y: -x[0] * y).set_integrator("lsoda").set_initial_value(1.0).integrate(1.0)[0]
        ),
        "solve_ivp",
    ),
    "scipy.integrate.odeint": (lambda x: integrate.odeint(lambda y, t: -x[0] * y, 1.0, [0, 1])[1, 0], "solve_ivp"),
    "scipy.optimize.curve_fit": (lambda x: optimize.curve_fit(lambda t, a: a * t, X, x)[0][0], "least_squares"),
}
"""Programs with what is compiled, and what is told to write."""


@pytest.mark.parametrize("order", [1, 2, (0, 2), (3, 1)])
def test_derivatives_of_gaussians(order):
    """SciPy makes their kernels by a matrix and its method `dot`."""
    agree_nearby(lambda x: ndimage.gaussian_filter(x, 0.8, order), MATRIX)


@pytest.mark.parametrize("ext", [1, 0, 3])
def test_a_spline_outside_its_knots(ext):
    agree_nearby(lambda q: interpolate.splev(q, CURVE, ext=ext), np.array([-0.7, 0.4, 3.9]))


def test_a_spline_that_is_not_extrapolated():
    with pytest.raises(ValueError, match="Found x value not in the domain"):
        grad(lambda q: interpolate.splev(q, CURVE, ext=2))(4.0)


@pytest.mark.parametrize(("name", "f"), [
    ("splrep", lambda y: interpolate.splev(1.0, interpolate.splrep(X, y))),
    ("UnivariateSpline", lambda y: interpolate.UnivariateSpline(X, y)(1.0)),
    ("InterpolatedUnivariateSpline", lambda y: interpolate.InterpolatedUnivariateSpline(X, y)(1.0)),
    ("RectBivariateSpline", lambda y: interpolate.RectBivariateSpline(X, X, np.outer(y, y)).ev(1.0, 1.0)),
    ("bisplrep", lambda y: interpolate.bisplrep(GRID[0], GRID[1], np.outer(y, y).ravel(), kx=1)[2][0]),
])  # fmt: skip
def test_fitting_is_refused_before_the_compiled_code(name, f):
    """f2py's functions take a reference to the dtype with each argument that they cannot convert."""
    gc.collect()  # what other tests have left holds references as well
    count = sys.getrefcount(np.dtype(float))
    for _ in range(5):
        with pytest.raises(UnsupportedError, match=f"scipy.interpolate.{name} has no derivative rule"):
            grad(f)(Y)
    assert count - 5 < sys.getrefcount(np.dtype(float))


SINGULAR = np.diag([2.0, 2.0, 0.0])
COVARIANCES = {"the identity": np.eye(3), "two equal": np.diag([1.0, 1.0, 3.0]), "singular": SINGULAR}


@pytest.mark.parametrize("name", COVARIANCES)
@pytest.mark.parametrize("density", [stats.multivariate_normal.logpdf, stats.multivariate_normal.pdf])
def test_a_covariance_with_equal_eigenvalues(name, density):
    """Its eigenvectors have no derivatives, the density has; a singular one may move among those of its rank."""
    covariance = COVARIANCES[name]
    root, x = np.sqrt(covariance), covariance @ Y[:3]
    spread = lambda c: root @ (np.eye(3) + c + c.T) @ root
    agree_nearby(lambda m, c: density(x, root @ m, spread(c), allow_singular=True), Y[1:] / 5, np.zeros((3, 3)))


@pytest.mark.parametrize("covariance", [SINGULAR, -np.eye(3)])
def test_a_covariance_that_is_none(covariance):
    density = lambda c: stats.multivariate_normal.logpdf(Q, np.zeros(3), c)
    with pytest.raises(ValueError) as plain:  # noqa: PT011 - LinAlgError is one
        density(covariance)
    with pytest.raises(type(plain.value), match=re.escape(str(plain.value))):
        grad(density)(covariance)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_compiled_is_refused(name):
    """By the public name of the function, class or object, at the user's line, with the nearest spelling."""
    f, instead = REFUSED[name]
    assert np.isfinite(f(Y))
    with pytest.raises(UnsupportedError, match=re.escape(f"{name} has no derivative rule")) as caught:
        grad(f)(Y)
    assert __file__ == caught.value.file
    assert instead in caught.value.hint


VALUES = np.array([0.3, 0.7, 0.2, 0.9, 0.5])
SITES = np.array([0.0, 1.0, 2.3, 3.1, 4.0])
SPLINES = {
    "by interp1d": lambda y: interpolate.interp1d(SITES, y, kind="cubic")(Q),
    "natural": lambda y: interpolate.make_interp_spline(SITES, y, bc_type="natural")(Q),
    "periodic": lambda y: interpolate.make_interp_spline(SITES, np.append(y[:-1], y[0]), bc_type="periodic")(Q),
    "of degree 4": lambda y: interpolate.make_interp_spline(SITES, y, k=4)(Q),
    "of degree 1": lambda y: interpolate.make_interp_spline(SITES, y, k=1)(Q),
    "derivatives": lambda y: interpolate.make_interp_spline(SITES, y)(Q, 2) + _spline(y).derivative()(Q),
    "integrals": lambda y: _spline(y).antiderivative()(Q) + _spline(y).integrate(0.5, 2.7),
    "outside": lambda y: _spline(y)(Q + 3.0),
    "of two": lambda y: interpolate.make_interp_spline(SITES, np.stack([y, y**2], axis=1))(Q),
    "knots": lambda y: interpolate.BSpline(np.concatenate([np.zeros(4), y[3:4], np.ones(4)]), y, 3)(Q / 3),
}
"""Programs with B-splines, by the values at some sites."""


def _spline(y):
    return interpolate.make_interp_spline(SITES, y)


@pytest.mark.long
@pytest.mark.parametrize("name", SPLINES)
def test_splines(name):
    """Value, gradient, forward sweep and second derivative of B-splines against differences."""
    agree_nearby(SPLINES[name], VALUES, rtol=1e-10)


def test_a_spline_that_does_not_go_on():
    """Outside of its knots it is nan, inside it has the derivative."""
    spline = interpolate.BSpline(KNOTS, FIVE, 3, extrapolate=False)

    assert np.isnan(spline(4.0))
    agree_nearby(lambda c, q: interpolate.BSpline(KNOTS, c, 3, extrapolate=False)(q), FIVE, Q)

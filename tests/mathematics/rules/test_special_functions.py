"""SciPy's special functions against 50 digits: the value, the partials and their partials, in every target."""

import math
from functools import cache

import mpmath
import numpy as np
import pytest
import scipy.special

from gradcli import grad, jvp, trace
from gradcli.errors import FindingWarning, UnsupportedError
from gradcli.mathematics.language import mpmath_functions, parse
from gradcli.mathematics.rules import RULES, Elementwise
from gradcli.mathematics.rules.rule_table import Functions
from gradcli.methods.exact.partials import derivative, real
from tests.mathematics.rules.truth import MODERATE, condition, points

pytestmark = pytest.mark.sampled(12)  # many like cases

ROWS = [rule for rule in RULES.values() if isinstance(rule, Elementwise) and rule.special]
PARTIALS = [(rule, n) for rule in ROWS for n, partial in enumerate(rule.partials) if partial is not None]

every_row = pytest.mark.parametrize("rule", ROWS, ids=lambda rule: rule.name)
BY_NAME = [pytest.param(rule, n, id=f"{rule.name}-{rule.parameters[n]}") for rule, n in PARTIALS]
every_partial = pytest.mark.parametrize(("rule", "n"), BY_NAME)
EPS = 2.2e-16
IN_DIGITS = Functions(
    mpmath_functions.functions(), mpmath_functions.number, {"pi": mpmath.pi, "tau": 2 * mpmath.pi, "e": mpmath.e}
)


@cache
def sample(rule):
    return points(rule, (*MODERATE, 0.2, 0.35, 0.6, 0.7, 0.85, 1.7), count=8)[: 3 if rule.name[0] in "yk" else 8]


def in_digits(rule):
    """The row's value on mpmath's numbers, by its definition."""
    return lambda *arguments: rule.evaluate(IN_DIGITS, arguments)


@cache
def functions():
    """The functions of the language on mpmath's numbers."""
    return Functions(
        mpmath_functions.functions(), mpmath_functions.number, {"pi": mpmath.pi, "tau": 2 * mpmath.pi, "e": mpmath.e}
    )


@cache
def truth(rule, point, *positions):
    """The value, or its derivative by some arguments, by differences of many digits."""
    with mpmath.workdps(40):
        orders = tuple(positions.count(n) for n in range(len(point)))
        arguments = tuple(map(mpmath_functions.number, point))
        found = mpmath.diff(in_digits(rule), arguments, orders) if positions else in_digits(rule)(*arguments)
        return float(found)


def agrees(got, wanted, relative, slack=0.0):
    """Whether a number is right to a relative error, or to what its arguments' rounding makes of it."""
    return abs(float(got) - wanted) <= relative * abs(wanted) + slack + 1e-300


def slack(rule, point):
    """What a unit or two in the last place of the arguments changes."""
    moved = (truth(rule, point, n) * x for n, x in enumerate(point) if rule.partials[n] is not None)
    return 16 * EPS * (sum(map(abs, moved)) + abs(truth(rule, point))) + 1e-60


@every_row
def test_the_value(rule):
    """SciPy's numbers are those of the definition, at Python's numbers and at arrays."""
    arrays = rule.on_arrays(*map(np.array, zip(*sample(rule), strict=True)))
    for point, lane in zip(sample(rule), arrays, strict=True):
        wanted = truth(rule, point)
        assert float is type(rule.plain(*point))
        for got in (rule.plain(*point), rule.ieee(*point), lane):
            assert agrees(got, wanted, 1e-12, slack(rule, point) + EPS), point


@every_partial
def test_partials(rule, n):
    """The gradient at numbers and at arrays, inside another gradient, and the forward sweep."""
    found = sample(rule)
    columns = [np.array(column) for column in zip(*found, strict=True)]
    arrays = grad(lambda x: np.sum(rule(*columns[:n], x, *columns[n + 1 :])))(columns[n])
    for point, lane in zip(found, arrays, strict=True):
        f = lambda x, p=point: rule(*p[:n], x, *p[n + 1 :])
        wanted = truth(rule, point, n)
        allowed = 1e-13 * abs(truth(rule, point)) + 1e-60
        for got in (grad(f)(point[n]), lane, jvp(f, (point[n],), (1.0,))[1]):
            assert agrees(got, wanted, 1e-11, allowed), point


@pytest.mark.sampled(24)
@pytest.mark.parametrize(("rule", "n"), BY_NAME)
def test_second_derivatives(rule, n):
    """A gradient of a gradient, for each pair of arguments."""
    for point in sample(rule)[:3]:
        for m, other in enumerate(rule.partials):
            if other is not None:
                wanted = truth(rule, point, n, m)
                found = twice(rule, point, n, m)
                allowed = 1e-12 * (abs(truth(rule, point, n)) + abs(truth(rule, point))) + 1e-60
                assert agrees(found, wanted, 1e-9, allowed), (point, m)


def twice(rule, point, n, m):
    """The derivative by one argument of the derivative by another."""

    def slope(y):
        return grad(lambda x: rule(*(x if k == n else y if k == m else p for k, p in enumerate(point))))(
            y if n == m else point[n]
        )

    return grad(slope)(point[m])


@every_partial
def test_the_symbolic_form(rule, n):
    """SymPy's derivative of the definition owes nothing to the partials, and says the same."""
    for point in [point for point in sample(rule) if point[n] > 0 and point[n] != 1][:2]:  # where it may be 0 / 0
        with mpmath.workdps(40):
            got = real(derivative(rule, n), tuple(map(mpmath_functions.number, point)))
        assert agrees(got, truth(rule, point, n), 1e-12, 1e-14), point


@every_row
def test_scipy_dispatches(rule):
    """SciPy's ufunc of recorded arrays and numbers is the row; single precision stays."""
    theirs, _, part = rule.special.partition(":")
    ufunc = getattr(scipy.special, theirs, None) or getattr(scipy.special._ufuncs, theirs)
    f = (lambda *x: ufunc(*x)[int(part)]) if part else ufunc
    n = max(k for k, partial in enumerate(rule.partials) if partial is not None)
    columns = [np.array(column) for column in zip(*sample(rule), strict=True)]
    named = list(zip(rule.parameters, columns, strict=True))
    for kind in (np.float64, np.float32):
        x = columns[n].astype(kind)
        others = [column if name == "n" else column.astype(kind) for name, column in named]
        g = lambda x: f(*others[:n], x, *others[n + 1 :])
        recording = trace(g, x, names=False)
        np.testing.assert_array_equal(recording.value, g(x))
        assert recording.value.dtype == g(x).dtype
        assert rule.name in [node.operation for node in recording.nodes]
        assert kind == grad(lambda x: np.sum(g(x)))(x).dtype


LARGE = [("erfcx", 25.0), ("erfcx", 1e4), ("dawsn", 30.0), ("dawsn", -1e5), ("log_ndtr", -40.0), ("log_ndtr", -1e3)]
LARGE += [
    ("expit", 700.0),
    ("expit", -700.0),
    ("log_expit", -800.0),
    ("scipy.boxcox", (3.0, 1e-9)),
    ("scipy.boxcox1p", (1e-9, 0.0)),
]
LARGE += [("scipy.pseudo_huber", (1.0, 1e-4)), ("xlogy", (0.0, 2.0)), ("xlog1py", (0.0, 2.0)), ("j1", 0.0), ("i1", 0.0)]
LARGE += [("shi", 0.0), ("si", 0.0), ("i1e", 30.0), ("scipy.boxcox", (2.0, 0.0))]


@pytest.mark.parametrize(("name", "point"), LARGE)
def test_where_the_school_formula_fails(name, point):
    """Far out and close to zero, where the plain formula cancels or divides zero by zero."""
    rule = RULES[name]
    point = point if isinstance(point, tuple) else (point,)
    for n, partial in enumerate(rule.partials):
        with mpmath.workdps(60):
            numbers = [mpmath_functions.number(x) for x in point]
            wanted = mpmath.diff(lambda x, k=n: in_digits(rule)(*numbers[:k], x, *numbers[k + 1 :]), numbers[n])
        if partial is not None and mpmath.isfinite(wanted):
            got = grad(lambda x, k=n: rule(*point[:k], x, *point[k + 1 :]))(point[n])
            assert agrees(got, float(wanted), 1e-12, 1e-18), (got, wanted)


# Functions of 50 digits, and points at and near the poles of gamma where the function itself is finite.
AT_POLES = {
    "rgamma": (mpmath.rgamma, [(0.0,), (-1.0,), (-3.0,), (-2 + 1e-8,)]),
    "binom": (mpmath.binomial,
        [*((0.0, 1.0), (0.0, 2.0), (0.0, -1.0), (3.0, 7.0), (200.0, 300.0), (1e-8, 2.0), (-0.99999999, 2.0)),
            *((-2.5, 0.5), (-2.5, -1.5), (-1.5, 4.5), (-2.5, -3.0), (-1.5, -1.0), (-3.25, 9.75), (-1.5, 100.5))]),
    "poch": (lambda x, y: mpmath.gammaprod([x + y], [x]),
        [(0.0, 0.0), (0.0, 1.0), (0.0, -2.0), (-1.0, 3.0), (-1.0, 0.5), (1e-8, -1.0), (1e-8, -3.0)]),
    "beta": (lambda x, y: mpmath.gammaprod([x, y], [x + y]),
        [(1.0, -1.0), (2.0, -3.0), (-3.0, 2.0), (-0.5, -0.5), (1.0, -0.99999999)]),
    "betaln": (lambda x, y: mpmath.log(abs(mpmath.gammaprod([x, y], [x + y]))), [(1.0, -1.0), (2.0, -3.0)]),
    "boxcox": (lambda x, y: (x**y - 1) / y, [(0.0, 1.0), (0.0, 2.0)]),
    "boxcox1p": (lambda x, y: ((1 + x) ** y - 1) / y, [(-1.0, 2.0)]),
    "powm1": (lambda x, y: x**y - 1, [(0.0, 1.0), (0.0, 3.0)]),
    "struve": (mpmath.struveh, [(1.0, -1.0), (2.0, -0.5), (0.0, -3.0)]),
    "modstruve": (mpmath.struvel, [(1.0, -1.0), (2.0, -0.5)]),
}  # fmt: skip


def central_difference(f, point, n):
    """With 50 digits; None where the function is not continuous by the argument."""
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -20
        low, middle, high = (
            f(*(x + (k == n) * s * step for k, x in enumerate(map(mpmath.mpf, point)))) for s in (-1, 0, 1)
        )
        smooth = all(mpmath.isfinite(x) for x in (low, middle, high)) and abs(high - middle) < 1e-8 > abs(middle - low)
        return float(mpmath.re(high - low) / (2 * step)) if smooth else None


@pytest.mark.parametrize("name", AT_POLES)
def test_where_poles_cancel(name):
    """The factors of a partial are 0 and infinite; the partial is finite."""
    exact, points = AT_POLES[name]
    rule = RULES.get(name) or RULES[f"scipy.{name}"]
    found = 0
    for point in points:
        for n in (n for n, partial in enumerate(rule.partials) if partial is not None):
            try:
                wanted = central_difference(exact, point, n)
            except (ValueError, ZeroDivisionError):  # beside the point is a pole
                continue
            if wanted is not None:
                found += 1
                assert agrees(grad(getattr(scipy.special, name), argnums=n)(*point), wanted, 1e-6, 1e-12), (point, n)
    assert found >= len(points)


def test_a_profile_without_width_is_refused():
    with pytest.raises(UnsupportedError, match="voigt_profile with sigma=0"):
        grad(lambda x: scipy.special.voigt_profile(x, 0.0, 1.0))(0.5)


def test_a_legendre_function_beyond_1_has_no_slope():
    with pytest.warns(FindingWarning, match="G10"):
        assert math.isnan(grad(lambda x: scipy.special.lpmv(0.0, -0.5, x))(3.0))


def test_an_order_is_a_plain_number():
    """By what it has no partial the function refuses to be differentiated, at the user's line."""
    for f in (lambda n: scipy.special.jv(n, 2.0), lambda n: scipy.special.yv(n, 2.0)):
        with pytest.raises(UnsupportedError, match=r"scipy.special.(jv|yv) has no derivative by its argument"):
            grad(f)(1.5)
    assert math.isfinite(grad(lambda x: scipy.special.jv(1.5, x))(2.0))


def test_words():
    """Every row's name is a word that can be typed, and that may name an input where it has no brackets."""
    for rule in ROWS:
        if "." in rule.name:
            continue
        assert rule.name == parse(f"{rule.name}({', '.join(rule.parameters)})").function
        assert parse(f"{rule.name} * v").arguments[1].id == "v"
        assert condition(rule, rule.where or "1") is not None


LARGE_ARGUMENTS = {
    "binom": (mpmath.binomial, (1e10, 1.0)),
    "binom, many": (mpmath.binomial, (1e5, 4e4 + 0.5)),
    "poch": (mpmath.rf, (1e10, 1.0)),
    "beta": (mpmath.beta, (1e10, 0.5)),
    "betaln": (lambda x, y: mpmath.loggamma(x) + mpmath.loggamma(y) - mpmath.loggamma(x + y), (1e10, 1.0)),
    "betaln, small": (
        lambda x, y: mpmath.loggamma(x) + mpmath.loggamma(y) - mpmath.loggamma(x + y),
        (3.0, 1e-11),
    ),
    "jv": (mpmath.besselj, (1e-11, 2e-11)),
    "iv": (mpmath.besseli, (1e-11, 2e-11)),
    "k1e": (lambda x: mpmath.exp(x) * mpmath.besselk(1, x), (1e10,)),
    "ive": (lambda n, x: mpmath.exp(-x) * mpmath.besseli(n, x), (2.5, 1e10)),
    "i1e": (lambda x: mpmath.exp(-abs(x)) * mpmath.besseli(1, x), (-1e10,)),
    "struve": (mpmath.struveh, (5.0, 1e5)),
    "spence": (lambda x: mpmath.polylog(2, 1 - x), (1e-11,)),
    "ellipk": (mpmath.ellipk, (-1e10,)),
    "powm1": (lambda x, y: x**y - 1, (0.02, 24.0)),
}


@pytest.mark.parametrize("name", LARGE_ARGUMENTS)
def test_terms_that_would_cancel(name):
    """Far out or between close arguments, the partials keep their digits."""
    exact, point = LARGE_ARGUMENTS[name]
    function = getattr(scipy.special, name.partition(",")[0])
    rule = RULES.get(function.__name__) or RULES[f"scipy.{function.__name__}"]
    for n in (n for n, partial in enumerate(rule.partials) if partial is not None):
        with mpmath.workdps(60):
            numbers = list(map(mpmath.mpf, point))
            wanted = mpmath.diff(exact, tuple(numbers), tuple(int(k == n) for k in range(len(point))))
        assert float(wanted) == pytest.approx(grad(function, n)(*point), rel=1e-12, abs=0.0), n


DENSITIES = {
    "gammainc": (lambda x: scipy.special.gammainc(1e10, x), lambda x: x ** (10**10 - 1) * mpmath.exp(-x), 10**10),
    "chdtr": (lambda x: scipy.special.chdtr(2e8, x), lambda x: (x / 2) ** (10**8 - 1) * mpmath.exp(-x / 2) / 2, 10**8),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_densities_of_large_shapes(name):
    f, density, shape = DENSITIES[name]
    x = float(2 * shape if name == "chdtr" else shape) + 1.0
    with mpmath.workdps(60):
        wanted = density(mpmath.mpf(x)) / mpmath.gamma(shape)

    assert float(wanted) == pytest.approx(grad(f)(x), rel=1e-12, abs=0.0)


def test_the_density_of_a_large_beta_distribution():
    x, a, b = 0.4, 4e9, 6e9
    with mpmath.workdps(60):
        wanted = mpmath.exp(
            (a - 1) * mpmath.log(mpmath.mpf(x)) + (b - 1) * mpmath.log1p(-mpmath.mpf(x))
            + mpmath.loggamma(a + b) - mpmath.loggamma(a) - mpmath.loggamma(b)
        )  # fmt: skip

    assert float(wanted) == pytest.approx(grad(lambda x: scipy.special.betainc(a, b, x))(x), rel=1e-12, abs=0.0)


@pytest.mark.parametrize("k", [0.5, 3.0, 30000.0, 1e12])
@pytest.mark.parametrize("t", [0.0, -0.7, 40.0])
def test_the_density_of_student(k, t):
    with mpmath.workdps(60):
        z = mpmath.mpf(k)
        wanted = (1 + mpmath.mpf(t) ** 2 / z) ** (-(z + 1) / 2) / (mpmath.sqrt(z) * mpmath.beta(z / 2, 0.5))

    assert float(wanted) == pytest.approx(grad(lambda t: scipy.special.stdtr(k, t))(t), rel=1e-12, abs=0.0)

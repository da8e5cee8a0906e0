"""Every function of `math` and `statistics` that has a derivative, and the errors and outcomes of the others."""

import math
import re
import statistics
from fractions import Fraction

import numpy as np
import pytest

from gradcli import grad, trace, value_and_grad

INSIDE = {"acosh": 1.7, "lgamma": 3.3, "gamma": 3.3}  # where a function is smooth and not at a special point
UNARY = (
    "acos acosh asin asinh atan atanh cbrt cos cosh degrees erf erfc exp exp2 expm1 fabs gamma lgamma log log10 log1p"
    " log2 radians sin sinh sqrt tan tanh"
).split()
WITHOUT = (  # of whole numbers, of none, or constants
    "comb e factorial gcd inf isqrt lcm nan perm pi tau ceil floor trunc isclose isfinite isinf isnan ulp"
).split()
OTHERS = "atan2 copysign dist fmod frexp fsum hypot ldexp modf nextafter pow prod remainder".split()
LATER = ["fma", "sumprod"]  # Python 3.13 and 3.12


def slope(f, x, step=1e-6):
    """The derivative of a smooth function by differences of the fourth order."""
    near, far = (f(x + step) - f(x - step)) / (2 * step), (f(x + 2 * step) - f(x - 2 * step)) / (4 * step)
    return (4 * near - far) / 3


def test_every_function_is_looked_at_here():
    """Whatever `math` has is in one of the lists."""
    assert sorted({name for name in dir(math) if name[0] != "_"} - {*UNARY, *WITHOUT, *OTHERS, *LATER}) == []


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", UNARY)
def test_a_function_of_one_number(name):
    """Value and derivative; the value to the last bit, as Python computes it."""
    x, function = INSIDE.get(name, 0.37), getattr(math, name)
    value, gradient = value_and_grad(lambda x: getattr(math, name)(x))(x)

    assert function(x) == value
    assert math.isclose(slope(function, x), gradient, rel_tol=1e-7)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, y: math.atan2(x, y),
        lambda x, y: math.copysign(x, -y),
        lambda x, y: math.fmod(x, y / 4),
        lambda x, y: math.remainder(x, y / 4),
        lambda x, y: math.pow(x, y),
        lambda x, y: math.pow(x, 2) * math.pow(3, y),
        lambda x, y: math.hypot(x, y),
        lambda x, y: math.hypot(x, 3.0, y, x) * math.hypot(-x),
        lambda x, y: math.dist((x, y), (1, x * y)),
        lambda x, y: math.fsum([x, 1, y, x]),
        lambda x, y: math.fsum(t * t for t in (x, y)),
        lambda x, y: math.prod([x, 2, y], start=x),
        lambda x, y: math.prod([3, 2], start=y) * x,
        lambda x, y: math.log(x, y + 1),
        lambda x, y: math.log(8, y + 1) * math.log(x, 2),
        lambda x, y: math.ldexp(x, 3) * y,
        lambda x, y: math.modf(x + 3.2)[0] * y,
        lambda x, y: math.frexp(x)[0] * y,
        lambda x, y: math.nextafter(x, 9.0) * y,
        lambda x, y: math.ulp(x) + y * x,
        lambda x, y: math.floor(5 * x) * y + math.ceil(y) * x + math.trunc(7 * y) * x,
    ],
)
def test_functions_of_more_numbers(f):
    x, y = 0.37, 0.82

    expected = slope(lambda t: f(t, y), x), slope(lambda t: f(x, t), y)
    assert grad(f, (0, 1))(x, y) == pytest.approx(expected, rel=1e-6)
    assert math.isclose(f(x, y), value_and_grad(f)(x, y)[0], rel_tol=3e-16)


@pytest.mark.parametrize("numbers", [[1e16, 1.0, -1e16], [0.1] * 10, [1e308, 1.0, 1e-308, -1e308]])
def test_fsum_loses_nothing(numbers):
    """The value is the exact sum, rounded once, and the tape knows of no rounding."""
    value, gradient = value_and_grad(lambda x: math.fsum([*numbers, x]) ** 2)(0.5)

    assert (math.fsum([*numbers, 0.5]) ** 2, 2 * math.fsum([*numbers, 0.5])) == (value, gradient)


@pytest.mark.skipif(not hasattr(math, "sumprod"), reason="Python 3.12 and later")
def test_sumprod():
    """The sum of products, of recorded numbers on either side."""
    assert grad(lambda x, y: math.sumprod([x, 1], [2, y]) + math.sumprod([2.0], [y]), (0, 1))(5.0, 4.0) == (2.0, 3.0)


@pytest.mark.skipif(not hasattr(math, "fma"), reason="Python 3.13 and later")
def test_fma():
    assert grad(lambda x, y: math.fma(x, y, 1.0), (0, 1))(5.0, 4.0) == (4.0, 5.0)


@pytest.mark.parametrize(
    ("f", "error", "words"),
    [
        (lambda x: math.sqrt(x - 9), ValueError, "math domain error|nonnegative"),
        (lambda x: math.log(x - x), ValueError, "math domain error|positive"),
        (lambda x: math.exp(1000 * x), OverflowError, "math range error"),
        (lambda x: math.acos(x * 9), ValueError, "math domain error|range from -1"),
        (lambda x: math.fmod(x, 0.0), ValueError, "math domain error"),
        (lambda x: math.pow(-x, 0.5), ValueError, "math domain error"),
        (lambda x: math.gamma(x - x), ValueError, "math domain error|noninteger or positive"),
        (lambda x: math.sin(x, x), TypeError, "argument"),
        (lambda x: math.sin("x") * x, TypeError, "must be real number, not str"),
        (lambda x: math.factorial(x), TypeError, "float"),
        (lambda x: math.gcd(x, 2), TypeError, "float"),
        (lambda x: math.comb(5, x), TypeError, "float"),
        (lambda x: math.isqrt(x), TypeError, "float"),
        (lambda x: math.ldexp(1.0, x), TypeError, "int"),
    ],
)
def test_errors_are_those_of_math(f, error, words):
    for run in (f, grad(f)):
        with pytest.raises(error, match=words):
            run(2.0)


@pytest.mark.parametrize(
    ("f", "told"),
    [
        (lambda x: math.isnan(x), False),
        (lambda x: math.isinf(x), False),
        (lambda x: math.isfinite(x), True),
        (lambda x: math.isclose(x, 2.0, rel_tol=0.1), True),
        (lambda x: math.isclose(1.0, x, abs_tol=0.1), False),
        (lambda x: math.floor(x), 2),
        (lambda x: math.frexp(x)[1], 2),
        (lambda x: math.modf(x)[1], 2.0),
        (lambda x: math.ulp(x), math.ulp(2.1)),
    ],
)
def test_facts_are_outcomes(f, told):
    heard = []
    tape = trace(lambda x: (heard.append(f(x)), x)[1], 2.1)

    assert [told] == [each.answer for each in tape.outcomes]
    assert told == heard[-1]


@pytest.mark.parametrize(
    "f",
    [
        lambda v: statistics.mean(v),
        lambda v: statistics.fmean(v),
        lambda v: statistics.fmean(v, weights=[1, 2, 3, 4]),
        lambda v: statistics.variance(v),
        lambda v: statistics.pvariance(v),
        lambda v: statistics.stdev(v),
        lambda v: statistics.pstdev(v),
        lambda v: statistics.variance(v, 1.5),
        lambda v: statistics.pvariance(v, mu=1.5),
        lambda v: statistics.harmonic_mean(v),
        lambda v: statistics.harmonic_mean(v, weights=[1, 2, 3, 4]),
        lambda v: statistics.geometric_mean(v),
        lambda v: statistics.median(v) * statistics.median_low(v),
        lambda v: statistics.correlation(v, [1.0, 2.0, 4.0, 8.0]),
        lambda v: statistics.linear_regression(v, [1.0, 2.0, 4.0, 8.0]).slope,
        lambda v: statistics.NormalDist(v[0], v[1]).pdf(v[2]) * statistics.NormalDist(v[1], v[0]).cdf(v[3]),
        lambda v: statistics.mean(x * x for x in v),
        lambda v: statistics.mean({"a": v[0], "b": v[1]}.values()),
    ],
)
def test_statistics(f):
    """Whether it computes with fractions, with `math` or with comparisons."""
    point = [0.7, 1.9, 1.1, 2.3]

    value, gradient = value_and_grad(f)(point)

    expected = [slope(lambda t, n=n: f([*point[:n], t, *point[n + 1 :]]), point[n], 1e-4) for n in range(4)]
    assert math.isclose(f(point), value, rel_tol=1e-14)
    assert gradient == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert grad(f)(np.array(point)).tolist() == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("f", [math.sin, math.fsum, float, lambda x: math.atan2(x, 1.0)])
def test_an_array_of_several_numbers_is_no_number(f):
    with pytest.raises(TypeError) as plain:
        f(np.ones((2, 2)))
    with pytest.raises(TypeError, match=re.escape(str(plain.value))):
        grad(lambda x: f(x))(np.ones((2, 2)))


def test_statistics_of_plain_numbers_are_exact():
    found = []
    grad(lambda x: (found.append(statistics.mean([Fraction(1, 3), Fraction(1, 6)])), statistics.mean([x, 1.0]))[1])(2.0)

    assert Fraction(1, 4) == found[-1]


@pytest.mark.parametrize("name", ["sin", "sqrt", "atan2", "hypot", "gamma"])
def test_complex_numbers_are_not_taken(name):
    """In Python's words, as of plain ones; inside of a run and as its argument."""
    rest = (1.0,) if name in ("atan2", "hypot") else ()
    with pytest.raises(TypeError, match="must be real number, not complex"):
        getattr(math, name)(1j, *rest)
    with pytest.raises(TypeError, match=r"real number, not '?complex"):
        trace(lambda x: getattr(math, name)(x * 1j, *rest), 2.0, names=False)

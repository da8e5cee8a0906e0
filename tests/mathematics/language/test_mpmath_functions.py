"""Functions of mpmath's numbers."""

import math

import mpmath
import pytest

from gradcli.mathematics.language import mpmath_functions, parse, special_functions
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.vocabulary import CONSTANTS, PRIMITIVES

pytestmark = pytest.mark.sampled(4)  # many like cases


def value(text, **names):
    """The value of a formula with 50 digits."""
    with mpmath.workdps(50):
        numbers = {name: mpmath_functions.number(number) for name, number in {**CONSTANTS, **names}.items()}
        return evaluate(parse(text), numbers, mpmath_functions.functions(), number=mpmath_functions.number)


def test_every_function_is_there():
    assert set(mpmath_functions.functions()) - set(special_functions.WORDS) == set(PRIMITIVES)


@pytest.mark.parametrize("number", [0.1, 1e-300, 2**80 + 1, -3, math.inf])
def test_number_is_exact(number):
    """A number is the exact one, at any number of digits."""
    with mpmath.workdps(5):
        assert number == mpmath_functions.number(number)


def test_number_nan():
    assert mpmath.isnan(mpmath_functions.number(math.nan))


@pytest.mark.parametrize("text", [
    "sqrt(-1)", "log(-1)", "asin(2)", "acosh(0.5)", "(-8)^(1/3)", "0/0", "gamma(-1)", "digamma(-2)", "5 % 0",
    "atanh(2)",
])  # fmt: skip
def test_undefined_is_nan(text):
    assert mpmath.isnan(value(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/0", math.inf),
        ("-1/0", -math.inf),
        ("log(0)", -math.inf),
        ("log1p(-1)", -math.inf),
        ("0^-1", math.inf),
        ("lgamma(-1)", math.inf),
        ("atanh(1)", math.inf),
        ("cbrt(-8)", -2),
        ("round(2.5)", 2),
        ("trunc(-2.5)", -2),
        ("floor(inf)", math.inf),
        ("-7 // 2", -4),
        ("-7 % 2", 1),
        ("fmod(-7, 2)", -1),
        ("remainder(7, 2)", -1),
        ("remainder(5, 2)", 1),
        ("sinc(0)", 1),
        ("heaviside(0, 0.5)", 0.5),
        ("sum(3)", 3),
        ("erfc(1e300)", 0),
        ("3 if 1 < 2 < 3 else 4", 3),
        ("not 0", True),
    ],
)
def test_value(text, expected):
    assert value(text) == expected


def test_digits():
    with mpmath.workdps(50):
        assert abs(value("sin(1)") - mpmath.mpf("0.84147098480789650665250232163029899962256306079837")) < 1e-49


def test_float_remainder_is_exact():
    """A remainder is exact, however many digits the quotient has."""
    assert math.fmod(1e300, 0.7) == value("fmod(x, y)", x=1e300, y=0.7)


@pytest.mark.parametrize(
    "text", ["exp(exp(exp(exp(exp(x)))))", "exp(-exp(exp(exp(x))))", "polygamma(10^9, x)", "sin(exp(exp(exp(x))))"]
)
def test_giants_end(text):
    """Numbers beyond any use count as infinite instead of being computed for ever."""
    assert mpmath.isnan(value(text, x=9.0)) or value(text, x=9.0) in (0, math.inf)

"""Functions of Python floats, against NumPy's and SciPy's on float64."""

import itertools
import math
import random
import struct

import numpy as np
import pytest
import scipy.special

from gradcli.mathematics.language.float_functions import IEEE, PLAIN
from gradcli.mathematics.language.vocabulary import ARRAY_WORDS, PRIMITIVES

pytestmark = pytest.mark.sampled(4)  # many like cases

inf, nan = math.inf, math.nan

SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    2.0,
    3.0,
    -3.0,
    -8.0,
    1 / 3,
    171.7,
    800.0,
    -800.0,
    inf,
    -inf,
    nan,
]
SPECIAL += [1e308, -1e308, 5e-324, -1e-310, 2.0**53, -(2.0**53) + 1, 1e-20, -1e-20]
RANDOM = [random.Random(7).uniform(-10, 10) for _ in range(12)]
POOL = SPECIAL + RANDOM

TWINS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.mod,
    "pow": np.power,
    "neg": np.negative,
    "pos": np.positive,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_not": np.logical_not,
    "abs": np.abs,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "round": np.rint,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "gamma": scipy.special.gamma,
    "lgamma": scipy.special.gammaln,
    "digamma": scipy.special.digamma,
    "dot": np.multiply,
}
SAME = """
    sign maximum minimum fmax fmin exp exp2 expm1 log log2 log10 log1p sqrt cbrt square reciprocal sin cos tan
    sinh cosh tanh hypot sinc logaddexp logaddexp2 copysign fmod degrees radians heaviside floor ceil trunc where clip
"""
TWINS |= {name: getattr(np, name) for name in SAME.split()}
ALONE = {"remainder", "polygamma", "sum", "mean", "prod"}

UNSIGNED_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip", "gamma"}
"""NumPy's own answer depends on the processor, SciPy's on the size; C leaves it open."""

OTHERWISE = {
    ("lgamma", -inf),  # infinite in C, minus infinity in SciPy
    ("lgamma", 5e-324),  # 744.4; SciPy overflows
    ("lgamma", -1e-310),
    ("pow", -0.0, 0.5),  # 0 and infinity in C; NumPy takes the square root
    ("pow", -inf, 0.5),
}

LOOSE = {"gamma": 1e-12, "lgamma": 1e-12, "digamma": 1e-12, "sinc": 1e-13, "tan": 1e-14, "erfc": 1e-13}


def same(name, ours, theirs):
    """Whether two results are the same number, to the last digits; and of the same sign where they are zero."""
    ours, theirs = float(ours), float(theirs)
    if math.isnan(ours) or math.isnan(theirs):
        return math.isnan(ours) and math.isnan(theirs)
    if ours == theirs:
        return name in UNSIGNED_ZERO or math.copysign(1, ours) == math.copysign(1, theirs)
    return math.isclose(ours, theirs, rel_tol=LOOSE.get(name, 4e-15), abs_tol=5e-323)


def arguments(name):
    """All combinations of special and random numbers, as far as they are bearable."""
    count = 1 if name == "log" else PRIMITIVES[name][0]
    pool = POOL if count < 3 else SPECIAL[::2]
    return itertools.product(pool, repeat=count)


def test_every_function_is_tested():
    assert set(PRIMITIVES) == set(TWINS) | ALONE


@pytest.mark.parametrize("table", [PLAIN, IEEE], ids=["PLAIN", "IEEE"])
def test_every_function_is_there(table):
    assert set(table) == set(PRIMITIVES)


@pytest.mark.parametrize("name", sorted(TWINS))
def test_ieee_is_numpy(name):
    """Infinities, nans, signed zeros and digits are those of float64."""
    with np.errstate(all="ignore"):
        wrong = [
            (values, IEEE[name](*values), float(theirs))
            for values in arguments(name)
            if (name, *values) not in OTHERWISE
            and not same(name, IEEE[name](*values), theirs := TWINS[name](*map(np.float64, values)))
        ]
    assert wrong == []


@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - {"polygamma"}))
def test_ieee_never_raises(name):
    rng = random.Random(name)
    for _ in range(300):
        values = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(PRIMITIVES[name][0])]
        assert isinstance(IEEE[name](*values), float | bool)


@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - {"remainder", *ARRAY_WORDS}))
def test_plain_is_ieee_where_it_does_not_raise(name):
    """Python's own functions have the same values, where they have one."""
    for values in arguments(name):
        try:
            plain = PLAIN[name](*values)
        except (ArithmeticError, ValueError):
            continue
        if not isinstance(plain, complex) and name not in ("logical_and", "logical_or"):
            ours = IEEE[name](*values)
            assert same(name, plain, ours) or plain == ours, (name, values)


@pytest.mark.parametrize(
    ("name", "values", "error"),
    [
        ("div", (1.0, 0.0), ZeroDivisionError),
        ("mod", (1.0, 0.0), ZeroDivisionError),
        ("sqrt", (-1.0,), ValueError),
        ("log", (0.0,), ValueError),
        ("exp", (1000.0,), OverflowError),
        ("pow", (10.0, 400.0), OverflowError),
        ("floor", (inf,), OverflowError),
        ("gamma", (0.0,), ValueError),
    ],
)
def test_plain_raises_as_python(name, values, error):
    with pytest.raises(error):
        PLAIN[name](*values)


def test_remainder():
    """The remainder is Python's, and nan where Python raises."""
    for values in itertools.product(POOL, repeat=2):
        try:
            expected = math.remainder(*values)
        except ValueError:
            expected = nan
        assert same("remainder", expected, IEEE["remainder"](*values))


@pytest.mark.parametrize(
    ("name", "values", "result"),
    [
        ("pow", (-8.0, 1 / 3), "nan"),
        ("pow", (0.0, -1.0), "inf"),
        ("pow", (-0.0, -1.0), "-inf"),
        ("pow", (-10.0, 309.0), "-inf"),
        ("div", (-1.0, 0.0), "-inf"),
        ("div", (1.0, -0.0), "-inf"),
        ("log", (8.0, 2.0), "3.0"),
        ("log", (8.0, 1.0), "inf"),
        ("round", (2.5,), "2.0"),
        ("round", (-0.4,), "-0.0"),
        ("floor", (nan,), "nan"),
        ("gamma", (-1.0,), "nan"),
        ("lgamma", (-1.0,), "inf"),
        ("sum", (2.0,), "2.0"),
    ],
)
def test_by_hand(name, values, result):
    assert result == repr(float(IEEE[name](*values)))

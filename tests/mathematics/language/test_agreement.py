"""Every function has one value, in whatever numbers it is computed."""

import math
import random

import mpmath
import numpy as np
import pytest
import sympy

from gradcli.mathematics.language import float_functions, mpmath_functions, numpy_like_functions, sympy_functions
from gradcli.mathematics.language.vocabulary import ARRAY_WORDS, PRIMITIVES

pytestmark = pytest.mark.sampled(3)  # many like cases

DOMAINS = {
    **dict.fromkeys(("log", "log2", "log10", "sqrt"), (0.01, 5.0)),
    **dict.fromkeys(("asin", "acos", "atanh"), (-0.99, 0.99)),
    "log1p": (-0.9, 5.0),
    "acosh": (1.0, 5.0),
}
POLES = {"gamma", "lgamma", "digamma", "polygamma"}
DIVISIONS = {"div", "floordiv", "mod", "fmod", "remainder", "reciprocal"}

ARRAYS = numpy_like_functions.functions(np)


def points(name):
    """Random arguments in the domain, whole numbers among them."""
    rng = random.Random(name)
    low, high = DOMAINS.get(name, (-4.0, 4.0))
    for _ in range(12):
        values = [rng.uniform(low, high) for _ in range(PRIMITIVES[name][0])]
        values = [float(round(v)) if rng.random() < 0.3 and low <= round(v) <= high else v for v in values]
        if name == "polygamma":
            values[0] = float(rng.randrange(4))
        if name == "pow":
            values[0] = abs(values[0]) + 0.1
        whole = values[-1] == round(values[-1])
        if not (name in POLES and whole and values[-1] <= 0) and not (name in DIVISIONS and not values[-1]):
            yield values


def by_symbols(name, values):
    """The value of SymPy's form, after it was made of symbols."""
    functions = sympy_functions.functions()
    symbols = sympy.symbols(f"x:{len(values)}", real=True)
    expression = functions["add"](functions[name](*symbols), 0)
    return expression.subs(dict(zip(symbols, map(sympy_functions.number, values), strict=True))).evalf(30)


@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - ARRAY_WORDS))
def test_all_targets_agree(name):
    """Floats, arrays, fifty digits and closed forms have the same value."""
    for values in points(name):
        expected = pytest.approx(float(float_functions.IEEE[name](*values)), rel=2e-14, abs=2e-15)
        assert float(ARRAYS[name](*map(np.float64, values))) == expected
        with mpmath.workdps(50):
            assert float(mpmath_functions.functions()[name](*map(mpmath_functions.number, values))) == expected
        if not (name == "atan2" and values == [0.0, 0.0]):
            assert float(by_symbols(name, values)) == expected


@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - ARRAY_WORDS))
def test_nan_stays_nan(name):
    """A function of nan is nan, save those that choose, compare or count."""
    if name in {*"lt le gt ge eq ne logical_and logical_or logical_not where fmax fmin polygamma".split()}:
        pytest.skip("does not carry nan on")
    values = [math.nan] + [1.0] * (PRIMITIVES[name][0] - 1)
    assert math.isnan(float_functions.IEEE[name](*values))
    with np.errstate(invalid="ignore"):
        assert math.isnan(ARRAYS[name](*map(np.float64, values)))

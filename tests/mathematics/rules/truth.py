"""The truth that rows are held to: SymPy's derivatives of their value, with 50 digits and more; and points for them."""

import itertools
import math
import random
from functools import cache

import mpmath
import sympy

from gradcli.mathematics.language import mpmath_functions, parse, sympy_functions
from gradcli.mathematics.language.formula_text import CALLS
from gradcli.mathematics.rules import RULES, Elementwise
from gradcli.mathematics.rules.compiled_formulas import IEEE_FUNCTIONS, compile_tree
from gradcli.methods.exact.partials import numeric, symbolic_functions

ROWS = [rule for rule in RULES.values() if isinstance(rule, Elementwise) and not rule.special]
PARTIALS = [(rule, n) for rule in ROWS for n, partial in enumerate(rule.partials) if partial is not None]

DIGITS = (50, 110, 250, 700, 1400)
SMALLEST = mpmath.mpf("1e-330")  # too small for any float

LARGEST = dict.fromkeys(("logaddexp", "logaddexp2"), 2000.0)  # SymPy's form takes the exponentials themselves
POLES = ("gamma", "lgamma", "digamma", "polygamma")  # SciPy's lose digits close to a pole

MODERATE = (0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.5, 1.5, 0.999, 0.1, -0.3, 1.001, -1.2)
EXTREME = (-7.0, 12.7, -12.7, 26.5, -40.0, 171.0, 500.0, -700.0, 1e3, -1e3, 1e5, 1e8, -1e8, 1e17, 1e160, -1e160, 1e300)
SMALL = (1e-3, -1e-3, 1e-5, -1e-8, 1e-8, 1e-160, -1e-160, 1e-300, 1.0000001, -0.9999999, 2.4999, -2.5000001)


def named(item):
    """The name of a row, or of a row and the argument that it is differentiated by."""
    return f"{item[0].name}-{item[0].parameters[item[1]]}" if isinstance(item, tuple) else item.name


def points(rule, *pools, count=60):
    """Points inside `where` and off `kink` at which the value is finite: a repeatable sample of the pools.

    A third of them are of random numbers of all magnitudes between 1e-3 and 1e3, or between 1/4 and 4 where the first
    pool is all there is.
    """
    rng = random.Random(rule.name)
    numbers = tuple(itertools.chain(*pools))
    spread = 3 if len(pools) > 1 else math.log10(4)
    columns = [(0.0, 1.0, 2.0, 3.0) if name == "n" else numbers for name in rule.parameters]
    drawn = [tuple(rng.choice(column) for column in columns) for _ in range(20 * count)]
    if len(columns) == 1:
        drawn = [(x,) for x in numbers]
    scattered = [tuple(scatter(rng, column, spread) for column in columns) for _ in range(20 * count)]
    inside = [[point for point in dict.fromkeys(sample) if is_inside(rule, point)] for sample in (drawn, scattered)]
    found = [*inside[0][:count], *inside[1][: count // 2]]
    assert len(found) >= 12, f"only {len(found)} points for {rule}"
    return found


def scatter(rng, column, spread):
    """A random number of random magnitude and sign; one of `column` where that is a set of whole numbers."""
    return rng.choice(column) if len(column) == 4 else rng.choice((-1, 1)) * 10 ** rng.uniform(-spread, spread)


def is_inside(rule, point):
    """Whether a row is defined and smooth at a point, with a finite value."""
    value = rule.ieee(*point)
    return (
        math.isfinite(value)
        and not any(abs(x) > LARGEST.get(rule.name, math.inf) for x in point)
        and (rule.name not in POLES or abs(math.remainder(point[-1], 1.0)) > 1e-4 or point[-1] > 0.5)
        and (not rule.where or bool(condition(rule, rule.where)(value, *point)))
        and (not rule.kink or not condition(rule, rule.kink)(value, *point))
    )


@cache
def condition(rule, text):
    """A condition of a row as a function of the value and the arguments."""
    return compile_tree("condition", ("v", *rule.parameters), parse(text), CALLS, IEEE_FUNCTIONS)


@cache
def derivative(rule, *positions):
    """SymPy's derivative of a row's value by the arguments at `positions`, as a function of mpmath's numbers."""
    symbols = tuple(sympy.Symbol(name, real=True) for name in rule.parameters)
    found = rule.evaluate(symbolic_functions(), symbols)
    for position in positions:
        found = sympy_functions.derivative(found, symbols[position])
    return numeric(symbols, found)


@cache
def truth(rule, point, *positions):
    """The derivative at the exact binary point, to the last digit of a float; the value without `positions`.

    The number of digits is raised until two agree.  It is nan where there is no real derivative.
    """
    now = mpmath.nan
    for digits in DIGITS:
        before = now
        with mpmath.workdps(digits):
            now = evaluated(derivative(rule, *positions), tuple(map(mpmath_functions.number, point)))
        if mpmath.isnan(now) or (now and abs(before - now) <= abs(now) * 1e-20):
            break
    return float(now)


def evaluated(function, numbers):
    """The value of a formula; where it is 0/0 its limit, at numbers too small for any float in place of zeros."""
    try:
        if mpmath.isfinite(found := function(*numbers)):
            return real(found)
    except ZeroDivisionError:
        pass
    with mpmath.workdps(4 * DIGITS[-1]):
        return real(function(*(x or SMALLEST for x in numbers)))


def real(found):
    """A number that is real but for rounding, else nan."""
    return found.real if abs(found.imag) <= abs(found.real) * 1e-20 else mpmath.nan


def close(got, wanted, relative=1e-12, absolute=1e-290):
    """Whether two numbers are the same to a relative error; magnitudes that floats cannot hold do not count."""
    if not math.isfinite(wanted) or math.isnan(got):
        return got == wanted or (math.isnan(got) and math.isnan(wanted))
    return abs(got - wanted) <= relative * abs(wanted) + absolute

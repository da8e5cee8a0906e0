"""The table of elementwise rules: each row states an operation and its partial derivatives as formulas.

`v` is the result, so that nothing is computed twice. Partials are written to stay accurate where the textbook formula
cancels: `square(1 / cosh(x))` keeps its digits where `1 - tanh(x)**2` loses all of them.
"""

from __future__ import annotations

from typing import Any

from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import EXACT, ITSELF, MANY, ROUNDED, Elementwise

# Ties of a maximum share equally. `fmax` and `fmin` ignore nan, so for them the result tells which argument was taken.
SHARE = "where({0} == {1}, 0.5, where({0} > {1}, 1, 0))"
TAKEN = "where(x == y, 0.5, where({0} == v, 1, 0))"

# The derivative of sin(pi x) / (pi x) cancels near 0: there it is -pi j1(pi x), by the series of the spherical Bessel
# function j1 (Abramowitz & Stegun 10.1.2); elsewhere the cosine is taken of an exact remainder.
_T = "square(pi * x)"
_SERIES = f"-pi * pi * x / 3 * (1 - {_T}/10 * (1 - {_T}/28 * (1 - {_T}/54 * (1 - {_T}/88 * (1 - {_T}/130)))))"
SINC = f"where(abs(x) < 0.1, {_SERIES}, (sin(pi * (0.5 - abs(remainder(x, 2)))) - v) / x)"
COMPLEX_SINC = f"where(abs(x) < 0.1, {_SERIES}, (cos(pi * x) - v) / x)"


def row(signature: str, value: str, *partials: str | None, **options: Any) -> Elementwise:
    """Add a row to the table. `signature` is `name(arguments)`, and `options` are the other fields of the row."""
    name, _, arguments = signature.rstrip(")").partition("(")
    parameters = tuple(argument.strip() for argument in arguments.split(","))
    rule = Elementwise(name, parameters, value, partials, **options)
    RULES[name] = rule
    return rule


# Arithmetic
row("add(x, y)", "x + y", "1", "1", complex=ITSELF, roundings=ROUNDED, carries=2)
row("sub(x, y)", "x - y", "1", "-1", complex=ITSELF, roundings=ROUNDED, carries=2)
row("mul(x, y)", "x * y", "y", "x", complex=ITSELF, roundings=ROUNDED, carries=2)
row("div(x, y)", "x / y", "1 / y", "-v / y", where="y != 0", complex=ITSELF, roundings=ROUNDED, carries=1)
row("mod(x, y)", "x % y", "1", "-(x // y)", where="y != 0", kink="v == 0", roundings=ROUNDED, jumps=True)
row("fmod(x, y)", "fmod(x, y)", "1", "-round((x - v) / y)", where="y != 0", kink="v == 0", roundings=EXACT, jumps=True)
row(
    "remainder(x, y)",
    "remainder(x, y)",
    "1",
    "-round((x - v) / y)",
    where="y != 0",
    kink="abs(2 * v) == abs(y)",
    roundings=ROUNDED,
)
_POWER = "where(y == 0 and abs(x) < 1e-37, 0, y * x ** (y - 1))"
# At the base 0 the limit is 0, which rises vertically from there for exponents up to 1.
_BY_EXPONENT = "where(x == 0 and y > 0, where(y > 1, 0, 0 - sqrt(x)), v * log({}))"
_POWER_WHERE = {
    "where": "x > 0 or y == floor(y) and (x != 0 or y >= 0)",
    "kink": "x == 0 and (y == 0 or y != floor(y))",
}
row(
    "pow(x, y)",
    "x ** y",
    _POWER,
    _BY_EXPONENT.format("x"),
    **_POWER_WHERE,
    complex="pow_complex",
    carries=1,
    # The most frequent powers are computed without a power function.
    constants=((-1, "-v * v"), (2, "2 * x"), (3, "3 * square(x)"), (4, "4 * (x * square(x))")),
)
# For complex numbers, the base may be real and negative.
row(
    "pow_complex(x, y)",
    "x ** y",
    _POWER,
    _BY_EXPONENT.format("x + 0 * y"),
    where="x != 0 or y >= 0",
    kink="x == 0",
    complex=ITSELF,
)
row("neg(x)", "-x", "-1", complex=ITSELF, roundings=EXACT, carries=1)
row("pos(x)", "+x", "1", complex=ITSELF, roundings=EXACT, carries=1)
row("square(x)", "square(x)", "2 * x", complex=ITSELF, roundings=ROUNDED, carries=1)
row("reciprocal(x)", "reciprocal(x)", "-v * v", where="x != 0", complex=ITSELF, roundings=ROUNDED)
row("degrees(x)", "degrees(x)", "180 / pi")
row("radians(x)", "radians(x)", "pi / 180")

# Exponentials and logarithms
row("exp(x)", "exp(x)", "v", complex=ITSELF)
row("exp2(x)", "exp2(x)", "v * log(2)", complex=ITSELF)
row("expm1(x)", "expm1(x)", "exp(x)", complex=ITSELF)
row("log(x)", "log(x)", "1 / x", where="x > 0", complex=ITSELF)
row("log2(x)", "log2(x)", "1 / (x * log(2))", where="x > 0", complex=ITSELF)
row("log10(x)", "log10(x)", "1 / (x * log(10))", where="x > 0", complex=ITSELF)
row("log1p(x)", "log1p(x)", "1 / (1 + x)", where="x > -1", complex=ITSELF)
row("logaddexp(x, y)", "logaddexp(x, y)", "1 / (1 + exp(y - x))", "1 / (1 + exp(x - y))")
row("logaddexp2(x, y)", "logaddexp2(x, y)", "1 / (1 + exp2(y - x))", "1 / (1 + exp2(x - y))")

# Roots
row("sqrt(x)", "sqrt(x)", "1 / (2 * v)", where="x >= 0", kink="x == 0", complex=ITSELF, roundings=ROUNDED)
# For lengths: the derivative at 0 is 0.
ROOT = row("root(x)", "sqrt(x)", "where(v == 0, 0, 1 / (2 * v))", where="x >= 0", kink="x == 0")
row("cbrt(x)", "cbrt(x)", "1 / (3 * v * v)", kink="x == 0")
row("hypot(x, y)", "hypot(x, y)", "x / v", "y / v", kink="x == 0 and y == 0")

# Trigonometric functions and their inverses
row("sin(x)", "sin(x)", "cos(x)", complex=ITSELF)
row("cos(x)", "cos(x)", "-sin(x)", complex=ITSELF)
row("tan(x)", "tan(x)", "1 + v * v", complex=ITSELF)
row("asin(x)", "asin(x)", "1 / sqrt((1 - x) * (1 + x))", where="abs(x) < 1", kink="abs(x) == 1", complex=ITSELF)
row("acos(x)", "acos(x)", "-1 / sqrt((1 - x) * (1 + x))", where="abs(x) < 1", kink="abs(x) == 1", complex=ITSELF)
row("atan(x)", "atan(x)", "1 / (1 + x * x)", complex=ITSELF)
row(
    "atan2(y, x)",
    "atan2(y, x)",
    "x / hypot(x, y) / hypot(x, y)",
    "-y / hypot(x, y) / hypot(x, y)",
    where="x != 0 or y != 0",
    kink="y == 0 and x <= 0",
    jumps=True,
)
row("sinc(x)", "sinc(x)", SINC, source="Abramowitz & Stegun 10.1.2", complex="sinc_complex")
row("sinc_complex(x)", "sinc(x)", COMPLEX_SINC, where="abs(x) < 30", complex=ITSELF)

# Hyperbolic functions and their inverses
row("sinh(x)", "sinh(x)", "cosh(x)", complex=ITSELF)
row("cosh(x)", "cosh(x)", "sinh(x)", complex=ITSELF)
row("tanh(x)", "tanh(x)", "square(1 / cosh(x))", complex=ITSELF)
row("asinh(x)", "asinh(x)", "1 / hypot(1, x)", complex="asinh_complex")
row("asinh_complex(x)", "asinh(x)", "1 / cosh(v)", complex=ITSELF)
row("acosh(x)", "acosh(x)", "1 / (sqrt(x - 1) * sqrt(x + 1))", where="x > 1", kink="x == 1", complex=ITSELF)
row("atanh(x)", "atanh(x)", "1 / ((1 - x) * (1 + x))", where="abs(x) < 1", complex=ITSELF)

# The error function and the gamma family
row("erf(x)", "erf(x)", "2 / sqrt(pi) * exp(-x * x)", complex=ITSELF)
row("erfc(x)", "erfc(x)", "-2 / sqrt(pi) * exp(-x * x)", complex=ITSELF)
_GAMMA = {"where": "x > 0 or x != floor(x)", "roundings": MANY}
row("gamma(x)", "gamma(x)", "v * digamma(x)", source="Abramowitz & Stegun 6.3.1", **_GAMMA)
row("lgamma(x)", "lgamma(x)", "digamma(x)", source="Abramowitz & Stegun 6.3.1", **_GAMMA)
row("digamma(x)", "digamma(x)", "polygamma(1, x)", source="Abramowitz & Stegun 6.4.1", **_GAMMA)
row(
    "polygamma(n, x)",
    "polygamma(n, x)",
    None,
    "polygamma(n + 1, x)",
    where="n >= 0 and n == floor(n) and (x > 0 or x != floor(x))",
    source="Abramowitz & Stegun 6.4.1",
    roundings=MANY,
)

# Piecewise smooth functions
row("abs(x)", "abs(x)", "sign(x)", kink="x == 0", complex="modulus", roundings=EXACT, carries=1, signed=True)
row("modulus(x)", "abs(x)", "where(x == 0, 0, v / x)", kink="x == 0", complex=ITSELF)  # conj(x) / abs(x)
row(
    "copysign(x, y)",
    "copysign(x, y)",
    "sign(x) * copysign(1, y)",
    "0",
    kink="x == 0 or y == 0",
    roundings=EXACT,
    signed=True,
    jumps=True,
)
_CHOICE = {"kink": "x == y", "selects": True, "complex": ITSELF, "roundings": EXACT, "carries": 2}
row("maximum(x, y)", "maximum(x, y)", SHARE.format("x", "y"), SHARE.format("y", "x"), **_CHOICE)
row("minimum(x, y)", "minimum(x, y)", SHARE.format("y", "x"), SHARE.format("x", "y"), **_CHOICE)
row("fmax(x, y)", "fmax(x, y)", TAKEN.format("x"), TAKEN.format("y"), **_CHOICE)
row("fmin(x, y)", "fmin(x, y)", TAKEN.format("x"), TAKEN.format("y"), **_CHOICE)
row(
    "clip(x, low, high)",
    "clip(x, low, high)",
    "where(low < x and x < high, 1, where(x == low or x == high, 0.5, 0))",
    "where(high <= low, 0, where(x < low, 1, where(x == low, 0.5, 0)))",
    "where(x > high or high < low, 1, where(x == high, 0.5, 0))",
    where="low < high",
    kink="x == low or x == high",
    selects=True,
    complex=ITSELF,
    roundings=EXACT,
    carries=1,
)
row(
    "where(c, x, y)",
    "where(c, x, y)",
    None,
    "where(c, 1, 0)",
    "where(c, 0, 1)",
    selects=True,
    complex=ITSELF,
    roundings=EXACT,
)
row(
    "relu(x)",
    "where(x > 0, x, 0)",
    "where(x > 0, 1, 0)",
    kink="x == 0",
    selects=True,
    complex=ITSELF,
    roundings=EXACT,
    carries=1,
)

# Steps that keep a float type: the derivative is zero where it exists
row("sign(x)", "sign(x)", "0", kink="x == 0", complex="direction", roundings=EXACT, step=True)
row("heaviside(x, h)", "heaviside(x, h)", "0", "where(x == 0, 1, 0)", kink="x == 0", roundings=EXACT, step=True)

"""The table of SciPy's special functions: each row is computed by SciPy, and defined by a formula for all other
targets.

Partials are written to stay accurate where the textbook formula cancels. A function without a partial by an argument,
such as the order of a Bessel function, refuses a recorded value there. Sources: Abramowitz & Stegun, Handbook of
Mathematical Functions (A&S); NIST Digital Library of Mathematical Functions (DLMF).
"""

from __future__ import annotations

from typing import Any

from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import ITSELF, Elementwise
from gradcli.mathematics.rules.special_partials import (
    bend_of_power,
    binomial_slope,
    by_order_below,
    digamma_difference,
    gamma_density,
    horner,
    is_pole,
    odd_factorials,
    of_orders_beside,
    scaled_slope,
    slope_of_exprel,
    student_density,
)

# Functions that SciPy also computes for complex numbers, with the same partials.
HOLOMORPHIC = frozenset({
    "airyai", "airyaip", "airybi", "airybip", "chi", "ci", "erfi", "eval_chebyt", "eval_chebyu", "eval_gegenbauer",
    "eval_genlaguerre", "eval_jacobi", "eval_laguerre", "eval_legendre", "exp1", "expi", "fresnelc", "fresnels",
    "hyp0f1", "hyp1f1", "hyp2f1", "iv", "jv", "kv", "ndtr", "shi", "si", "spence", "wrightomega", "yv",
})  # fmt: skip


def special(signature: str, value: str, *partials: str | None, **options: Any) -> None:
    """Add a row to the table. `scipy` is SciPy's name if it differs; the other options are fields of the row."""
    name, _, arguments = signature.rstrip(")").partition("(")
    theirs = options.pop("scipy", name.removeprefix("scipy."))
    options["complex"] = ITSELF if name in HOLOMORPHIC else ""
    RULES[name] = Elementwise(name, tuple(arguments.split(", ")), value, partials, special=theirs, **options)


# The logistic function
special("expit(x)", "1 / (1 + exp(-x))", "v * expit(-x)")
special("logit(x)", "log(x / (1 - x))", "1 / (x * (1 - x))", where="0 < x and x < 1")
special("log_expit(x)", "-log1p(exp(-x))", "expit(-x)")

# The error functions, and the normal distribution
_TAIL = "1 / (2 * x * x)"
special(
    "erfcx(x)",
    "exp(x * x) * erfc(x)",
    f"where(x > 20, -{horner(_TAIL, *odd_factorials(-1))} / (sqrt(pi) * x * x), 2 * x * v - 2 / sqrt(pi))",
    source="A&S 7.1.23",
)
special("erfi(x)", "erfi(x)", "2 / sqrt(pi) * exp(x * x)")
special("erfinv(x)", "erfinv(x)", "sqrt(pi) / 2 * exp(v * v)", where="abs(x) < 1")
special("erfcinv(x)", "erfinv(1 - x)", "-sqrt(pi) / 2 * exp(v * v)", where="0 < x and x < 2")
special(
    "dawsn(x)",
    "sqrt(pi) / 2 * exp(-x * x) * erfi(x)",
    f"where(abs(x) > 20, -{horner(_TAIL, *odd_factorials(1))} / (2 * x * x), 1 - 2 * x * v)",
    source="DLMF 7.5.1, 7.12.1",
)
special("ndtr(x)", "erfc(-x / sqrt(2)) / 2", "exp(-x * x / 2) / sqrt(tau)")
special("ndtri(x)", "sqrt(2) * erfinv(2 * x - 1)", "sqrt(tau) * exp(v * v / 2)", where="0 < x and x < 1")
special(
    "log_ndtr(x)",
    "log(erfc(-x / sqrt(2)) / 2)",
    "where(x < 0, sqrt(2 / pi) / erfcx(-x / sqrt(2)), exp(-x * x / 2 - v) / sqrt(tau))",
)


# The gamma and beta families
special("rgamma(x)", "1 / gamma(x)", f"where({is_pole('x')}, cos(pi * x) * gamma(1 - x), -v * digamma(x))",
        where="x > 0 or x != floor(x)")  # fmt: skip
special("log_gamma(x)", "lgamma(x)", "digamma(x)", where="x > 0", scipy="loggamma")
_DIFFERENCES = [digamma_difference(z, "(x + y)", f"(-{other})") for z, other in ("xy", "yx")]
_VANISHES = "gamma(x) * gamma(y) * cos(pi * (x + y)) * gamma(1 - x - y)"  # the slope at a pole of gamma(x + y)
special("beta(x, y)", "gamma(x) * gamma(y) / gamma(x + y)",
        *(f"where(v == 0 and {is_pole('(x + y)')}, {_VANISHES}, v * {slope})" for slope in _DIFFERENCES),
        where="x > 0 and y > 0")  # fmt: skip
special("betaln(x, y)", "lgamma(x) + lgamma(y) - lgamma(x + y)", *_DIFFERENCES, where="x > 0 and y > 0")
# The slopes at the zeros for x < -1, which are poles of gamma(x - y + 1) or gamma(y + 1)
_AT_FEW, _AT_NONE = (f"x < -1 and {is_pole(z)}" for z in ("(x - y + 1)", "(y + 1)"))
_ZERO_OF_FEW = "gamma(x + 1) / gamma(y + 1) * cos(pi * (x - y + 1)) * gamma(y - x)"
_ZERO_OF_NONE = "gamma(x + 1) / gamma(x - y + 1) * cos(pi * (y + 1)) * gamma(-y)"
_FEW = "x > -1 and x - y <= -1"  # beyond the largest y that is counted, where the value is near 0
special(
    "binom(x, y)",
    "gamma(x + 1) / (gamma(y + 1) * gamma(x - y + 1))",
    f"where({_FEW} and (x > -0.5 or y != floor(y)), {binomial_slope('x', 'y', '(x - y)', 'digamma(x + 1)')},"
    f" where({_AT_FEW}, {_ZERO_OF_FEW}, v * {digamma_difference('(x + 1)', '(x - y + 1)', 'y')}))",
    f"where({_FEW}, -({binomial_slope('x', 'y', '(x - y)', 'digamma(y + 1)')}),"
    f" where(x > -1 and y <= -1, {binomial_slope('x', '(x - y)', 'y', 'digamma(x - y + 1)')},"
    f" where({_AT_FEW}, -({_ZERO_OF_FEW}), where({_AT_NONE}, {_ZERO_OF_NONE},"
    f" v * {digamma_difference('(x - y + 1)', '(y + 1)', '(x - 2 * y)')}))))",
    where="y > -1 and x > y - 1",
)
special(
    "poch(x, y)",
    "gamma(x + y) / gamma(x)",
    f"where(v == 0 and {is_pole('x')}, gamma(x + y) * cos(pi * x) * gamma(1 - x),"
    f" v * {digamma_difference('(x + y)', 'x', 'y')})",
    "where(v == 0, 0, v * digamma(x + y))",
    where="x > 0 and x + y > 0",
)
special(
    "gammainc(a, x)",
    "gammainc(a, x)",
    None,
    gamma_density("a", "x"),
    where="a > 0 and x > 0",
    source="A&S 6.5.25",
)
special(
    "gammaincc(a, x)",
    "1 - gammainc(a, x)",
    None,
    "-" + gamma_density("a", "x"),
    where="a > 0 and x > 0",
    source="A&S 6.5.25",
)
special(
    "betainc(a, b, x)",
    "betainc(a, b, x)",
    None,
    None,
    "beta_pdf(x, a, b)",
    where="a > 0 and b > 0 and 0 < x and x < 1",
    source="DLMF 8.17.1",
)
special(
    "betaincc(a, b, x)",
    "1 - betainc(a, b, x)",
    None,
    None,
    "-beta_pdf(x, a, b)",
    where="a > 0 and b > 0 and 0 < x and x < 1",
    source="DLMF 8.17.1",
)
special("zeta(s, x)", "zeta(s, x)", None, "-s * zeta(s + 1, x)", where="s > 1 and x > 0", scipy="_zeta",
        source="DLMF 25.11.17")  # fmt: skip


# Bessel functions
special("jv(n, x)", "jv(n, x)", None, of_orders_beside("jv", "-"), where="x > 0 or n == floor(n)",
        source="A&S 9.1.27")  # fmt: skip
special("yv(n, x)", "yv(n, x)", None, "(yv(n - 1, x) - yv(n + 1, x)) / 2", where="x > 0", source="A&S 9.1.27")
special("yn(n, x)", "yv(n, x)", None, "(yn(n - 1, x) - yn(n + 1, x)) / 2", where="x > 0", source="A&S 9.1.27")
special("iv(n, x)", "iv(n, x)", None, of_orders_beside("iv", "+"), where="x > 0 or n == floor(n)",
        source="A&S 9.6.26")  # fmt: skip
special("ive(n, x)", "exp(-abs(x)) * iv(n, x)", None,
        scaled_slope("-", "n", f"{of_orders_beside('ive', '+')} - sign(x) * v",
                     "where(x < 0, 1 - 2 * abs(remainder(n, 2)), 1)"),
        where="x > 0 or n == floor(n)", kink="x == 0", source="A&S 9.6.26")  # fmt: skip
special("kv(n, x)", "kv(n, x)", None, "-(kv(n - 1, x) + kv(n + 1, x)) / 2", where="x > 0", source="A&S 9.6.26")
special("kn(n, x)", "kv(n, x)", None, "-(kn(n - 1, x) + kn(n + 1, x)) / 2", where="x > 0", source="A&S 9.6.26")
special("kve(n, x)", "exp(x) * kv(n, x)", None,
        scaled_slope("+", "n", "v - (kve(n - 1, x) + kve(n + 1, x)) / 2"), where="x > 0",
        source="A&S 9.6.26")  # fmt: skip
special("j0(x)", "jv(0, x)", "-j1(x)", source="A&S 9.1.28")
special("j1(x)", "jv(1, x)", "where(x == 0, 0.5, j0(x) - v / x)", source="A&S 9.1.27")
special("y0(x)", "yv(0, x)", "-y1(x)", where="x > 0", source="A&S 9.1.28")
special("y1(x)", "yv(1, x)", "y0(x) - v / x", where="x > 0", source="A&S 9.1.27")
special("i0(x)", "iv(0, x)", "i1(x)", source="A&S 9.6.27")
special("i1(x)", "iv(1, x)", "where(x == 0, 0.5, i0(x) - v / x)", source="A&S 9.6.26")
special(
    "i0e(x)",
    "exp(-abs(x)) * iv(0, x)",
    scaled_slope("-", "0", "i1e(x) - sign(x) * v"),
    kink="x == 0",
    source="A&S 9.6.27",
)
special(
    "i1e(x)",
    "exp(-abs(x)) * iv(1, x)",
    scaled_slope("-", "1", "where(x == 0, 0.5, i0e(x) - v / x) - sign(x) * v", "sign(x)"),
    source="A&S 9.6.26",
)
special("k0(x)", "kv(0, x)", "-k1(x)", where="x > 0", source="A&S 9.6.27")
special("k1(x)", "kv(1, x)", "-k0(x) - v / x", where="x > 0", source="A&S 9.6.26")
special("k0e(x)", "exp(x) * kv(0, x)", scaled_slope("+", "0", "v - k1e(x)"), where="x > 0", source="A&S 9.6.27")
special("k1e(x)", "exp(x) * kv(1, x)", scaled_slope("+", "1", "v - k0e(x) - v / x"), where="x > 0", source="A&S 9.6.26")

special("jve(n, x)", "jv(n, x)", None, of_orders_beside("jve", "-"), where="x > 0 or n == floor(n)",
        source="A&S 9.1.27")  # fmt: skip
special("yve(n, x)", "yv(n, x)", None, "(yve(n - 1, x) - yve(n + 1, x)) / 2", where="x > 0", source="A&S 9.1.27")


special("struve(n, x)", "struve(n, x)", None, by_order_below("struve", "-"),
        where="n >= 0 and x > 0", source="DLMF 11.4.25, 11.4.27")  # fmt: skip
special("modstruve(n, x)", "modstruve(n, x)", None, by_order_below("modstruve", "+"),
        where="n >= 0 and x > 0", source="DLMF 11.4.28, 11.4.30")  # fmt: skip
special("airyai(x)", "airyai(x)", "airyaip(x)", scipy="airy:0")
special("airyaip(x)", "airyaip(x)", "x * airyai(x)", scipy="airy:1", source="DLMF 9.2.1")
special("airybi(x)", "airybi(x)", "airybip(x)", scipy="airy:2")
special("airybip(x)", "airybip(x)", "x * airybi(x)", scipy="airy:3", source="DLMF 9.2.1")

# Hypergeometric functions, elliptic integrals of the parameter m, orthogonal polynomials
special("hyp0f1(b, x)", "hyp0f1(b, x)", None, "hyp0f1(b + 1, x) / b", where="b > 0", source="DLMF 16.3.1")
special("hyp1f1(a, b, x)", "hyp1f1(a, b, x)", None, None, "a / b * hyp1f1(a + 1, b + 1, x)", where="b > 0",
        source="DLMF 13.3.15")  # fmt: skip
special("hyp2f1(a, b, c, x)", "hyp2f1(a, b, c, x)", None, None, None, "a * b / c * hyp2f1(a + 1, b + 1, c + 1, x)",
        where="c > 0 and x < 1", source="DLMF 15.5.1")  # fmt: skip
special("hyperu(a, b, x)", "hyperu(a, b, x)", None, None, "-a * hyperu(a + 1, b + 1, x)",
        where="a > 0 and b > 0 and b != floor(b) and x > 0", source="DLMF 13.3.22")  # fmt: skip
special(
    "ellipk(m)",
    "ellipk(m)",
    "where(abs(m) > 0.25, (ellipe(m) / (1 - m) - v) / (2 * m), pi / 8 * hyp2f1(0.5, 0.5, 2, m) / (1 - m))",
    where="m < 1",
    source="DLMF 19.4.1, 19.5.1",
)
special("ellipkm1(p)", "ellipk(1 - p)",
        "where(abs(1 - p) > 0.25, (v - ellipe(1 - p) / p) / (2 * (1 - p)), -pi / 8 * hyp2f1(0.5, 0.5, 2, 1 - p) / p)",
        where="p > 0", source="DLMF 19.4.1, 19.5.1")  # fmt: skip
special(
    "ellipe(m)",
    "ellipe(m)",
    "where(abs(m) > 0.25, (v - ellipk(m)) / (2 * m), -pi / 8 * hyp2f1(0.5, 1.5, 2, m))",
    where="m < 1",
    source="DLMF 19.4.2, 19.5.2",
)
special("ellipkinc(x, m)", "ellipkinc(x, m)", "1 / sqrt(1 - m * square(sin(x)))", None, where="m * sin(x)**2 < 1",
        source="DLMF 19.2.4")  # fmt: skip
special("ellipeinc(x, m)", "ellipeinc(x, m)", "sqrt(1 - m * square(sin(x)))", None, where="m * sin(x)**2 < 1",
        source="DLMF 19.2.5")  # fmt: skip
_DEGREE = "n >= 0 and n == floor(n)"
special("eval_jacobi(n, a, b, x)", "eval_jacobi(n, a, b, x)", None, None, None,
        "where(n == 0, 0, (n + a + b + 1) / 2 * eval_jacobi(n - 1, a + 1, b + 1, x))",
        where=f"{_DEGREE} and a > -1 and b > -1", source="DLMF 18.9.15")  # fmt: skip
special("eval_legendre(n, x)", "eval_legendre(n, x)", None,
        "where(n == 0, 0, (n + 1) / 2 * eval_jacobi(n - 1, 1, 1, x))", where=_DEGREE,
        source="DLMF 18.9.15")  # fmt: skip
special("eval_gegenbauer(n, a, x)", "eval_gegenbauer(n, a, x)", None, None,
        "where(n == 0, 0, 2 * a * eval_gegenbauer(n - 1, a + 1, x))", where=f"{_DEGREE} and a > 0",
        source="DLMF 18.9.19")  # fmt: skip
special("eval_chebyt(n, x)", "eval_chebyt(n, x)", None, "where(n == 0, 0, n * eval_chebyu(n - 1, x))", where=_DEGREE,
        source="DLMF 18.9.21")  # fmt: skip
special("eval_chebyu(n, x)", "eval_chebyu(n, x)", None, "where(n == 0, 0, 2 * eval_gegenbauer(n - 1, 2, x))",
        where=_DEGREE, source="DLMF 18.9.19")  # fmt: skip
special("eval_genlaguerre(n, a, x)", "eval_genlaguerre(n, a, x)", None, None,
        "where(n == 0, 0, -eval_genlaguerre(n - 1, a + 1, x))", where=f"{_DEGREE} and a > -1",
        source="DLMF 18.9.23")  # fmt: skip
special("eval_laguerre(n, x)", "eval_genlaguerre(n, 0, x)", None, "where(n == 0, 0, -eval_genlaguerre(n - 1, 1, x))",
        where=_DEGREE, source="DLMF 18.9.23")  # fmt: skip

# Exponentials and their integrals
special("exp10(x)", "10 ** x", "v * log(10)")
special("cosm1(x)", "cos(x) - 1", "-sin(x)")
special("expi(x)", "expi(x)", "exp(x) / x", where="x != 0", source="A&S 5.1.2")
special("exp1(x)", "expn(1, x)", "-exp(-x) / x", where="x > 0", source="A&S 5.1.1")
special(
    "expn(n, x)",
    "expn(n, x)",
    None,
    "where(n == 0, -exp(-x) * (1 + x) / (x * x), -expn(n - 1, x))",
    where="n >= 0 and n == floor(n) and x > 0",
    source="A&S 5.1.26",
)
special(
    "spence(x)",
    "spence(x)",
    "where(abs(x - 1) < 0.25, -hyp2f1(1, 1, 2, 1 - x), log(x) / (1 - x))",
    where="x > 0",
    source="A&S 27.7.1, 15.1.3",
)
special("wrightomega(x)", "wrightomega(x)", "v / (1 + v)", source="Corless & Jeffrey, The Wright omega function, 2002")
special("si(x)", "si(x)", "sinc(x / pi)", scipy="sici:0", source="A&S 5.2.1")
special("ci(x)", "ci(x)", "cos(x) / x", where="x > 0", scipy="sici:1", source="A&S 5.2.2")
special("shi(x)", "shi(x)", "where(x == 0, 1, sinh(x) / x)", scipy="shichi:0", source="A&S 5.2.3")
special("chi(x)", "chi(x)", "cosh(x) / x", where="x > 0", scipy="shichi:1", source="A&S 5.2.4")
special("fresnels(x)", "fresnels(x)", "sin(pi * x * x / 2)", scipy="fresnel:0", source="A&S 7.3.2")
special("fresnelc(x)", "fresnelc(x)", "cos(pi * x * x / 2)", scipy="fresnel:1", source="A&S 7.3.1")

# Distribution functions, and functions of degrees
_CHI = gamma_density("(k / 2)", "(x / 2)")
special("scipy.chdtr(k, x)", "gammainc(k / 2, x / 2)", None, f"{_CHI} / 2",
        where="k > 0 and x > 0", source="A&S 26.4.19")  # fmt: skip
special("scipy.chdtrc(k, x)", "1 - gammainc(k / 2, x / 2)", None, f"-{_CHI} / 2",
        where="k > 0 and x > 0", source="A&S 26.4.19")  # fmt: skip
_OF_PRODUCT = gamma_density("b", "(a * x)")
special("scipy.gdtr(a, b, x)", "gammainc(b, a * x)", f"where(x == 0, 0, x * {_OF_PRODUCT})", None,
        f"where(a == 0, 0, a * {_OF_PRODUCT})", where="a > 0 and b > 0 and x > 0", source="A&S 6.5.25")  # fmt: skip
special("scipy.pdtr(n, x)", "1 - gammainc(n + 1, x)", None, "-" + gamma_density("(floor(n) + 1)", "x"),
        where=f"{_DEGREE} and x > 0", source="A&S 26.4.21")  # fmt: skip
_BEYOND = "betainc(k / 2, 0.5, k / (k + t * t)) / 2"
special("scipy.stdtr(k, t)", f"where(t < 0, {_BEYOND}, 1 - {_BEYOND})", None, student_density("k", "t"), where="k > 0",
        source="A&S 26.7.1")  # fmt: skip
special("beta_pdf(x, a, b)", "exp(xlogy(a - 1, x) + xlog1py(b - 1, -x) - betaln(a, b))",
        "v * ((a - 1) / x - (b - 1) / (1 - x))",
        f"v * (log(x) + {digamma_difference('(a + b)', 'a', 'b')})",
        f"v * (log1p(-x) + {digamma_difference('(a + b)', 'b', 'a')})",
        where="a > 0 and b > 0 and 0 < x and x < 1", scipy="_beta_pdf", source="A&S 26.1.33")  # fmt: skip
special("scipy.gammasgn(x)", "where(x > 0 or floor(x) == 2 * floor(floor(x) / 2), 1, -1)", "0",
        where="x > 0 or x != floor(x)")  # fmt: skip
special("scipy.sindg(x)", "sin(radians(x))", "cos(radians(x)) * pi / 180")
special("scipy.cosdg(x)", "cos(radians(x))", "-sin(radians(x)) * pi / 180")
special(
    "scipy.powm1(x, y)",
    "x ** y - 1",
    "where(y == 0, 0, y * x ** (y - 1))",
    "where(x == 0 and y > 0, 0, log(x) * x ** y)",
    where="x > 0",
)


# Entropies and losses. Names with a dot are not available in formulas, so that users may define their own
special("xlogy(x, y)", "x * log(y)", "log(y)", "where(x == 0 and y == 0, 0, x / y)", where="y > 0")
special("xlog1py(x, y)", "x * log1p(y)", "log1p(y)", "where(x == 0 and y == -1, 0, x / (1 + y))", where="y > -1")
special("scipy.entr(x)", "-x * log(x)", "-log(x) - 1", where="x > 0")
special("scipy.rel_entr(x, y)", "x * log(x / y)", "log(x / y) + 1", "-x / y", where="x > 0 and y > 0")
special("scipy.kl_div(x, y)", "x * log(x / y) - x + y", "log(x / y)", "1 - x / y", where="x > 0 and y > 0")
special(
    "scipy.huber(d, x)",
    "where(abs(x) <= d, x * x / 2, d * (abs(x) - d / 2))",
    "where(abs(x) <= d, 0, abs(x) - d)",
    "where(abs(x) <= d, x, d * sign(x))",
    where="d > 0",
)
_BEND = "hypot(1, x / d)"
special(
    "scipy.pseudo_huber(d, x)",
    "d * d * (sqrt(1 + square(x / d)) - 1)",
    f"d * square(square(x / d)) / ({_BEND} * square(1 + {_BEND}))",
    f"where(d == 0, 0, x / {_BEND})",
    where="d > 0",
)

# Box-Cox transformations by (exp(x) - 1) / x


special("exprel(x)", "exprel(x)", slope_of_exprel("x"))
special(
    "scipy.boxcox(x, y)",
    "log(x) * exprel(y * log(x))",
    "x ** (y - 1)",
    f"where(x == 0 and y > 0, 1 / square(y), square(log(x)) * {slope_of_exprel('(y * log(x))')})",
    where="x > 0",
)
special(
    "scipy.boxcox1p(x, y)",
    "log1p(x) * exprel(y * log1p(x))",
    "exp((y - 1) * log1p(x))",
    f"where(x == -1 and y > 0, 1 / square(y), square(log1p(x)) * {slope_of_exprel('(y * log1p(x))')})",
    where="x > -1",
)


special("scipy.inv_boxcox(x, y)", "where(y == 0, exp(x), (1 + x * y) ** (1 / y))", "v / (1 + x * y)",
        f"v * x * x * {bend_of_power('(x * y)')}",
        where="1 + x * y > 0")  # fmt: skip

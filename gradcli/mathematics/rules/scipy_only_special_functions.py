"""SciPy's special functions without a definition in the formula language (inverses, integrals, others), by their
partials.

A row here is a name with its arguments, and one partial per argument, in the formula language, in terms of the
arguments and of `v`, the result; None if there is none. It becomes an array rule computed by SciPy, for programs only;
formulas cannot use it. Sources: Abramowitz & Stegun, Handbook of Mathematical Functions (A&S); NIST Digital Library of
Mathematical Functions (DLMF).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.mathematics.language import numpy_like_functions, parse
from gradcli.mathematics.language.formula_text import SLOPES
from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.mathematics.rules.compiled_formulas import GENERIC_FUNCTIONS, compile_tree
from gradcli.mathematics.rules.special_partials import bend_of_power, digamma_difference, gamma_density, student_density

Function = Callable[..., Any]

BY_PARTIALS: dict[str, list[Function]] = {}
"""The functions by SciPy's name, one per result."""


def row(signature: str, *partials: str | Function | None) -> Function:
    """Add a row to the table; `name:1` is the second result of a function with several."""
    name, _, arguments = signature.rstrip(")").partition("(")
    parameters = tuple(arguments.split(", "))
    theirs, _, part = name.partition(":")
    module = "scipy.special._ufuncs" if theirs.startswith("_") else "scipy.special"
    definition = f"{arguments}: {module}.{theirs}({arguments})" + (f"[{part}]" if part else "")
    slopes = [_slope(partial, parameters) if isinstance(partial, str) else partial for partial in partials]
    rule = pointwise(f"special.{name}", definition, numpy_like_functions.special(name), *slopes)

    def function(*given: Any) -> Any:
        places = zip(given, slopes, parameters, strict=True)
        return rule(*(x if slope else without_derivative(theirs, p, x) for x, slope, p in places))

    BY_PARTIALS.setdefault(theirs, []).append(function)
    return function


def without_derivative(name: str, parameter: str, x: Any) -> Any:
    """The plain value of an argument without partial. An argument that depends on an input is refused."""
    if hasattr(x, "apply_rule") and x.depends():
        raise UnsupportedError(
            f"scipy.special.{name} has no derivative by its argument {parameter}",
            hint="Pass a plain number there, or gradcli.stop_gradient(x) to treat it as a constant.",
        )
    return x.stopped() if hasattr(x, "stopped") else x


def _slope(partial: str, parameters: tuple[str, ...]) -> Function:
    return compile_tree("partial", ("v", *parameters), parse(partial), SLOPES, GENERIC_FUNCTIONS)


def pointwise(name: str, definition: str, compute: Function, *slopes: Function | None, **options: Any) -> ArrayRule:
    """An array rule for an elementwise function, from its partials.

    Args:
        name: the operation's name on the tape.
        definition: the function as text.
        compute: the function, for arrays of any library.
        slopes: `slope(v, *arguments, **static)`, one per argument, in plain NumPy calls; None if there is none.
        options: the other fields of `ArrayRule`.
    """

    def forward(*x: Any, **static: Any) -> Any:
        return compute(*x, **static)[()]

    def product(slope: Function) -> Function:
        return lambda ct, v, *x, **static: ct * slope(v, *x, **static)

    def reach(marks: Any, v: Any, *x: Any, **static: Any) -> Any:
        return marks

    vjps = [slope and product(slope) for slope in slopes]
    options.setdefault("reach", reach if len(slopes) == 1 else None)
    return array_rule(name, definition, *vjps, compute=forward, diagonal=True, **options)


# Distribution functions, and their inverses by the reciprocal of the density
def f_density(x: str) -> str:
    """The formula of the density of the F distribution with n and m degrees of freedom (A&S 26.6.1, 26.6.2)."""
    total, is_low = f"(n * {x} + m)", f"n * {x} < m"
    share = f"where({is_low}, n * {x}, m) / {total}"  # the smaller one keeps the digits of both
    orders = f"where({is_low}, n, m) / 2, where({is_low}, m, n) / 2"
    return f"(beta_pdf({share}, {orders}) * n / {total} * m / {total})"


_CHI = gamma_density("(k / 2)", "(v / 2)")

row("gammaincinv(a, p)", None, f"1 / {gamma_density('a', 'v')}")
row("gammainccinv(a, q)", None, f"-1 / {gamma_density('a', 'v')}")
row("betaincinv(a, b, p)", None, None, "1 / beta_pdf(v, a, b)")
row("betainccinv(a, b, q)", None, None, "-1 / beta_pdf(v, a, b)")
row("chdtri(k, q)", None, f"-2 / {_CHI}")
row("pdtrc(k, x)", None, gamma_density("(floor(k) + 1)", "x"))
row("pdtri(k, p)", None, f"-1 / {gamma_density('(k + 1)', 'v')}")
row("gdtrc(a, b, x)", f"where(x == 0, 0, -x * {gamma_density('b', '(a * x)')})", None,
    f"where(a == 0, 0, -a * {gamma_density('b', '(a * x)')})")  # fmt: skip
row("gdtrix(a, b, p)", "-v / a", None, f"1 / (a * {gamma_density('b', '(a * v)')})")
row("gdtria(p, b, x)", f"1 / (x * {gamma_density('b', '(v * x)')})", None, "-v / x")
row("stdtrit(k, p)", None, f"1 / ({student_density('k', 'v')})")
row("fdtr(n, m, x)", None, None, f_density("x"))
row("fdtrc(n, m, x)", None, None, f"-{f_density('x')}")
row("fdtri(n, m, p)", None, None, f"1 / {f_density('v')}")
row("bdtr(k, n, p)", None, None, "-beta_pdf(p, floor(k) + 1, n - floor(k))")
row("bdtrc(k, n, p)", None, None, "beta_pdf(p, floor(k) + 1, n - floor(k))")
row("bdtri(k, n, y)", None, None, "-1 / beta_pdf(v, floor(k) + 1, n - floor(k))")
row("nbdtr(k, n, p)", None, None, "beta_pdf(p, n, k + 1)")
row("nbdtrc(k, n, p)", None, None, "-beta_pdf(p, n, k + 1)")
row("nbdtri(k, n, y)", None, None, "1 / beta_pdf(v, n, k + 1)")
row("_beta_ppf(p, a, b)", "1 / beta_pdf(v, a, b)", None, None)
row("_binom_pmf(k, n, p)", None, None, "v * (k / p - (n - k) / (1 - p))")
row("_binom_cdf(k, n, p)", None, None, "-beta_pdf(p, k + 1, n - k)")
row("_binom_sf(k, n, p)", None, None, "beta_pdf(p, k + 1, n - k)")
row(
    "_nbinom_pmf(k, n, p)",
    None,
    f"v * (log(p) + {digamma_difference('(n + k)', 'n', 'k')})",
    "v * (n / p - k / (1 - p))",
)
row("_nbinom_cdf(k, n, p)", None, None, "beta_pdf(p, n, k + 1)")
row("_nbinom_sf(k, n, p)", None, None, "-beta_pdf(p, n, k + 1)")
_CAUCHY = "pi * s * (square((v - m) / s) + 1)"
row("_cauchy_ppf(p, m, s)", _CAUCHY, "1", "(v - m) / s")
row("_cauchy_isf(p, m, s)", f"-{_CAUCHY}", "1", "(v - m) / s")
row("ndtri_exp(y)", "sqrt(tau) * exp(y + v * v / 2)")
row("owens_t(h, a)", "-exp(-h * h / 2) * erf(a * h / sqrt(2)) / (2 * sqrt(tau))",
    "exp(-h * h * (1 + a * a) / 2) / (tau * (1 + a * a))")  # fmt: skip # D. B. Owen, Tables for computing ..., 1956

# Integrals, by their integrands (DLMF 10.22(i), 10.43(i), 11.7(i))
row("itj0y0:0(x)", "j0(x)")
row("itj0y0:1(x)", "y0(x)")
row("iti0k0:0(x)", "i0(x)")
row("iti0k0:1(x)", "k0(x)")
row("it2j0y0:0(x)", "(1 - j0(x)) / x")
row("it2j0y0:1(x)", "-y0(x) / x")
row("it2i0k0:0(x)", "(i0(x) - 1) / x")
row("it2i0k0:1(x)", "-k0(x) / x")
row("itstruve0(x)", "struve(0, x)")
row("it2struve0(x)", "-struve(0, x) / x")
row("itmodstruve0(x)", "modstruve(0, x)")

# Polynomials
row(
    "eval_hermite(n, x)", None, lambda v, n, x: 2.0 * n * _served("eval_hermite", np.maximum(n - 1, 0), x)
)  # DLMF 18.9.25
row(
    "eval_hermitenorm(n, x)", None, lambda v, n, x: 1.0 * n * _served("eval_hermitenorm", np.maximum(n - 1, 0), x)
)  # DLMF 18.9.27
row("eval_chebyc(n, x)", None, "where(n == 0, 0, n * eval_chebyu(n - 1, x / 2))")  # DLMF 18.9.21, 18.1.3
row("eval_chebys(n, x)", None, "where(n == 0, 0, eval_gegenbauer(n - 1, 2, x / 2))")  # DLMF 18.9.19
row("eval_sh_legendre(n, x)", None, "where(n == 0, 0, (n + 1) * eval_jacobi(n - 1, 1, 1, 2 * x - 1))")  # DLMF 18.9.15
row("eval_sh_chebyt(n, x)", None, "where(n == 0, 0, 2 * n * eval_chebyu(n - 1, 2 * x - 1))")  # DLMF 18.9.21
row("eval_sh_chebyu(n, x)", None, "where(n == 0, 0, 4 * eval_gegenbauer(n - 1, 2, 2 * x - 1))")  # DLMF 18.9.19

# Others
row("tandg(x)", "(1 + v * v) * pi / 180")
row("cotdg(x)", "-(1 + v * v) * pi / 180")
row("radian(d, m, s)", "pi / 180", "pi / 10800", "pi / 648000")
row("inv_boxcox1p(x, y)", "(1 + v) / (1 + x * y)", f"(1 + v) * x * x * {bend_of_power('(x * y)')}")
row(
    "wright_bessel(a, b, x)", None, None, lambda v, a, b, x: _served("wright_bessel", a, a + b, x)
)  # DLMF 10.46.1, term by term
row("lpmv(m, n, x)", None, None,
    lambda v, m, n, x: (n * x * v - (n + m) * _served("lpmv", m, n - 1, x)) / np.where(abs(x) > 1, np.nan, x * x - 1),
)  # fmt: skip # DLMF 14.10.5
row("ellipj:3(u, m)", "sqrt(1 - m * square(sin(v)))", None)  # DLMF 22.16.2, 22.13


def _served(name: str, *arguments: Any) -> Any:
    return BY_PARTIALS[name][0](*arguments)

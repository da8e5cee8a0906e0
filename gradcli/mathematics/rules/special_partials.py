"""The partials of special functions as formulas that keep their digits where the textbook formula cancels.

Sources: Abramowitz & Stegun, Handbook of Mathematical Functions (A&S); NIST Digital Library of Mathematical Functions
(DLMF).
"""

from __future__ import annotations


def horner(x: str, *coefficients: float) -> str:
    """The formula of a polynomial, lowest coefficient first."""
    text = repr(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        text = f"({coefficient!r} + {x} * {text})"
    return text


def odd_factorials(sign: int) -> list[float]:
    """The numbers `sign**n (2n+1)!!` in the asymptotic series of the derivatives of the error functions."""
    factorials = [1.0]
    for n in range(1, 9):
        factorials.append(sign * factorials[-1] * (2 * n + 1))
    return factorials


def is_pole(x: str) -> str:
    """Whether gamma has a pole."""
    return f"{x} <= 0 and {x} == floor({x})"


def digamma_difference(x: str, y: str, between: str) -> str:
    """digamma(x) - digamma(y), where `between` is x - y, which keeps its digits where the two are close.

    Two poles cancel if `between` is an integer (DLMF 5.5.4). Otherwise both arguments are increased by 1 (5.5.2). The
    difference over a short distance is its Taylor series around the middle, or for large arguments the difference of
    their asymptotic series (5.11.2). Relative error for positive arguments: about 2e-13.
    """
    both = f"{between} == floor({between}) and {x} < 0.5 and {y} < 0.5"
    reflected = (f"digamma(1 - min({z}, 0.5))" for z in (x, y))  # finite wherever it is not taken
    middle, square = f"(({x} + {y}) / 2 + 1)", f"square({between})"
    near = f"polygamma(1, {middle}) + {square} / 24 * (polygamma(3, {middle}) + {square} / 80 * polygamma(5, {middle}))"
    far = f"log1p({between} / {y}) + {between} / {x} / {y} / 2 * (1 + (1 / {x} + 1 / {y}) / 6)"
    difference = f"digamma({x} + 1) - digamma({y} + 1)"
    raised = f"{between} / {x} / {y} + where(abs({between}) < {y} / 100, {between} * ({near}), {difference})"
    is_far = f"{y} > 1000 and abs({between}) < {y} / 2"
    return f"where({both}, {' - '.join(reflected)}, where({is_far}, {far}, {raised}))"


def gamma_density(a: str, x: str) -> str:
    """The density of the gamma distribution (DLMF 8.8.13); for large a by Stirling's series (5.11.1).

    For large a the powers of x and a are one power of their quotient, so that the large logarithms do not cancel.
    """
    relative = f"(({x} - {a}) / {a})"
    series = f"(1 / 12 - (1 / 360 - 1 / 1260 / {a} / {a}) / {a} / {a}) / {a}"
    large = f"exp({a} * (log1p({relative}) - {relative}) - {series}) * sqrt({a} / tau) / {x}"
    return f"where({a} > 100 and {x} > 0, {large}, exp(xlogy({a} - 1, {x}) - {x} - lgamma({a})))"


def binomial_slope(x: str, m: str, n: str, other: str) -> str:
    """The slope of Gamma(x + 1) / (Gamma(m + 1) Gamma(n + 1)) by n, or minus it by another argument (DLMF 5.5.3).

    For negative n, where the reciprocal of Gamma(n + 1) is near 0. `other` is the logarithmic slope of the rest.
    """
    below = f"min({n}, -0.5)"  # finite wherever it is not taken
    size = f"exp(lgamma({x} + 1) - lgamma({m} + 1) + lgamma(-{below}))"
    return f"{size} * (sin(pi * {n}) / pi * (digamma(-{below}) - {other}) - cos(pi * {n}))"


def student_density(k: str, t: str) -> str:
    """The density of Student's distribution with k degrees of freedom (A&S 26.7.1), by that of a symmetric beta one.

    Its argument is the smaller share of 1 and loses no digits. For large k, by a quotient of gamma functions.
    """
    length = f"hypot(sqrt({k}), {t})"
    share = f"{k} / {length} / ({length} + abs({t})) / 2"
    small = f"beta_pdf({share}, {k} / 2, {k} / 2) * {k} / {length} / {length} / {length} / 2"
    large = f"exp(-({k} + 1) / 2 * log1p({t} * {t} / {k})) * poch({k} / 2, 0.5) / sqrt(pi * {k})"
    return f"where({k} > 20000, {large}, {small})"


_TERMS = 14  # of an asymptotic series


def scaled_slope(sign: str, order: str, near: str, side: str = "1") -> str:
    """The derivative of a Bessel function without its exponential growth or decay: `near`, which cancels far out.

    There it is the derivative of the asymptotic series (DLMF 10.40.1, 10.40.2), with terms of alternating sign for "-".
    Relative error: about 1e-13 for orders up to sqrt(abs(x)), beyond that abs(x) roundings.
    `side` is the sign of the function at x, which is 1 for positive x.
    """
    far = f"{2 * _TERMS + 1} / 2"
    for k in range(_TERMS, 0, -1):
        share = f"(square(2 * {order}) - {(2 * k - 1) ** 2}) / ({8 * k} * abs(x))"
        far = f"({2 * k - 1} / 2 {sign} {share} * {far})"
    scale = "sqrt(tau * abs(x))" if sign == "-" else "sqrt(2 * x / pi)"
    return f"where(abs(x) > 50 + square({order}), -{far} * {side} / (x * {scale}), {near})"


def of_orders_beside(name: str, sign: str) -> str:
    """The derivative of a Bessel function by those of the orders beside n.

    Where the order below is near a pole of gamma, to which the rounding of n - 1 matters, by the order above alone.
    """
    above = f"n / x * v {sign} {name}(n + 1, x)"
    return f"where(n < 0.5 and n != floor(n), {above}, ({name}(n - 1, x) {sign} {name}(n + 1, x)) / 2)"


_POWER = "where(x < 0, (x / 2) ** n * rgamma(n + 1.5), exp(xlogy(n, x / 2) - lgamma(n + 1.5))) / sqrt(pi)"


def by_order_below(name: str, sign: str) -> str:
    """The derivative of a Struve function by that of the order below; near 0 by both orders beside it."""
    both = f"({name}(n - 1, x) {sign} {name}(n + 1, x) + {_POWER}) / 2"
    return f"where(abs(x) > 1, {name}(n - 1, x) - n / x * v, {both})"


# The derivative (1 + exp(x) (x - 1)) / x**2 of (exp(x) - 1) / x cancels near 0 and is replaced there by the series with
# terms x**k / (k! (k + 2)).
_NEAR = [1 / 2, 1 / 3, 1 / 8, 1 / 30, 1 / 144, 1 / 840, 1 / 5760, 1 / 45360, 1 / 403200, 1 / 3991680, 1 / 43545600,
         1 / 518918400]  # fmt: skip


def slope_of_exprel(x: str) -> str:
    """The derivative of (exp(x) - 1) / x."""
    return f"where(abs({x}) < 0.5, {horner(x, *_NEAR)}, (1 + exp({x}) * ({x} - 1)) / square(where({x} == 0, 1, {x})))"


def bend_of_power(t: str) -> str:
    """The derivative by y of log((1 + x y)**(1 / y)), divided by x squared, at t = x y; near 0 its series."""
    near = horner(t, *((-1.0) ** (k - 1) * (k - 1) / k for k in range(2, 19)))
    return f"where(abs({t}) < 0.1, {near}, ({t} / (1 + {t}) - log1p({t})) / square(where({t} == 0, 1, {t})))"

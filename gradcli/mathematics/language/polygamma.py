"""The digamma and polygamma functions for Python floats."""

from __future__ import annotations

import math
from functools import lru_cache

HIGHEST_ORDER = 1000
HIGHEST_REFLECTED_ORDER = 140

# B_2k / 2k and B_2k / (2k)!, for k = 1 to 10
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
_DIGAMMA_TERMS = tuple(b / (2 * k) for k, b in enumerate(_BERNOULLI, 1))
_ZETA_TERMS = tuple(b / math.factorial(2 * k) for k, b in enumerate(_BERNOULLI, 1))


def digamma(x: float) -> float:
    """The derivative of log(gamma(x)). Never raises.

    At 0 it is infinite with the sign of -x, at negative integers nan. Its relative error is about 1e-14 except near its
    zeros.

    References:
        Abramowitz & Stegun 6.3.5 (recurrence), 6.3.7 (reflection), 6.3.18 (asymptotic series).
    """
    if x <= 0:
        return _digamma_left(x)
    if math.isnan(x) or x == math.inf:
        return x
    shift = 0.0
    while x < 10:
        shift += 1 / x
        x += 1
    square = 1 / x / x
    series = 0.0
    for term in reversed(_DIGAMMA_TERMS):
        series = (series + term) * square
    return math.log(x) - 0.5 / x - series - shift


def _digamma_left(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, -x)
    if x == math.floor(x) if math.isfinite(x) else True:
        return math.nan
    return digamma(1 - x) - math.pi / math.tan(math.pi * _to_nearest(x))


def _to_nearest(x: float) -> float:
    """`x` minus the nearest integer, exact."""
    return math.remainder(x, 1.0)


def polygamma(order: float, x: float) -> float:
    """The derivative of `digamma` of the given order. Never raises.

    It is nan unless the order is an integer from 0 to 1000 (to 140 for negative x), and infinite at 0 and at negative
    integers. Its relative error is about 1e-14 except near its zeros.

    References:
        Abramowitz & Stegun 6.4.6 (recurrence), 6.4.7 (reflection), 6.4.10 (series), 6.4.11 (asymptotic series).
    """
    if math.isnan(x) or not 0 <= order <= HIGHEST_ORDER or order != int(order):
        return math.nan
    n = int(order)
    if n == 0:
        return digamma(x)
    sign = 1.0 if n % 2 else -1.0
    if x > 0:
        return sign * _scaled_zeta(n, x)
    if math.isinf(x) or x == math.floor(x):
        return sign * math.inf
    return _reflected(n, x)


def _scaled_zeta(n: int, x: float) -> float:
    """The product of n! and the Hurwitz zeta function of n + 1 at x > 0.

    The factors may leave the range of floats where their product does not, so exponents are computed separately.
    """
    if x == math.inf:
        return 0.0
    power = n + 1
    factorial = math.factorial(n)
    shift = max(factorial.bit_length() - 64, 0)
    (base, exponent), (relative, digits) = math.frexp(x), math.frexp(_relative_zeta(power, x))
    try:
        return math.ldexp((factorial >> shift) / base**power * relative, shift + digits - exponent * power)
    except OverflowError:
        return math.inf


def _relative_zeta(power: int, x: float) -> float:
    """The sum over k >= 0 of (x / (x + k))**power: single terms, then the Euler-Maclaurin formula."""
    total, k = 0.0, 0
    while x + k < power + 10:
        term = (x / (x + k)) ** power
        total += term
        k += 1
        if term * (x + k) < 1e-19 * total:
            return total
    y = x + k
    head = (x / y) ** power
    series, rising = 0.5 + y / (power - 1), power / y
    for i, term in enumerate(_ZETA_TERMS, 1):
        series += term * rising
        rising *= (power + 2 * i - 1) / y * (power + 2 * i) / y
    return total + head * series


def _reflected(n: int, x: float) -> float:
    if n > HIGHEST_REFLECTED_ORDER:
        return math.nan
    cotangent = 1 / math.tan(math.pi * _to_nearest(x))
    value = 0.0
    for coefficient in _cotangent_derivative(n):
        value = value * cotangent + coefficient
    other = -1.0 if n % 2 else 1.0
    return other * polygamma(n, 1 - x) - math.pi ** (n + 1) * value


@lru_cache(maxsize=HIGHEST_REFLECTED_ORDER + 1)
def _cotangent_derivative(n: int) -> tuple[float, ...]:
    """The coefficients of the n-th derivative of the cotangent as a polynomial in the cotangent, highest power first.

    For each sign of the cotangent all terms have the same sign, so nothing cancels.
    """
    coefficients = [0, 1]
    for _ in range(n):
        slopes = [k * c for k, c in enumerate(coefficients)][1:]
        coefficients = [-a - b for a, b in zip([*slopes, 0, 0], [0, 0, *slopes], strict=True)]
    return tuple(float(c) for c in reversed(coefficients))

"""SciPy's special functions that are not rows of the table: those with several results, and those written in Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.mathematics.language import numpy_like_functions
from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import apply_plainly, numeric, plain_value, serves, unsupported
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.scipy_only_special_functions import BY_PARTIALS, pointwise, without_derivative


def _pair(name: str, *rows: str) -> None:
    @serves(f"scipy.special.{name}", other_steps=True)
    def pair(x: Any) -> Any:
        return tuple(RULES[row](numeric(x)) for row in rows)


_pair("sici", "si", "ci")
_pair("shichi", "shi", "chi")
_pair("fresnel", "fresnels", "fresnelc")
_pair("airy", "airyai", "airyaip", "airybi", "airybip")


def _serve_rows(name: str) -> None:
    functions = BY_PARTIALS[name]

    @serves(f"scipy.special.{'_ufuncs.' if name.startswith('_') else ''}{name}")
    def function(*x: Any) -> Any:
        x = tuple(map(numeric, x))
        return functions[0](*x) if len(functions) == 1 else tuple(function(*x) for function in functions)


for _name in BY_PARTIALS.keys() - {"ellipj"}:
    _serve_rows(_name)


@serves("scipy.special.ellipj", other_steps=True)
def ellipj(u: Any, m: Any) -> tuple[Any, Any, Any, Any]:
    """`scipy.special.ellipj`: all four results from the amplitude (DLMF 22.16.1)."""
    u, m = numeric(u), numeric(m)
    amplitude = BY_PARTIALS["ellipj"][0](u, m)
    sine = np.sin(amplitude)
    return sine, np.cos(amplitude), np.sqrt(1.0 - m * np.square(sine)), amplitude


def _wofz_slope(v: Any, z: Any) -> Any:
    """The derivative 2i / sqrt(pi) - 2 z w(z) (DLMF 7.10.2); for large z in the upper half its series (DLMF 7.12.1)."""
    far = (np.abs(z) > 12.0) & (np.imag(z) >= 0.0)
    inverse = 1.0 / np.where(far, z, 12.0) ** 2
    series = sum(math.prod(range(1, 2 * n + 2, 2)) * (inverse / 2.0) ** n for n in range(12))
    return np.where(far, -1j / np.sqrt(np.pi) * inverse * series, 2j / np.sqrt(np.pi) - 2.0 * z * v)


# SciPy returns complex numbers for real arguments too, so these cannot be rows
WOFZ = pointwise("wofz", "z: scipy.special.wofz(z)", numpy_like_functions.special("wofz"), _wofz_slope, complex=True)
LAMBERTW = pointwise(
    "lambertw",
    "z, *, k, tol: scipy.special.lambertw(z, k, tol)",
    lambda z, *, k, tol: numpy_like_functions.special("lambertw")(z, k, tol),
    lambda v, z, *, k, tol: 1.0 / (z + np.exp(v)),
    complex=True,
)


@serves("scipy.special.wofz")
def wofz(z: Any) -> Any:
    """`scipy.special.wofz`, the Faddeeva function."""
    return WOFZ(numeric(z))


@serves("scipy.special.voigt_profile", other_steps=True)
def voigt_profile(x: Any, sigma: Any, gamma: Any) -> Any:
    """`scipy.special.voigt_profile`, by the Faddeeva function (DLMF 7.19.1, 7.19.3)."""
    if not np.all(plain_value(sigma)):
        raise unsupported("scipy.special.voigt_profile with sigma=0")
    width = numeric(sigma) * math.sqrt(2.0)
    return np.real(WOFZ((numeric(x) + 1j * numeric(gamma)) / width)) / (width * math.sqrt(math.pi))


def _are_there(b: Any) -> Any:
    return b != 0


def _of_those(counts: Any, a: Any) -> Any:
    return np.where(counts, a, -np.inf)


def _axes(a: Any, axis: Any) -> Any:
    return tuple(range(np.ndim(a))) if axis is None else axis


def _largest(a: Any, axis: Any) -> Any:
    """The largest element along axes as a plain fact, or 0 if it is not finite: subtracted and added back."""
    return apply_plainly(call_of(_finite_largest, _axes(a, axis)), a)


def _finite_largest(a: Any, axes: Any) -> Any:
    largest = np.max(a, axis=axes, keepdims=True)
    return np.where(np.isfinite(largest), largest, 0.0).astype(a.dtype)


@serves("scipy.special.logsumexp", other_steps=True)
def logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False) -> Any:
    """`scipy.special.logsumexp`."""
    a = numeric(a)
    if np.size(a) == 0:
        empty = np.full_like(plain_value(np.sum(a, axis=axis, keepdims=keepdims)), -np.inf)
        return (empty, np.zeros_like(empty)) if return_sign else empty
    if b is None:
        shift = _largest(a, axis)
        terms = np.exp(a - shift)
    else:
        a, b = np.broadcast_arrays(a, numeric(b))
        counts = apply_plainly(_are_there, b)
        shift = _largest(apply_plainly(_of_those, counts, a), axis)
        terms = np.exp(a - shift)
        terms = b * np.where(counts | apply_plainly(np.isfinite, terms), terms, 0.0)
    total = np.sum(terms, axis=axis, keepdims=True)
    sign = apply_plainly(np.sign, total)
    result = np.log(np.abs(total) if return_sign else total) + shift
    if not keepdims:
        result, sign = np.squeeze(result, _axes(a, axis)), np.squeeze(sign, _axes(a, axis))
    return (result, sign) if return_sign else result


@serves("scipy.special.softmax", other_steps=True)
def softmax(x: Any, axis: Any = None) -> Any:
    """`scipy.special.softmax`."""
    x = numeric(x)
    terms = np.exp(x - _largest(x, axis))
    return terms / np.sum(terms, axis=axis, keepdims=True)


@serves("scipy.special.log_softmax", other_steps=True)
def log_softmax(x: Any, axis: Any = None) -> Any:
    """`scipy.special.log_softmax`."""
    x = numeric(x)
    shifted = x - _largest(x, axis)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))


@serves("scipy.special.softplus", other_steps=True)
def softplus(x: Any) -> Any:
    """`scipy.special.softplus`."""
    return np.logaddexp(0.0, numeric(x))


@serves("scipy.special.lambertw")
def lambertw(z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    """`scipy.special.lambertw`, on any branch; its derivative is W' = 1 / (z + exp(W)) (DLMF 4.13.4)."""
    return LAMBERTW(numeric(z), k=plain_value(k), tol=plain_value(tol))


def _in_double(x: Any) -> Any:
    """A number in at least double precision, as in SciPy's Python code."""
    return numeric(x, np.result_type(numeric(plain_value(x)), float))


@serves("scipy.special.polygamma", other_steps=True)
def polygamma(n: Any, x: Any) -> Any:
    """`scipy.special.polygamma`."""
    return RULES["polygamma"](np.asarray(n)[()], _in_double(x))


@serves("scipy.special.zeta", other_steps=True)
def zeta(x: Any, q: Any = None) -> Any:
    """`scipy.special.zeta`, differentiable by its second argument."""
    if q is None:
        raise UnsupportedError(
            "scipy.special.zeta has no derivative by its first argument",
            hint="zeta(x, q) has one by q; pass a plain number for x.",
        )
    return RULES["zeta"](x, numeric(q))


@serves("scipy.special.multigammaln", other_steps=True)
def multigammaln(a: Any, d: int) -> Any:
    """`scipy.special.multigammaln`."""
    a = numeric(a)
    constant = d * (d - 1) * 0.25 * np.log(np.pi)
    return sum((RULES["lgamma"](a - 0.5 * k) for k in range(1, d)), RULES["lgamma"](a)) + constant


@serves("scipy.special.comb", other_steps=True)
def comb(N: Any, k: Any, *, exact: bool = False, repetition: bool = False) -> Any:
    """`scipy.special.comb`, interpolated between integers by the gamma function."""
    if repetition:
        N = numeric(N) + k - 1
    N, k = _in_double(N), _in_double(k)
    some = (plain_value(k) <= plain_value(N)) & (plain_value(N) >= 0) & (plain_value(k) >= 0)
    result = RULES["binom"](np.where(some, N, 1.0), np.where(some, k, 1.0)) if np.any(~some) else RULES["binom"](N, k)
    return result if np.all(some) else np.where(some, result, 0.0)


@serves("scipy.special.factorial", other_steps=True)
def factorial(n: Any, exact: bool = False, extend: str = "zero") -> Any:
    """`scipy.special.factorial`, interpolated between integers by the gamma function."""
    n = numeric(n)
    return RULES["gamma"]((_in_double(n) if np.ndim(n) else n) + 1.0)


# Spherical Bessel functions: derivatives from neighbouring orders (DLMF 10.51.1, 10.51.4), which hold at 0 too


def _serve_spherical(name: str, below: float, above: float) -> None:
    def slope(n: Any, z: Any) -> Any:
        lower, upper = SPHERICAL[name](np.maximum(n - 1, 0), z), SPHERICAL[name](n + 1, z)
        return (below * n * np.where(n > 0, lower, 0.0) + above * (n + 1) * upper) / (2 * n + 1)

    @serves(f"scipy.special.{name}", other_steps=True)
    def spherical(n: Any, z: Any, derivative: bool = False) -> Any:
        n, z = np.asarray(without_derivative(name, "n", n)), numeric(z)
        return slope(n, z) if derivative else SPHERICAL[name](n, z)

    SPHERICAL[name] = pointwise(
        name, f"n, z: scipy.special.{name}(n, z)", numpy_like_functions.special(name), None, lambda v, n, z: slope(n, z)
    )


SPHERICAL: dict[str, Any] = {}
_serve_spherical("spherical_jn", 1.0, -1.0)
_serve_spherical("spherical_yn", 1.0, -1.0)
_serve_spherical("spherical_in", 1.0, 1.0)
_serve_spherical("spherical_kn", -1.0, -1.0)


@serves("scipy.special.hankel1", other_steps=True)
def hankel1(v: Any, z: Any) -> Any:
    """`scipy.special.hankel1`, for real arguments (DLMF 10.4.3)."""
    return RULES["jv"](v, numeric(z)) + 1j * RULES["yv"](v, numeric(z))


@serves("scipy.special.hankel2", other_steps=True)
def hankel2(v: Any, z: Any) -> Any:
    """`scipy.special.hankel2`, for real arguments (DLMF 10.4.3)."""
    return RULES["jv"](v, numeric(z)) - 1j * RULES["yv"](v, numeric(z))

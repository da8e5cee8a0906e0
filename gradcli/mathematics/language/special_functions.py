"""The special functions of the formula language, which need SciPy for numbers and arrays.

Most are defined in the rule table by formulas of other functions. The functions here have no simpler definition; they
are given for mpmath's numbers and SymPy's expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.errors import UnsupportedError

Function = Callable[..., Any]

_ONE_ARGUMENT = """
    expit logit log_expit erfcx erfi erfinv erfcinv dawsn ndtr ndtri log_ndtr rgamma log_gamma
    i0 i0e i1 i1e j0 j1 y0 y1 k0 k0e k1 k1e exp10 exprel cosm1 expi exp1 si ci shi chi fresnels fresnelc
    airyai airyaip airybi airybip ellipk ellipe ellipkm1 spence wrightomega
"""
_TWO_ARGUMENTS = """
    iv ive jv jve yn yv yve kn kv kve expn zeta beta betaln binom poch gammainc gammaincc
    xlogy xlog1py hyp0f1 struve modstruve ellipkinc ellipeinc
    eval_legendre eval_chebyt eval_chebyu eval_laguerre
"""
_THREE_ARGUMENTS = "beta_pdf betainc betaincc hyp1f1 hyperu eval_gegenbauer eval_genlaguerre"
_FOUR_ARGUMENTS = "hyp2f1 eval_jacobi"

WORDS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(_ONE_ARGUMENT.split(), (1, 1)),
    **dict.fromkeys(_TWO_ARGUMENTS.split(), (2, 2)),
    **dict.fromkeys(_THREE_ARGUMENTS.split(), (3, 3)),
    **dict.fromkeys(_FOUR_ARGUMENTS.split(), (4, 4)),
}
"""The functions with their smallest and largest number of arguments. Without brackets, the names may be inputs."""


def missing_scipy_error(name: str) -> UnsupportedError:
    """The error for a SciPy function when SciPy is not installed."""
    return UnsupportedError(f"{name} needs SciPy, which is not installed", hint="Type pip install 'gradcli[scipy]'.")


# The functions that mpmath and SymPy have too: our name, mpmath's, SymPy's.
_ELSEWHERE = """
    jv besselj besselj, yv bessely bessely, iv besseli besseli, kv besselk besselk,
    erfi erfi erfi, erfinv erfinv erfinv, expi ei Ei, expn expint expint,
    si si Si, ci ci Ci, shi shi Shi, chi chi Chi, fresnels fresnels fresnels, fresnelc fresnelc fresnelc,
    zeta zeta zeta, airyai airyai airyai, airybi airybi airybi,
    ellipk ellipk elliptic_k, ellipe ellipe elliptic_e, ellipkinc ellipf elliptic_f, ellipeinc ellipe elliptic_e,
    eval_legendre legendre legendre, eval_chebyt chebyt chebyshevt, eval_chebyu chebyu chebyshevu,
    eval_gegenbauer gegenbauer gegenbauer, eval_genlaguerre laguerre assoc_laguerre, eval_jacobi jacobi jacobi
"""


def _named(library: Any, column: int) -> dict[str, Function]:
    rows = map(str.split, _ELSEWHERE.split(","))
    return {row[0]: getattr(library, row[column]) for row in rows}


def of_mpmath() -> dict[str, Function]:
    """The functions without simpler definition, for mpmath's numbers."""
    import mpmath

    mp = mpmath.mp
    return {
        **_named(mp, 1),
        "exprel": lambda x: mp.hyp1f1(1, 2, x),
        "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
        "betainc": lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True),
        "airyaip": lambda x: mp.airyai(x, derivative=1),
        "airybip": lambda x: mp.airybi(x, derivative=1),
        **{name: getattr(mp, name) for name in ("hyp0f1", "hyp1f1", "hyp2f1", "hyperu")},
        "struve": mp.struveh,
        "modstruve": mp.struvel,
        "spence": lambda x: mp.polylog(2, 1 - x),
        "wrightomega": lambda x: mp.lambertw(mp.exp(x)),
    }


def of_sympy() -> dict[str, Function]:
    """The functions without simpler definition, as SymPy expressions."""
    import sympy

    return {
        **_named(sympy, 2),
        "exprel": lambda x: sympy.hyper((1,), (2,), x),
        "gammainc": lambda a, x: sympy.lowergamma(a, x) / sympy.gamma(a),
        "betainc": lambda a, b, x: sympy.betainc_regularized(a, b, 0, x),
        "airyaip": sympy.airyaiprime,
        "airybip": sympy.airybiprime,
        "hyp0f1": lambda b, x: sympy.hyper((), (b,), x),
        "hyp1f1": lambda a, b, x: sympy.hyper((a,), (b,), x),
        "hyp2f1": lambda a, b, c, x: sympy.hyper((a, b), (c,), x),
        "hyperu": _tricomi,
        "struve": lambda v, x: _struve(v, x, -1),
        "modstruve": lambda v, x: _struve(v, x, 1),
        "spence": lambda x: sympy.polylog(2, 1 - x),
        "wrightomega": lambda x: sympy.LambertW(sympy.exp(x)),
    }


def _struve(v: Any, x: Any, sign: int) -> Any:
    """The Struve function, or the modified one if `sign` is 1, by its series (DLMF 11.2.1)."""
    import sympy

    half = sympy.Rational(1, 2)
    series = sympy.hyper((1,), (3 * half, v + 3 * half), sign * x**2 / 4)
    return (x / 2) ** (v + 1) / (sympy.gamma(3 * half) * sympy.gamma(v + 3 * half)) * series


def _tricomi(a: Any, b: Any, x: Any) -> Any:
    """Tricomi's function in terms of Kummer's (DLMF 13.2.42). b must not be an integer."""
    import sympy

    first = sympy.gamma(1 - b) / sympy.gamma(a - b + 1) * sympy.hyper((a,), (b,), x)
    second = sympy.gamma(b - 1) / sympy.gamma(a) * x ** (1 - b) * sympy.hyper((a - b + 1,), (2 - b,), x)
    return first + second

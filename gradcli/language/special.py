"""The special functions of the language: words that need SciPy on numbers and arrays, and nothing in closed forms.

Most are defined by a formula of other words, in the table of rules; here are those that nothing simpler defines, on
mpmath's numbers and on SymPy's expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.errors import UnsupportedError

Function = Callable[..., Any]

_ONE_ARGUMENT = """
    expit logit log_expit erfcx erfi erfinv erfcinv dawsn ndtr ndtri log_ndtr rgamma log_gamma
    i0 i0e i1 i1e j0 j1 y0 y1 k0 k0e k1 k1e exp10 exprel cosm1 expi exp1 si ci shi chi fresnels fresnelc
"""
_TWO_ARGUMENTS = """
    iv ive jv yn yv kn kv kve expn zeta beta betaln binom poch gammainc gammaincc
    xlogy xlog1py
"""

WORDS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(_ONE_ARGUMENT.split(), (1, 1)),
    **dict.fromkeys(_TWO_ARGUMENTS.split(), (2, 2)),
    "betainc": (3, 3),
}
"""The words, each with the least and the largest number of its arguments; without brackets they may name an input."""


def on_arrays(name: str) -> Function:
    """SciPy's function of that name, `name:1` for the second of the results of one that has several.

    It is looked for when it is first called, so that a program without one does not import SciPy.
    """
    from gradcli.language.array import special

    theirs, _, part = name.partition(":")
    found = special(theirs)
    return (lambda *arguments: found(*arguments)[int(part)]) if part else found


def on_numbers(name: str) -> Function:
    """The same on Python floats, without a warning or an error for any of them."""
    function = on_arrays(name)
    return lambda *arguments: float(function(*arguments))


def missing(name: str) -> UnsupportedError:
    """The refusal of a function of SciPy's where SciPy is not installed."""
    return UnsupportedError(f"{name} needs SciPy, which is not installed", hint="Type pip install 'gradcli[scipy]'.")


def of_mpmath() -> dict[str, Function]:
    """What nothing simpler defines, on mpmath's numbers."""
    import mpmath

    mp = mpmath.mp
    return {
        "jv": mp.besselj,
        "yv": mp.bessely,
        "iv": mp.besseli,
        "kv": mp.besselk,
        "erfi": mp.erfi,
        "erfinv": mp.erfinv,
        "expi": mp.ei,
        "expn": mp.expint,
        "exprel": lambda x: mp.hyp1f1(1, 2, x),
        "si": mp.si,
        "ci": mp.ci,
        "shi": mp.shi,
        "chi": mp.chi,
        "fresnels": mp.fresnels,
        "fresnelc": mp.fresnelc,
        "zeta": mp.zeta,
        "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
        "betainc": lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True),
    }


def of_sympy() -> dict[str, Function]:
    """What nothing simpler defines, as SymPy's expressions."""
    import sympy

    return {
        "jv": sympy.besselj,
        "yv": sympy.bessely,
        "iv": sympy.besseli,
        "kv": sympy.besselk,
        "erfi": sympy.erfi,
        "erfinv": sympy.erfinv,
        "expi": sympy.Ei,
        "expn": sympy.expint,
        "exprel": lambda x: sympy.hyper((1,), (2,), x),
        "si": sympy.Si,
        "ci": sympy.Ci,
        "shi": sympy.Shi,
        "chi": sympy.Chi,
        "fresnels": sympy.fresnels,
        "fresnelc": sympy.fresnelc,
        "zeta": sympy.zeta,
        "gammainc": lambda a, x: sympy.lowergamma(a, x) / sympy.gamma(a),
        "betainc": lambda a, b, x: sympy.betainc_regularized(a, b, 0, x),
    }

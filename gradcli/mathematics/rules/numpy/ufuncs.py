"""NumPy's ufuncs: the rule of each, and implementations of those made of several rules or with two results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.mathematics.rules.function_registry import numeric
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.numpy import products
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.shared import devices


def _ldexp(x: Any, *, exponent: Any) -> Any:
    """The product. Numbers of many digits and symbols are multiplied by integers, which floats would limit."""
    if isinstance(x, float) or (hasattr(x, "dtype") and x.dtype.kind != "O"):
        return np.ldexp(x, exponent)
    whole = np.asarray(exponent, dtype=object)
    return x * 2 ** np.maximum(whole, 0) / 2 ** np.maximum(-whole, 0)


LDEXP: ArrayRule = array_rule(
    "ldexp",
    "x, *, exponent: np.ldexp(x, exponent)",
    lambda ct, v, x, *, exponent: LDEXP(ct, exponent=exponent),
    compute=_ldexp,
    linear=True,
    diagonal=True,
)


# NumPy's and SciPy's names of ufuncs, with gradcli's names where they differ.
UFUNCS = {
    "absolute": "abs",
    "fabs": "abs",
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "remainder": "mod",
    "mod": "mod",
    "power": "pow",
    "float_power": "pow",
    "negative": "neg",
    "positive": "pos",
    "conjugate": "conj",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "deg2rad": "radians",
    "rad2deg": "degrees",
    "gammaln": "lgamma",
    "loggamma": "log_gamma",
    "_zeta": "zeta",
    "psi": "digamma",
    "_beta_pdf": "beta_pdf",
}

MADE_OF_ROWS: dict[str, Callable[..., Any]] = {}


def ufunc_rule(name: str) -> Any:
    """The rule of a NumPy or SciPy ufunc, or None."""
    return RULES.get(UFUNCS.get(name, name)) or RULES.get(f"scipy.{name}")


def ufunc_function(name: str) -> Callable[..., Any] | None:
    """The implementation of a ufunc that is not a single rule, or None."""
    return MADE_OF_ROWS.get(name)


def _serves(function: Callable[..., Any]) -> Callable[..., Any]:
    name = function.__name__.rstrip("_")
    MADE_OF_ROWS[name] = with_value_of(name, function)
    return function


@_serves
def float_power(x: Any, y: Any) -> Any:
    """`numpy.float_power`, in at least double precision."""
    dtype = np.result_type(x, y, np.float64)
    return RULES["pow"](numeric(x, dtype), numeric(y, dtype))


@_serves
def divmod_(x: Any, y: Any) -> tuple[Any, Any]:
    """`numpy.divmod`. The quotient is plain."""
    return np.floor_divide(x, y), np.remainder(x, y)


@_serves
def modf(x: Any) -> tuple[Any, Any]:
    """`numpy.modf`: the fraction, with derivative 1, and the integer part, which is plain."""
    whole = np.trunc(x)
    return np.where(np.isinf(whole), np.zeros_like(whole), x - np.where(np.isinf(whole), 0.0, whole)), whole


def _exponent(x: Any) -> Any:
    return np.frexp(x)[1]


def _whole(x: Any) -> Any:
    return np.asarray(x).astype(int)[()]


def _step_towards(x: Any, y: Any) -> Any:
    return np.subtract(np.nextafter(x, y), x)


@_serves
def frexp(x: Any) -> tuple[Any, Any]:
    """`numpy.frexp`: the mantissa, which is the number times a plain power of two, and the plain exponent."""
    exponent = x.apply_outcome("frexp", _exponent, (x,))
    return np.ldexp(x, -exponent), exponent


def ldexp(x: Any, exponent: Any) -> Any:
    """`numpy.ldexp`. A recorded exponent is an outcome."""
    if hasattr(exponent, "apply_outcome"):
        exponent = exponent.apply_outcome("ldexp", _whole, (exponent,))
    if not hasattr(x, "apply_rule"):
        return np.ldexp(x, exponent)
    return LDEXP(x, exponent=devices.array_on_device_of(exponent, x) if np.ndim(exponent) else exponent)


MADE_OF_ROWS["ldexp"] = ldexp


@_serves
def nextafter(x: Any, y: Any) -> Any:
    """`numpy.nextafter`: the number plus a plain step."""
    recorded = x if hasattr(x, "apply_outcome") else y
    step = recorded.apply_outcome("nextafter", _step_towards, (x, y))
    return x + step


def _by_orders(name: str) -> Callable[..., Any]:
    """A SciPy function with derivatives by its parameters, whose implementation is imported when it is called."""

    def function(*x: Any) -> Any:
        from gradcli.mathematics.rules import incomplete_gamma_beta

        return getattr(incomplete_gamma_beta, name)(*x)

    return function


_OF_ORDERS = "gammainc gammaincc gammaincinv gammainccinv chdtr chdtrc gdtr gdtrc betainc betaincc fdtr fdtrc"
MADE_OF_ROWS |= {name: with_value_of(f"scipy.special.{name}", _by_orders(name)) for name in _OF_ORDERS.split()}
for _product in (products.vecdot, products.matvec, products.vecmat):
    _serves(_product)

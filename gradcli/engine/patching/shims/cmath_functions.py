"""Functions of `cmath` that also accept recorded numbers."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

from gradcli.engine.patching.shims.math_functions import any_recorded, fact, math_function, named
from gradcli.engine.tape.values.complex import as_complex, by_python, complex_of
from gradcli.engine.tape.values.scalar import as_number
from gradcli.mathematics.rules.rule_types import elementwise_rule

_UNARY = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log10", "sin", "sinh", "sqrt",
    "tan", "tanh",
)  # fmt: skip


def _unary(name: str) -> Callable[[Any], Any]:
    original, rule = getattr(cmath, name), elementwise_rule(name)

    def function(z: Any, /) -> Any:
        return by_python(rule, (as_complex(z),), original) if any_recorded((z,)) else original(z)

    return function


def _log(z: Any, base: Any = None, /) -> Any:
    if not any_recorded((z, base)):
        return cmath.log(z) if base is None else cmath.log(z, base)
    logarithm = by_python(elementwise_rule("log"), (as_complex(z),), cmath.log) if any_recorded((z,)) else cmath.log(z)
    return logarithm if base is None else logarithm / _log(base)


def _phase(z: Any, /) -> Any:
    if not any_recorded((z,)):
        return cmath.phase(z)
    return math_function("atan2")(as_complex(z).imag, as_complex(z).real)


def _polar(z: Any, /) -> Any:
    return (abs(as_complex(z)), _phase(z)) if any_recorded((z,)) else cmath.polar(z)


def _rect(r: Any, phi: Any, /) -> Any:
    if not any_recorded((r, phi)):
        return cmath.rect(r, phi)
    return complex_of(as_number(r) * math_function("cos")(phi), as_number(r) * math_function("sin")(phi))


_SPECIAL = {
    "log": _log, "phase": _phase, "polar": _polar, "rect": _rect,
    **{name: fact(getattr(cmath, name)) for name in ("isnan", "isinf", "isfinite", "isclose")},
}  # fmt: skip


@cache
def attribute(module: ModuleType, name: str) -> Any:
    """The replacement of a function of `cmath`; any other attribute itself."""
    original, shim = getattr(module, name), _unary(name) if name in _UNARY else _SPECIAL.get(name)
    return named(shim, original) if shim else original

"""Symbolic-numeric gradient exploration: a tape, its gradient, and independent checks of it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradcli import queries
    from gradcli.arrays import device
    from gradcli.checking import assert_grad, check
    from gradcli.custom import rule
    from gradcli.directional import elementwise_grad, hvp, jvp, vjp
    from gradcli.errors import FindingWarning, GradcliError
    from gradcli.gradient_tape import GradientTape
    from gradcli.tape.recording import Recording as Tape
    from gradcli.tensors import Variable, cast, constant
    from gradcli.transforms import grad, stop_gradient, trace, value_and_grad

__version__ = "0.1.0"

# Where each public name lives; it is imported when it is first asked for.
_HOMES = {
    "FindingWarning": "gradcli.errors",
    "GradcliError": "gradcli.errors",
    "GradientTape": "gradcli.gradient_tape",
    "Tape": "gradcli.tape.recording:Recording",
    "Variable": "gradcli.tensors",
    "assert_grad": "gradcli.checking",
    "cast": "gradcli.tensors",
    "check": "gradcli.checking",
    "constant": "gradcli.tensors",
    "device": "gradcli.arrays",
    "elementwise_grad": "gradcli.directional",
    "grad": "gradcli.transforms",
    "hessian": "gradcli.jacobians",
    "hvp": "gradcli.directional",
    "jacobian": "gradcli.jacobians",
    "jvp": "gradcli.directional",
    "rule": "gradcli.custom",
    "stop_gradient": "gradcli.transforms",
    "trace": "gradcli.transforms",
    "value_and_grad": "gradcli.transforms",
    "vjp": "gradcli.directional",
}

__all__ = [
    "FindingWarning",
    "GradcliError",
    "GradientTape",
    "Tape",
    "Variable",
    "assert_grad",
    "cast",
    "check",
    "constant",
    "device",
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "queries",
    "rule",
    "stop_gradient",
    "trace",
    "value_and_grad",
    "vjp",
]


def __getattr__(name: str) -> Any:
    if name in ("queries", "numpy"):
        return import_module(f"gradcli.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'gradcli' has no attribute {name!r}")
    module, _, inner = _HOMES[name].partition(":")
    found = getattr(import_module(module), inner or name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Symbolic-numeric gradient exploration: a tape, its gradient, and independent checks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.lazy import ITSELF, on_first_use

if TYPE_CHECKING:
    from gradcli import queries
    from gradcli.arrays import device
    from gradcli.checking import assert_grad, check
    from gradcli.custom import rule
    from gradcli.derivation.source import derive
    from gradcli.directional import elementwise_grad, hvp, jvp, vjp
    from gradcli.errors import FindingWarning, GradcliError
    from gradcli.gradient_tape import GradientTape
    from gradcli.marks import gradient_of, hessian_of, jacobian_of
    from gradcli.tensors import cast, constant
    from gradcli.traces.trace import Trace
    from gradcli.transforms import grad, stop_gradient, trace, value_and_grad
    from gradcli.variables import Variable
    from gradcli.verifying import Report, verify

__version__ = "0.1.0"

# Where each public name lives; it is imported when it is first asked for.
_HOMES = {
    "FindingWarning": "errors",
    "GradcliError": "errors",
    "GradientTape": "gradient_tape",
    "Report": "verifying",
    "Trace": "traces.trace",
    "Variable": "variables",
    "assert_grad": "checking",
    "cast": "tensors",
    "check": "checking",
    "constant": "tensors",
    "derive": "derivation.source",
    "device": "arrays",
    "elementwise_grad": "directional",
    "grad": "transforms",
    "gradient_of": "marks",
    "hessian": "jacobians",
    "hessian_of": "marks",
    "hvp": "directional",
    "jacobian": "jacobians",
    "jacobian_of": "marks",
    "jvp": "directional",
    "numpy": ITSELF,
    "queries": ITSELF,
    "rule": "custom",
    "stop_gradient": "transforms",
    "trace": "transforms",
    "value_and_grad": "transforms",
    "verify": "verifying",
    "vjp": "directional",
}

__all__ = [
    "FindingWarning",
    "GradcliError",
    "GradientTape",
    "Report",
    "Trace",
    "Variable",
    "assert_grad",
    "cast",
    "check",
    "constant",
    "derive",
    "device",
    "elementwise_grad",
    "grad",
    "gradient_of",
    "hessian",
    "hessian_of",
    "hvp",
    "jacobian",
    "jacobian_of",
    "jvp",
    "queries",
    "rule",
    "stop_gradient",
    "trace",
    "value_and_grad",
    "verify",
    "vjp",
]


def _instead(name: str) -> str | None:
    from gradcli.instead import of_gradcli

    return of_gradcli(name)


__getattr__ = on_first_use(__name__, _HOMES, _instead)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

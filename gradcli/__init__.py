"""Symbolic-numeric gradient exploration: a tape, its gradient, and independent checks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.lazy import ITSELF, on_first_use

if TYPE_CHECKING:
    from gradcli import queries
    from gradcli.checks.library import assert_grad, check
    from gradcli.custom_rules import rule
    from gradcli.derivation.source import derive
    from gradcli.devices import device
    from gradcli.errors import FindingWarning, GradcliError
    from gradcli.queries.workspace import Workspace
    from gradcli.tensorflow.gradient_tape import GradientTape
    from gradcli.tensorflow.tensors import cast, constant
    from gradcli.tensorflow.variables import Variable
    from gradcli.traces.trace import Trace
    from gradcli.transforms.gradients import grad, stop_gradient, trace, value_and_grad
    from gradcli.transforms.jacobians import hessian, jacobian
    from gradcli.transforms.products import elementwise_grad, hvp, jvp, vjp
    from gradcli.verification.library import Report, verify
    from gradcli.verification.marks import gradient_of, hessian_of, jacobian_of

__version__ = "0.1.0"

# Where each public name lives; it is imported when it is first asked for.
_HOMES = {
    "FindingWarning": "errors",
    "GradcliError": "errors",
    "GradientTape": "tensorflow.gradient_tape",
    "Report": "verification.library",
    "Trace": "traces.trace",
    "Variable": "tensorflow.variables",
    "Workspace": "queries.workspace",
    "assert_grad": "checks.library",
    "cast": "tensorflow.tensors",
    "check": "checks.library",
    "constant": "tensorflow.tensors",
    "derive": "derivation.source",
    "device": "devices",
    "elementwise_grad": "transforms.products",
    "grad": "transforms.gradients",
    "gradient_of": "verification.marks",
    "hessian": "transforms.jacobians",
    "hessian_of": "verification.marks",
    "hvp": "transforms.products",
    "jacobian": "transforms.jacobians",
    "jacobian_of": "verification.marks",
    "jvp": "transforms.products",
    "numpy": ITSELF,
    "queries": ITSELF,
    "rule": "custom_rules",
    "stop_gradient": "transforms.gradients",
    "trace": "transforms.gradients",
    "value_and_grad": "transforms.gradients",
    "verify": "verification.library",
    "vjp": "transforms.products",
}

__all__ = [
    "FindingWarning",
    "GradcliError",
    "GradientTape",
    "Report",
    "Trace",
    "Variable",
    "Workspace",
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
    from gradcli.name_hints import of_gradcli

    return of_gradcli(name)


__getattr__ = on_first_use(__name__, _HOMES, _instead)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

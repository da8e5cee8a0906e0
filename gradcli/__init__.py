"""Compute, inspect and verify gradients, by automatic differentiation, SymPy and finite differences."""

from __future__ import annotations

from gradcli.shared.lazy_imports import ITSELF, on_first_use
from gradcli.shared.notebook_display import NotebookDisplay

TYPE_CHECKING = False  # not that of `typing`: what is imported before a command's process starts is copied into it

if TYPE_CHECKING:
    from typing import Any

    from gradcli import queries
    from gradcli.answers.checks.python_api import assert_grad, check
    from gradcli.answers.compilable_transforms import grad, hessian, hvp, jacobian, value_and_grad
    from gradcli.answers.custom_elementwise_rules import rule
    from gradcli.answers.derivation.derivation_modes import derive
    from gradcli.answers.selftest.selftest import check_rules
    from gradcli.engine.traces.trace import Trace
    from gradcli.errors import FindingWarning, GradcliError
    from gradcli.many_points.python_api import evaluate_points
    from gradcli.methods.transforms.custom_functions import custom_jvp, custom_vjp
    from gradcli.methods.transforms.gradients import stop_gradient, trace
    from gradcli.methods.transforms.opaque_functions import opaque
    from gradcli.methods.transforms.products import elementwise_grad, jvp, vjp
    from gradcli.queries.plots import plot
    from gradcli.queries.propagation import propagate
    from gradcli.shared.devices import device
    from gradcli.tensorflow.gradient_tape import GradientTape
    from gradcli.tensorflow.tensors import cast, constant
    from gradcli.tensorflow.variables import Variable
    from gradcli.verification.gradient_marks import gradient_of, hessian_of, jacobian_of
    from gradcli.verification.python_api import Report, verify

__version__ = "0.1.0"

# The module that defines each public name, imported on first use.
_HOMES = {
    "FindingWarning": "errors",
    "GradcliError": "errors",
    "GradientTape": "tensorflow.gradient_tape",
    "Report": "verification.python_api",
    "Trace": "engine.traces.trace",
    "Variable": "tensorflow.variables",
    "assert_grad": "answers.checks.python_api",
    "cast": "tensorflow.tensors",
    "check": "answers.checks.python_api",
    "check_rules": "answers.selftest.selftest",
    "constant": "tensorflow.tensors",
    "custom_jvp": "methods.transforms.custom_functions",
    "custom_vjp": "methods.transforms.custom_functions",
    "derive": "answers.derivation.derivation_modes",
    "device": "shared.devices",
    "elementwise_grad": "methods.transforms.products",
    "evaluate_points": "many_points.python_api",
    "grad": "answers.compilable_transforms",
    "gradient_of": "verification.gradient_marks",
    "hessian": "answers.compilable_transforms",
    "hessian_of": "verification.gradient_marks",
    "hvp": "answers.compilable_transforms",
    "jacobian": "answers.compilable_transforms",
    "jacobian_of": "verification.gradient_marks",
    "jvp": "methods.transforms.products",
    "numpy": ITSELF,
    "opaque": "methods.transforms.opaque_functions",
    "plot": "queries.plots",
    "propagate": "queries.propagation",
    "queries": ITSELF,
    "rule": "answers.custom_elementwise_rules",
    "stop_gradient": "methods.transforms.gradients",
    "trace": "methods.transforms.gradients",
    "value_and_grad": "answers.compilable_transforms",
    "verify": "verification.python_api",
    "vjp": "methods.transforms.products",
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
    "check_rules",
    "constant",
    "custom_jvp",
    "custom_vjp",
    "derive",
    "device",
    "elementwise_grad",
    "evaluate_points",
    "grad",
    "gradient_of",
    "hessian",
    "hessian_of",
    "hvp",
    "jacobian",
    "jacobian_of",
    "jvp",
    "opaque",
    "plot",
    "propagate",
    "queries",
    "rule",
    "stop_gradient",
    "trace",
    "value_and_grad",
    "verify",
    "vjp",
]


def _instead(name: str) -> str | None:
    from gradcli.shared.message_wording import nearest_name

    near = None if name.startswith("_") else nearest_name(name, __all__)
    return f"did you mean {near}?" if near else None


# What notebooks ask for: `%load_ext gradcli`, and the forms in which results are displayed.
_OF_NOTEBOOKS = {
    "load_ipython_extension": "terminal.cli.notebook_magics:load",
    "_notebook_forms": "terminal.render.notebook:bundle",
    "_terminal_text": "terminal.render.notebook:terminal_text",
}

__getattr__ = on_first_use(__name__, {**_HOMES, **_OF_NOTEBOOKS}, _instead)


def _forms(result: Any) -> dict[str, str]:
    """The forms of a result; the module that draws it is imported when the first is displayed."""
    forms: dict[str, str] = __getattr__("_notebook_forms")(result)
    return forms


def _text(result: Any) -> str:
    text: str = __getattr__("_terminal_text")(result)
    return text


NotebookDisplay.forms = staticmethod(_forms)
NotebookDisplay.terminal_text = staticmethod(_text)


def __dir__() -> list[str]:
    return sorted((*__all__, "__version__"))

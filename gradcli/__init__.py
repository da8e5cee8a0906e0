"""Compute, inspect and verify gradients, by automatic differentiation, SymPy and finite differences."""

from __future__ import annotations

from gradcli.lazy_imports import ITSELF, on_first_use
from gradcli.notebook_display import NotebookDisplay

TYPE_CHECKING = False  # not that of `typing`: what is imported before a command's process starts is copied into it

if TYPE_CHECKING:
    from typing import Any

    from gradcli import queries
    from gradcli.checks.python_api import assert_grad, check
    from gradcli.custom_elementwise_rules import rule
    from gradcli.derivation.derivation_modes import derive
    from gradcli.devices import device
    from gradcli.errors import FindingWarning, GradcliError
    from gradcli.queries.selftest import check_rules
    from gradcli.queries.session_workspace import Workspace
    from gradcli.tensorflow.gradient_tape import GradientTape
    from gradcli.tensorflow.tensors import cast, constant
    from gradcli.tensorflow.variables import Variable
    from gradcli.traces.trace import Trace
    from gradcli.transforms.gradients import grad, stop_gradient, trace, value_and_grad
    from gradcli.transforms.jacobians import hessian, jacobian
    from gradcli.transforms.products import elementwise_grad, hvp, jvp, vjp
    from gradcli.verification.gradient_marks import gradient_of, hessian_of, jacobian_of
    from gradcli.verification.python_api import Report, verify

__version__ = "0.1.0"

# The module that defines each public name, imported on first use.
_HOMES = {
    "FindingWarning": "errors",
    "GradcliError": "errors",
    "GradientTape": "tensorflow.gradient_tape",
    "Report": "verification.python_api",
    "Trace": "traces.trace",
    "Variable": "tensorflow.variables",
    "Workspace": "queries.session_workspace",
    "assert_grad": "checks.python_api",
    "cast": "tensorflow.tensors",
    "check": "checks.python_api",
    "check_rules": "queries.selftest",
    "constant": "tensorflow.tensors",
    "derive": "derivation.derivation_modes",
    "device": "devices",
    "elementwise_grad": "transforms.products",
    "grad": "transforms.gradients",
    "gradient_of": "verification.gradient_marks",
    "hessian": "transforms.jacobians",
    "hessian_of": "verification.gradient_marks",
    "hvp": "transforms.products",
    "jacobian": "transforms.jacobians",
    "jacobian_of": "verification.gradient_marks",
    "jvp": "transforms.products",
    "numpy": ITSELF,
    "queries": ITSELF,
    "rule": "custom_elementwise_rules",
    "stop_gradient": "transforms.gradients",
    "trace": "transforms.gradients",
    "value_and_grad": "transforms.gradients",
    "verify": "verification.python_api",
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
    "check_rules",
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
    from gradcli.message_wording import nearest_name
    from gradcli.tensor_library_equivalents import of_gradcli

    near = None if name.startswith("_") else nearest_name(name, __all__)
    return of_gradcli(name) or (f"did you mean {near}?" if near else None)


# Modules imported from the package before any other has done so; for other names it is looked up what to type instead.
_MODULES = dict.fromkeys(("devices", "language", "records", "render"), ITSELF)

# What notebooks ask for: `%load_ext gradcli`, and the forms in which results are displayed.
_OF_NOTEBOOKS = {
    "load_ipython_extension": "cli.notebook_magics:load",
    "_notebook_forms": "render.notebook:bundle",
    "_terminal_text": "render.notebook:terminal_text",
}

__getattr__ = on_first_use(__name__, {**_HOMES, **_MODULES, **_OF_NOTEBOOKS}, _instead)


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

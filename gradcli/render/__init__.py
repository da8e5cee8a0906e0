"""Records, findings, errors and help as text for a terminal: one kind a module, nothing computed.

The modules are imported when their kind is shown, so that `gradcli --help` pays for none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradcli import records
from gradcli.errors import GradcliError
from gradcli.render.layout.stream_style import Look, as_text, look_of
from gradcli.render.layout.theme import ASCII

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Look",
    "as_text",
    "change_text",
    "error_text",
    "findings_text",
    "form_text",
    "look_of",
    "record_text",
]

VIEWS = {
    "Agreement": "agreement",
    "Gradient": "gradient",
    "Jacobian": "jacobian",
    "Hessian": "hessian",
    "TapeListing": "tapes.listing",
    "ClosedForm": "closed_form",
    "Derived": "derived",
    "Comparison": "comparison",
    "SelfTest": "selftest",
    "Precision": "precision",
    "Environment": "environment",
    "Plot": "plots.terminal",
    "Bars": "plots.bars",
    "Explanation": "sweeps.reverse",
    "ForwardSweep": "sweeps.forward",
    "Perturbation": "sweeps.perturbation",
}


def record_text(record: object, look: Look, **how: Any) -> str:
    """A record as it is shown on stdout; `how` is what the view of its kind can be asked for, such as `expand=True`."""
    from importlib import import_module

    module = import_module(f"gradcli.render.{VIEWS[type(record).__name__]}")
    return as_text(module.view(record, look, **how), look)


def form_text(record: object, form: str, look: Look, **how: Any) -> str | bytes:
    """A record in a form other than text, such as `md` or `svg`, in signs that the stream can hold.

    Raises:
        UsageError: a record of this kind has no such form, or a program that draws it is missing.
    """
    from gradcli.render import export_formats

    text = export_formats.written(record, form, look, **how)
    return text if look.unicode or isinstance(text, bytes) else text.translate(ASCII)


def change_text(before: records.Gradient, after: records.Gradient, saved: str, look: Look) -> str:
    """What a save of a file has changed of a gradient."""
    from gradcli.render import watch

    return as_text(watch.view(before, after, saved, look), look)


def findings_text(findings: Iterable[records.Finding], look: Look) -> str:
    """Findings as they are shown on stderr; empty where there are none."""
    from gradcli.render import finding

    return as_text(finding.view(findings), look)


def error_text(error: GradcliError, look: Look) -> str:
    """An error as it is shown on stderr."""
    from gradcli.render import error as module

    return as_text(module.view(error), look)

"""Rendering of records, findings, errors and help as text: one module per kind, without computation.

The modules are imported when their kind is shown, so that `gradcli --help` stays fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradcli.errors import GradcliError
from gradcli.terminal.render.layout.stream_style import DEFAULT_WIDTH, Look, as_text, look_of
from gradcli.terminal.render.layout.theme import ASCII

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gradcli.shared.records.result_and_finding import Finding, Result

__all__ = [
    "Look",
    "as_text",
    "change_text",
    "error_text",
    "findings_text",
    "form_text",
    "look_of",
    "record_text",
    "sentence_text",
]

VIEWS = {
    "Agreement": "two_functions",
    "EngineComparison": "engines",
    "Hessian": "jacobian",
    "TapeGraph": "tapes.listing",
    "TapeListing": "tapes.listing",
    "Comparison": "check",
    "SelfTest": "selftest",
    "Plot": "plots.terminal",
    "Bars": "plots.bars",
    "Contour": "plots.contour",
    "Curves": "plots.terminal",
    "Explanation": "sweeps.reverse",
    "ForwardSweep": "sweeps.reverse",
    "Perturbation": "sweeps.perturbation",
}
"""The modules that draw records of these classes; any other class is drawn by the module of its name."""


def record_text(record: object, look: Look, **how: Any) -> str:
    """A record as text for stdout; `how` holds options of its view, such as `expand=True`."""
    return as_text(view_module(record).view(record, look, **how), look)


def view_module(record: object) -> Any:
    """The module that draws a record: `gradient_cost` for a `GradientCost`."""
    from importlib import import_module

    kind = type(record).__name__
    own = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in kind).removeprefix("_")
    return import_module(f"gradcli.terminal.render.{VIEWS.get(kind, own)}")


def form_text(record: object, form: str, look: Look, **how: Any) -> str | bytes:
    """A record in a format other than text, such as `md` or `svg`, in characters that the stream can encode.

    Raises:
        UsageError: records of this kind have no such format, or a drawing program is missing.
    """
    from gradcli.terminal.render import export_formats

    text = export_formats.written(record, form, look, **how)
    return text if look.unicode or isinstance(text, bytes) else text.translate(ASCII)


def change_text(before: Result, after: Result, saved: str, look: Look) -> str:
    """The changes of a gradient, or of a check, after the file was saved."""
    from gradcli.terminal.render import watch

    return as_text(watch.view(before, after, saved, look), look)


def findings_text(findings: Iterable[Finding], look: Look) -> str:
    """Findings as text for stderr; empty without findings."""
    from gradcli.terminal.render import finding

    return as_text(finding.view(findings), look)


def sentence_text(text: str, look: Look, indent: str = "") -> str:
    """Words as text that wraps at the width of a look; without one, at 80 columns."""
    from gradcli.terminal.render.layout.styled_lines import Stack, lines
    from gradcli.terminal.render.layout.wrapped_text import wrapped

    return as_text(Stack(*lines(wrapped(text, look.width or DEFAULT_WIDTH, indent))), look)


def error_text(error: GradcliError, look: Look, before: str = "") -> str:
    """An error as text for stderr, with a text such as `session.gradcli:3: ` before its message."""
    from gradcli.terminal.render import error as module

    return as_text(module.view(error, before), look)

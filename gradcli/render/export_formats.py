"""A record in the forms that other programs read: Markdown, CSV, LaTeX, HTML, source code, graphs and pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli import records
from gradcli.errors import UsageError
from gradcli.render import closed_form, graphviz, markdown_csv
from gradcli.render.layout.stream_style import Look, as_text
from gradcli.render.layout.styled_lines import Drawing
from gradcli.render.plots import figure
from gradcli.render.sweeps import forward, reverse
from gradcli.render.tapes import graph


def svg(record: records.TapeListing) -> str:
    """The graph of a tape as a picture."""
    return graph.marked(graphviz.svg(graph.dot(record)))


GRAPHS: dict[str, Callable[[records.TapeListing], str]] = {
    "dot": graph.dot,
    "mermaid": graph.mermaid,
    "html": graph.page,
    "svg": svg,
}
VIEWS: dict[type, Callable[..., Drawing]] = {
    records.Explanation: reverse.view,
    records.ForwardSweep: forward.view,
    records.ClosedForm: closed_form.view,
}
"""Of the records whose view has other forms than text."""


def written(record: object, form: str, look: Look, **how: Any) -> str | bytes:
    """A record in a form.

    Raises:
        UsageError: there is no such form of it, or a program that draws it is missing.
    """
    if isinstance(record, records.TapeListing) and form in GRAPHS:
        return GRAPHS[form](record)
    if isinstance(record, (records.Plot, records.Bars)):
        return figure.data(record, form)
    if isinstance(record, records.Derived):
        return record.source
    if view := VIEWS.get(type(record)):
        return as_text(view(record, look.changed(width=None), form=form, **how), look.changed(width=None))
    if type(record) not in markdown_csv.TABLES:
        raise UsageError(f"This answer has no form {form}.", hint="Leave out --format, or --out.")
    return markdown_csv.text(record, form)

"""Records in formats for other programs: Markdown, CSV, LaTeX, HTML, source code, graphs and images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.errors import UsageError
from gradcli.shared.records.closed_form import ClosedForm
from gradcli.shared.records.derived_source import Derived
from gradcli.shared.records.explanations import Explanation, ForwardSweep
from gradcli.shared.records.plots import Bars, Contour, Curves, Plot
from gradcli.shared.records.tape_graphs import TapeGraph
from gradcli.terminal.render import closed_form, markdown_csv
from gradcli.terminal.render.graphs import graph_languages, html_page, svg
from gradcli.terminal.render.layout.stream_style import Look, as_text
from gradcli.terminal.render.layout.styled_lines import Drawing
from gradcli.terminal.render.plots import figure
from gradcli.terminal.render.sweeps import reverse

GRAPHS: dict[str, Callable[..., str | bytes]] = {
    "svg": svg.svg,
    "png": svg.png,
    "html": html_page.page,
    "dot": graph_languages.dot,
    "mermaid": graph_languages.mermaid,
}
"""The graph formats of a tape."""
PLOTS = (Plot, Bars, Curves, Contour)
VIEWS: dict[type, Callable[..., Drawing]] = {
    Explanation: reverse.view,
    ForwardSweep: reverse.view,
    ClosedForm: closed_form.view,
}
"""The records whose views have formats other than text."""


def written(record: object, form: str, look: Look, **how: Any) -> str | bytes:
    """A record in a format.

    Raises:
        UsageError: the record has no such format, or a drawing program is missing.
    """
    if isinstance(record, TapeGraph) and form in GRAPHS:
        return _graph(record, form, **how)
    if how.get("part"):
        raise UsageError(f"{form} has the whole tape, not --{how['part']}.", hint="Leave out one of the two.")
    if isinstance(record, PLOTS):
        return figure.data(record, form)
    if isinstance(record, Derived):
        return record.source
    if view := VIEWS.get(type(record)):
        return as_text(view(record, look.changed(width=None), form=form, **how), look.changed(width=None))
    if type(record) not in markdown_csv.TABLES:
        raise UsageError(f"This answer has no form {form}.", hint="Leave out --format, or --out.")
    return markdown_csv.text(record, form)


def _graph(record: TapeGraph, form: str, part: str = "", of: str = "", expand: bool = False) -> str | bytes:
    if part not in ("", "path"):
        raise UsageError(f"A graph has all nodes or those of a path, not --{part}.", hint=f"Leave out --{part}.")
    return GRAPHS[form](record, expand=expand, path=of)

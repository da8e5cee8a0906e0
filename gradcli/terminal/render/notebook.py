"""Results in notebooks: tables and styled lines as HTML in light and dark themes, and other media types."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import gradcli
from gradcli.errors import GradcliError, UsageError
from gradcli.shared.notebook_display import themed
from gradcli.shared.records.result_and_finding import Result
from gradcli.terminal.render import (
    Look,
    as_text,
    export_formats,
    findings_text,
    form_text,
    markdown_csv,
    record_text,
    verification,
    view_module,
)
from gradcli.terminal.render.file_marks import escaped
from gradcli.terminal.render.graphs.svg import in_notebook
from gradcli.terminal.render.layout.stream_style import DEFAULT_WIDTH, columns
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Stack
from gradcli.terminal.render.layout.table import Sheet

OTHERS = {"text/markdown": "md", "text/latex": "latex"}
"""Additional forms of some records, by media type."""
MARKDOWN = {*export_formats.VIEWS, *markdown_csv.TABLES}

LIGHT = "--gq:#667085;--gn:#0b5fa5;--go:#8a2a8a;--gg:#067647;--gb:#b42318;--gd:#8a5a00;--gl:#d5d9e0"
DARK = "--gq:#98a2b3;--gn:#7cc0ff;--go:#e3a3e6;--gg:#6ce9a6;--gb:#ff8a80;--gd:#f5c26b;--gl:#3a404b"
# The class stands twice in rules that JupyterLab has too, so that they come first.
STYLE = f"""{themed(f".gradcli{{{LIGHT}}}", f".gradcli{{{DARK}}}")}
.gradcli{{color:inherit;background:none;overflow-x:auto}}
.gradcli.gradcli :is(pre,table){{font:13px/1.5 ui-monospace,"DejaVu Sans Mono",monospace;color:inherit;background:none}}
.gradcli.gradcli pre{{margin:.2em 0;white-space:pre;word-break:normal;border:0;padding:0}}
.gradcli.gradcli pre.warning{{white-space:pre-wrap}}
.gradcli.gradcli table{{border-collapse:collapse;margin:.5em 0;border:0}}
.gradcli.gradcli th{{text-align:left;font-weight:500;color:var(--gq);border:0;border-bottom:1px solid var(--gl)}}
.gradcli.gradcli th,.gradcli.gradcli td{{padding:.15em .7em .15em 0;white-space:pre;background:none;vertical-align:top}}
.gradcli.gradcli td:last-child:not(.right){{white-space:pre-wrap;min-width:11em}}
.gradcli.gradcli td{{text-align:left;border:0}}.gradcli.gradcli .right{{text-align:right}}
.gradcli .title,.gradcli .result{{font-weight:600}}.gradcli .quiet{{color:var(--gq)}}
.gradcli .name,.gradcli .note,.gradcli .example{{color:var(--gn)}}.gradcli .operation{{color:var(--go)}}
.gradcli .good{{color:var(--gg)}}.gradcli .bad,.gradcli .error{{color:var(--gb);font-weight:600}}
.gradcli .doubt,.gradcli .warning{{color:var(--gd)}}.gradcli .untrusted{{display:none}}"""

# Without trust JupyterLab takes the drawing and the styles out of HTML, and leaves the texts.
PICTURE = """<div style="font-size:0">{}</div>
<p class="untrusted">Run the cell to see the picture, or trust the notebook.</p>"""


def bundle(result: Any) -> dict[str, str]:
    """The forms of a result by media type, with `text/html` if it can be drawn."""
    if isinstance(result, gradcli.Trace):
        return _of_trace(result)
    if isinstance(result, gradcli.Report):
        return {"text/plain": repr(result), "text/html": result._repr_html_()}
    if not issubclass(type(result), Result):
        return {"text/plain": str(result), "text/html": framed(f"<pre>{escaped(str(result))}</pre>")}
    picture = _picture(result) if isinstance(result, export_formats.PLOTS) else None
    forms = {"text/plain": record_text(result, Look(width=100)), "text/html": picture or _record_html(result)}
    for media, form in OTHERS.items():
        if type(result) in (export_formats.VIEWS if form == "latex" else MARKDOWN):
            forms[media] = str(form_text(result, form, Look()))
    return forms


def terminal_text(result: Any) -> str:
    """A result as a terminal shows it, with its findings, without colours; COLUMNS wide, or else 80.

    A trace is shown as its tape if its result is one number.
    """
    look = Look(width=columns(os.environ) or DEFAULT_WIDTH, terminal=True)
    if isinstance(result, gradcli.Report):
        cases = (verification.case_line(case, look) for case in result.cases)
        return as_text(Stack(*cases, verification.view(result, look)), look).rstrip("\n")
    if isinstance(result, gradcli.Trace):
        try:
            return record_text(gradcli.queries.graph_of(result), look).rstrip("\n")
        except GradcliError:  # the result is no number
            return repr(result)
    if not issubclass(type(result), Result):
        return repr(result)
    return (record_text(result, look) + findings_text(result.findings, look)).rstrip("\n")


def _record_html(record: Any) -> str:
    return framed("".join(_parts(view_module(record).view(record, Look()))) + _findings(record))


def _findings(record: Any) -> str:
    text = findings_text(record.findings, Look())
    return f'<pre class="warning">{escaped(text)}</pre>' if text else ""


def _picture(plot: Any) -> str | None:
    """The picture of a plot with its findings; None where matplotlib is not installed."""
    from gradcli.terminal.render.plots.figure import in_notebook

    try:
        return framed(PICTURE.format(in_notebook(plot)) + _findings(plot))
    except UsageError:
        return None


def framed(inner: str) -> str:
    """The HTML of a drawing with its style."""
    return f'<style>{STYLE}</style><div class="gradcli">{inner}</div>'


def _of_trace(trace: Any) -> dict[str, str]:
    """The graph of a run whose result is one number; otherwise a description of the run."""
    forms = {"text/plain": repr(trace)}
    try:
        graph = gradcli.queries.graph_of(trace)
        picture, page_part = str(form_text(graph, "svg", Look())), in_notebook(graph)
    except GradcliError as error:
        return {**forms, "text/html": framed(f"<pre>{escaped(repr(trace))}\n{escaped(error.message)}</pre>")}
    return {**forms, "text/html": framed(PICTURE.format(page_part)), "image/svg+xml": picture}


def _parts(drawing: Drawing) -> Iterator[str]:
    """HTML tables, with the lines between them unchanged."""
    lines: list[Line] = []
    for part in drawing.parts if isinstance(drawing, Stack) else (drawing,):
        if isinstance(part, Sheet):
            yield from _lines(lines)
            lines = []
            yield _table(part)
        else:
            lines += part.lines(100, in_ascii=False)
    yield from _lines(lines)


def _lines(lines: list[Line]) -> Iterator[str]:
    if any(text.strip() for line in lines for text, _ in line):
        drawn = ("".join(_styled(text, style) for text, style in line).rstrip(" ") for line in lines)
        yield f"<pre>{chr(10).join(drawn)}</pre>"


def _table(sheet: Sheet) -> str:
    columns = [column for column in sheet.columns if any(column.cells)]
    head = "".join(f"<th{_edge(column.right)}>{escaped(column.title)}</th>" for column in columns)
    count = len(columns[0].cells) if columns else 0
    rows = (
        "".join(f"<td{_edge(column.right)}>{_styled(column.cells[n], column.style_of(n))}</td>" for column in columns)
        for n in range(count)
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"


def _edge(right: bool) -> str:
    return ' class="right"' if right else ""


def _styled(text: str, style: str) -> str:
    name = style.removeprefix("gradcli.")
    return f'<span class="{name}">{escaped(text)}</span>' if name else escaped(text)

"""The report as a self-contained HTML page with a light and a dark theme."""

from __future__ import annotations

import html
import linecache

from gradcli.shared.message_wording import clean
from gradcli.shared.notebook_display import themed
from gradcli.shared.pytree import point_text
from gradcli.shared.records.verification import CaseResult, CodeLocation, Verification
from gradcli.verification.reports import relative

HEAD = (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<meta name="color-scheme" content="light dark">'
    "<title>gradcli verify: "
)
END = "</div></body></html>\n"
MOST_LINES = 30  # lines shown of a definition
MOST_ROWS = 50

LIGHT = "--back:#fff;--text:#1c1e21;--quiet:#5f6b7d;--bad:#b42318;--doubt:#8a5a00;--good:#067647"
DARK = "--back:#14161a;--text:#e6e8eb;--quiet:#98a2b3;--bad:#ff8a80;--doubt:#f5c26b;--good:#6ce9a6"
COLOURS = themed(f".gradcli-report{{{LIGHT}}}", f".gradcli-report{{{DARK}}}")
STYLE = """
.gradcli-report{--line:#8884;--card:#88888814;font:15px/1.5 system-ui,sans-serif;color:inherit}
.gradcli-report h1{font-size:1.4em;margin:0 0 .2em}.gradcli-report h2{font-size:1.05em;margin:0 0 .4em}
.gradcli-report table{border-collapse:collapse;width:100%;margin:.6em 0}
.gradcli-report th{text-align:left;color:var(--quiet);font-weight:600}
.gradcli-report th,.gradcli-report td{padding:.25em .7em .25em 0;border-bottom:1px solid var(--line);vertical-align:top}
.gradcli-report td.n{font-variant-numeric:tabular-nums;font-family:ui-monospace,monospace;white-space:nowrap}
.gradcli-report code,.gradcli-report pre{font:13px/1.45 ui-monospace,monospace}
.gradcli-report pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.6em .8em;
overflow-x:auto;margin:.5em 0}
.gradcli-report article{border:1px solid var(--line);border-radius:8px;padding:1em 1.2em;margin:1em 0}
.gradcli-report .fail,.gradcli-report .error,.gradcli-report .nonfinite,.gradcli-report .raised,
.gradcli-report .crashed,.gradcli-report .timeout{color:var(--bad)}
.gradcli-report .inconclusive,.gradcli-report .unchecked{color:var(--doubt)}.gradcli-report .pass{color:var(--good)}
.gradcli-report .skipped,.gradcli-report .quiet{color:var(--quiet)}
.gradcli-report .o{font-weight:600;white-space:nowrap}
.gradcli-report .scroll{overflow-x:auto}.gradcli-report a{color:inherit}
"""


def escape(text: str) -> str:
    """A text for HTML, with control and bidirectional characters written out."""
    return html.escape(clean(text))


def text(report: Verification) -> str:
    """The complete page."""
    return (
        f"{HEAD}{escape(report.verdict)}</title><style>{COLOURS}{STYLE}"
        "body.gradcli-report{margin:0;color:var(--text);background:var(--back)}"
        ".page{max-width:70em;margin:0 auto;padding:1.5em}"
        '</style></head><body class="gradcli-report"><div class="page">'
        f"{_body(report)}{END}"
    )


def fragment(report: Verification) -> str:
    """The report as an HTML fragment for a notebook."""
    return f'<style>{COLOURS}{STYLE}</style><div class="gradcli-report">{_body(report)}</div>'


def _body(report: Verification) -> str:
    counts = ", ".join(_outcome(name, f"{number} {name}") for name, number in reversed(report.counts.items()))
    head = f"<h1>gradcli verify: {_outcome(report.verdict)}</h1>"
    cases = f"{len(report.cases)} case{'s' * (len(report.cases) != 1)}"
    summary = f"<p>{cases}: {counts or 'none'} <span class=quiet>· {report.seconds:.1f} s</span></p>"
    failures = "".join(_failure(number, failure, report.root) for number, failure in enumerate(report.reported))
    return head + summary + failures + _cases(report)


def _outcome(name: str, shown: str | None = None) -> str:
    return f'<span class="o {escape(name)}">{escape(shown or name)}</span>'


def _cases(report: Verification) -> str:
    """The table of all cases, with a link from each failure to its details."""
    links = {id(failure): f"#failure-{number}" for number, failure in enumerate(report.reported)}
    rows = []
    for case in report.cases:
        name = escape(case.case.name)
        name = f'<a href="{links[id(case)]}">{name}</a>' if id(case) in links else name
        accepted = f" <span class=quiet>({escape(case.accepted)})</span>" if case.accepted else ""
        rows.append(
            f"<tr><td>{_outcome(case.outcome)}{accepted}<td>{name}<td>{escape(case.message)}"
            f"<td class=n>{case.seconds:.2f} s"
        )
    head = "<tr><th>outcome<th>case<th>why<th>time"
    return f"<h2>All cases</h2><div class=scroll><table>{head}{''.join(rows)}</table></div>" if rows else ""


def _failure(number: int, result: CaseResult, root: str) -> str:
    parts = [
        f'<article id="failure-{number}"><h2>{_outcome(result.outcome)} {escape(result.case.name)}</h2>',
        f"<p>{escape(result.message)}</p>",
    ]
    if result.comparison is not None:
        parts.append(f"<p class=quiet>at {escape(point_text(result.comparison.point))}</p>")
        parts.append(_rows(result))
        parts += [f"<p class=quiet>{escape(note)}</p>" for note in result.comparison.remarks]
        parts += [f"<p>{escape(finding.text)}</p>" for finding in result.comparison.troubles]
    if result.details:
        parts.append(f"<pre>{escape(chr(10).join(result.details))}</pre>")
    if result.output.strip():
        parts.append(f"<p class=quiet>printed</p><pre>{escape(result.output.strip()[-2000:])}</pre>")
    parts += [_source("derivative", result.derivative, root), _source("function", result.function, root)]
    parts.append(f"<p class=quiet>reproduce</p><pre>{escape(result.command)}</pre></article>")
    return "".join(parts)


def _rows(result: CaseResult) -> str:
    rows = "".join(
        f"<tr><td>{_outcome('fail' if row.verdict.is_wrong else 'inconclusive', row.verdict.value)}"
        f"<td><code>{escape(row.name)}</code><td class=n>{_number(row.candidate)}<td class=n>{_number(row.reference)}"
        f"<td>{escape(row.reason)}"
        for row in result.worst[:MOST_ROWS]
    )
    head = "<tr><th>verdict<th>component<th>candidate<th>reference<th>reason"
    return f"<div class=scroll><table>{head}{rows}</table></div>" if rows else ""


def _number(value: float | None) -> str:
    return "" if value is None else escape(repr(value))


def _source(what: str, place: CodeLocation | None, root: str) -> str:
    """The lines of a definition with line numbers."""
    if place is None:
        return ""
    last = min(place.end_line, place.line + MOST_LINES)
    lines = [(n, linecache.getline(place.file, n).rstrip()) for n in range(place.line, last + 1)]
    if not any(line for _, line in lines):
        return ""
    shown = "\n".join(f"{n:>5}  {line}" for n, line in lines)
    return f"<p class=quiet>{what}, {escape(relative(place.file, root) or place.file)}</p><pre>{escape(shown)}</pre>"

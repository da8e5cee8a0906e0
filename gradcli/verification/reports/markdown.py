"""The report as Markdown, for job summaries."""

from __future__ import annotations

from gradcli.records.verification import CaseResult, Verification
from gradcli.verification.reports.failure_text import failure_text

HEADS = ("## gradcli verify: ",)
SIGNS = {"pass": "✅", "inconclusive": "❔", "unchecked": "⬜", "skipped": "⬜"}
WRONG = "❌"


def text(report: Verification) -> str:
    """A table of the cases that did not pass, and the details of each failure."""
    counts = ", ".join(f"{number} {outcome}" for outcome, number in reversed(report.counts.items()))
    lines = [
        f"## gradcli verify: {report.verdict}",
        "",
        f"{len(report.cases)} case{'s' * (len(report.cases) != 1)}: {counts or 'none'}, {report.seconds:.1f} s",
    ]
    if told := [each for each in report.cases if each.outcome != "pass"]:
        lines += ["", "| | case | outcome | why |", "| --- | --- | --- | --- |", *map(_row, told)]
    for result in report.failures:
        lines += [
            "",
            f"<details><summary>{_plain(result.case.name)}</summary>",
            "",
            *_fenced(failure_text(result)),
            "",
            "</details>",
        ]
    return "\n".join(lines) + "\n\n"


def _row(result: CaseResult) -> str:
    sign = SIGNS.get(result.outcome, WRONG) if result.is_failure or result.outcome in SIGNS else "⬜"
    outcome = result.outcome + (f" ({result.accepted})" if result.accepted else "")
    return f"| {sign} | {_cell(result.case.name)} | {outcome} | {_cell(result.message)} |"


def _cell(text: str) -> str:
    """A text as the content of a table cell."""
    return (
        _plain(" ".join(text.split())).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("`", "\\`")
    )


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _fenced(text: str) -> list[str]:
    """A text in a fence longer than any fence in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [f"{fence}text", text, fence]

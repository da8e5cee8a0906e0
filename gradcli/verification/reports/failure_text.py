"""A failure as plain text, and its location in the repository, shared by several report formats."""

from __future__ import annotations

from gradcli.shared.pytree import point_text
from gradcli.shared.records.component_blocks import row_lines
from gradcli.shared.records.verification import CaseResult, CodeLocation
from gradcli.verification.reports import relative


def failure_text(result: CaseResult) -> str:
    """The targets, the point, the components that do not pass, the findings, and the reproducing command."""
    case, comparison = result.case, result.comparison
    lines = [result.message, f"target: {case.target}"]
    lines += [f"{case.of}: {case.against}"] if case.against else []
    if comparison is not None:
        lines.append(f"at: {point_text(comparison.point)}")
        lines += row_lines(result.worst, comparison.components)
        lines += [*comparison.remarks, *(finding.text for finding in comparison.troubles)]
    lines += result.details
    lines += ["printed:", *result.output.rstrip().split("\n")[-10:]] if result.output.strip() else []
    return "\n".join([*lines, f"reproduce: {result.command}"])


def message_with_cause(result: CaseResult) -> str:
    """The message of a failure in one line, with the first finding that explains it, such as the slip."""
    message = result.message or result.outcome
    findings = result.comparison.troubles if result.comparison else ()
    causes = [finding.message for finding in findings if finding.severity == "error" or finding.code == "G305"]
    return f"{message}; {causes[0]}" if causes else message


def located(result: CaseResult, root: str) -> tuple[str, CodeLocation]:
    """The path below the root and the lines of the first known location below the root."""
    asked = CodeLocation(result.case.file, result.case.line or 1, result.case.line or 1) if result.case.file else None
    for known in (result.derivative, result.function, asked):
        if known is not None and (path := relative(known.file, root)) is not None:
            return path, known
    known = result.place or asked or CodeLocation(result.case.folder, 1, 1)
    return (known.file if result.place else "pyproject.toml").replace("\\", "/"), known

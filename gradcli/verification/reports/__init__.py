"""The formats of the report on a run, and what they share: files, places in the repository, and failures as text."""

from __future__ import annotations

import os
from importlib import import_module

from gradcli.shared.file_replacement import refuse_to_replace, replace_file
from gradcli.shared.pytree import point_text
from gradcli.shared.records.component_blocks import row_lines
from gradcli.shared.records.verification import CaseResult, CodeLocation, Verification

SUMMARY = "GITHUB_STEP_SUMMARY"  # the environment variable that names the summary of a job, which several steps share


def report_text(report: Verification, form: str) -> str:
    """The report in one of the formats."""
    text: str = import_module(f"gradcli.verification.reports.{form}").text(from_root(report))
    return text


def from_root(report: Verification) -> Verification:
    """The report with file names relative to its root, so that it is the same on every machine."""
    start = os.path.join(os.path.abspath(report.root), "")
    return report.changed(cases=tuple(_from(start, case) for case in report.cases))


def _from(start: str, result: CaseResult) -> CaseResult:
    details = tuple(text.replace(start, "") for text in result.details)
    return result.changed(message=result.message.replace(start, ""), details=details)


def refuse_file(path: str, form: str, typed: str = "") -> None:
    """Refuse to replace a file that gradcli did not write, as `refuse_to_replace` does.

    Raises:
        UsageError: there is such a file. The summary of a job is not replaced, so it may be any file.
    """
    if not is_job_summary(os.path.expanduser(path), form):
        refuse_to_replace(path, typed)


def save_report(report: Verification, form: str, path: str) -> None:
    """Write a report to a file as a whole, or append it to the summary of a job.

    Raises:
        UsageError: another file exists there.
        OSError: the file cannot be written; an existing file is unchanged.
    """
    place = os.path.expanduser(path)
    data = report_text(report, form).encode("utf-8", "backslashreplace")
    refuse_file(path, form)
    if is_job_summary(place, form):
        _append_to_file(place, data)
    else:
        replace_file(place, data)


def _append_to_file(path: str, data: bytes) -> None:
    """Append to a file that others write too, or create it.

    Raises:
        OSError: the data cannot be written; the file is as before.
    """
    with open(path, "ab", buffering=0) as file:
        before = file.tell()
        try:
            while data:
                data = data[file.write(data) :]
        except BaseException:
            file.truncate(before)
            raise


def is_job_summary(place: str, form: str) -> bool:
    """Whether a file is the summary of a job that the environment names."""
    named = os.environ.get(SUMMARY)
    return form == "markdown" and bool(named) and os.path.realpath(place) == os.path.realpath(named or "")


def root_of(folder: str) -> str:
    """The folder that report paths are relative to: the root of the repository, or the given folder without one."""
    here = os.path.abspath(folder)
    while not os.path.exists(os.path.join(here, ".git")):
        if os.path.dirname(here) == here:
            return os.path.abspath(folder)
        here = os.path.dirname(here)
    return here


def relative(path: str, root: str) -> str | None:
    """A path relative to the root, with slashes; None if it is not below the root."""
    shortened = os.path.relpath(path, root)
    return None if shortened.startswith(os.pardir) or os.path.isabs(shortened) else shortened.replace(os.sep, "/")


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

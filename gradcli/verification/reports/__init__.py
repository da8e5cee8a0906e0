"""The formats of the report on a run."""

from __future__ import annotations

import os
from importlib import import_module

from gradcli.file_replacement import begins_with
from gradcli.records.verification import CaseResult, Verification

FORMATS = ("junit", "sarif", "gitlab", "json", "markdown", "html")
APPENDED = ("markdown",)  # formats that are appended to an existing file, such as a job summary


def report_text(report: Verification, form: str) -> str:
    """The report in one of the formats."""
    text: str = import_module(f"gradcli.verification.reports.{form}").text(from_root(report))
    return text


def from_root(report: Verification) -> Verification:
    """The report with file names relative to its root, so that it is the same on every machine."""
    start = os.path.join(os.path.abspath(report.root), "")
    return report.changed(cases=tuple(_from(start, each) for each in report.cases))


def _from(start: str, result: CaseResult) -> CaseResult:
    details = tuple(text.replace(start, "") for text in result.details)
    return result.changed(message=result.message.replace(start, ""), details=details)


def is_report(path: str, form: str) -> bool:
    """Whether a file is a gradcli report in a format, or empty."""
    heads: tuple[str, ...] = import_module(f"gradcli.verification.reports.{form}").HEADS
    return begins_with(path, *(head.encode() for head in heads))


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
    found = os.path.relpath(path, root)
    return None if found.startswith(os.pardir) or os.path.isabs(found) else found.replace(os.sep, "/")

"""The report as Code Quality JSON for GitLab merge requests."""

from __future__ import annotations

import json
from typing import Any

from gradcli.shared.records.verification import CaseResult, Verification
from gradcli.verification.reports import located, message_with_cause

SEVERITIES = {
    "fail": "critical",
    "error": "critical",
    "crashed": "critical",
    "nonfinite": "major",
    "raised": "major",
    "timeout": "major",
    "inconclusive": "minor",
    "pass": "minor",
}


def text(report: Verification) -> str:
    """A list with one entry for each result to show in full."""
    return (
        json.dumps([_issue(failure, report.root) for failure in report.reported], indent=2, ensure_ascii=False) + "\n"
    )


def _issue(result: CaseResult, root: str) -> dict[str, Any]:
    path, place = located(result, root)
    return {
        "check_name": f"gradcli/{result.outcome}",
        "description": f"{result.case.name}: {message_with_cause(result)}",
        "fingerprint": result.fingerprint,
        "severity": SEVERITIES[result.outcome],
        "location": {"path": path, "lines": {"begin": place.line, "end": place.end_line}},
    }

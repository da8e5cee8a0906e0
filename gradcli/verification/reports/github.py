"""GitHub's workflow commands, printed by a job to annotate lines of a change."""

from __future__ import annotations

from gradcli.shared.message_wording import clean
from gradcli.shared.records.verification import CaseResult, Verification
from gradcli.verification.reports import from_root, located, message_with_cause

MOST = 10  # the number of annotations of each kind that GitHub shows per step
WARNINGS = ("inconclusive", "pass")


def workflow_commands(report: Verification) -> str:
    """One command per failure, at most ten errors and ten warnings, and the number of the rest."""
    failures = from_root(report).reported
    errors = [failure for failure in failures if failure.outcome not in WARNINGS]
    warnings = [failure for failure in failures if failure.outcome in WARNINGS]
    lines = [
        *(_command("error", error, report.root) for error in errors[:MOST]),
        *(_command("warning", warning, report.root) for warning in warnings[:MOST]),
    ]
    left = [
        (len(commands) - MOST, word)
        for commands, word in ((errors, "errors"), (warnings, "warnings"))
        if commands[MOST:]
    ]
    lines += [f"::notice title=gradcli::{number} more {word} are in the log" for number, word in left]
    return "".join(f"{line}\n" for line in lines)


def _command(kind: str, result: CaseResult, root: str) -> str:
    path, place = located(result, root)
    title = f"gradcli: {result.case.name}"
    known = {"file": path, "line": str(place.line), "endLine": str(place.end_line), "title": title}
    properties = ",".join(f"{name}={_property(value)}" for name, value in known.items())
    return f"::{kind} {properties}::{_escaped(message_with_cause(result))}"


def _escaped(text: str) -> str:
    return clean(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")

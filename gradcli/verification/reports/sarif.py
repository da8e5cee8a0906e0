"""The report as SARIF 2.1.0, for GitHub code scanning and editors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gradcli.shared.findings.catalogue import CATALOGUE
from gradcli.shared.records.result_and_finding import Finding
from gradcli.shared.records.verification import CaseResult, CodeLocation, Verification
from gradcli.verification.reports import failure_text, located, relative

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
VERSION = "2.1.0"
LEVELS = {"error": "error", "warning": "warning", "note": "note"}
ABOUT = {
    "fail": ("The derivative is wrong", "Independent methods agree on another derivative than the one by hand."),
    "error": ("The case cannot be set up", "Its target, its point or an option cannot be found or fitted."),
    "nonfinite": ("The derivative is not finite", "The value or a derivative is nan or infinite at the point."),
    "raised": ("The code raised", "The function or its derivative raised an exception, or cannot be followed."),
    "crashed": ("The interpreter crashed", "The process that ran the case ended before it was done."),
    "timeout": ("Out of time", "The case was not decided in the time that it may take."),
    "inconclusive": ("Nothing could decide", "No independent method had the power to tell right from wrong."),
}


def text(report: Verification) -> str:
    """One run, with a result for each that is shown in full and each of its findings that is not a note."""
    results = [entry for failure in report.reported for entry in _results(failure, report.root)]
    used = dict.fromkeys(entry["ruleId"] for entry in results)
    rules = [_rule(identifier) for identifier in used]
    places = {identifier: place for place, identifier in enumerate(used)}
    driver = {
        "name": "gradcli",
        "version": _version(),
        "rules": rules,
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not report.interrupted, "exitCode": int(report.exit)}],
        "results": [{**entry, "ruleIndex": places[entry["ruleId"]]} for entry in results],
    }
    return json.dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gradcli")
    except PackageNotFoundError:  # gradcli runs from a source tree
        return "0"


def _rule(identifier: str) -> dict[str, Any]:
    """The rule of an outcome or of a finding in the catalogue."""
    if identifier in ABOUT:
        short, full = ABOUT[identifier]
        help_, level = (
            f"{full} `gradcli help verify` says more.",
            "warning" if identifier == "inconclusive" else "error",
        )
    else:
        entry = CATALOGUE[identifier]
        short, full, level = entry.title, entry.cause, LEVELS[entry.severity]
        help_ = f"{full}\n\n{entry.fix}\n\n`gradcli help {identifier}` says more."
    return {
        "id": identifier,
        "name": "".join(word.capitalize() for word in short.replace("-", " ").split()),
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {"text": help_, "markdown": help_},
        "defaultConfiguration": {"level": level},
        "properties": {"tags": ["gradient"], "precision": "high", "problem.severity": level},
    }


def _results(result: CaseResult, root: str) -> Iterator[dict[str, Any]]:
    level = "warning" if result.outcome in ("inconclusive", "pass") else "error"
    path, place = located(result, root)
    rule = "G305" if result.outcome == "pass" else result.outcome
    entry = _entry(rule, level, failure_text(result), path, place, result.fingerprint)
    if result.function is not None and (known := relative(result.function.file, root)) is not None:
        location = {"physicalLocation": _physical(known, result.function), "message": {"text": "the function"}}
        entry["relatedLocations"] = [{"id": 1, **location}]
    yield entry
    for number, finding in enumerate(result.comparison.findings if result.comparison else ()):
        if finding.severity == "error" and finding.file and finding.line and relative(finding.file, root):
            yield _of_finding(finding, result, root, number)


def _of_finding(finding: Finding, result: CaseResult, root: str, number: int) -> dict[str, Any]:
    """A finding at its own line."""
    assert finding.file is not None
    assert finding.line is not None
    place = CodeLocation(finding.file, finding.line, finding.line)
    path = relative(finding.file, root) or finding.file
    message = f"{finding.message} ({result.case.name})"
    return _entry(finding.code, LEVELS[finding.severity], message, path, place, f"{result.fingerprint}:{number}")


def _entry(rule: str, level: str, message: str, path: str, place: CodeLocation, fingerprint: str) -> dict[str, Any]:
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": message},
        "locations": [{"physicalLocation": _physical(path, place)}],
        "partialFingerprints": {"gradcliCase/v1": fingerprint},
    }


def _physical(path: str, place: CodeLocation) -> dict[str, Any]:
    from urllib.parse import quote

    region = {"startLine": place.line, "startColumn": place.column, "endLine": place.end_line}
    return {"artifactLocation": {"uri": quote(path)}, "region": region}

"""The report as JSON, in gradcli's common schema."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from gradcli.shared.records.json_form import SCHEMA, as_json, plain
from gradcli.shared.records.verification import CaseResult, CodeLocation, GradientCase, Verification
from gradcli.verification.reports import relative

CASE = ("name", "target", "against", "of", "origin", "options", "file", "line", "skip", "missing", "fault")


def text(report: Verification) -> str:
    """The report as one indented JSON object."""
    return json.dumps(report_as_json(report), indent=2, allow_nan=False, ensure_ascii=False) + "\n"


def report_as_json(report: Verification) -> dict[str, Any]:
    """The report as plain data: the verdict, the count of each outcome, and the cases."""
    return {
        "schema": SCHEMA,
        "command": report.command,
        "verdict": report.verdict,
        "exit": int(report.exit),
        "counts": report.counts,
        "seconds": round(report.seconds, 3),
        "interrupted": report.interrupted,
        "not_begun": report.left_out,
        "cases": [_result(case, report.root) for case in report.cases],
        "findings": [],
    }


def cases_as_json(cases: Iterable[GradientCase]) -> dict[str, Any]:
    """The cases of `--list` as plain data."""
    return {"schema": SCHEMA, "command": "verify", "cases": [_case(case) for case in cases], "findings": []}


def _case(case: GradientCase) -> dict[str, Any]:
    options = {name: value if _is_plain(value) else repr(value) for name, value in case.options.items()}
    own = {"options": plain({name: value for name, value in options.items() if name != "of"})}
    return {name: own[name] if name in own else getattr(case, name) for name in CASE}


def _is_plain(value: Any) -> bool:
    try:
        plain(value)
    except TypeError:
        return False
    return True


def _result(result: CaseResult, root: str) -> dict[str, Any]:
    comparison = None if result.comparison is None else as_json(result.comparison)
    return {
        **_case(result.case),
        "file": None if result.case.file is None else relative(result.case.file, root) or result.case.file,
        "outcome": result.outcome,
        "accepted": result.accepted,
        "message": result.message,
        "seconds": round(result.seconds, 3),
        "command": result.command,
        "fingerprint": result.fingerprint,
        "derivative": _location(result.derivative, root),
        "function": _location(result.function, root),
        "details": list(result.details),
        "comparison": comparison,
    }


def _location(place: CodeLocation | None, root: str) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"file": relative(place.file, root) or place.file, "line": place.line, "end_line": place.end_line}

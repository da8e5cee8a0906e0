"""The report as JUnit XML for build servers."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gradcli.shared.records.verification import CaseResult, Verification
from gradcli.verification.reports import failure_text

ERRORS = ("error", "raised", "crashed", "timeout")  # no verdict was reached; other failing outcomes are JUnit failures

_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(report: Verification) -> str:
    """One suite with one test case per case."""
    kinds = [_kind(case) for case in report.cases]
    counts = {
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "skipped": str(kinds.count("skipped")),
        "time": f"{report.seconds:.3f}",
    }
    suites = Element("testsuites", {"name": "gradcli", **counts})
    suite = SubElement(suites, "testsuite", {"name": "gradcli verify", **counts})
    for result in report.cases:
        _add(suite, result)
    indent(suites)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _kind(result: CaseResult) -> str:
    if result.is_failure:
        return "error" if result.outcome in ERRORS else "failure"
    return "" if result.outcome == "pass" else "skipped"


def _add(suite: Element, result: CaseResult) -> None:
    case = result.case
    known = {
        "name": clean(case.name),
        "classname": classname(case.target if case.target != "<lambda>" else case.file or "lambda"),
        "time": f"{result.seconds:.3f}",
    }
    element = SubElement(suite, "testcase", known)
    kind = _kind(result)
    if kind in ("failure", "error"):
        inner = SubElement(element, kind, {"message": clean(result.message), "type": result.outcome})
        inner.text = clean(failure_text(result))
    elif kind:
        why = f"{result.outcome}, accepted by {result.accepted}" if result.accepted else result.outcome
        SubElement(element, "skipped", {"message": clean(f"{why}: {result.message}".removesuffix(": "))})
    if (shown := failure_text(result) if result.is_reported else result.output).strip() and not result.is_failure:
        SubElement(element, "system-out").text = clean(shown)


def classname(target: str) -> str:
    """The module of a target in dotted form, by which build servers group cases; a lambda has colons of its own."""
    module = target.partition(":lambda ")[0].rpartition(":")[0] or target.partition(":lambda ")[0]
    return clean(re.sub(r"[/\\]+", ".", re.sub(r"\.pyw?$", "", module)).strip(".")) or "gradcli"


def clean(text: str) -> str:
    """A text without the characters that XML does not allow."""
    return _NOT_XML.sub("�", text)

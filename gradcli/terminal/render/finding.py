"""Findings, one per line: severity, code and title, the user's line, and the message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gradcli.shared.findings.catalogue import CATALOGUE
from gradcli.shared.records.result_and_finding import Finding
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line
from gradcli.terminal.render.layout.theme import QUIET, SEVERITIES
from gradcli.terminal.render.layout.wrapped_text import Sentence
from gradcli.terminal.render.tapes.node_labels import place


def view(findings: Iterable[Finding]) -> Stack:
    """The findings without repetitions, in order of first occurrence."""
    first: dict[tuple[object, ...], Finding] = {}
    seen: Counter[tuple[object, ...]] = Counter()
    for finding in findings:
        key = (finding.code, finding.file, finding.line, finding.message)
        first.setdefault(key, finding)
        seen[key] += 1
    return Stack(*(Sentence(sentence(finding, seen[key])) for key, finding in first.items()))


def sentence(finding: Finding, times: int = 1) -> Row:
    """A finding as text: `note[G401 unused input] hyperbox.py:3: message`."""
    entry = CATALOGUE.get(finding.code)
    label = f"{finding.severity}[{finding.code}{' ' + entry.title if entry else ''}]"
    where = f"{place(finding.file, finding.line)}: " if finding.file else ""
    again = f" ({times} times)" if times > 1 else ""
    return line((label, SEVERITIES[finding.severity]), " ", where, finding.message, (again, QUIET))

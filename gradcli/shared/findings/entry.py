"""One entry of the catalogue of findings."""

from __future__ import annotations

from typing import Literal

from gradcli.shared.frozen_record import Frozen

Severity = Literal["note", "warning", "error"]


class Entry(Frozen):
    """One kind of finding.

    Args:
        code: the code, which never changes; reports use it as the rule, and `gradcli help` accepts it.
        title: a word or two, shown beside the code.
        severity: the severity of such a finding.
        cause: what happens and why, for a reader who meets it for the first time.
        example: a minimal program or command that shows it.
        fix: what to write or type instead.
    """

    code: str
    title: str
    severity: Severity
    cause: str
    example: str
    fix: str

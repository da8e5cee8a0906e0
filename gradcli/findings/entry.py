"""What the catalogue knows of one kind of finding."""

from __future__ import annotations

from typing import Literal

from gradcli.record_base import Frozen

Severity = Literal["note", "warning", "error"]


class Entry(Frozen):
    """One kind of finding.

    Args:
        code: stable for ever; the rule in reports, the word for `gradcli help`.
        title: a word or two, shown beside the code.
        severity: how grave it is when it is found.
        cause: what happened and why, for a reader who meets it for the first time.
        example: the least code, or command, that shows it.
        fix: what to write or type instead.
        silent: a pitfall that gradcli does not fall into, so that there is nothing to find; the page says why.
    """

    code: str
    title: str
    severity: Severity
    cause: str
    example: str
    fix: str
    silent: bool = False

"""The record of the source text of a gradient program."""

from __future__ import annotations

from gradcli.shared.records.result_and_finding import ByName, Finding, Result


class Derived(Result):
    """The result of `gradcli derive`: the source text of a gradient program.

    Args:
        target, point: the function, and the point at which it was run.
        language: the programming language of the text.
        source: the text.
        agrees_with_tape, agrees_with_differences: the number of points at which the program's gradient agrees.
    """

    command = "derive"

    target: str
    point: ByName
    language: str
    source: str
    agrees_with_tape: int
    agrees_with_differences: int
    reading: str | None = None
    findings: tuple[Finding, ...] = ()

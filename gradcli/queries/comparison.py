"""The cross-check of a target's gradient, or of one written by hand."""

from __future__ import annotations

from gradcli import records
from gradcli.queries.question import ask, user_code
from gradcli.targets import resolve


def check(
    target: str, at: str | None, *, against: str | None = None, wrt: str | None = None, strict: bool = False
) -> records.Comparison:
    """The gradient of `target` at `at`, or the hand-written one `against`, judged by independent methods."""
    from gradcli.crosscheck import compare

    question = ask(target, at, wrt)
    candidate = resolve(against) if against is not None else None
    return compare(question.target, question.point, question.wanted, against=candidate, strict=strict, guard=user_code)

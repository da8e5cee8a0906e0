"""The cross-check of a target's gradient, or of one written by hand."""

from __future__ import annotations

from gradcli import records
from gradcli.queries.question import ask, user_code
from gradcli.targets import Asked, Where, resolve


def check(
    target: Asked, at: Where, *, against: Asked | None = None, wrt: str | None = None, strict: bool = False
) -> records.Comparison:
    """The gradient of `target` at `at`, or the hand-written one `against`, judged by independent methods."""
    from gradcli.crosscheck import compare

    question = ask(target, at, wrt)
    candidate = resolve(against) if against is not None else None
    return compare(question.target, question.point, question.wanted, against=candidate, strict=strict, guard=user_code)

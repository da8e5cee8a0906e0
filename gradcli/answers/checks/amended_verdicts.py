"""What is known of a whole check: it amends the verdicts on its components, and makes the overall verdict of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gradcli.shared.records.checks import Comparison, Component, Overall, Verdict
from gradcli.shared.records.result_and_finding import Structure, is_finite

FAULTS = {Verdict.JUMP: "the value jumps", Verdict.NONFINITE: "it is not finite"}
"""Verdicts on a derivative that leave none of its own derivatives to judge."""


def unrepeatable(row: Component) -> Component:
    """The function returns a different value at each call, so that nothing but a number that is not finite counts."""
    reason = "the function returns a different value at each call"
    return row if row.verdict is Verdict.NONFINITE else row.changed(verdict=Verdict.NOISY, reason=reason)


def changes_with_draws(row: Component, other: Component) -> Component:
    """The reference of a failed component changes with the random numbers, and its candidate does not."""
    if row.verdict is not Verdict.FAIL or row.candidate != other.candidate or row.reference is None:
        return row
    if other.reference is None or abs(row.reference - other.reference) <= (row.tolerance or 0.0):
        return row
    drawn = f"{row.reference:.6g} with these random numbers, {other.reference:.6g} with others"
    return row.changed(verdict=Verdict.NOISY, reason=f"the derivative is {drawn}", tolerance=None)


def of_missing_gradient(row: Component, name: str, fault: Verdict) -> Component:
    """The derivative by `name`, whose derivative this is, jumps or is not finite: nothing excuses a right number."""
    if row.verdict.counts_as != "pass":
        return row
    reason = f"the derivative by {name} does not exist here: {FAULTS[fault]}"
    return row.changed(verdict=fault, reason=reason, reference=None)


def amended(comparison: Comparison, amend: Callable[[Component], Component], *, strict: bool = False) -> Comparison:
    """The comparison with its components amended, and the overall verdict that follows."""
    rows = tuple(map(amend, comparison.components))
    return comparison.changed(components=rows, verdict=overall_verdict(rows, comparison.value, strict))


def overall_verdict(rows: Sequence[Component], value: Structure, strict: bool) -> Overall:
    """The overall verdict: the first that applies of fail, nonfinite, unchecked, inconclusive and pass."""
    verdicts = {row.verdict for row in rows}
    counted = {verdict.counts_as for verdict in verdicts}
    if "fail" in counted or (is_finite(value) and any(map(_only_candidate_not_finite, rows))):
        return "fail"
    if "nonfinite" in counted:
        return "nonfinite"
    if counted <= {"unchecked"}:
        return "unchecked"
    doubtful = "inconclusive" in counted or (strict and any(verdict.leniency for verdict in verdicts))
    return "inconclusive" if doubtful else "pass"


def _only_candidate_not_finite(row: Component) -> bool:
    finite = row.reference is not None and math.isfinite(row.reference)
    return row.verdict is Verdict.NONFINITE and finite and not math.isfinite(row.candidate or 0.0)

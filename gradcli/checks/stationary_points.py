"""A gradient that is zero at the point, where many mistakes do not show: the points beside it and the finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.checks.problem.sampled_points import Point, random_points
from gradcli.findings import finding
from gradcli.records import Comparison, Component, Finding, Verdict

REACH = 0.1  # relative distance of the neighbouring points
ZERO_HERE = "the gradient is zero here, where many mistakes do not show; also checked at"


def is_zero_gradient(found: Comparison) -> bool:
    """Whether every component is zero, or indistinguishable from zero by differences."""
    rows = [row for row in found.components if row.verdict in (Verdict.PASS, Verdict.VACUOUS)]
    if len(rows) != len(found.components) or {finding.code for finding in found.findings} & {"G401", "G403"}:
        return False
    return all(abs(row.candidate or 0.0) <= (row.differences_error or 0.0) for row in rows)


def neighbours(point: Point) -> Iterator[Point]:
    """A random point near `point`, and its mirror image on the other side."""
    for reach in (REACH, -REACH):
        yield next(random_points(point, {}, 1, seed=1, reach=reach))


def nearby_comparison_finding(others: Sequence[tuple[str, Comparison]]) -> Finding:
    """The finding for the comparisons beside the point, each with its point as text; the last one may fail."""
    at, last = others[-1]
    if last.verdict != "fail":
        texts = " and ".join(text for text, _ in others)
        return finding("G305", f"{ZERO_HERE} {texts}: {', '.join(dict.fromkeys(each.verdict for _, each in others))}")
    wrong = next((f"; {row.name}: {_numbers(row)}" for row in last.components if row.verdict is Verdict.FAIL), "")
    return finding("G305", f"{ZERO_HERE} {at}: fail{wrong}").changed(severity="warning")


def _numbers(row: Component) -> str:
    reference = "none" if row.reference is None else f"{row.reference:.6g}"
    return f"candidate {row.candidate:.6g}, reference {reference}"

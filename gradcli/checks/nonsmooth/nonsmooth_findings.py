"""Findings about kinks, jumps and branch boundaries at and near the point, with their lines."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np

from gradcli.checks.evidence_types import Evidence
from gradcli.checks.nonsmooth.isolated_paths import played
from gradcli.checks.problem.compared_case import Case
from gradcli.checks.verdicts import verdict
from gradcli.diagnose.outcome_margins import nearest_bend, nodes_at_kink, turning_branch
from gradcli.exact.one_sided_limits import NARROW, scale
from gradcli.findings import finding
from gradcli.numerics.coordinates import Coordinate
from gradcli.numerics.deadline import is_interrupted
from gradcli.records import Finding, Verdict
from gradcli.running.muted_reruns import quiet
from gradcli.traces.trace import Trace, record_trace

Place = tuple[str, int]

CODES = {Verdict.KINK: "G201", Verdict.JUMP: "G204"}
NEXT = (2.0**-52, 2.0**-40)  # steps, in scales of the input, that locate the boundary at the point


def nonsmooth_findings(case: Case, evidence: list[Evidence]) -> list[Finding]:
    """The findings for all components at or near a point that is not smooth."""
    troubled = [(part, e) for part, e in zip(case.parts, evidence, strict=True) if _is_troubled(case, part, e)]
    turning = None if troubled or case.recorded is None else turning_branch(case.trace)
    if not troubled and turning is None:
        return []
    with quiet():
        records = case.recorded is not None and not is_interrupted()
        run = record_trace(case.function, tuple(case.point.values()), names=True) if records else None
        return _told_of(troubled, case, run) if turning is None or run is None else [_on_a_switch(run, turning)]


def _told_of(troubled: list[tuple[Coordinate, Evidence]], case: Case, run: Trace | None) -> list[Finding]:
    return _folded([_told(part, e, case, run) for part, e in troubled])


def _on_a_switch(run: Trace, number: int) -> Finding:
    """The finding for a point on a branch boundary where both sides meet without a kink."""
    place = run.outcomes[number].place if number < len(run.outcomes) else None
    text = "the point is on the boundary of two branches; the tape differentiates the one that was taken"
    return _with_place("G206", text, place)


def _folded(findings: list[Finding]) -> list[Finding]:
    """Merge findings of the same code and line, because a network's layer has a kink in many components."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for note in findings:
        groups.setdefault((note.code, note.file, note.line), []).append(note)
    return [
        first if not rest else first.changed(message=f"{first.message}; likewise for {len(rest)} more")
        for first, *rest in groups.values()
    ]


def _is_troubled(case: Case, part: Coordinate, e: Evidence) -> bool:
    return (
        verdict(e)[0] in CODES
        or bool(e.boundary.nonadditive)
        or e.boundary.path is not None
        or _is_beside(case, part, e)
    )


def _is_beside(case: Case, part: Coordinate, e: Evidence) -> bool:
    """Whether a branch boundary is so close that differences had to shorten their steps."""
    return case.recorded is not None and e.slope is not None and case.reach([part], [1.0]) < NARROW * scale(part)


def _told(part: Coordinate, e: Evidence, case: Case, run: Trace | None) -> Finding:
    ruling, reason = verdict(e)
    reach = case.reach([part], [1.0])
    far = ruling not in CODES and e.boundary.path is None and not e.boundary.nonadditive
    steps = (1.5 * reach,) if far else tuple(step * scale(part) for step in NEXT)
    if e.boundary.path is not None:
        steps = (*steps, 20 * e.boundary.path.width)
    place = _turning(case, part, run, steps) if run else None
    code = "G210" if e.boundary.nonadditive else CODES.get(ruling, "G202" if far else "G206")
    near = f"differences stay within {reach:.1g} of the point, because the function changes beyond that"
    text = near if far else e.boundary.nonadditive or reason
    return _with_place(code, f"{part.name}: {text}", place)


def _with_place(code: str, text: str, place: Place | None) -> Finding:
    if place is None:
        return finding(code, text)
    file, line = place
    source = linecache.getline(file, line).strip()
    return finding(code, f"{text}; `{source}`" if source else text, file=file, line=line)


def _turning(case: Case, part: Coordinate, run: Trace, steps: tuple[float, ...]) -> Place | None:
    """The place of the first outcome that changes when the input moves by these steps, or of the step at a kink."""
    if not run.is_named:
        return None
    for step in steps:
        for sign in (1.0, -1.0):
            if (number := _turned(run, played(case, part, part.value + sign * step, blindly=True))) is not None:
                return run.outcomes[number].place
    kinks = list(nodes_at_kink(run))
    if not kinks and case.bending:
        kinks = [nearest_bend(case.trace, case.direction([part], [1.0]), case.bending)]
    return next((place for index in kinks if (place := run.nodes[index].place)), None)


def _turned(run: Trace, values: list[Any] | None) -> int | None:
    """The first outcome that would differ in another run of the same nodes."""
    if values is None:
        return None
    for number, outcome in enumerate(run.outcomes):
        try:
            if not np.array_equal(outcome.again(values), outcome.told):
                return number
        except (ArithmeticError, ValueError, TypeError, IndexError):
            return number
    return None

"""Findings about kinks, jumps and branch boundaries at and near the point, with their lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.answers.checks.problem.compared_case import Case
from gradcli.answers.checks.verdicts import Judged
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.methods.diagnose.outcome_margins import nearest_bend, nodes_at_kink, turning_branch
from gradcli.methods.exact.one_sided_limits import NARROW, replayed_values, scale
from gradcli.methods.numerics.coordinates import Coordinate, arguments_with_number
from gradcli.methods.numerics.deadline import is_interrupted
from gradcli.shared.findings import finding_at
from gradcli.shared.records.checks import Verdict
from gradcli.shared.records.result_and_finding import Finding

Place = tuple[str, int]

CODES = {Verdict.KINK: "G201", Verdict.JUMP: "G204"}
NEXT = (2.0**-52, 2.0**-40)  # steps, in scales of the input, that locate the boundary at the point


def nonsmooth_findings(case: Case, judged: Sequence[Judged]) -> list[Finding]:
    """The findings for all components at or near a point that is not smooth."""
    rough = [one for one in judged if _is_nonsmooth(case, one)]
    turning = None if rough or case.recorded is None else turning_branch(case.trace)
    if not rough and turning is None:
        return []
    records = case.recorded is not None and not is_interrupted()
    run = case.named_run() if records else None
    if turning is not None and run is not None:
        return [_boundary_finding(run, turning)]
    return _merged([_component_finding(one, case, run) for one in rough])


def _boundary_finding(run: Trace, number: int) -> Finding:
    """The finding for a point on a branch boundary where both sides meet without a kink."""
    place = run.outcomes[number].place if number < len(run.outcomes) else None
    text = "the point is on the boundary of two branches; the tape differentiates the one that was taken"
    return finding_at("G206", text, place)


def _merged(findings: list[Finding]) -> list[Finding]:
    """Merge findings of the same code and line, because a network's layer has a kink in many components."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for finding_ in findings:
        groups.setdefault((finding_.code, finding_.file, finding_.line), []).append(finding_)
    return [
        first if not rest else first.changed(message=f"{first.message}; likewise for {len(rest)} more")
        for first, *rest in groups.values()
    ]


def _is_nonsmooth(case: Case, judged: Judged) -> bool:
    """Whether the point is at a kink, a jump or a branch boundary, or so close to one that differences noticed."""
    part, e, (ruling, _) = judged
    if ruling in CODES or e.boundary.nonadditive or e.boundary.path is not None:
        return True
    return case.recorded is not None and e.slope is not None and case.reach([part], [1.0]) < NARROW * scale(part)


def _component_finding(judged: Judged, case: Case, run: Trace | None) -> Finding:
    """The finding for one component, with the line of the boundary, which is looked for at the point or beyond it."""
    part, e, (ruling, reason) = judged
    reach = case.reach([part], [1.0])
    is_at_point = ruling in CODES or e.boundary.path is not None or bool(e.boundary.nonadditive)
    steps = tuple(step * scale(part) for step in NEXT) if is_at_point else (1.5 * reach,)
    if e.boundary.path is not None:
        steps = (*steps, 20 * e.boundary.path.width)
    code = "G210" if e.boundary.nonadditive else CODES.get(ruling, "G206" if is_at_point else "G202")
    near = f"differences stay within {reach:.1g} of the point, because the function changes beyond that"
    text = (e.boundary.nonadditive or reason) if is_at_point else near
    return finding_at(code, f"{part.name}: {text}", _boundary_place(case, part, run, steps) if run else None)


def _boundary_place(case: Case, part: Coordinate, run: Trace, steps: tuple[float, ...]) -> Place | None:
    """The place of the first outcome that changes when the input moves by these steps, or of the step at a kink."""
    if not run.is_named:
        return None
    for step in steps:
        for sign in (1.0, -1.0):
            there = arguments_with_number(case.point, part, part.value + sign * step)
            values = replayed_values(case.trace, there, blindly=True)
            if values is not None and (number := _first_changed(run, values)) is not None:
                return run.outcomes[number].place
    kinks = list(nodes_at_kink(run))
    if not kinks and case.bending:
        kinks = [nearest_bend(case.trace, case.direction([part], [1.0]), case.bending)]
    return next((place for index in kinks if (place := run.nodes[index].place)), None)


def _first_changed(run: Trace, values: list[Any]) -> int | None:
    """The first outcome that differs where the nodes of a run have these values."""
    for number, outcome in enumerate(run.outcomes):
        try:
            if not np.array_equal(outcome.again(values), outcome.answer):
                return number
        except UNABLE:  # a replay off the path may not fit the outcome
            return number
    return None

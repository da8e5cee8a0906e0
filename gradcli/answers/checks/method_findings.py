"""Limits of the reference methods in a check, reported as findings: on differences, SymPy and rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.answers.checks.evidence import CaseEvidence
from gradcli.answers.checks.evidence_types import Evidence
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.answers.checks.verdicts import Judged
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.methods.diagnose.outcome_margins import node_at_kink
from gradcli.methods.diagnose.step_elements import StepElement, applied
from gradcli.methods.numerics import precision_loss, rounding
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.deadline import is_interrupted
from gradcli.methods.numerics.difference_quotients import NO_STEP
from gradcli.methods.symbolic.rewrite_trials import Trials
from gradcli.shared.findings import finding
from gradcli.shared.pytree import leaves
from gradcli.shared.records.checks import Verdict
from gradcli.shared.records.result_and_finding import Finding

NEIGHBOURS = 31  # neighbouring numbers over which the scatter of the values is measured
EXPLAINED = 10.0  # scatter is noise if it exceeds the effect of rounding, or of the slope, by this factor
TELLING = 2.0  # digits that a step must lose to deserve a finding


def remarks(evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield the findings about the evidence, each code once for all components."""
    parts = [(part, e) for part, e, _ in evidence.judged]
    remarks_ = (_step(parts), _noise(evidence.case, parts), _edge(parts))
    yield from (one for one in (*remarks_, _type(evidence.case)) if one is not None)
    if evidence.case.recorded is not None:
        yield from _jumping_steps(evidence)
        yield from _rounding(evidence.case, evidence.judged)


Parts = list[tuple[Coordinate, Evidence]]


def _listed(names: list[str]) -> str:
    """The first of some components, and the number of the others."""
    return names[0] + (f" and {len(names) - 1} more" if names[1:] else "")


def _step(parts: Parts) -> Finding | None:
    """Finding G303: no step is both long enough and short enough."""
    names = [part.name for part, e in parts if _is_too_fast(part, e)]
    if not names:
        return None
    value = next(part.value for part, _ in parts if part.name == names[0])
    text = (
        f"the numbers next to {value:g} are {math.ulp(value):.2g} apart; the function is not linear over that distance"
    )
    return finding("G303", f"{_listed(names)}: {text}; differences withdrew")


def _is_too_fast(part: Coordinate, e: Evidence) -> bool:
    if e.slope is None or math.isfinite(e.slope.value) or e.slope.jump or not e.slope.reason:
        return False
    if not e.slope.noise:
        return e.slope.reason.endswith(NO_STEP)
    return e.reference is not None and _by_slope(part, e) * EXPLAINED > e.slope.noise


def _by_slope(part: Coordinate, e: Evidence) -> float:
    """The difference that the exact derivative predicts between the values at neighbouring numbers."""
    return NEIGHBOURS * math.ulp(part.value) * abs(e.reference or 0.0)


def _noise(case: Case, parts: Parts) -> Finding | None:
    """Finding G301: the values scatter by more than rounding explains."""
    noisy = [(part, e.slope.noise) for part, e in parts if e.slope and _has_noise(part, e)]
    worst = max((noise for _, noise in noisy), default=0.0)
    if not worst or not worst > EXPLAINED * _rounding_of_value(case):  # nan, an unknown bound, explains everything
        return None
    names = _listed([part.name for part, _ in noisy])
    return finding("G301", f"{names}: the values scatter by {worst:.1g} between neighbouring numbers, beyond rounding")


def _has_noise(part: Coordinate, e: Evidence) -> bool:
    return e.slope is not None and e.slope.noise > 0 and not e.slope.jump and not _is_too_fast(part, e)


def _rounding_of_value(case: Case) -> float:
    """A bound on the rounding error of the value; without a recorded run, one rounding unit of the value."""
    if is_interrupted():
        return math.inf
    last = case.recorded.result_index() if case.recorded else None
    if last is None:
        return case.eps * abs(case.value)
    try:
        return rounding.value_errors(case.trace, [last], case.eps / 2)[0]
    except UNABLE:
        return math.inf


def _edge(parts: Parts) -> Finding | None:
    """Finding G304: the function has no finite value on one side."""
    edges = [(part, e.slope.edge) for part, e in parts if e.slope and e.slope.edge and math.isfinite(e.slope.value)]
    if not edges:
        return None
    (part, edge), *rest = edges
    names = part.name + (f" and {len(rest)} more" if rest else "")
    where = f"{abs(edge):.1g} to the {'right' if edge > 0 else 'left'}"
    return finding("G304", f"{names}: the function has no finite value {where}; differences keep to where it has one")


def _type(case: Case) -> Finding | None:
    """Finding G302: the program computes in fewer digits than the point has."""
    given = leaves([*(case.given or case.point).values()])
    point = min((np.finfo(x).precision for x in map(_floating, given)), default=0)
    if np.finfo(case.dtype).precision >= point:
        return None
    text = f"the program computes in {case.dtype}: a correct gradient may differ by {case.slack:g}"
    return finding("G302", f"{text}, and differences take longer steps")


def _floating(x: Any) -> Any:
    dtype = np.result_type(x)
    return dtype if dtype.kind in "fc" else np.dtype(float)


def _jumping_steps(evidence: CaseEvidence) -> Iterator[Finding]:
    """Yield finding G803 for a step that jumps at the point."""
    for node in evidence.case.trace.nodes:
        if node.rule is not None and node.rule.step and node_at_kink(node, UNTOUCHED):
            made = applied(node.operation, node.operands)
            text = f"{made} jumps, and SymPy's derivative of it contains DiracDelta there, which is no number"
            yield finding("G803", f"{text}; the derivative is that beside the jump")
            return


def _rounding(case: Case, judged: Sequence[Judged]) -> Iterator[Finding]:
    """Yield the step that loses the digits of candidates whose difference rounding may explain."""
    names = [part.name for part, _, (ruling, _) in judged if ruling is Verdict.ROUNDOFF]
    if not names or case.trace.has_complex or is_interrupted():
        return
    run = case.named_run()
    errors = rounding.error_analysis(run, len(run.nodes) - 1, case.eps / 2).errors
    bounds = precision_loss.digits_lost(run, run.nodes, errors, case.eps / 2)
    trials = Trials(run, (), (), case.eps / 2)
    lost = [trials.lost(node, bounds[node.index]) if bounds[node.index] >= TELLING else 0.0 for node in run.nodes]
    known = [min(digits, np.finfo(case.dtype).precision) for digits in lost]
    worst = max(range(len(known)), key=known.__getitem__, default=0)
    if not known or known[worst] < TELLING:
        return
    lane = StepElement(run, worst, (0,) * np.ndim(run.nodes[worst].value))
    code = "G601" if lane.node.is_sum else "G602"
    message = f"{lane.written()} loses {known[worst]:.0f} digits, and so does the derivative by {_listed(names)}"
    yield finding(code, f"{message}; `gradcli precision` shows what each step costs", **lane.places())

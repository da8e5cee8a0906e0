"""One comparison: all reference methods are asked once, each component gets a verdict, and findings are collected."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from gradcli.answers.checks import references
from gradcli.answers.checks.amended_verdicts import overall_verdict
from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.contradictory_evidence import disputes
from gradcli.answers.checks.evidence import CaseEvidence, gather_evidence
from gradcli.answers.checks.evidence_types import Evidence
from gradcli.answers.checks.method_findings import remarks
from gradcli.answers.checks.nonsmooth.nonsmooth_findings import nonsmooth_findings
from gradcli.answers.checks.problem.bound_check import BoundCheck
from gradcli.answers.checks.problem.compared_case import Case, open_case
from gradcli.answers.checks.verdicts import (
    Judged,
    by_differences,
    by_references,
    is_steep,
    shows_iterations,
    slopes_differ,
    within_an_iteration,
)
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import Trace
from gradcli.errors import GradcliError
from gradcli.methods.diagnose.finite_run_findings import jumps_inside
from gradcli.methods.diagnose.removable_singularities import removable_singularity_findings
from gradcli.methods.diagnose.run_findings import run_findings
from gradcli.methods.exact import decimals
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.numerics.deadline import is_interrupted
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.shared import devices
from gradcli.shared.findings import finding
from gradcli.shared.pytree import record_value
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import PASSES_WHEN, WOULD_DETECT, Comparison, Component, Verdict
from gradcli.shared.records.result_and_finding import Finding


def device_findings(
    case: Case, device: devices.device, own: Sequence[float], host: Sequence[float], rounding: Sequence[float]
) -> Iterator[Finding]:
    """Report differences between device and host, and between two runs on the device.

    Args:
        case: the case that is checked.
        device: the device on which the gradient was computed.
        own: the components computed there.
        host: the components computed by a sweep on the host.
        rounding: bounds on the rounding error of the sweep, valid for additions in any order.

    Costs one more run on the device.
    """
    names = [part.name for part in case.parts]
    if (worst := _farthest(own, host)) is not None:
        off = abs(own[worst] - host[worst])
        within = off <= 2 * rounding[worst]
        order = "a different order of additions explains"
        why = f"{order} that" if within else f"more than {order}"
        text = f"{names[worst]}: {device.name} differs from the host by {off:.2g}{_relative(off, host[worst])}; {why}"
        yield finding("G701", text, numbers={"device": own[worst], "host": host[worst]})
    again = references.reverse_on(device, case)
    if (worst := _farthest(own, again)) is not None:
        off = abs(own[worst] - again[worst])
        text = f"{names[worst]}: two runs on {device.name} differ by {off:.2g}{_relative(off, own[worst])}"
        yield finding("G702", text, numbers={"first": own[worst], "second": again[worst]})


def _farthest(one: Sequence[float], other: Sequence[float]) -> int | None:
    """The index at which two sequences of numbers differ most, relative to their size; None if they are equal."""
    distances = [abs(a - b) / (abs(b) or 1.0) for a, b in zip(one, other, strict=True)]
    differing = [n for n, distance in enumerate(distances) if distance > 0 and math.isfinite(distance)]
    return max(differing, key=distances.__getitem__, default=None)


def _relative(off: float, size: float) -> str:
    return f", {off / abs(size):.1g} of it" if size else ""


UNFOLLOWED = "the tape cannot follow the function, and there is no hand-written gradient to check"

# Verdicts that do not depend on the size of the difference
WITHOUT_POWER = frozenset({Verdict.KINK, Verdict.CUT, Verdict.JUMP, Verdict.NONFINITE})
BENT = frozenset({Verdict.KINK, Verdict.JUMP})


def compare(check: BoundCheck, *, explains: bool = True) -> Comparison:
    """Compare a gradient at a point with independent references.

    If the tape cannot follow the function, finite differences alone decide. Without a hand-written gradient there is
    then nothing to check, and the verdict is `unchecked`.

    Args:
        check: the check of a gradient; its function returns one number.
        explains: whether to look for the mistake in a gradient that fails.

    Raises:
        ResultError: the function does not return one number, or the candidate does not have the point's structure.
        TargetError: the candidate does not take the inputs of the point.
    """
    target, against, host, asked = check.target, check.against, check.host, check.request
    by_hand = HandWrittenGradient(against, list(check.point)) if against else None
    case = open_case(target, check.point, check.wanted, host.guard)
    reverse = references.reverse(case) if case.recorded else None
    own = references.reverse_on(host.device, case) if host.device and case.recorded and not by_hand else reverse
    tested, slack = by_hand.numbers(case) if by_hand else (own, case.slack)
    slack = max(slack, asked.rtol)

    def findings() -> Iterator[Finding]:
        if explains and evidence and tested and _fails(rows) and not is_interrupted():
            yield from _culprits(evidence, tested, by_hand)
        yield from _findings(evidence.case if evidence else case, check, rows, evidence)
        if host.device and evidence and reverse and own is not reverse and own is not None:
            bounds = references.with_rounding(case, evidence.precise).rounding or []
            yield from device_findings(case, host.device, own, reverse, bounds)

    with quiet():  # from here on, the user's functions are only run again
        case = _without_reference_at_jump(case, host.named)
        evidence = gather_evidence(case, tested, slack, by_hand, asked.atol) if tested is not None else None
        rows = _rows(evidence, reverse) if evidence else [skipped(part.name, UNFOLLOWED) for part in case.parts]
        explained = tuple(until_stopped(findings()))
    return Comparison(
        target.text,
        against.text if against else None,
        record_value(check.point),
        case.value,
        overall_verdict(rows, case.value, asked.strict),
        tuple(rows),
        (*(_notes(evidence) if evidence else ()), *_widened(asked)),
        target.reading,
        explained,
    )


def _without_reference_at_jump(case: Case, named: Callable[[], Trace] | None) -> Case:
    """The case without its recorded run, if the derivative of that lacks the derivative of the place of a jump."""
    if case.recorded is None or not case.recorded.jumps:
        return case
    jump = next(jumps_inside(case.named_run(named)))
    return replace(case, recorded=None, jump=jump)


def until_stopped(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings; those that an interruption of the user's code leaves out are not worth the verdicts.

    Raises:
        KeyboardInterrupt: the interruption did not stop the clock of the check.
    """
    try:
        yield from findings
    except KeyboardInterrupt:
        if not is_interrupted():
            raise


_ORDER = {verdict: place for place, verdict in enumerate(Verdict)}


def _rows(evidence: CaseEvidence, reverse: list[float] | None) -> list[Component]:
    """One row per component, worst first."""
    parts = evidence.whole.parts
    own: Sequence[float | None] = reverse or [None] * len(parts)
    components = dict(_rows_of_many(evidence, own))
    for n, one in zip(evidence.places, evidence.judged, strict=True):
        components[n] = _row(one, own[n], evidence.precise.values[n])
    return worst_first(components.get(n) or skipped(part.name, "not finished") for n, part in enumerate(parts))


def _rows_of_many(evidence: CaseEvidence, reverse: Sequence[float | None]) -> Iterator[tuple[int, Component]]:
    """The rows of the components that are judged together, by position. They have no digits beyond those of floats."""
    if (many := evidence.many) is None:
        return
    places, candidates, references, off, tolerances = (
        column.tolist() for column in (many.places, many.candidate, many.reference, many.off, many.tolerance)
    )
    rulings = by_references(off, tolerances, evidence.dispute)
    for n, part, candidate, reference, tolerance, (ruling, reason) in zip(
        places, many.case.parts, candidates, references, tolerances, rulings, strict=True
    ):
        row = part.name, ruling, candidate, reference, reverse[n], reference, None, None, tolerance, reason, None
        yield n, Component(*row)


def worst_first(rows: Iterable[Component]) -> list[Component]:
    """Sort the rows by verdict, in display order; those that fail by their error over what is allowed."""
    return sorted(rows, key=lambda row: (_ORDER[row.verdict], -_excess(row)))


def _excess(row: Component) -> float:
    """The error of a wrong component over its tolerance to three digits, so that rounding does not decide an order."""
    if row.verdict is not Verdict.FAIL or row.candidate is None or row.reference is None or row.tolerance is None:
        return 0.0
    off = abs(row.candidate - row.reference)
    return float(f"{off / row.tolerance:.3g}") if row.tolerance else math.inf


def _widened(asked: CheckRequest) -> Iterator[str]:
    """A note if the tolerance is wider than the derived one."""
    wider = [f"{name} {value:g}" for name, value in (("--rtol", asked.rtol), ("--atol", asked.atol)) if value]
    if wider:
        yield f"the tolerance is widened by {' and '.join(wider)}"


def _row(judged: Judged, reverse: float | None, exact: Any) -> Component:
    part, e, (ruling, reason) = judged
    slope = e.slope if e.slope and math.isfinite(e.slope.value) else None
    decided = (e.reference is not None and ruling is not Verdict.SKIPPED) or ruling in (Verdict.PASS, Verdict.FAIL)
    decided = decided or (ruling is Verdict.NONFINITE and slope is not None and _is_measured(e, slope, part.value))
    decided = decided and not (
        ruling is Verdict.NONFINITE and slopes_differ(e)
    )  # at a kink no number is the derivative
    return Component(
        name=part.name,
        verdict=ruling,
        candidate=e.candidate,
        reference=reference(e) if decided else None,
        reverse=reverse,
        symbolic=e.reference,
        differences=slope.value if slope else None,
        differences_error=slope.error if slope else None,
        tolerance=_judged(e).tolerance if decided and ruling is not Verdict.KINK else None,
        reason=reason,
        exact=None if exact is None else decimals.text(exact, 20),
    )


def _is_measured(e: Evidence, slope: Slope, x: float) -> bool:
    """Whether differences alone show that there is a slope, next to a candidate that is not a number.

    They do if they would confirm it, or if its error over the size of the input is nothing beside the value.
    """
    confirmed = by_differences(replace(e, candidate=slope.value)) is not None
    return confirmed or slope.error * abs(x) <= e.slack * abs(e.value)


def reference(e: Evidence) -> float | None:
    """The reference value of a verdict: the exact derivative, else finite differences; None for an infinite slope."""
    e = _judged(e)
    if is_steep(e):
        return None
    if e.reference is not None or e.slope is None or not math.isfinite(e.slope.value):
        return e.reference
    return e.slope.value


def _judged(e: Evidence) -> Evidence:
    """The evidence that decides; for a cut input or an isolated path, wider differences replace the exact reference."""
    wider = e.measured.wide if e.boundary.cut and e.candidate else None
    path = e.boundary.path
    if wider is None and path is not None and not (path.width or path.exact or shows_iterations(e, path.beyond)):
        wider = path.beyond
    return e if wider is None else e.by_slope(wider)


def skipped(name: str, reason: str) -> Component:
    """The row of a component that was not judged."""
    return Component(name, Verdict.SKIPPED, None, None, None, None, None, None, None, reason, None)


def _notes(evidence: CaseEvidence) -> Iterator[str]:
    """Notes on the basis of the verdicts: the formula of the tolerance, the detectable error, and exceptions."""
    case, slack = evidence.case, max((e.slack for e in evidence.evidence), default=0.0)
    if case.recorded is None:
        reason = "the tape cannot follow the function" if case.jump is None else "a jump inside an integral (G212)"
        yield f"{reason}: differences alone decide, with a wider tolerance"
        yield f"{PASSES_WHEN} |candidate - differences| <= 2 * their error, or {slack:g} * |differences|"
    else:
        rule = f"|candidate - reference| <= {slack:g} * |reference|"
        yield f"{PASSES_WHEN} {rule}, or within the rounding error of the sweep"
    rulings = {ruling for _, _, (ruling, _) in evidence.judged}
    if Verdict.KINK in rulings:
        yield "at a kink, candidates between the slopes pass if they are a mean of the gradients that meet there"
    known = [e.power for _, e, (ruling, _) in evidence.judged if ruling not in WITHOUT_POWER]
    powers = [power for power in known if power is not None]
    powers += [slack] * any(evidence.many.reference if evidence.many else ())
    count, exact = len(evidence.whole.parts), evidence.precise.is_complete
    single = len(references.differenced_one_by_one(evidence.whole, evidence.precise))
    if powers:
        where = " in each component" if exact or single == count else f" in each of {single} of {count} components"
        by = ", by the symbolic derivative" if exact and single < count else ""
        yield f"{WOULD_DETECT} a relative error of {max(powers):.1g}" + (f"{where}{by}" if powers[1:] else "")
    yield from evidence.precise.notes
    if single < count:
        rest = "not the others" if exact and case.switch else "the others together along one direction"
        first = f"the first {single} of {count} components one by one, {rest}"
        yield f"differences: {first if single else 'along one direction through all components'}"


def _findings(case: Case, check: BoundCheck, rows: list[Component], evidence: CaseEvidence | None) -> Iterator[Finding]:
    if evidence:
        yield from disputes(evidence.judged)
        yield from nonsmooth_findings(evidence.case, evidence.judged)
        yield from remarks(evidence)
    if case.jump is not None:
        yield case.jump
    if case.withdrawn is not None:
        yield _withdrawal(case.withdrawn, judged=check.against is not None)
    if not {row.verdict for row in rows} - {Verdict.SKIPPED}:
        yield finding("G911", "no component was checked; this is not a pass")
    if case.recorded is None or evidence is None or is_interrupted():
        return
    yield from (
        finding("G207", f"{part.name}: {reason}")
        for part, e, (ruling, reason) in evidence.judged
        if ruling is Verdict.NOISY and within_an_iteration(e)
    )
    finite = all(row.verdict is not Verdict.NONFINITE for row in rows)
    smooth = _smooth(evidence.case, check.wanted, rows, evidence.evidence)
    of_the_run = run_findings(case.trace, partial(case.named_run, check.host.named), case.point, smooth, finite=finite)
    # `nonsmooth_findings` or `disputes` has reported it, with the slopes
    yield from (item for item in of_the_run if item.code != "G201")
    yield from removable_singularity_findings(case.trace, of_the_run, case.function, case.point)


def _smooth(case: Case, wanted: Sequence[str], rows: Sequence[Component], evidence: Sequence[Evidence]) -> list[str]:
    """The inputs with no kink, jump or other path near the point. The others have more specific findings than G205."""
    bent = {row.name for row in rows if row.verdict in BENT}
    bent.update(part.name for part, e in zip(case.parts, evidence, strict=True) if e.boundary.path is not None)
    if not bent:
        return [*wanted]
    return [name for name in wanted if bent.isdisjoint(part.name for part in coordinates(case.point, [name]))]


def _fails(rows: Sequence[Component]) -> bool:
    return any(row.verdict is Verdict.FAIL for row in rows)


def _culprits(
    evidence: CaseEvidence, candidate: Sequence[float], by_hand: HandWrittenGradient | None
) -> Iterator[Finding]:
    """Explain the failure: the mistake in a hand-written gradient, or the wrong rule."""
    # Imported here, because a passing check does not need it
    from gradcli.answers.checks.culprit.culprit import culprit, wrong_rule

    if by_hand and not any(slopes_differ(e) for e in evidence.evidence):
        alone, many = map(reference, evidence.evidence), evidence.many
        known = {} if many is None else dict(zip(many.places.tolist(), many.reference.tolist(), strict=True))
        known.update(zip(evidence.places, alone, strict=True))
        slopes = [known.get(n) for n in range(len(candidate))]
        slack = max(e.slack for e in evidence.evidence)
        yield from culprit(evidence.whole, candidate, slopes, by_hand, slack)
    elif not by_hand and evidence.whole.recorded:
        yield from wrong_rule(evidence.whole)


def _withdrawal(error: GradcliError, *, judged: bool) -> Finding:
    """The reason why the tape cannot follow the function; only a note if differences check the gradient instead.

    If nothing does, it says what to change.
    """
    message = error.message if judged or not error.hint else f"{error.message}. {error.hint}"
    withdrawn = finding(error.code or "G402", message, file=error.file, line=error.line)
    return withdrawn.changed(severity="note") if judged else withdrawn

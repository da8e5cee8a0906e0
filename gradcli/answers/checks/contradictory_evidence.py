"""Unexplained contradictions: of a recorded and a plain run, or of the exact derivative and differences."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np

from gradcli.answers.checks.evidence_types import Dispute, Evidence
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.answers.checks.verdicts import Judged, differences_contradict, slopes_differ
from gradcli.engine.traces.node import STOP_GRADIENT
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.methods.exact import decimals, one_sided_limits
from gradcli.methods.exact.complex_decimals import is_complex
from gradcli.methods.exact.gradient import PRECISIONS
from gradcli.methods.exact.one_sided_limits import Direction
from gradcli.methods.exact.replay import Replay
from gradcli.methods.numerics import differences
from gradcli.methods.numerics.coordinates import Coordinate, arguments_along
from gradcli.methods.numerics.deadline import is_interrupted
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.methods.numerics.rounding import value_errors
from gradcli.shared.findings import finding
from gradcli.shared.pytree import leaves
from gradcli.shared.records.checks import Verdict
from gradcli.shared.records.result_and_finding import Finding

ULPS = 8.0  # of the value: a smaller difference of two runs needs no rounding bound
SAFETY = 2.0  # times the rounding bound: the allowance for two runs, either of which may be off by it
UNKNOWN = 1e3  # assumed roundings of the value, or of its terms, where no bound is known
NEAR = Decimal("1e-200")  # steps along a direction, for the slope of the recorded run in many digits
ALIKE = 1e-9  # relative difference that rounding alone may cause
SHARE = 0.1  # fraction of a contradiction below which a difference is not its cause


def of_values(case: Case) -> str | None:
    """Describe the values of a recorded and a plain run if they differ by more than rounding."""
    plain = None if case.recorded is None else case.plain
    if plain is None:
        return None
    if isinstance(plain, Exception):
        return f"a recorded run gives {case.value:.17g}, and a plain run raises {type(plain).__name__}"
    if plain == case.value or (math.isnan(plain) and math.isnan(case.value)):
        return None
    off = abs(plain - case.value)
    if off <= ULPS * case.eps * abs(case.value) or off <= SAFETY * _rounding(case):
        return None
    return f"a recorded run gives {case.value:.17g}, and a plain run {plain:.17g}"


def _rounding(case: Case) -> float:
    """A bound on the rounding error of the value; infinite if there is no bound."""
    last = case.trace.result_index()
    try:
        bound = 0.0 if last is None else value_errors(case.trace, [last], case.eps / 2)[0]
    except UNABLE:
        return UNKNOWN * case.eps * case.size
    return math.inf if math.isnan(bound) else bound + float(np.finfo(case.dtype).smallest_subnormal)


def disputed_components(case: Case, evidence: Sequence[Evidence]) -> list[Dispute | None]:
    """The unexplained contradictions of exact derivatives and differences, by component.

    Components that are too many for differences of their own are compared together along one direction. They also share
    any contradiction found elsewhere, since it means that the recorded run is not the function.
    """
    if any(outcome.name == STOP_GRADIENT for outcome in case.trace.outcomes):
        return [None] * len(evidence)
    contradictions = [_dispute(case, part, e) for part, e in zip(case.parts, evidence, strict=True)]
    rest = [n for n, e in enumerate(evidence) if _should_hold_nearby(e) and e.slope is None and not is_interrupted()]
    some, exact = case.of_parts([case.parts[n] for n in rest]), [evidence[n].reference or 0.0 for n in rest]
    shared = next(filter(None, contradictions), None) or joint_contradiction(some, exact, evidence[0].slack)
    together = {*rest}
    return [shared if n in together else dispute for n, dispute in enumerate(contradictions)]


def _should_hold_nearby(e: Evidence) -> bool:
    """Whether the exact derivative should hold around the point, as it does not at a kink or a step."""
    known = e.reference is not None and math.isfinite(e.reference)
    return known and not e.boundary.cut and e.boundary.path is None and slopes_differ(e) is None


def _dispute(case: Case, part: Coordinate, e: Evidence) -> Dispute | None:
    if e.slope is None or e.exact is None or not _should_hold_nearby(e):
        return None
    error = e.exact.error
    if not differences_contradict(e.slope, e.exact.value, e.slack, error):
        return None
    if is_explained(case, case.direction([part], [1.0]), e.slope, e.exact.value):
        return None
    return Dispute(part.name, e.exact.value, error, e.slope.value, e.slope.error)


def joint_contradiction(case: Case, references: Sequence[float], slack: float) -> Dispute | None:
    """The contradiction of the exact derivatives by all parts of a case taken together, along one direction."""
    if not case.parts or case.switch:
        return None
    steps = case.random_steps(case.parts)
    shares = [reference * step for reference, step in zip(references, steps, strict=True)]
    direction, reference = case.direction(case.parts, steps), math.fsum(shares)
    slope = differences.slope(case.towards(direction), 0.0, case.eps, case.reach(case.parts, steps))
    room = slack * math.fsum(map(abs, shares))
    if not differences_contradict(slope, reference, 0.0, room) or is_explained(case, direction, slope, reference):
        return None
    return Dispute(f"{len(steps)} numbers along one direction", reference, room, slope.value, slope.error)


def disputes(judged: Sequence[Judged]) -> Iterator[Finding]:
    """Yield a finding for each contradiction that leaves a verdict open."""
    contradicted = [(part, e) for part, e, (ruling, _) in judged if ruling is Verdict.DISPUTED]
    if difference := next((e.run_difference for _, e in contradicted if e.run_difference), None):
        yield finding("G315", difference)
        return
    named = [(part.name, e.dispute) for part, e in contradicted if e.dispute is not None]
    if named:
        dispute = named[0][1]
        rest = f"; likewise for {len(named) - 1} more" if named[1:] else ""
        yield finding("G314", f"by {dispute.name} {dispute.text}{rest}", numbers=dispute.numbers)


# Explanations of a contradiction


def is_explained(case: Case, direction: Direction, slope: Slope, reference: float) -> bool:
    """Whether the recorded run agrees with the function although the differences disagree with its derivative.

    It does if both have the same values (or the run takes another path) and the run's exact derivative is the limit of
    its own difference quotients. Values whose rounding may be as large explain any contradiction, unless it is small.
    """
    trace, plain = case.trace, case.towards(direction)
    arguments = [arguments_along(case.point, direction, sign * slope.step) for sign in (1, -1)]
    floats = [values for there in arguments if (values := one_sided_limits.replayed_values(trace, there)) is not None]
    if len(floats) < len(arguments):
        return True
    gap, moved = abs(slope.value - reference), plain(slope.step) - plain(-slope.step)
    room, rounds_off = 2 * SHARE * gap * slope.step, gap * slope.step <= SAFETY * _rounding(case)
    try:
        exact, limit = _exactly(case, direction, arguments)
    except UNABLE:
        return rounds_off or abs(float(_rise(case, floats)) - moved) <= room
    if any(starmap(partial(_takes_another_piece, case), zip(floats, exact, strict=True))):
        return True
    is_same = abs(float(_rise(case, exact)) - moved) <= room
    return abs(limit - reference) <= SHARE * gap if is_same else rounds_off


Values = list[Any]  # of the rows of a run


def _exactly(case: Case, direction: Direction, arguments: Sequence[list[Any]]) -> tuple[list[Values], float]:
    """The values of the recorded run at some points, with its recorded choices, and its slope, in many digits.

    Raises:
        ArithmeticError: the computation takes too long, or is impossible.
    """
    inputs, here = list(case.trace.input_indices()), leaves(tuple(arguments_along(case.point, direction, 0.0)))
    last = case.trace.result_index()
    values: Callable[[Mapping[int, Any]], Values] = (lambda _: []) if last is None else Replay(case.trace, last).values
    with decimals.digits(PRECISIONS[-1]):
        exact = [
            values(dict(zip(inputs, map(decimals.to_decimals, leaves(tuple(there))), strict=True)))
            for there in arguments
        ]
        near = [
            {
                inputs[n]: decimals.to_decimals(here[n]) + sign * NEAR * decimals.to_decimals(step)
                for n, step in direction.items()
            }
            for sign in (1, -1)
        ]
        limit = _rise(case, [*map(values, near)]) / (2 * NEAR)
        return exact, float(limit)


def _rise(case: Case, runs: Sequence[Values]) -> Any:
    """The difference between the values of two runs."""
    last = case.trace.result_index()
    if last is None:
        return 0
    above, below = (np.ravel(np.asarray(values[last]))[0] for values in runs)
    return above - below


def _takes_another_piece(case: Case, floats: Values, exact: Values) -> bool:
    """Whether a run departs from the recorded choices at a step that chooses, so that a kink lies in between."""
    for node, value, recorded in zip(case.trace.nodes, floats, exact, strict=False):
        numbers, exactly = np.ravel(np.asarray(value)), np.ravel(np.asarray(recorded))
        kind = complex if is_complex(exactly) else numbers.dtype
        if not np.allclose(exactly.astype(kind), numbers, rtol=ALIKE):
            return node.rule is not None and (node.rule.piecewise or node.rule.extreme)
    return False

"""Contradictions that nothing explains: of a recorded run and a plain one, of the exact derivative and differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import starmap
from typing import Any

import numpy as np

from gradcli.checks.evidence_records import Dispute
from gradcli.checks.problem.compared_case import Case
from gradcli.checks.verdicts import Evidence, bends, contradicts, verdict
from gradcli.exact import decimals, one_sided_limits
from gradcli.exact.complex_decimals import is_complex
from gradcli.exact.one_sided_limits import Direction, scale
from gradcli.exact.replay import play
from gradcli.findings import finding
from gradcli.numerics import differences
from gradcli.numerics.coordinates import Coordinate, along
from gradcli.numerics.deadline import Deadline
from gradcli.numerics.differences import Slope
from gradcli.numerics.rounding import value_errors
from gradcli.pytree import leaves
from gradcli.records import Finding, Verdict
from gradcli.running.muted_reruns import quiet

ULPS = 8.0  # of the value: by so much two runs may differ before a bound is asked for
SAFETY = 2.0  # times the bound of rounding: each of two runs may be off by as much
UNKNOWN = 1e3  # roundings of the value, or of its terms, where there is no bound
DIGITS = 60
NEAR = Decimal("1e-25")  # steps of a direction, over which many digits tell the slope of the recorded run
ALIKE = 1e-9  # of a number: what rounding alone hardly moves
SHARE = 0.1  # of a contradiction: what is off by no more is not its cause


def of_values(case: Case) -> str:
    """What a recorded run and a plain one give, where they differ by more than rounding; nothing where they do not."""
    plain = None if case.recorded is None else case.plain
    if plain is None:
        return ""
    if isinstance(plain, Exception):
        return f"a recorded run gives {case.value:.17g}, and a plain run raises {type(plain).__name__}"
    if plain == case.value or (math.isnan(plain) and math.isnan(case.value)):
        return ""
    off = abs(plain - case.value)
    if off <= ULPS * case.eps * abs(case.value) or off <= SAFETY * _rounding(case):
        return ""
    return f"a recorded run gives {case.value:.17g}, and a plain run {plain:.17g}"


def _rounding(case: Case) -> float:
    """By how much rounding may move the value; infinite where it makes anything of it."""
    last = case.trace.result_index()
    try:
        bound = 0.0 if last is None else value_errors(case.trace, [last], case.eps / 2)[0]
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError):
        return UNKNOWN * case.eps * case.size
    return math.inf if math.isnan(bound) else bound + float(np.finfo(case.dtype).smallest_subnormal)


def with_disputes(case: Case, evidence: Sequence[Evidence]) -> list[Evidence]:
    """The evidence with the contradictions of exact derivatives and differences that nothing explains.

    Components that are too many for differences of their own are asked together, along one direction, and share what
    is found of any other: it is the recorded run that is not the function.
    """
    if any(outcome.name == "stop_gradient" for outcome in case.trace.outcomes):
        return [*evidence]
    with quiet():
        found = [_dispute(case, part, e) for part, e in zip(case.parts, evidence, strict=True)]
        rest = [n for n, e in enumerate(evidence) if _is_open(e) and e.slope is None]
        told = next(filter(None, found), None) or together(case, evidence, rest)
    if told is not None:
        found = [told if n in rest else dispute for n, dispute in enumerate(found)]
    return [replace(e, dispute=dispute) for e, dispute in zip(evidence, found, strict=True)]


def _is_open(e: Evidence) -> bool:
    """Whether an exact derivative stands for the function around the point, as it does not at a kink or a step."""
    known = e.reference is not None and math.isfinite(e.reference)
    return known and not e.cut and e.island is None and bends(e) is None


def _dispute(case: Case, part: Coordinate, e: Evidence) -> Dispute | None:
    if e.slope is None or e.reference is None or not _is_open(e):
        return None
    error = e.blur + e.sweep
    if not contradicts(e.slope, e.reference, e.slack, error):
        return None
    if is_explained(case, case.direction([part], [1.0]), e.slope, e.reference):
        return None
    return Dispute(part.name, e.reference, error, e.slope.value, e.slope.error)


def together(case: Case, evidence: Sequence[Evidence], some: Sequence[int]) -> Dispute | None:
    """The contradiction of the exact derivatives of many components together, along one direction."""
    if not some or case.switch:
        return None
    parts, generator = [case.parts[n] for n in some], np.random.default_rng(0)
    signs = generator.choice([-1.0, 1.0], len(parts)) * generator.uniform(0.5, 1.0, len(parts))
    steps = [float(sign) * scale(part) for sign, part in zip(signs, parts, strict=True)]
    shares = [(evidence[n].reference or 0.0) * step for n, step in zip(some, steps, strict=True)]
    direction, reference = case.direction(parts, steps), math.fsum(shares)
    slope = differences.slope(case.towards(direction), 0.0, case.eps, case.reach(parts, steps), case.size)
    room = evidence[some[0]].slack * math.fsum(map(abs, shares))
    if not contradicts(slope, reference, 0.0, room) or is_explained(case, direction, slope, reference):
        return None
    return Dispute(f"{len(parts)} numbers along one direction", reference, room, slope.value, slope.error)


def disputes(case: Case, evidence: Sequence[Evidence]) -> Iterator[Finding]:
    """A finding for each contradiction that leaves a verdict open."""
    told = [(part, e) for part, e in zip(case.parts, evidence, strict=True) if verdict(e)[0] is Verdict.DISPUTED]
    if apart := next((e.apart for _, e in told if e.apart), ""):
        yield finding("G315", apart)
        return
    named = [(part.name, e.dispute) for part, e in told if e.dispute is not None]
    if named:
        dispute = named[0][1]
        rest = f"; so for {len(named) - 1} more" if named[1:] else ""
        yield finding("G314", f"by {dispute.name} {dispute.text}{rest}", numbers=dispute.numbers)


# What explains a contradiction


def is_explained(case: Case, direction: Direction, slope: Slope, reference: float) -> bool:
    """Whether differences are off by more than they know, and the recorded run is the function all the same.

    It is where both have the same values, or the run goes another way, and its exact derivative is the limit of its
    own difference quotients.  Nothing can be told of values that differ by no more than rounding.
    """
    if abs(slope.value - reference) * slope.step <= SAFETY * _rounding(case):
        return True
    trace, plain = case.trace, case.towards(direction)
    arguments = [along(case.point, direction, sign * slope.step) for sign in (1, -1)]
    floats = [values for there in arguments if (values := one_sided_limits.playing(trace, there)) is not None]
    if len(floats) < len(arguments):
        return True
    gap, moved = abs(slope.value - reference), plain(slope.step) - plain(-slope.step)
    room = 2 * SHARE * gap * slope.step
    try:
        exact, limit = _exactly(case, direction, arguments)
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NotImplementedError):
        return abs(float(_rise(case, floats)) - moved) <= room
    if any(starmap(partial(_takes_another_piece, case), zip(floats, exact, strict=True))):
        return True
    return abs(float(_rise(case, exact)) - moved) <= room and abs(limit - reference) <= SHARE * gap


Values = list[Any]  # of the rows of a run


def _exactly(case: Case, direction: Direction, arguments: Sequence[list[Any]]) -> tuple[list[Values], float]:
    """The values of the recorded run at some points, its choices as they were, and its slope, with many digits.

    Raises:
        ArithmeticError: it takes too long, or cannot be told.
    """
    inputs, here = list(case.trace.input_indices()), leaves(tuple(along(case.point, direction, 0.0)))
    with decimals.digits(DIGITS):
        clock = Deadline()
        found = [
            _played(case, dict(zip(inputs, map(decimals.many, leaves(tuple(there))), strict=True)), clock)
            for there in arguments
        ]
        near = [
            {inputs[n]: decimals.many(here[n]) + sign * NEAR * decimals.many(step) for n, step in direction.items()}
            for sign in (1, -1)
        ]
        limit = _rise(case, [_played(case, given, clock) for given in near]) / (2 * NEAR)
        return found, float(limit)


def _played(case: Case, given: Mapping[int, Any], clock: Deadline) -> Values:
    last = case.trace.result_index()
    return [] if last is None else play(case.trace, last, clock, given)


def _rise(case: Case, runs: Sequence[Values]) -> Any:
    """By how much the value of one run is more than that of another."""
    last = case.trace.result_index()
    if last is None:
        return 0
    above, below = (np.ravel(np.asarray(values[last]))[0] for values in runs)
    return above - below


def _takes_another_piece(case: Case, floats: Values, exact: Values) -> bool:
    """Whether a run parts from that with the recorded choices where it chooses: a kink lies in between."""
    for node, value, recorded in zip(case.trace.nodes, floats, exact, strict=False):
        numbers, exactly = np.ravel(np.asarray(value)), np.ravel(np.asarray(recorded))
        kind = complex if is_complex(exactly) else numbers.dtype
        if not np.allclose(exactly.astype(kind), numbers, rtol=ALIKE):
            return node.rule is not None and (node.rule.piecewise or node.rule.extreme)
    return False

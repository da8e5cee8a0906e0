"""The evidence for every component: each reference method is asked once, and ignored where it is not valid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from itertools import starmap
from typing import Any, TypeVar

import numpy as np

from gradcli.answers.checks import references
from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.contradictory_evidence import disputed_components, of_values
from gradcli.answers.checks.evidence_types import (
    SAFETY,
    Boundary,
    Choice,
    Dispute,
    Evidence,
    Exact,
    Group,
    Measured,
    Rounding,
    Solver,
)
from gradcli.answers.checks.late_evidence import is_far, own_roundings, solvers, with_rounding_of_candidate
from gradcli.answers.checks.many_components import ManyComponents, many_components
from gradcli.answers.checks.nonsmooth import isolated_paths
from gradcli.answers.checks.nonsmooth.additive_slopes import form_a_gradient, nonadditive_direction
from gradcli.answers.checks.nonsmooth.common_kink_direction import turning_alike
from gradcli.answers.checks.nonsmooth.subgradient_membership import Membership, SeparatingDirection, membership
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.answers.checks.references import ManyDigitResults
from gradcli.answers.checks.slopes_by_array import as_coarse, beside_other_rows, steepest_alike, with_small_jumps
from gradcli.answers.checks.verdicts import Judged, differences_contradict, is_undecided, slopes_differ, verdict
from gradcli.engine.tape.solver_notes import SolvedEquation
from gradcli.engine.traces.node import TEXT
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.deadline import SECONDS, Deadline, is_interrupted, time_limit
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.methods.numerics.smooth_pieces import Pieces
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.records.checks import Verdict

T = TypeVar("T")

MOST_TOGETHER = 1000  # most numbers that are moved together to look for pieces; of more, only those at kinks
JUDGING = 1e-4  # seconds to judge a component alone
PATIENCE = 5.0  # seconds for exploring the surroundings of the point
MOST_PROBED = 64  # most numbers that are moved alone for it


@dataclass(frozen=True)
class CaseEvidence:
    """The evidence of all reference methods for a case.

    Attributes:
        whole: the case.
        precise: its results in many digits.
        case: the case with the parts that are judged one by one.
        evidence: the evidence for each of these.
        places: their positions among the parts of the whole case.
        many: the parts that are judged together; None if there are none. For the other parts there was no time.
        dispute: the contradiction of exact derivatives and differences that these share.
    """

    whole: Case
    precise: ManyDigitResults
    case: Case
    evidence: list[Evidence]
    places: Sequence[int]
    many: ManyComponents | None = None
    dispute: Dispute | None = None

    @cached_property
    def judged(self) -> list[Judged]:
        """The parts that are judged one by one, with the rulings on them."""
        return [Judged(part, e, verdict(e)) for part, e in zip(self.case.parts, self.evidence, strict=True)]


def gather_evidence(
    case: Case, tested: list[float], slack: float, by_hand: HandWrittenGradient | None, atol: float = 0.0
) -> CaseEvidence:
    """Gather the evidence for each component; `tested` has the candidate's components.

    Of components that must be judged one by one, only those are for which there is time.
    """
    most = MOST_TOGETHER + int(min(Deadline(math.inf).seconds / JUDGING, len(tested)))
    with time_limit(SECONDS):
        return _gathered(_without_texts(case), tested, slack, by_hand, atol, most)


def _without_texts(case: Case) -> Case:
    """The case without the outcomes of texts, which the program does not read back."""
    has_texts = case.recorded is not None and any(outcome.name == TEXT for outcome in case.trace.outcomes)
    return replace(case, recorded=case.trace.without_outcomes(TEXT)) if has_texts else case


def _gathered(
    whole: Case, tested: list[float], slack: float, by_hand: HandWrittenGradient | None, atol: float, most: int
) -> CaseEvidence:
    precise = references.exact_derivatives(whole) if whole.recorded else references.no_exact_derivatives(whole)
    if whole.switch or _are_far(slack, tested, precise.floats):
        precise = references.with_rounding(whole, precise)
    many = many_components(whole, tested, precise, slack, by_hand, atol)
    most = MOST_TOGETHER if is_interrupted() else most
    isolated = _isolated(whole, precise)
    if many is None and len(tested) <= most and not len(isolated):
        return CaseEvidence(
            whole, precise, whole, _one_by_one(whole, precise, tested, slack, by_hand, atol), range(len(tested))
        )
    others = np.setdiff1d(np.arange(len(tested)), (*isolated, *(many.places if many else ())))
    alone = [*isolated, *others.tolist()][:most]
    case, results = whole.of_parts([whole.parts[n] for n in alone]), precise.of_parts(alone)
    for n in range(references.MOST_DIFFERENCES, len(isolated)):  # the path that was recorded is not that of neighbours
        results.values[n] = None
    evidence = _one_by_one(case, results, [tested[n] for n in alone], slack, by_hand, atol)
    dispute = next((e.dispute for e in evidence if e.dispute), None) or (many.dispute(slack) if many else None)
    return CaseEvidence(whole, precise, case, evidence, alone, many, dispute)


def _isolated(case: Case, precise: ManyDigitResults) -> list[int]:
    """The places of isolated components of a gradient that is too large for differences by each number."""
    if len(case.parts) <= references.MOST_DIFFERENCES or not case.switch or case.recorded is None or case.by_values:
        return []
    return np.flatnonzero(isolated_paths.isolated_components(case, precise.floats)).tolist()


def _one_by_one(
    case: Case,
    precise: ManyDigitResults,
    tested: Sequence[float],
    slack: float,
    by_hand: HandWrittenGradient | None,
    atol: float,
) -> list[Evidence]:
    slopes = references.slopes_by_number(case, references.differenced_one_by_one(case, precise))
    slopes = slopes if case.by_values else as_coarse(case, with_small_jumps(case, slopes))
    if any(starmap(partial(_contradicts, slack), zip(slopes, precise.floats, strict=True))) and not is_interrupted():
        precise = references.with_rounding(case, precise)
    alone = [exact is not None or slope is not None for exact, slope in zip(precise.values, slopes, strict=True)]
    groups: list[Group | None] = [None] * len(slopes)
    if not all(alone):
        slopes, groups = references.slopes_by_direction(case, list(tested), slopes, slack)
    steepest, run_difference = steepest_alike(case, slopes), of_values(case)
    rounding, solver = precise.rounding or [0.0] * len(slopes), partial(Solver, _worst_equation(case))
    evidence = [
        Evidence(
            value=case.value,
            candidate=tested[n],
            slack=slack,
            exact=None if precise.values[n] is None else Exact(float(precise.floats[n])),
            measured=Measured(slopes[n], slopes[n] if case.jump else None, groups[n], steepest[n]),
            boundary=Boundary(case.switch, part.number in case.cut),
            rounding_of=partial(Rounding, rounding[n], rounding[n], precise.largest[n]),
            solver_of=solver,
            run_difference=run_difference,
            atol=atol,
        )
        for n, part in enumerate(case.parts)
    ]
    evidence = with_unmeasured(case, evidence)
    if case.by_values:
        return beside_other_rows(case, evidence)
    evidence = _with_flats(case, evidence)
    try:
        evidence = _with_second_looks(case, evidence, by_hand) if case.recorded else with_pieces(case, evidence)
    except KeyboardInterrupt:  # of the user's code
        if not is_interrupted():
            raise
        evidence = [replace(e, unfinished=e.unfinished or is_far(e)) for e in evidence]
    return with_unexplained(evidence) if is_interrupted() else evidence


def _are_far(slack: float, candidate: Sequence[float], exact: Any) -> bool:
    """Whether any component of a candidate differs from its exact derivative by more than `slack` allows."""
    with ignored_float_errors():
        return bool(np.any(~(np.abs(np.array(candidate) - exact) <= slack * np.abs(exact)) & ~np.isnan(exact)))


def _contradicts(slack: float, slope: Slope | None, exact: float) -> bool:
    """Whether differences contradict an exact derivative by more than `slack` allows."""
    return slope is not None and differences_contradict(slope, exact, slack)


def _worst_equation(case: Case) -> SolvedEquation | None:
    """The equation with the largest error of those that solvers solved in the run."""
    solved = case.trace.solved_equations if case.recorded else ()
    return max(solved, key=lambda equation: equation.error, default=None)


def with_unmeasured(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """Mark the components that an interruption left without differences that they need.

    An exact derivative is enough where no branch boundary or kink is close.
    """
    if not is_interrupted():
        return evidence
    left = [n for n, e in enumerate(evidence) if e.slope is None and e.measured.group is None]
    needs = {n for n in left if evidence[n].reference is None}
    early = [n for n in left if n < references.MOST_DIFFERENCES]
    if needs.issuperset(early) or not isolated_paths.is_far_from_boundaries(case, [case.parts[n] for n in early]):
        needs.update(early)
    return [replace(e, unfinished=n in needs) for n, e in enumerate(evidence)]


def with_unexplained(evidence: list[Evidence]) -> list[Evidence]:
    """Mark the failures at kinks, and the disputes, that further calls might have explained."""
    return [
        replace(e, unfinished=True) if e.dispute or (_is_kinked(e) and verdict(e)[0] is Verdict.FAIL) else e
        for e in evidence
    ]


def _with_flats(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """Add the rate at which the slope tends to 0 near the point, where only that can confirm a zero derivative."""
    return [
        _with_flat(case, part, e, e.slope) if e.slope and is_undecided(e) else e
        for part, e in zip(case.parts, evidence, strict=True)
    ]


def _with_flat(case: Case, part: Coordinate, e: Evidence, slope: Slope) -> Evidence:
    if slope.power or abs(e.candidate) + abs(slope.value) > slope.error:
        return e
    fall = references.falling_beside(case, part)
    return _measuring(e, slope=replace(slope, power=fall.power, steepest=fall.steepest)) if fall else e


def _with_second_looks(case: Case, evidence: list[Evidence], by_hand: HandWrittenGradient | None) -> list[Evidence]:
    """Add evidence that costs another run, where it may matter; some of it is measured when a verdict asks."""
    own = _asked_for(lambda: own_roundings(case, evidence, by_hand))
    first = [replace(e, rounding_of=own(n)) for n, e in enumerate(evidence)] if by_hand else evidence
    near = with_pieces(case, _with_isolated_paths(case, first))
    rounded = cache(lambda: with_rounding_of_candidate(case, near, by_hand))
    rounding = _asked_for(lambda: [e.rounding for e in rounded()])
    solver = _asked_for(lambda: solvers(case, rounded()))
    dispute = _asked_for(lambda: disputed_components(case, rounded()))
    whole = [
        replace(e, rounding_of=rounding(n), solver_of=solver(n), dispute_of=dispute(n)) for n, e in enumerate(near)
    ]
    _measure(whole)
    return whole


def _measure(evidence: list[Evidence]) -> None:
    """Measure what the verdicts ask for now, within the time limit and where an interruption is handled."""
    for e in evidence:
        if verdict(e)[0] is not Verdict.KINK:
            _ = e.tolerance


def _asked_for(measured: Callable[[], list[T]]) -> Callable[[int], Callable[[], T]]:
    """For each component, a function that measures all of them when the first of them is asked for."""
    known = cache(measured)
    return lambda n: lambda: known()[n]


def _measuring(e: Evidence, **changes: Any) -> Evidence:
    """The evidence with other differences."""
    return replace(e, measured=replace(e.measured, **changes))


def _bounding(e: Evidence, **changes: Any) -> Evidence:
    """The evidence with other findings about the boundary."""
    return replace(e, boundary=replace(e.boundary, **changes))


def _with_isolated_paths(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """Add the slopes beyond the recorded path; omit exact limits that do not form a gradient."""
    isolated = [_with_isolated_path(case, part, e) for part, e in zip(case.parts, evidence, strict=True)]
    if any(e.measured.wide for e in isolated):  # the rest of a long array is like the elements that were tested
        isolated = [
            _measuring(e, wide=e.measured.wide or Slope()) if e.boundary.cut and e.slope is None else e
            for e in isolated
        ]
    if any(map(_is_exact, isolated)) and not form_a_gradient(case, isolated):
        return [e if _is_exact(now) else now for e, now in zip(evidence, isolated, strict=True)]
    return isolated


def _with_isolated_path(case: Case, part: Coordinate, e: Evidence) -> Evidence:
    """Add the slope beyond the recorded path, and use it as the reference if it is exact."""
    if e.unfinished or (e.slope is None and is_interrupted()):
        return e
    path = None if slopes_differ(e) else isolated_paths.isolated_path(case, part, e.reference, e.slope)
    asks_beyond = path or (e.slope is not None and (e.candidate != 0 or e.slope.jump != 0))
    if e.boundary.cut and asks_beyond and (beyond := references.on_the_whole(case, part)):
        return _measuring(e, wide=beyond)
    if path is None:
        return e
    if not path.exact:
        return _bounding(e, path=path)
    e = _measuring(_bounding(e, path=path, cut=False), slope=path.beyond)
    smooth = math.isfinite(path.beyond.value)
    return replace(e, exact=Exact(path.beyond.value, path.beyond.error)) if smooth else e


def _is_exact(e: Evidence) -> bool:
    return e.boundary.path is not None and e.boundary.path.exact


def with_pieces(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """Add the gradients near the point, where the one-sided slopes are not sufficient."""
    undecided, kinked = ([n for n, e in enumerate(evidence) if asks(e)] for asks in (_needs_pieces, _is_kinked))
    several = len(kinked) > 1  # then pieces are looked for in any case, and show what a sum of slopes would
    crossing = "" if several else nonadditive_direction(case, evidence)
    if crossing is None:
        return [_bounding(e, choice=Choice.LATE) for e in evidence]
    if not (undecided or several or crossing) or (not kinked and _is_smooth(case, evidence)):
        return evidence
    if any(e.slope and e.slope.grain for e in evidence):
        coarse = case.recorded is None and len(evidence) > 1
        return [_bounding(e, choice=Choice.COARSE) for e in evidence] if coarse else evidence
    evidence = [
        e if n in kinked or not crossing else _bounding(e, nonadditive=crossing) for n, e in enumerate(evidence)
    ]
    asked = list(range(len(evidence))) if crossing else sorted({*undecided, *kinked})
    taken = list(range(len(evidence))) if len(evidence) <= MOST_TOGETHER else asked[:MOST_TOGETHER]
    probed = [place for place, n in enumerate(taken) if n in {*asked}][:MOST_PROBED]
    pieces = _pieces(case, [case.parts[n] for n in taken], probed, evidence[0].slack)
    if crossing and not pieces.bounded():
        return evidence
    limited = [with_agreed(evidence[n], pieces, place) for place, n in enumerate(taken)]
    known = membership(pieces, [e.candidate for e in limited]) if np.any(pieces.varying) else "undecided"
    chosen = {n: _chosen(e, pieces, place, known) for place, (n, e) in enumerate(zip(taken, limited, strict=True))}
    evidence = [chosen.get(n, e) for n, e in enumerate(evidence)]
    is_late = known in ("open", "undecided") and pieces.around.is_over() and (crossing or several)
    return [_bounding(e, choice=Choice.LATE) for e in evidence] if is_late else evidence


def _pieces(case: Case, parts: Sequence[Coordinate], probed: Sequence[int], slack: float) -> Pieces:
    """The gradients near the point, also in the directions that turn all kinks of the run the same way."""
    pieces = Pieces(case.surroundings(parts, PATIENCE), slack, probed)
    pieces.take(turning_alike(case.trace, parts, pieces.around.scales) if case.recorded else ())
    return pieces


def _is_smooth(case: Case, evidence: list[Evidence]) -> bool:
    """Whether the gradients beside the point have one limit, which differences do not contradict: no pieces meet."""
    if case.recorded is None or case.limit is None or not case.limit.exists:
        return False
    return not any(isolated_paths.contradicts(e.slope, e.reference) for e in evidence)


def _is_kinked(e: Evidence) -> bool:
    return slopes_differ(e) is not None


def _needs_pieces(e: Evidence) -> bool:
    """Whether the one-sided slopes do not decide.

    A candidate at a kink lies outside the slopes, or the recorded slope is that of neither side.
    """
    ruling = slopes_differ(e)
    if ruling is not None:
        return ruling[0] is Verdict.FAIL or _is_beside_both(e)
    if _is_exact(e):
        return False
    return e.boundary.at_switch and (is_far(e) or isolated_paths.contradicts(e.slope, e.reference))


def _is_beside_both(e: Evidence) -> bool:
    """Whether a candidate lies between the one-sided slopes only because of their errors."""
    if e.slope is None:
        return False
    sides = e.slope.left, e.slope.right
    room = e.slack * max(map(abs, sides))
    return not min(sides) - room <= e.candidate <= max(sides) + room


def with_agreed(e: Evidence, pieces: Pieces, n: int) -> Evidence:
    """Replace a recorded reference by the derivative on which all pieces agree, if that is another one."""
    if e.boundary.path is not None or e.reference is None or not pieces.known[n] or pieces.varying[n]:
        return e
    slopes = pieces.gradients[:, n]
    limit, blur = float(np.mean(slopes)), float(np.ptp(slopes))
    room = max(SAFETY * blur, e.slack * abs(limit), e.rounding.bound)
    agree = abs(e.reference - limit) <= room or not isolated_paths.contradicts(e.slope, e.reference)
    return e if agree else replace(e, exact=Exact(limit, blur))


def _chosen(e: Evidence, pieces: Pieces, n: int, known: SeparatingDirection | Membership) -> Evidence:
    """Add the range of slopes by one number, and whether the candidates together are a valid choice of gradient."""
    if not pieces.varying[n]:
        if known not in ("open", "undecided") or e.reference is None or not np.any(pieces.varying):
            return e
        return _bounding(e, choice=Choice.OPEN, range=(e.reference, e.reference))  # of many pieces, some are not known
    slopes = pieces.gradients[:, n]
    e = _bounding(e, range=(float(np.min(slopes)), float(np.max(slopes))))
    if isinstance(known, SeparatingDirection) and known.direction[n]:
        return _bounding(e, separation=known.text(pieces.around.parts))
    if known == "undecided":
        return e
    # A direction that does not involve this number leaves its candidate valid
    return _bounding(e, choice=Choice.OPEN if known == "open" else Choice.RIGHT)

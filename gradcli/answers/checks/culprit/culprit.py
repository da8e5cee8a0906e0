"""The reason for a wrong gradient: a slip that its components prove, with the user's line, or a wrong rule.

A slip is not named by coincidence: it must account for the components at a second point as well. Where the candidate
consists of numbers, it must account for at least three components with different references.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from gradcli.answers.checks import recorded_rules_check, references
from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.culprit.component_patterns import OF_ANOTHER_VARIABLE
from gradcli.answers.checks.culprit.discrepancy import SLACK, Discrepancy, Slip, different
from gradcli.answers.checks.culprit.wrong_derivatives import (
    MatrixCase,
    WrongDerivative,
    at_second_point,
    gradient_by_the_tape,
    matrix_at,
    takes_same_steps,
)
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.running.bound_call import name_of
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.methods.numerics.coordinates import coordinates, copied
from gradcli.shared.findings import finding
from gradcli.shared.message_wording import first_items
from gradcli.shared.pytree import labelled
from gradcli.shared.records.result_and_finding import Finding

COARSEST = 1e-4  # slack of single precision; half precision is too coarse to prove a slip
EQUAL = 1e-11  # relative difference of numbers that two programs compute alike
MOST_DIFFERENCED = 16  # most derivatives computed by differences at the second point
ENOUGH = 3  # different references that a slip must explain if it cannot be tried at a second point
CONCERNS = {"G312": "the mistake concerns the derivative of", "G313": "the wrong rule is that of"}
AT_THIS_POINT = " at this point; a gradient given as numbers cannot be tested at another one"

Proof = tuple[Any, Slip]  # the mask of the components that a slip accounts for, and the slip


def culprit(
    case: Case,
    candidate: Sequence[float],
    reference: Sequence[float | None],
    by_hand: HandWrittenGradient,
    slack: float = SLACK,
) -> list[Finding]:
    """The slip in a hand-written gradient that fails, if its components prove one."""
    gap = Discrepancy(np.array(candidate), np.array(reference, dtype=float), slack)  # None becomes nan
    if not np.isfinite([gap.candidate, gap.reference]).all() or slack > COARSEST:
        return []
    here = WrongDerivative(case.parts, _named(case), gap)
    slips = sorted(here.slips(), key=_implausibility)
    if by_hand.given:
        return _at_this_point(here, slips) or unexplained(here)
    changed = by_hand.changed_point(case)
    if changed and _is_gradient_at(here, changed):
        return [_of_changed_argument(case, changed, by_hand, "; it is the gradient for the changed numbers")]
    there = at_second_point(case.point, here, partial(_gradient_at, case, by_hand)) if slips else None
    findings = []
    if there is not None:
        findings = explained(here, proven(here, there, slips), partial(_line_of_candidate, by_hand, there.trace))
    findings += [_of_changed_argument(case, changed, by_hand)] if changed else []
    return findings or ([] if slips and there is None else unexplained(here))


def matrix_culprit(case: MatrixCase) -> list[Finding]:
    """The slip in a hand-written matrix that fails, if its elements prove one."""
    here = matrix_at(case, case.point)
    if here is None:
        return []
    slips = sorted(here.slips(), key=_implausibility)
    there = at_second_point(case.point, here, partial(matrix_at, case)) if slips else None
    same = there is not None and takes_same_steps(there, here)
    return (explained(here, proven(here, there, slips)) if there and same else []) or unexplained(here)


def wrong_rule(case: Case) -> list[Finding]:
    """The first step of the recorded program whose rule is wrong."""
    run = case.named_run()
    wrong = next(recorded_rules_check.wrong_rules(run), None)
    return [_finding_at(str(wrong), wrong.row, run, "G313")] if wrong else []


def _named(case: Case) -> Trace | None:
    """The recorded run with the user's names and lines."""
    if case.recorded is None:
        return None
    run = case.named_run()
    if not run.names:  # a typed expression
        labels = (label for name, item in case.point.items() for label, _ in labelled(name, item))
        run = run.renamed(dict(zip(run.input_indices(), labels, strict=True)))
    return run if len(run.nodes) == len(case.trace.nodes) else None


def _gradient_at(case: Case, by_hand: HandWrittenGradient, point: Mapping[str, Any]) -> WrongDerivative | None:
    """The gradient at another point, if it can be evaluated there; without a trace if the program is not followed."""
    wanted = {part.number for part in case.parts}
    parts = [part for part in coordinates(point) if part.number in wanted]
    if any(part.value == before.value for part, before in zip(parts, case.parts, strict=True)):
        return None  # the point holds whole numbers, which stay where they are
    run = None
    if case.recorded:
        run = record_trace(case.function, tuple(copied(tuple(point.values()))), names=True)
    there = Case(case.function, point, parts, run, float("nan") if run is None else float(run.value), case.guard)
    candidate, slack = by_hand.numbers(there)
    reference = _by_differences(there) if run is None else gradient_by_the_tape(run, parts)
    gap = Discrepancy(np.array(candidate), reference, slack)
    return WrongDerivative(parts, run, gap) if np.isfinite([gap.candidate, gap.reference]).all() else None


def _by_differences(case: Case) -> Any:
    slopes = [references.slope_by(case, part) for part in case.parts if len(case.parts) <= MOST_DIFFERENCED]
    return np.array([slope.value if slope else np.nan for slope in slopes] or [np.nan] * len(case.parts))


def _is_gradient_at(here: WrongDerivative, point: Mapping[str, Any]) -> bool:
    """Whether a wrong gradient is the right one for another point."""
    try:
        again = here.trace and here.trace.replay(*point.values())
        return again is not None and here.gap.is_filled_by(gradient_by_the_tape(again, here.parts))
    except program_errors():  # the user's code may reject the point
        return False


def _implausibility(proof: Proof) -> tuple[bool, int]:
    return proof[1].implausibility


def _at_this_point(here: WrongDerivative, slips: list[Proof]) -> list[Finding]:
    """The finding for numbers given at one point: it names both slips if two patterns or equally plain slips fit."""
    wrong = here.gap.wrong
    if different(here.gap.reference[wrong]) < ENOUGH:
        return []
    fitting = [slip for mask, slip in slips if not np.any(wrong & ~mask) and not slip.text.startswith("each")]
    if not fitting:
        return []
    first, *others = fitting
    rivals = [slip for slip in others if slip.row is None or slip.implausibility == first.implausibility]
    rivals = [slip for slip in rivals if slip.implausibility[1] < OF_ANOTHER_VARIABLE and slip.text != first.text]
    text = f"{first.text}, or {rivals[0].text}," if rivals else first.text
    row = first.row if not rivals or rivals[0].row == first.row else None
    return [_finding_at(f"{text}{AT_THIS_POINT}", row, here.trace, "G312")]


def proven(here: WrongDerivative, there: WrongDerivative, slips: list[Proof]) -> list[Slip]:
    """The slips that account for all wrong components, here and at the second point."""
    slips = [(mask, slip) for mask, slip in slips if not np.any(here.gap.wrong & ~mask)]
    keys = {slip.key for _, slip in slips if slip.expects is None}
    again = {slip.key: slip for _, slip in there.slips_of_steps(keys)} if keys else {}
    patterns = [slip for mask, slip in slips if slip.expects and _is_confirmed(slip, mask, here, there)]
    steps = [replace(slip, contributions=again[slip.key].contributions) for _, slip in slips if slip.key in again]
    return sorted([*patterns, *steps], key=attrgetter("implausibility"))


def _is_confirmed(slip: Slip, mask: Any, here: WrongDerivative, there: WrongDerivative) -> bool:
    """Whether a pattern accounts for enough different references, and for the components at another point."""
    references = np.concatenate([here.gap.reference[mask], there.gap.reference[mask]])
    if slip.expects is None or different(references[references != 0]) < slip.evidence:
        return False
    block = there.blocks[slip.key[0]]
    with np.errstate(all="ignore"):
        return block.gap.is_filled_by(slip.expects(block))


def explained(
    here: WrongDerivative, slips: list[Slip], line_with: Callable[[tuple[Any, ...]], str] = lambda _: ""
) -> list[Finding]:
    """The finding for the plainest slip.

    `line_with` tells the line of the candidate that computes a contribution, in words.
    """
    if not slips:
        return []
    first = slips[0]
    also = [slip for slip in slips if slip.expects and slip.implausibility[1] == OF_ANOTHER_VARIABLE]
    text = f"{first.text}; that is, {also[0].text}" if also and first.row is not None else first.text
    return [_finding_at(text + line_with(first.contributions), first.row, here.trace, "G312")]


def unexplained(here: WrongDerivative) -> list[Finding]:
    """The finding for a wrong derivative of which no slip is known: what is wrong, what is right, and which lines."""
    wrong = here.gap.wrong
    right = "" if wrong.all() else f"; {_they_are(here, ~wrong)} right"
    lines = here.lines_of_the_wrong()
    only = f"; only to these, and to each, leads line {first_items([*map(str, lines)], 3)}" if lines else ""
    text = f"none of the usual mistakes explains the difference: {_they_are(here, wrong)} wrong"
    return [finding("G317", f"{text}{right}{only}")]


def _they_are(here: WrongDerivative, mask: Any) -> str:
    words = here.phrase(mask).removeprefix("each of ")
    return f"{words} {'are' if words.startswith(('the derivatives', 'the elements')) else 'is'}"


def _line_of_candidate(by_hand: HandWrittenGradient, there: Trace | None, contributions: tuple[Any, ...]) -> str:
    """The one line of a hand-written gradient that computes a contribution or its negative at a point, in words."""
    sizes = [np.ravel(np.abs(contribution)) for contribution in contributions if np.any(contribution)]
    if there is None or not sizes:
        return ""
    try:
        run = record_trace(by_hand.function, there.arguments, names=True)
    except program_errors():  # the user's code cannot be recorded
        return ""
    nodes = [node for node in run.nodes if node.rule and not node.rule.moves]
    values = [(node, np.ravel(np.abs(node.value))) for node in nodes]
    for size in sizes:
        alike = [node for node, value in values if value.shape == size.shape and np.allclose(value, size, EQUAL, 0.0)]
        places = {node.place for node in alike if node.place}
        if len(places) == 1:
            statement = linecache.getline(*places.pop()).strip()
            return f"; the candidate computes it in {_line(alike[0].index, run)}, `{statement}`"
    return ""


def _of_changed_argument(
    case: Case, changed: Mapping[str, Any], by_hand: HandWrittenGradient, more: str = ""
) -> Finding:
    """The finding for a gradient that changes its argument."""
    before, after = case.every, coordinates(changed)
    first = next((x, y) for x, y in zip(before, after, strict=True) if x.value != y.value)
    numbers = f"{first[0].name} is {first[0].value:.6g} before the call and {first[1].value:.6g} after it"
    return finding(
        "G312", f"{by_hand.name} changes its argument: {numbers}, so that what follows reads another point{more}"
    )


def _finding_at(text: str, row: int | None, run: Trace | None, code: str) -> Finding:
    """A finding with the user's line and its function, if it concerns one."""
    place = run.nodes[row].place if run and row is not None else None
    if place is None:
        return finding(code, text, node=row)
    file, line = place
    source = linecache.getline(file, line).strip()
    message = f"{CONCERNS[code]} {_line(row, run)}{f', `{source}`' if source else ''}: {text}"
    return finding(code, message, file=file, line=line, node=row)


def _line(row: int | None, run: Trace | None) -> str:
    """The line of a step and its function, in words; empty for what has none."""
    place = run.nodes[row].place if run and row is not None else None
    if run is None or row is None or place is None:
        return ""
    return f"line {place[1]} of {run.scopes.function_of_row(row) or name_of(run.function)}"

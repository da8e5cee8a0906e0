"""The reason for a wrong gradient: a slip that its components prove, with the user's line, or a wrong rule.

A slip is not named by coincidence: it must account for the components at a second point as well. Where the candidate
consists of numbers, it must account for at least three components with different references.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from gradcli.answers.checks import recorded_rules_check
from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.culprit.second_point import gradient_beside, is_gradient_at
from gradcli.answers.checks.culprit.wrong_components import (
    ENOUGH,
    OF_ANOTHER_VARIABLE,
    SLACK,
    Discrepancy,
    Slip,
    derivatives,
    different,
)
from gradcli.answers.checks.culprit.wrong_derivatives import Proof, WrongDerivative, WrongGradient
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.engine.running.bound_call import name_of
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.shared.findings import finding
from gradcli.shared.message_wording import first_items
from gradcli.shared.pytree import labelled
from gradcli.shared.records.result_and_finding import Finding

COARSEST = 1e-4  # slack of single precision; half precision is too coarse to prove a slip
EQUAL = 1e-11  # relative difference of numbers that two programs compute alike
CONCERNS = {"G312": "the mistake concerns the derivative of", "G313": "the wrong rule is that of"}
AT_THIS_POINT = " at this point; a gradient given as numbers cannot be tested at another one"


def culprit(
    case: Case,
    candidate: Sequence[float],
    reference: Sequence[float | None],
    by_hand: HandWrittenGradient,
    slack: float = SLACK,
) -> list[Finding]:
    """The slip in a hand-written gradient that fails, if its components prove one, or two slips."""
    gap = Discrepancy(np.array(candidate), np.array(reference, dtype=float), slack)  # None becomes nan
    if not np.isfinite([gap.candidate, gap.reference]).all() or slack > COARSEST:
        return []
    with quiet():
        here = WrongGradient(case.parts, _named(case), gap, case.value)
        slips = sorted(here.slips(), key=_plainness)
        if by_hand.given:
            return _at_this_point(here, slips) or unexplained(here)
        changed = by_hand.changed_point(case)
        if changed and is_gradient_at(here.trace, changed, case.parts, gap):
            return [_of_changed_argument(case, changed, by_hand, "; it is the gradient for the changed numbers")]
        there = gradient_beside(case, here, by_hand) if slips else None
        findings = []
        if there is not None:
            line_with = partial(_line_of_candidate, by_hand, there.trace)
            findings = explained(here, proven(here, there, slips), line_with)
        findings += [_of_changed_argument(case, changed, by_hand)] if changed else []
        return findings or ([] if slips and there is None else unexplained(here))


def _line_of_candidate(by_hand: HandWrittenGradient, there: Trace | None, contributions: tuple[Any, ...]) -> str:
    """The one line of a hand-written gradient that computes a contribution or its negative at a point, in words."""
    sizes = [np.ravel(np.abs(contribution)) for contribution in contributions if np.any(contribution)]
    if there is None or not sizes:
        return ""
    try:
        run = record_trace(by_hand.function, there.arguments, names=True)
    except Exception:  # the user's code cannot be recorded
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


def _plainness(proof: Proof) -> tuple[bool, int]:
    return proof[1].loose, proof[1].order


def _named(case: Case) -> Trace | None:
    """The recorded run with the user's names and lines."""
    if case.recorded is None:
        return None
    run = record_trace(case.function, tuple(case.point.values()), names=True)
    if not run.names:  # a typed expression
        labels = (label for name, item in case.point.items() for label, _ in labelled(name, item))
        run = run.renamed(dict(zip(run.input_indices(), labels, strict=True)))
    return run if len(run.nodes) == len(case.trace.nodes) else None


def _at_this_point(here: WrongGradient, slips: list[Proof]) -> list[Finding]:
    """The finding for numbers given at one point: it names both slips if two patterns or equally plain slips fit."""
    wrong = here.gap.wrong
    if different(here.gap.reference[wrong]) < ENOUGH:
        return []
    fitting = [proof for proof in slips if not np.any(wrong & ~proof[0].mask) and not proof[0].words.startswith("each")]
    if not fitting:
        return []
    first, *others = fitting
    rivals = [proof for proof in others if proof[1].row is None or _plainness(proof) == _plainness(first)]
    rivals = [proof for proof in rivals if proof[1].order < OF_ANOTHER_VARIABLE]
    slip = first[1]
    other = next((rival for _, rival in rivals if rival.kind != slip.kind), None)
    text = f"{slip.text}, or {other.text}," if other else slip.text
    row = slip.row if not other or other.row == slip.row else None
    return [_finding_at(f"{text}{AT_THIS_POINT}", row, here.trace, "G312")]


def proven(here: WrongDerivative, there: WrongDerivative, slips: list[Proof]) -> list[Proof]:
    """The slips that account for their components at the second point as well, with their contributions there."""
    keys = {part.key for _, slip in slips if slip.expects is None for part in (slip, *slip.parts)}
    again = {slip.key: slip for _, slip in there.slips_of_steps(here.groups, keys)} if keys else {}

    def holds(proof: Proof) -> bool:
        group, slip = proof
        if slip.expects is None:
            return slip.key in again
        references = np.concatenate([here.gap.reference[group.mask], there.gap.reference[group.mask]])
        if different(references[references != 0]) < slip.evidence:
            return False
        return slip.is_confirmed_by(there.blocks[slip.key[1]])

    held = (proof for proof in slips if holds(proof))
    return [(group, replace(slip, contributions=again.get(slip.key, slip).contributions)) for group, slip in held]


def explained(
    here: WrongDerivative, proofs: list[Proof], line_with: Callable[[tuple[Any, ...]], str] = lambda _: ""
) -> list[Finding]:
    """The plainest slip that accounts for all wrong components, or two slips that do so together.

    `line_with` tells the line of the candidate that computes a contribution, in words.
    """
    wrong = here.gap.wrong
    whole = [slip for group, slip in proofs if not np.any(wrong & ~group.mask)]
    single = [slip for slip in whole if not slip.parts]
    if single:
        first = single[0]
        also = next((slip for slip in single if first.row is not None and _is_of_another_variable(slip)), None)
        text = f"{first.text}; that is, {also.text}" if also else first.text
        return [_finding_at(text + line_with(first.contributions), first.row, here.trace, "G312")]
    parts = [proof for proof in proofs if not proof[1].parts]
    sure = [(group, slip) for group, slip in parts if slip.evidence == 1 or group.mask.sum() > 1]
    for (group, first), (other, second) in combinations(sure, 2):
        if not np.any(wrong & ~(group.mask | other.mask)):
            return [_of_two(here, first, second)]
    return [_of_two(here, *whole[0].parts)] if whole else []


def unexplained(here: WrongDerivative) -> list[Finding]:
    """The finding for a wrong derivative of which no slip is known: what is wrong, what is right, and which lines."""
    wrong = [label for label, off in zip(here.labels, here.gap.wrong, strict=True) if off]
    what = derivatives(wrong, here.noun).removeprefix("each of ")
    text = f"none of the usual mistakes explains the difference: {what} {'are' if wrong[1:] else 'is'} wrong"
    lines = here.lines_of_the_wrong()
    only = f"; only to these, and to each, leads line {first_items([*map(str, lines)], 3)}" if lines else ""
    return [finding("G317", f"{text}{_right(here)}{only}")]


def _of_two(here: WrongDerivative, first: Slip, second: Slip) -> Finding:
    """The finding for two slips at once, at the line of the first of them that has one."""
    texts = "; and ".join(_with_line(slip, here.trace) for slip in (first, second))
    row = next((slip.row for slip in (first, second) if slip.row is not None), None)
    place = here.trace.nodes[row].place if here.trace and row is not None else None
    file, line = place or (None, None)
    return finding("G312", f"two slips: {texts}{_right(here)}", file=file, line=line, node=row)


def _with_line(slip: Slip, run: Trace | None) -> str:
    """The words of one of two slips, with its line."""
    line = _line(slip.row, run)
    return f"{slip.text} ({line})" if line else slip.text


def _is_of_another_variable(slip: Slip) -> bool:
    return slip.expects is not None and slip.order == OF_ANOTHER_VARIABLE


def _right(here: WrongDerivative) -> str:
    """The part of the gradient that is right, in words."""
    names = [label for label, off in zip(here.labels, here.gap.wrong, strict=True) if not off]
    words = derivatives(names, here.noun).removeprefix("each of ")
    return f"; {words} {'are' if names[1:] else 'is'} right" if names else ""


def wrong_rule(case: Case) -> list[Finding]:
    """The first step of the recorded program whose rule is wrong."""
    with quiet():
        run = record_trace(case.function, tuple(case.point.values()), names=True)
        slips = next(recorded_rules_check.wrong_rules(run), None)
    return [_finding_at(slips[1], slips[0], run, "G313")] if slips else []


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

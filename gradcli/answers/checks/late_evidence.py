"""The evidence that is measured when a verdict asks for it: rounding errors, and iterations that stopped early."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

from gradcli.answers.checks import references
from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.evidence_types import Evidence, Rounding, Solver
from gradcli.answers.checks.input_conditioning import derivative_changes, is_off_by_cancelled_terms, is_tiny
from gradcli.answers.checks.nonsmooth.inverted_loop_exit import converges, further_iterations
from gradcli.answers.checks.problem.compared_case import Case

CANCELLED = 1e20  # terms this many times the derivative cancel beyond a few dozen digits


def is_far(e: Evidence) -> bool:
    """Whether the candidate is off by more than the slack, so that further evidence matters."""
    return e.reference is not None and not e.unfinished and e.off > e.slack * abs(e.reference)


def own_roundings(case: Case, evidence: list[Evidence], by_hand: HandWrittenGradient | None) -> list[Rounding]:
    """The bounds on rounding errors, with those of the hand-written gradient's own program in place of the sweep's."""
    sweep = [e.rounding for e in evidence]
    roundings = by_hand.rounding(case) if by_hand and any(map(is_far, evidence)) else None
    if roundings is None:
        return [replace(row, own=None) for row in sweep]
    return [
        replace(row, own=error, largest_term=max(row.largest_term, summand))
        for row, error, summand in zip(sweep, roundings.errors, roundings.summands, strict=True)
    ]


def with_rounding_of_candidate(
    case: Case, evidence: list[Evidence], by_hand: HandWrittenGradient | None
) -> list[Evidence]:
    """Add what tells whether rounding explains the errors of candidates."""
    evidence = evidence if by_hand else with_summands(case, evidence)
    return with_largest_contribution(case, with_trials(case, with_input_change(case, evidence), by_hand))


def solvers(case: Case, evidence: list[Evidence]) -> list[Solver]:
    """The equations that solvers solved, and what one more iteration changes."""
    changes = iteration_changes(case, evidence)
    return [replace(e.solver, iteration_change=change) for e, change in zip(evidence, changes, strict=True)]


def iteration_changes(case: Case, evidence: list[Evidence]) -> list[float | None]:
    """The change that one more iteration makes, for a loop that converges and that an outcome ended."""
    unknown: list[float | None] = [None] * len(evidence)
    if not any(map(is_far, evidence)):
        return unknown
    runs = [case.trace, *further_iterations(case.trace)]
    counts = [len(list(run.input_indices())) for run in runs[:2]]
    if len(set(counts)) != 1 or not converges(runs):
        return unknown
    return [turn if math.isfinite(turn) else None for turn in references.run_differences(case, runs[1])]


def _rounding(e: Evidence, **changes: Any) -> Evidence:
    """The evidence with other rounding errors."""
    return replace(e, rounding_of=partial(replace, e.rounding, **changes))


def with_summands(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """Add the sizes of the terms in gradcli's own sweep, next to which its rounding error may be small."""
    if not any(is_far(e) and e.slack * e.rounding.largest_term < e.rounding.bound >= e.off for e in evidence):
        return evidence
    return [
        _rounding(e, largest_term=max(e.rounding.largest_term, summand))
        for e, summand in zip(evidence, references.summands(case), strict=True)
    ]


def with_input_change(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """Add the changes of the derivatives when the last digits of the inputs change."""
    parts = zip(case.parts, evidence, strict=True)
    if not any(is_far(e) and math.isfinite(e.off) and (_is_bounded(e) or is_tiny(case, part, e)) for part, e in parts):
        return evidence
    cancels = any(e.rounding.largest_term > CANCELLED * abs(e.reference) for e in evidence if e.reference is not None)
    moved, doubts = derivative_changes(case, cancels=cancels), derivative_changes(case, cancels=cancels, inputs=False)
    sums = references.summands(case) if any(doubts) else [0.0] * len(doubts)
    return [
        _rounding(
            e,
            input_change=change,
            constant_change=doubt if is_off_by_cancelled_terms(case, part, e, summand) else None,
        )
        for part, e, change, doubt, summand in zip(case.parts, evidence, moved, doubts, sums, strict=True)
    ]


def with_trials(case: Case, evidence: list[Evidence], by_hand: HandWrittenGradient | None) -> list[Evidence]:
    """Add the candidate's rounding error by trial, where a bound would excuse a large difference."""
    if not any(is_far(e) and e.rounding.own is not None and _is_bounded(e) for e in evidence):
        return evidence
    tried = by_hand.trials(case) if by_hand else references.trials(case)
    if tried is None:
        return evidence
    return [
        e if (own := e.rounding.own) is None else _rounding(e, own=min(own, moved), sweep=0.0)
        for e, moved in zip(evidence, tried, strict=True)
    ]


def with_largest_contribution(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """Add the contributions through single steps, where only a rounding bound may let the candidate pass."""
    return [
        _rounding(e, largest_contribution=references.largest_contribution(case, part))
        if is_far(e) and _is_bounded(e)
        else e
        for part, e in zip(case.parts, evidence, strict=True)
    ]


def _is_bounded(e: Evidence) -> bool:
    """Whether a rounding bound would excuse the candidate."""
    return e.off <= e.rounding.bound

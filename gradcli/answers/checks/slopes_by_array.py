"""The slopes by the numbers of an array together: the largest of them, and the roughness that all of them share."""

from __future__ import annotations

import math
from dataclasses import replace

from gradcli.answers.checks import references
from gradcli.answers.checks.evidence_types import Evidence
from gradcli.answers.checks.problem.compared_case import LONGEST_STEP, Case
from gradcli.answers.checks.verdicts import is_undecided
from gradcli.methods.exact.one_sided_limits import scale
from gradcli.methods.numerics.difference_quotients import Slope

COARSE = 4 / LONGEST_STEP  # error of a slope over the longest steps, in units of the roughness of the values
ALIKE = 1e3  # largest ratio of two numbers of an array that count as of similar size


def steepest_alike(case: Case, slopes: list[Slope | None]) -> list[float]:
    """For each part, the largest slope by a number of the same array or list and of similar size."""
    known = [
        (part.array, scale(part), abs(slope.value))
        for part, slope in zip(case.parts, slopes, strict=True)
        if slope and math.isfinite(slope.value)
    ]

    def largest(array: int | str, size: float) -> float:
        alike = (slope for other, s, slope in known if other == array and size <= ALIKE * s <= ALIKE**2 * size)
        return max(alike, default=0.0)

    return [largest(part.array, scale(part)) if slope else 0.0 for part, slope in zip(case.parts, slopes, strict=True)]


def as_coarse(case: Case, slopes: list[Slope | None]) -> list[Slope | None]:
    """The slopes with the roughness that the values show along any input, if they change in stairs.

    By another input, the values may change smoothly, or not at all, and yet have no more digits.
    """
    grain = max((slope.grain for slope in slopes if slope), default=0.0)
    if case.recorded is not None or not grain:
        return slopes
    return [
        slope and replace(slope, grain=grain, error=max(slope.error, COARSE * grain / scale(part)), power=0.0)
        for part, slope in zip(case.parts, slopes, strict=False)
    ]


def beside_other_rows(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """Compare the zeros of a row of a Hessian with all rows, where its own numbers do not tell them from 0."""
    if not any(e.candidate == 0 and is_undecided(e) for e in evidence):
        return evidence
    steepest = steepest_alike(case, references.slopes_of_all_rows(case))
    return [
        replace(e, measured=replace(e.measured, largest=max(e.measured.largest, slope)))
        for e, slope in zip(evidence, steepest, strict=True)
    ]

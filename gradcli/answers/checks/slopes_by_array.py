"""Corrections of slopes: the largest by numbers of the same array, the roughness that all share, and small jumps."""

from __future__ import annotations

import math
from dataclasses import replace

from gradcli.answers.checks import references
from gradcli.answers.checks.evidence_types import Evidence
from gradcli.answers.checks.problem.compared_case import LONGEST_STEP, Case
from gradcli.answers.checks.verdicts import is_undecided
from gradcli.methods.exact.one_sided_limits import scale
from gradcli.methods.numerics.coordinates import Coordinate
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


STEPS = tuple(2.0**-n for n in range(36, 45, 2))  # relative steps over which a jump is looked for, longest first
LASTING = 0.9  # fraction of a change of the value that must remain as the step shrinks, as that of a slope does not
GROWN = 1.0001  # times the change over the longest step: the most that the change over a shorter one may be
ROUNDINGS = 1000  # rounding errors of the value that a jump must exceed


def with_small_jumps(case: Case, slopes: list[Slope | None]) -> list[Slope | None]:
    """The slopes, of which those at a jump of the value have no value."""
    return [slope and with_small_jump(case, part, slope) for part, slope in zip(case.parts, slopes, strict=False)]


def with_small_jump(case: Case, part: Coordinate, slope: Slope) -> Slope:
    """The slope by one number, with the larger of the jumps to its two sides."""
    if slope.jump or not case.switch:
        return slope
    jump = max(_jump(case, part, sign) for sign in (1.0, -1.0))
    return replace(slope, jump=jump, value=math.nan, error=math.inf, reason="its value jumps") if jump else slope


def _jump(case: Case, part: Coordinate, sign: float) -> float:
    """The change of the value to one side that is the same over all short steps; 0 if there is none."""
    f = case.by(part)
    rises = [f(part.value + sign * step * (abs(part.value) or 1.0)) - case.value for step in STEPS]
    least, most = sorted((rises[-1], rises[0]), key=abs)
    lasts = all(
        LASTING * abs(most) <= abs(rise) and abs(rise) <= GROWN * abs(most) and rise * most > 0 for rise in rises
    )
    return abs(least) if lasts and abs(least) > ROUNDINGS * case.eps * case.size else 0.0

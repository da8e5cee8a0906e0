"""Jumps of the value that difference quotients miss, because they are small next to the slope."""

from __future__ import annotations

import math
from dataclasses import replace

from gradcli.answers.checks.problem.compared_case import Case
from gradcli.engine.running.muted_reruns import quiet
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.difference_quotients import Slope

STEPS = tuple(2.0**-n for n in range(36, 45, 2))  # relative steps over which a jump is looked for, longest first
LASTING = 0.9  # fraction of a change of the value that must remain as the step shrinks, as that of a slope does not
GROWN = 1.0001  # times the change over the longest step: the most that the change over a shorter one may be
ROUNDINGS = 1000  # rounding errors of the value that a jump must exceed


def with_small_jumps(case: Case, slopes: list[Slope | None]) -> list[Slope | None]:
    """The slopes, of which those at a jump of the value have no value."""
    with quiet():
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

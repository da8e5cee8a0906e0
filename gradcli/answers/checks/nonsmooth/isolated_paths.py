"""Recorded paths that hold only next to the point, as behind `if x == 0`, and the slopes beyond them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from gradcli.answers.checks.evidence_types import POWER, SAFETY, IsolatedPath
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.engine.traces.node import STOP_GRADIENT
from gradcli.methods.diagnose.outcome_margins import ROUNDINGS
from gradcli.methods.exact import one_sided_limits
from gradcli.methods.exact.one_sided_limits import NARROW, OneSidedLimits, scale
from gradcli.methods.numerics import differences, piecewise_constant_slopes
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.methods.numerics.nearby_gradients import directions

BESIDE = 2.0**-10  # distance, in scales of each number, at which rounding does not hide the derivative of a quotient
LEAP = 1000.0  # rounding units by which the limits of the value may be off it without a jump


def contradicts(slope: Slope | None, reference: float | None) -> bool:
    """Whether differences contradict an exact derivative by more than their error."""
    if reference is None or slope is None or not (math.isfinite(slope.value) and math.isfinite(reference)):
        return False
    return abs(slope.value - reference) > SAFETY * slope.error + POWER * abs(slope.value)


def isolated_path(case: Case, part: Coordinate, reference: float | None, slope: Slope | None) -> IsolatedPath | None:
    """The narrow range in which the recorded path holds, with the slope beyond; None if the path is not isolated.

    The slope beyond is the exact limit where there is one, else that by differences if it contradicts the reference.
    """
    names = {outcome.name for outcome in case.trace.outcomes}
    if reference is None or names <= ROUNDINGS.keys() or STOP_GRADIENT in names:
        return None
    is_narrow = case.close_to_equal or case.reach([part], [1.0]) < NARROW * scale(part)
    # `1.0 if abs(x) < 1e-8 else expm1(x) / x` is narrow at 0, differences contradict `0.0 if x == 0 else expm1(x)`, and
    # of `x if x == 0 else abs(x)` they have no slope.
    is_suspect = is_narrow or contradicts(slope, reference) or (slope is not None and stands_alone(case, part))
    if not is_suspect:
        return None  # the widths below cost many replays
    width = one_sided_limits.path_width(case.trace, case.point, part)
    if width >= NARROW * scale(part):
        return None
    if (limit := _exact_limit(case, part, slope or Slope(), width)) is not None:
        return IsolatedPath(width, limit, reference)
    beyond = _slope_beyond(case, part, width) if is_narrow else slope
    if beyond is None:
        return None
    # Beyond `0.0 if abs(x) < 1e-8 else sin(x)` the slope is 1, beyond `0.0 if x == 0 else x * sin(1 / x)` unknown.
    is_unconfirmed = contradicts(beyond, reference) or (width == 0 and not _is_known_beyond(case, part, beyond))
    return IsolatedPath(width, beyond) if is_unconfirmed else None


def _exact_limit(case: Case, part: Coordinate, slope: Slope, width: float) -> Slope | None:
    """The slope with the exact limits of the slopes next to a path; None if there are none that can be relied on."""
    limits = one_sided_limits.limits(case.function, case.point, part, width)
    if limits is None:
        return None
    # Differences judge the formula beyond a path of some width, such as `0.0 if abs(x) < 1e-8 else sin(x)`, as well: it
    # is accurate at the point too. They cannot where it loses its digits there, as `expm1(x) / x` does, and where a
    # search ends at numbers that are close.
    are_needed = width == 0 or limits.lost or case.close_to_equal
    limit = _with_limits(slope, limits, case, part, width)
    is_slope = width == 0 or math.isfinite(limit.value)
    is_relied_on = are_needed and is_slope and (case.close_to_equal or not _is_sawtooth(case, part, limit))
    return limit if is_relied_on else None


def isolated_components(case: Case, exact: Any) -> Any:
    """Which exact derivatives of a gradient are contradicted by those on both sides, which agree with each other.

    Their path holds only next to the point, as behind `np.where(x == 0, …)`. Costs two gradients.
    """
    around = case.surroundings(case.parts)
    way = BESIDE * np.array(next(islice(directions(len(case.parts), 3), 2, None)))  # the first random direction
    ahead, back = around.gradient(way), around.gradient(-way)
    if ahead is None or back is None:
        return np.zeros(len(case.parts), bool)
    middle = (ahead + back) / 2
    return np.abs(middle - exact) > SAFETY * np.abs(ahead - back) + POWER * np.abs(middle)


def is_far_from_boundaries(case: Case, parts: Sequence[Coordinate]) -> bool:
    """Whether no branch boundary and no kink is close in a random direction through some numbers of the point."""
    if case.switch:
        return False
    return case.reach(parts, case.random_steps(parts)) > SAFETY * NARROW


def _is_sawtooth(case: Case, part: Coordinate, limit: Slope) -> bool:
    """Whether the slopes of all paths nearby differ from the function's slope over them, because it jumps between them.

    An example is a bisection whose ends depend on the input: its jumps are hardly more than rounding errors.
    """
    whole = piecewise_constant_slopes.over_the_paths(
        case.by(part), part.value, case.eps, one_sided_limits.negligible_distance(np.float64) * scale(part)
    )
    return contradicts(whole, limit.value)


def _slope_beyond(case: Case, part: Coordinate, width: float) -> Slope:
    """The slope by differences beyond a path; over many paths, by wider steps, if the function jumps between them."""
    f = case.by(part)
    near = differences.slope(f, part.value, case.eps)
    if not width or near.error <= POWER * abs(near.value):
        return near
    whole = piecewise_constant_slopes.over_the_paths(f, part.value, case.eps, width)
    return whole if math.isfinite(whole.value) else near


def stands_alone(case: Case, part: Coordinate) -> bool:
    """Whether the recorded path holds only at the point, while the function continues in another way."""
    return case.switch and one_sided_limits.stands_alone(case.trace, case.point, part)


def _is_known_beyond(case: Case, part: Coordinate, slope: Slope) -> bool:
    """Whether differences give the slope beyond a path accurately enough; True too where the function has no value."""
    there = case.by(part)(part.value + NARROW * scale(part))
    return not math.isfinite(there) or slope.error <= max(POWER * abs(slope.value), POWER**2 * case.size / scale(part))


def _with_limits(slope: Slope, limits: OneSidedLimits, case: Case, part: Coordinate, width: float) -> Slope:
    """The slope with the one-sided limits found in many digits in place of differences."""
    left, right, error = limits.left, limits.right, limits.error + case.slack**2 * abs(limits.left)
    leap = max(abs(limits.above - case.value), abs(limits.below - case.value))
    steepest = max(abs(left), abs(right))
    # Across the path, which is `width` long to both sides, the value may change by `2 * width * steepest`.
    if leap > LEAP * case.eps * (case.size + scale(part) * steepest) + 2 * width * steepest:
        return replace(slope, value=math.nan, jump=leap)
    value = (left + right) / 2 if abs(left - right) <= case.slack * max(abs(left), abs(right)) + error else math.nan
    return Slope(value, error, left, error, right, error, slope.step, noise=slope.noise, edge=slope.edge)

"""Behaviour near the point that a recorded run may miss: jumps, isolated paths, values that left the tape."""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from gradcli.checks.evidence_types import POWER, SAFETY, Evidence, IsolatedPath
from gradcli.checks.nonsmooth.nearby_gradients import Surroundings, directions
from gradcli.checks.nonsmooth.subgradient_membership import moving
from gradcli.checks.problem.compared_case import Case
from gradcli.diagnose.outcome_margins import MARGINS
from gradcli.exact import one_sided_limits
from gradcli.exact.one_sided_limits import NARROW, OneSidedLimits, scale
from gradcli.numerics import differences, piecewise_constant_slopes
from gradcli.numerics.coordinates import Coordinate
from gradcli.numerics.difference_quotients import Slope
from gradcli.running.muted_reruns import quiet
from gradcli.traces.node import TEXT

PATIENCE = 5.0  # seconds for exploring the surroundings of the point
LASTING = 0.9  # fraction of a change of the value that must remain as the step shrinks
LEAPS = tuple(2.0**-n for n in range(36, 45, 2))  # relative steps over which a jump is looked for
TOGETHER = 2  # directions in which several numbers are moved together
CROSSINGS = 5  # directions nearby, of which every other one is used: the second is the first one reversed
ROUNDINGS = frozenset(name for name, margin in MARGINS.items() if margin is not operator.sub and name != "bool")


def with_leap(case: Case, part: Coordinate, slope: Slope) -> Slope:
    """The slope with a jump that difference quotients miss because it is small next to the slope."""
    if slope.jump or not case.switch:
        return slope
    sides = (_leap(case, part, sign) for sign in (1.0, -1.0))
    jump = max(sides)
    return replace(slope, jump=jump, value=math.nan, error=math.inf, reason="its value jumps") if jump else slope


def _leap(case: Case, part: Coordinate, sign: float) -> float:
    """The jump of the value to one side: the change that is the same over all short steps; 0 if there is none."""
    f = case.by(part)
    rises = [f(part.value + sign * h * (abs(part.value) or 1.0)) - case.value for h in LEAPS]
    least, most = sorted((rises[-1], rises[0]), key=abs)
    same = all(
        LASTING * abs(most) <= abs(rise) and abs(rise) <= 1.0001 * abs(most) and rise * most > 0 for rise in rises
    )
    return abs(least) if same and abs(least) > 1000 * case.eps * case.size else 0.0


def surroundings(case: Case, parts: Sequence[Coordinate], seconds: float) -> Surroundings:
    """The surroundings of the point, as a function of some of its numbers, explored for so many seconds."""
    until = time.monotonic() + seconds
    return Surroundings(case.function, case.point, parts, case.eps, until, case.recorded is not None)


def nonadditive_direction(case: Case, evidence: Sequence[Evidence]) -> str | None:
    """Describe a direction along which the slope is not the sum of the partial slopes; empty if there is none.

    None after an interruption.

    At kinks, these are the one-sided slopes: they add up if every kink is one of a single number. Numbers without
    differences of their own have their references; the sum is then only expected between the two sides.

    Costs some forty runs per direction, like one number more. It has no time limit, as its result decides over others.
    """
    sides = np.array([_one_sided(e) for e in evidence]).reshape(-1, 3)
    if not case.switch or len(sides) < 2 or not np.all(np.isfinite(sides)):
        return ""
    close = surroundings(case, case.parts, math.inf)
    with quiet():
        for way in islice(directions(len(sides), CROSSINGS), 0, CROSSINGS, 2):
            along, unit = close.slopes(way), close.scales * way
            if close.is_over():
                return None
            left, right = (sign * math.fsum(_rises(sides, sign * unit)) for sign in (-1.0, 1.0))
            room = SAFETY * (float(sides[:, 2] @ np.abs(unit)) + along.left_error + along.right_error)
            room += POWER * max(float(np.max(np.abs(sides[:, :2].T * unit))), abs(along.left), abs(along.right))
            if not _is_sum(along.left, along.right, left, right, room, all(e.slope for e in evidence)):
                slopes = f"the slopes are {along.left:.6g} to the left and {along.right:.6g} to the right"
                sums = " and ".join(dict.fromkeys(f"{total + 0.0:.6g}" for total in (left, right)))
                return f"{moving(case.parts, unit)}, {slopes}, but the partial slopes add up to {sums}"
    return ""


def _is_sum(along_left: float, along_right: float, left: float, right: float, room: float, exactly: bool) -> bool:
    """Whether the slopes along a direction are sums of partial ones; or, not `exactly`, whether these lie between."""
    if exactly or not math.isfinite(along_left + along_right):
        return not max(abs(along_left - left), abs(along_right - right)) > room
    least, most = sorted((along_left, along_right))
    return least - room <= min(left, right) and max(left, right) <= most + room


def _one_sided(e: Evidence) -> tuple[float, float, float]:
    """The slopes to the left and to the right, and their error; those of the reference if there are no differences."""
    if e.slope is None:
        return (math.nan if e.reference is None else e.reference,) * 2 + (0.0,)
    return e.slope.left, e.slope.right, e.slope.left_error + e.slope.right_error


def _rises(sides: Any, unit: Any) -> Any:
    """The rise along each number's step."""
    return unit * np.where(unit > 0, sides[:, 1], sides[:, 0])


def at_odds(reference: float | None, slope: Slope | None) -> bool:
    """Whether differences contradict an exact derivative by more than their error."""
    if reference is None or slope is None or not (math.isfinite(slope.value) and math.isfinite(reference)):
        return False
    return abs(slope.value - reference) > SAFETY * slope.error + POWER * abs(slope.value)


def without_text(case: Case) -> Case:
    """The case without the outcomes of texts that the program does not read back."""
    has_text = any(outcome.name == TEXT for outcome in case.trace.outcomes)
    return replace(case, recorded=case.trace.without_outcomes(TEXT)) if has_text else case


def played(case: Case, part: Coordinate, value: float, *, blindly: bool = False) -> list[Any] | None:
    """The values of all rows with one number of the point replaced; None off the path, unless `blindly` is set."""
    return one_sided_limits.on_path(case.trace, case.point, part, value, blindly=blindly)


def isolated_path(case: Case, part: Coordinate, reference: float | None, slope: Slope | None) -> IsolatedPath | None:
    """The narrow range in which the recorded path holds, with the slope beyond; None if the path is not isolated."""
    names = {outcome.name for outcome in case.trace.outcomes}
    if reference is None or names <= ROUNDINGS or "stop_gradient" in names:
        return None
    narrow = case.close_to_equal or case.reach([part], [1.0]) < NARROW * scale(part)
    if not (narrow or at_odds(reference, slope) or (slope and stands_alone(case, part))):
        return None
    with quiet():
        width = one_sided_limits.path_width(case.trace, case.point, part)
        if width >= NARROW * scale(part):
            return None
        limits = one_sided_limits.limits(case.function, case.point, part, width)
        if limits is not None and (not width or limits.lost or case.close_to_equal):
            with_limits = _with_limits(slope or Slope(), limits, case, part, width)
            is_slope = not width or math.isfinite(with_limits.value)
            if is_slope and (case.close_to_equal or not _is_sawtooth(case, part, with_limits)):
                return IsolatedPath(width, with_limits, reference)
        beyond = _beyond(case, part, width) if narrow else slope
    is_contradicted = beyond is not None and (at_odds(reference, beyond) or not (width or _tells(case, part, beyond)))
    return IsolatedPath(width, beyond) if beyond is not None and is_contradicted else None


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
    return at_odds(limit.value, whole)


def _beyond(case: Case, part: Coordinate, width: float) -> Slope:
    """The slope by differences beyond a path; over many paths, by wider steps, if the function jumps between them."""
    f = case.by(part)
    near = differences.slope(f, part.value, case.eps)
    if not width or near.error <= POWER * abs(near.value):
        return near
    whole = piecewise_constant_slopes.over_the_paths(f, part.value, case.eps, width)
    return whole if math.isfinite(whole.value) else near


def stands_alone(case: Case, part: Coordinate) -> bool:
    """Whether the recorded path holds only at the point, while the function continues in another way."""
    with quiet():
        return case.switch and one_sided_limits.stands_alone(case.trace, case.point, part)


def _tells(case: Case, part: Coordinate, slope: Slope) -> bool:
    """Whether the differences are accurate enough, or the function has no value nearby."""
    there = case.by(part)(part.value + NARROW * scale(part))
    return not math.isfinite(there) or slope.error <= max(POWER * abs(slope.value), POWER**2 * case.size / scale(part))


def form_a_gradient(case: Case, evidence: Sequence[Evidence]) -> bool:
    """Whether the exact slopes next to the point are those of a gradient: along any direction their sum is the slope.

    They are compared along directions through their own numbers, then through all. The slopes by the other numbers are
    one-sided differences; at a kink of several numbers together, such as a tie, they do not add up.
    """
    exact = [n for n, e in enumerate(evidence) if e.boundary.path is not None and e.boundary.path.exact]
    sides = np.array([_one_sided(e) for e in evidence])
    known = [n for n in range(len(sides)) if np.all(np.isfinite(sides[n]))]
    with quiet():
        own = len(exact) < 2 or not set(exact).issubset(known) or _add_up(case, evidence, exact, sides) is True
        return own and (known == exact or len(known) < 2 or _add_up(case, evidence, known, sides) is not False)


def _add_up(case: Case, evidence: Sequence[Evidence], some: Sequence[int], sides: Any) -> bool | None:
    """Whether the slopes by some numbers add up to those along directions through all of these; None if unknown."""
    parts, sides = [case.parts[n] for n in some], sides[some]
    widths = [path.width if (path := evidence[n].boundary.path) else 0.0 for n in some]
    generator = np.random.default_rng(0)
    for _ in range(TOGETHER):
        steps = generator.uniform(0.1, 1.0, len(parts)) * generator.choice([-1.0, 1.0], len(parts))
        steps = steps * np.array([scale(part) for part in parts])
        limits = one_sided_limits.limits_along(
            case.function, case.point, case.direction(parts, list(steps)), float(np.max(widths / np.abs(steps)))
        )
        if limits is None:
            return None
        left, right = (sign * math.fsum(_rises(sides, sign * steps)) for sign in (-1.0, 1.0))
        room = case.slack * float(np.max(np.abs(sides[:, :2]), 1) @ np.abs(steps)) + limits.error
        room += SAFETY * float(sides[:, 2] @ np.abs(steps))
        if not _is_sum(limits.left, limits.right, left, right, room, all(evidence[n].slope for n in some)):
            return False
    return True


def goes_on(case: Case, part: Coordinate, path: IsolatedPath) -> bool:
    """Whether the function continues beyond an isolated path with the slope of that path."""
    slope, inner = path.beyond.value, path.inner
    if inner is None or not math.isfinite(slope) or part.number in case.cut:
        return False
    return abs(slope - inner) <= path.beyond.error + case.slack * abs(slope)


def _with_limits(slope: Slope, limits: OneSidedLimits, case: Case, part: Coordinate, width: float) -> Slope:
    """The slope with the one-sided limits found in many digits in place of differences."""
    left, right, error = limits.left, limits.right, limits.error + case.slack**2 * abs(limits.left)
    leap = max(abs(limits.above - case.value), abs(limits.below - case.value))
    steepest = max(abs(left), abs(right))
    if leap > 1000 * case.eps * (case.size + scale(part) * steepest) + 2 * width * steepest:
        return replace(slope, value=math.nan, jump=leap)
    value = (left + right) / 2 if abs(left - right) <= case.slack * max(abs(left), abs(right)) + error else math.nan
    return Slope(value, error, left, error, right, error, slope.step, noise=slope.noise, edge=slope.edge)

"""The table of verdicts: the ruling on one component, given the evidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gradcli.answers.checks.evidence_types import (
    AGREEING,
    CLOSE,
    CONFIRMING,
    MOST_EXPLAINED,
    POWER,
    SAFETY,
    SHARE,
    Choice,
    Dispute,
    Evidence,
    telling_error,
)
from gradcli.methods.diagnose.input_paths import ONLY_OUTCOMES
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.shared.records.checks import Verdict

KINK = 1e-6  # relative difference of one-sided slopes that makes a kink
# Largest error of a difference along many components, relative to one component's contribution, that can confirm them
GROUP_POWER = 0.01
# Largest error of a 0, relative to the slopes that fall to it; for another number it is scaled by the slack
FLAT = 1e-5


TOO_SHORT = "the time was too short to find all pieces that meet here"
ALONE = "only this point takes the recorded path"

Ruling = tuple[Verdict, str]


class Judged(NamedTuple):
    """A component with its evidence and the ruling on it."""

    part: Coordinate
    evidence: Evidence
    ruling: Ruling


def runs_differ(e: Evidence) -> Ruling | None:
    """A recorded and a plain run have different values, so neither can vouch for the other."""
    return (Verdict.DISPUTED, e.run_difference) if e.run_difference else None


def not_finite(e: Evidence) -> Ruling | None:
    """The value, the candidate or the reference is infinite or nan."""
    if not math.isfinite(e.value):
        return Verdict.NONFINITE, f"the value of the function is {e.value}"
    if not math.isfinite(e.candidate):
        return Verdict.NONFINITE, f"the candidate is {e.candidate}"
    if e.reference is not None and not math.isfinite(e.reference):
        return Verdict.NONFINITE, f"the derivative is {e.reference}"
    return None


def jumps(e: Evidence) -> Ruling | None:
    """The value jumps at the point, unless it is a staircase whose steps are too fine to be seen from a distance."""
    if e.boundary.at_switch and e.slope and e.slope.jump and not (e.boundary.cut and _on_the_whole(e)):
        return Verdict.JUMP, f"the value jumps by {e.slope.jump:.6g} here, so there is no derivative"
    return None


def is_steep(e: Evidence) -> Ruling | None:
    """A one-sided slope is infinite."""
    if not (e.boundary.at_switch and e.slope and (math.isinf(e.slope.left) or math.isinf(e.slope.right))):
        return None
    sides = ((e.slope.left, "left"), (e.slope.right, "right"))
    slopes_in_words = " and ".join(f"{slope:.6g} to the {side}" for slope, side in sides if not math.isnan(slope))
    return Verdict.NONFINITE, f"the slope is {slopes_in_words}"


def too_coarse(e: Evidence) -> Ruling | None:
    """The function bends, and its values have too few digits to look for the gradients that meet at the point."""
    return (
        (Verdict.NOISY, f"the function bends here, and {Choice.COARSE.value}")
        if e.boundary.choice is Choice.COARSE
        else None
    )


def slopes_differ(e: Evidence) -> Ruling | None:
    """The slopes to the left and right differ, or the derivatives at points nearby do."""
    near = e.boundary
    if not near.at_switch or (e.slope is None and near.range is None):
        return None
    least, most = near.range or (math.inf, -math.inf)
    sides = (e.slope.left, e.slope.right) if e.slope else (least, most)
    error = e.slope.left_error + e.slope.right_error if e.slope else 0.0
    size = max(map(abs, sides))
    room = error + e.slack * size if e.slope else KINK * size
    if near.nonadditive:
        text = near.nonadditive
    elif e.slope and abs(sides[0] - sides[1]) > max(error, KINK * size):
        text = f"the slopes are {sides[0]:.6g} to the left and {sides[1]:.6g} to the right"
    elif most > least:
        text = f"the derivatives nearby range from {least:.6g} to {most:.6g}"
    else:
        return None
    between = min(*sides, least) - room <= e.candidate <= max(*sides, most) + room
    if near.separation:
        return Verdict.FAIL, f"{text}; {near.separation}"
    if near.choice is Choice.LATE:
        return Verdict.NOISY, f"{text}; {TOO_SHORT}"
    if between or near.choice is Choice.RIGHT:
        return Verdict.KINK, text
    if near.choice is Choice.OPEN:
        return Verdict.NOISY, f"{text}; the candidate is not between them, but more pieces may meet here"
    return Verdict.FAIL, f"{text}; the candidate is not between them"


def differences_contradict(slope: Slope, number: float, slack: float, room: float = 0.0) -> bool:
    """Whether differences show that a number with an error of up to `room` is not the derivative.

    Where long and short steps give two slopes, it is neither of them.
    """
    if slope.rivals:
        return all(differences_contradict(rival, number, slack, room) for rival in slope.rivals)
    return math.isfinite(slope.value) and abs(number - slope.value) > telling_error(slope, slack) + room


def is_isolated(e: Evidence) -> Ruling | None:
    """The recorded path holds only at the point, or in a negligible range around it."""
    path = e.boundary.path
    if path is None or e.reference is None:
        return None
    beyond = e.by_slope(path.beyond)
    width = path.width
    alone = f"the recorded path holds only within {width:.1g} of the point" if width else ALONE
    if path.exact and (ruling := by_reference(e)) is not None:
        text = f"{alone}; the slope next to it tends to {e.reference:.6g}"
        if width and ruling[0] is Verdict.FAIL and e.candidate == path.inner:
            return Verdict.NOISY, f"{text}, and the slope of the path is {path.inner:.6g}"
        return ruling[0], f"{text}: {ruling[1]}"
    if not path.width and shows_iterations(e, path.beyond):
        return by_reference(e)
    if not path.width:
        verdict, reason = by_differences(beyond) or no_reference_decides(beyond)
        return verdict, f"{alone}; {reason}"
    message = f"the recorded path, with a slope of {e.reference:.6g}, holds only within {path.width:.1g} of the point"
    text = f"{message}; beyond, the slope is {path.beyond.value:.6g}"
    either = (e.tolerance is not None and e.off <= e.tolerance) or not _fails(by_differences(beyond))
    return (Verdict.NOISY, text) if either else (Verdict.FAIL, f"{text}, and the candidate is neither")


def shows_iterations(e: Evidence, slope: Slope) -> bool:
    """Whether differences are those of a solver's iterations, which may be less accurate than its solution."""
    if e.reference is None or e.tolerance is None or not e.off <= e.solver_error > e.tolerance:
        return False
    return abs(slope.value - e.reference) <= MOST_EXPLAINED * max(abs(e.reference), e.measured.largest)


def within_an_iteration(e: Evidence) -> Ruling | None:
    """The candidate's error is explained by further iterations, each with at most half the effect of the last."""
    if e.reference is None or e.tolerance is None or not e.tolerance < e.off:
        return None
    change = e.solver.iteration_change
    if change is None or not e.off <= 2 * change:
        return None
    return Verdict.NOISY, f"off by {e.off:.2g}, and one more iteration changes the derivative by {change:.2g}"


def within_solver_error(e: Evidence) -> Ruling | None:
    """The candidate's error is explained by a solver that stopped before its solution."""
    if e.tolerance is None or not e.tolerance < e.off <= e.solver_error:
        return None
    return Verdict.NOISY, f"off by {e.off:.2g}, and {e.solver.equation}"


def is_cut(e: Evidence) -> Ruling | None:
    """The input acts only through outcomes: right are 0, and on a staircase the slope over many steps."""
    if not e.boundary.cut:
        return None
    if e.candidate == 0:
        return Verdict.CUT, ONLY_OUTCOMES
    if (wide := e.measured.wide) is None:
        return Verdict.FAIL, f"{ONLY_OUTCOMES}, so the derivative is 0"
    whole = f"{ONLY_OUTCOMES}; over steps wider than the recorded path"
    if not math.isfinite(wide.value):
        return Verdict.NOISY, f"{whole} differences say nothing"
    ruling, message = _on_the_whole(e), f"{whole} the slope is {wide.value:.6g} ± {wide.error:.2g}"
    if ruling is None:
        return Verdict.NOISY, message
    return (Verdict.FAIL, f"{message}; {ruling[1]}") if _fails(ruling) else (Verdict.CUT, message)


def _on_the_whole(e: Evidence) -> Ruling | None:
    """The ruling of differences over steps wider than the recorded path."""
    return by_differences(e.by_slope(e.measured.wide), over_stairs=True)


def rounds_off(e: Evidence) -> Ruling | None:
    """The candidate's error may be due to rounding, whose bound is too large to decide."""
    tells = e.tolerance is not None and e.off <= e.tolerance
    if tells and e.is_powerless and e.off > e.slack * abs(e.reference or 0.0):
        text = f"rounding alone may change it by {e.tolerance:.2g} where the derivative is {e.reference:.6g}"
        return Verdict.ROUNDOFF, f"{text}: a wrong gradient would pass as well"
    if e.reference is None or tells:
        return None
    own, change = e.rounding.own, e.rounding.constant_change
    if own is not None and e.off <= own and not is_refuted(e):
        return Verdict.ROUNDOFF, f"off by {e.off:.2g}, and rounding alone may change it by {own:.2g}"
    if change is not None and e.off <= change < math.inf:
        text = f"the last digits of the program's constants change the derivative by {change:.2g}"
        return Verdict.ROUNDOFF, f"off by {e.off:.2g}, and {text}"
    return None


def is_refuted(e: Evidence) -> bool:
    """Whether differences show that the candidate is wrong although there is no finite bound on its rounding."""
    return e.rounding.own == math.inf and e.slope is not None and differences_contradict(e.slope, e.candidate, e.slack)


def disputed(e: Evidence) -> Ruling | None:
    """The exact derivative and differences contradict each other."""
    return _of_dispute(e.dispute) if e.dispute else None


def _of_dispute(dispute: Dispute) -> Ruling:
    return Verdict.DISPUTED, f"by {dispute.name} {dispute.text}"


def by_references(off: Sequence[float], tolerance: Sequence[float], dispute: Dispute | None) -> list[Ruling]:
    """The rulings on components that nothing but exact derivatives concerns, and a contradiction that all share."""
    if dispute:
        return [_of_dispute(dispute)] * len(off)
    return [
        (Verdict.PASS, _within(x)) if x <= most else (Verdict.FAIL, _beyond(x, most))
        for x, most in zip(off, tolerance, strict=True)
    ]


def by_reference(e: Evidence) -> Ruling | None:
    """The candidate is within or outside the tolerance of the exact derivative."""
    if e.reference is None or e.tolerance is None:
        return None
    if e.off <= e.tolerance:
        at = f" at the solution that was found; {e.solver.equation}" if e.tolerance < e.solver_error else ""
        return Verdict.PASS, _within(e.off) + at
    return Verdict.FAIL, f"{_beyond(e.off, e.tolerance)}{_of_the_last_digits(e)}"


def _within(off: float) -> str:
    return f"off by {off:.2g}" if off else "exact"


def _beyond(off: float, tolerance: float) -> str:
    """A distance and the tolerance, with so many digits that the distance is seen to be larger."""
    if not tolerance:
        return f"off by {off:.6g}"
    pairs = ((f"{off:.{digits + 4}g}", f"{tolerance:.{digits}g}") for digits in range(2, 14))
    distance, allowed = next((pair for pair in pairs if float(pair[0]) > float(pair[1])), (repr(off), repr(tolerance)))
    return f"off by {distance}, where {allowed} is allowed"


def _of_the_last_digits(e: Evidence) -> str:
    """The remark on a candidate for a slightly different point, such as pi, which is not a binary number."""
    change = e.rounding.input_change
    if change is None or not e.off <= change < math.inf:
        return ""
    exact = f"at the exact binary point the derivative is {e.reference:.6g}"
    return f"; {exact}, and the last digits of the point change it by more than that"


def by_differences(e: Evidence, *, over_stairs: bool = False) -> Ruling | None:
    """Without an exact derivative, differences decide if they have the power to; over stairs they have less of it."""
    if e.slope is None or not math.isfinite(e.slope.value) or e.tolerance is None:
        return None
    off, error, size = abs(e.candidate - e.slope.value), e.slope.error, abs(e.slope.value)
    if differences_contradict(e.slope, e.candidate, e.slack, e.atol):
        return Verdict.FAIL, f"off by {off:.6g}, where differences have an error of {error:.2g}"
    if off > e.tolerance:
        return None
    if off <= error and is_flat(e.slope, e.slack if e.candidate else 1.0):
        falling = f"differences fall to 0 like the step to the power {e.slope.power:.3g}"
        return Verdict.PASS, f"off by {off:.2g}, and {falling}"
    confirming = POWER if over_stairs else CONFIRMING * e.slack
    least = (
        confirming * size if e.candidate else POWER**2 * e.measured.largest
    )  # a 0 must be told from the largest slopes
    near = max(AGREEING * size, e.slack * size, min(SHARE * error, CLOSE * size), e.atol)
    agrees = off <= near or over_stairs or not e.candidate
    if error <= least != 0 and agrees and not e.slope.grain:
        return Verdict.PASS, f"off by {off:.2g}, within the error of differences"
    return None


def is_flat(slope: Slope, share: float = 1.0) -> bool:
    """Whether differences fall to 0 at a power of the step, with an error far below them."""
    return slope.power > 0 and slope.error <= FLAT * share * slope.steepest


def _fails(ruling: Ruling | None) -> bool:
    return ruling is not None and ruling[0] is Verdict.FAIL


def beyond_steps(e: Evidence) -> Ruling | None:
    """The steps of an integrator lack the derivative of the place of a jump, and differences are wider than they."""
    return _on_the_whole(e) if e.measured.wide is not None and not e.boundary.cut else None


def in_a_group(e: Evidence) -> Ruling | None:
    """The component is one of too many for single differences, and they are compared together along one direction."""
    group = e.measured.group
    if e.slope is not None or group is None or not math.isfinite(group.off):
        return None
    grouped = f"together with {group.size - 1} others, along one direction,"
    if group.off > SAFETY * group.error:
        wrong = f"one of {group.size} is wrong: {grouped}"
        return Verdict.FAIL, f"{wrong} off by {group.off:.6g}, where differences have an error of {group.error:.2g}"
    if group.error <= GROUP_POWER * group.share or (group.flat and group.off <= 2 * group.error):
        return Verdict.PASS, f"{grouped} off by {group.off:.2g}, within the error of differences"
    return None


def no_reference_decides(e: Evidence) -> Ruling:
    """No reference has the power to decide."""
    if e.slope is None:
        return Verdict.NOISY, "there is no exact derivative, and too many numbers for differences one by one"
    if not math.isfinite(e.slope.value):
        return Verdict.NOISY, f"there is no exact derivative, and differences say nothing: {e.slope.reason}"
    error = e.slope.error
    if e.slope.grain:
        stairs = f"the values change in stairs of {e.slope.grain:.2g}, as in single precision"
        return Verdict.NOISY, f"only differences are left, and their error is {error:.2g}: {stairs}"
    if abs(e.slope.value) <= error:
        return Verdict.VACUOUS, f"only differences are left; their error of {error:.2g} is too large to tell it from 0"
    return Verdict.NOISY, f"only differences are left, and their error is {error:.2g}"


def is_undecided(e: Evidence) -> bool:
    """Whether only differences are left, and they do not decide."""
    return e.reference is None and by_differences(e) is None


TABLE: tuple[Callable[[Evidence], Ruling | None], ...] = (
    runs_differ,
    not_finite,
    jumps,
    is_steep,
    too_coarse,
    slopes_differ,
    within_solver_error,
    is_isolated,
    within_an_iteration,
    is_cut,
    rounds_off,
    disputed,
    by_reference,
    beyond_steps,
    by_differences,
    in_a_group,
    no_reference_decides,
)
"""The rows of the table; the first that says anything decides."""

SETTLED = frozenset({Verdict.PASS, Verdict.KINK, Verdict.FAIL})
"""Verdicts that need a finished search for the pieces that meet at a kink; without it they are withdrawn."""


def verdict(evidence: Evidence) -> Ruling:
    """The verdict on one component, and its reason, from the first row of the table that applies."""
    if evidence.unfinished:
        return Verdict.SKIPPED, "not finished"
    first = next(ruling for row in TABLE if (ruling := row(evidence)) is not None)
    return (Verdict.NOISY, TOO_SHORT) if evidence.boundary.choice is Choice.LATE and first[0] in SETTLED else first

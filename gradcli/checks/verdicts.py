"""The table of verdicts: the ruling on one component, given the evidence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from gradcli.checks.evidence_types import Choice, Dispute, Group, IsolatedPath
from gradcli.diagnose.input_paths import ONLY_OUTCOMES
from gradcli.numerics.differences import Slope
from gradcli.records import Verdict

KINK = 1e-6  # relative difference of one-sided slopes that makes a kink
POWER = 1e-4  # largest relative error of differences that can confirm a gradient
# Largest error of a difference along many components, relative to one component's contribution, that can confirm them
GROUP_POWER = 0.01
UNDERFLOW = 1e-320  # size of what repeated rounding near 0 may leave of a number
# Largest error of a 0, relative to the slopes that fall to it; for another number it is scaled by the slack
FLAT = 1e-5
SAFETY = 10.0  # times their error by which differences must be off to show that a number is wrong

ALONE = "only this point takes the recorded path"

Ruling = tuple[Verdict, str]


@dataclass(frozen=True)
class Evidence:
    """The evidence for one component.

    Attributes:
        value: the function's value.
        candidate: the number under test.
        reference: the exact derivative, or None; next to an isolated path, its limit.
        slope: the slope by differences; None if this component has none of its own.
        group: the comparison with differences of the group that the component belongs to.
        slack: the relative difference from the reference allowed to a right formula.
        rounding: a bound on the candidate's own rounding error; None if its program cannot be followed.
        sweep: a bound on the rounding error of gradcli's sweep, in the absence of the candidate's.
        largest: the largest term, also of inner sums, that the derivative or the computed candidate is the sum of.
        sway: the change of the derivative with the last digits of the inputs.
        doubt: the change of the derivative with the last digits of the program's constants alone.
        passing: the largest contribution of a single step to the derivative, or of the slopes over longer steps. A
            tolerance above the slack of it would pass anything.
        steepest: the largest slope of all components, the scale for telling a small one from 0.
        least, most: the range of the derivatives near the point; computed where a kink has more than two slopes.
        choice: whether all candidates together are a mean of the gradients of the pieces that meet at the point.
        parted: why they are not, if this component is involved.
        crossing: a description of why there is no total derivative although there are partial ones.
        blur: the error of the reference itself, if it comes from points nearby.
        island: the narrow range in which the reference holds, if it does not hold beyond.
        turn: the change of the derivative due to one more iteration of the last loop that an outcome ended.
        switch: whether the run is at a branch boundary or a kink.
        cut: whether the input acts only through outcomes.
        beyond: for a staircase, the slope by differences over steps wider than the recorded path; else None.
        apart: a description of different values of a recorded and a plain run.
        dispute: the contradiction of an exact derivative and differences, in this component or another.
        atol: the absolute tolerance that the user allows.
        unfinished: whether an interruption left it without evidence that it needs.
    """

    value: float
    candidate: float
    reference: float | None
    slope: Slope | None
    slack: float
    group: Group | None = None
    rounding: float | None = 0.0
    sweep: float = 0.0
    largest: float = 0.0
    sway: float = math.inf
    doubt: float = 0.0
    passing: float = math.inf
    steepest: float = 0.0
    least: float = math.inf
    most: float = -math.inf
    choice: Choice = Choice.UNASKED
    parted: str = ""
    crossing: str = ""
    blur: float = 0.0
    island: IsolatedPath | None = None
    turn: float = 0.0
    switch: bool = False
    cut: bool = False
    beyond: Slope | None = None
    apart: str = ""
    dispute: Dispute | None = None
    atol: float = 0.0
    unfinished: bool = False

    @cached_property
    def bound(self) -> float:
        """The known bound on the rounding error of a right formula."""
        return max(self.sweep, self.rounding or 0.0)

    @cached_property
    def tolerance(self) -> float | None:
        """The largest error allowed to the candidate: derived, or the user's where that is larger."""
        return None if self.derived_tolerance is None else max(self.derived_tolerance, self.atol)

    @cached_property
    def derived_tolerance(self) -> float | None:
        """The largest error of a right candidate.

        It is the slack; or the rounding bound, if that is small relative to the largest contribution and if changes in
        the last digits of the inputs have as large an effect. A derivative of 0 has no slack and need not change with
        the inputs; the bound on the candidate's own rounding applies.
        """
        if self.reference is None:
            if self.slope is None or not math.isfinite(self.slope.error):
                return None
            return max(2 * self.slope.error, self.slack * abs(self.slope.value))
        slack = max(self.slack * abs(self.reference), self.blur)
        beside = self.passing if self.reference == 0 and math.isfinite(self.passing) else 0.0
        largest = max(self.largest, beside)
        known = math.isfinite(self.bound) and self.bound <= self.slack * largest
        swayed = max(self.sway, 0.0 if self.reference else self.rounding or 0.0)
        return max(slack, min(self.bound, swayed)) if known else slack

    @property
    def is_powerless(self) -> bool:
        """Whether the rounding error may be so large that a wrong candidate would pass as well."""
        if not self.reference or self.derived_tolerance is None:
            return False
        return self.derived_tolerance > max(self.slack * max(abs(self.reference), self.passing), self.blur)

    @property
    def power(self) -> float | None:
        """The smallest relative error that fails; None if the derivative is 0 or unknown."""
        if self.reference is not None and self.tolerance is not None:
            return self.tolerance / abs(self.reference) if self.reference else None
        if self.slope is None or not math.isfinite(self.slope.error) or not self.slope.value:
            return None
        return _telling(self.slope, self.slack) / abs(self.slope.value)

    @cached_property
    def off(self) -> float:
        """The distance between candidate and reference; a distance near underflow counts as 0."""
        if self.reference is None:
            return math.inf
        distance = abs(self.candidate - self.reference)
        return 0.0 if distance <= UNDERFLOW else distance

    @cached_property
    def ruling(self) -> Ruling:
        """The verdict and its reason, from the first row of the table that applies."""
        if self.unfinished:
            return Verdict.SKIPPED, "not finished"
        return next(ruling for row in TABLE if (ruling := row(self)) is not None)


def runs_differ(e: Evidence) -> Ruling | None:
    """A recorded and a plain run have different values, so neither can vouch for the other."""
    return (Verdict.DISPUTED, e.apart) if e.apart else None


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
    if e.switch and e.slope and e.slope.jump and not (e.cut and _on_the_whole(e)):
        return Verdict.JUMP, f"the value jumps by {e.slope.jump:.6g} here, so there is no derivative"
    return None


def is_steep(e: Evidence) -> Ruling | None:
    """A one-sided slope is infinite."""
    if not (e.switch and e.slope and (math.isinf(e.slope.left) or math.isinf(e.slope.right))):
        return None
    sides = ((e.slope.left, "left"), (e.slope.right, "right"))
    told = " and ".join(f"{slope:.6g} to the {side}" for slope, side in sides if not math.isnan(slope))
    return Verdict.NONFINITE, f"the slope is {told}"


def slopes_differ(e: Evidence) -> Ruling | None:
    """The slopes to the left and right differ, or the derivatives at points nearby do."""
    if not e.switch or (e.slope is None and e.least >= e.most):
        return None
    sides = (e.slope.left, e.slope.right) if e.slope else (e.least, e.most)
    error = e.slope.left_error + e.slope.right_error if e.slope else 0.0
    size = max(map(abs, sides))
    room = error + e.slack * size if e.slope else KINK * size
    if e.crossing:
        text = e.crossing
    elif e.slope and abs(sides[0] - sides[1]) > max(error, KINK * size):
        text = f"the slopes are {sides[0]:.6g} to the left and {sides[1]:.6g} to the right"
    elif e.most > e.least:
        text = f"the derivatives nearby range from {e.least:.6g} to {e.most:.6g}"
    else:
        return None
    between = min(*sides, e.least) - room <= e.candidate <= max(*sides, e.most) + room
    if e.parted:
        return Verdict.FAIL, f"{text}; {e.parted}"
    if between or e.choice is Choice.RIGHT:
        return Verdict.KINK, text
    if e.choice is Choice.OPEN and not e.crossing:
        return Verdict.NOISY, f"{text}; the candidate is not between them, but more pieces may meet here"
    return Verdict.FAIL, f"{text}; the candidate is not between them"


def _telling(slope: Slope, slack: float) -> float:
    """The error of a number above which differences show that it is wrong."""
    error, size = slope.error, abs(slope.value)
    return min(SAFETY * error + POWER * size, SAFETY**2 * error + slack * size)


def differences_contradict(slope: Slope, number: float, slack: float, room: float = 0.0) -> bool:
    """Whether differences show that a number with an error of up to `room` is not the derivative."""
    return math.isfinite(slope.value) and abs(number - slope.value) > _telling(slope, slack) + room


def stands_alone(e: Evidence) -> Ruling | None:
    """The recorded path holds only at the point, or in a negligible range around it."""
    if e.island is None or e.reference is None:
        return None
    beyond = replace(e, reference=None, slope=e.island.beyond)
    width = e.island.width
    alone = f"the recorded path holds only within {width:.1g} of the point" if width else ALONE
    if e.island.exact and (ruling := by_reference(e)) is not None:
        text = f"{alone}; the slope next to it tends to {e.reference:.6g}"
        if width and ruling[0] is Verdict.FAIL and e.candidate == e.island.inner:
            return Verdict.NOISY, f"{text}, and the slope of the path is {e.island.inner:.6g}"
        return ruling[0], f"{text}: {ruling[1]}"
    if not e.island.width:
        verdict, reason = by_differences(beyond) or no_reference_decides(beyond)
        return verdict, f"{alone}; {reason}"
    path = f"the recorded path, with a slope of {e.reference:.6g}, holds only within {e.island.width:.1g} of the point"
    text = f"{path}; beyond, the slope is {e.island.beyond.value:.6g}"
    either = (e.tolerance is not None and e.off <= e.tolerance) or not _fails(by_differences(beyond))
    return (Verdict.NOISY, text) if either else (Verdict.FAIL, f"{text}, and the candidate is neither")


def turns_on(e: Evidence) -> Ruling | None:
    """The candidate's error is explained by further iterations, each with at most half the effect of the last."""
    if e.reference is None or e.tolerance is None or not e.tolerance < e.off <= 2 * e.turn:
        return None
    return Verdict.NOISY, f"off by {e.off:.2g}, and one more iteration changes the derivative by {e.turn:.2g}"


def is_cut(e: Evidence) -> Ruling | None:
    """The input acts only through outcomes: right are 0, and on a staircase the slope over many steps."""
    if not e.cut:
        return None
    if e.candidate == 0:
        return Verdict.CUT, ONLY_OUTCOMES
    if e.beyond is None:
        return Verdict.FAIL, f"{ONLY_OUTCOMES}, so the derivative is 0"
    whole = f"{ONLY_OUTCOMES}; over steps wider than the recorded path"
    if not math.isfinite(e.beyond.value):
        return Verdict.NOISY, f"{whole} differences say nothing"
    ruling, told = _on_the_whole(e), f"{whole} the slope is {e.beyond.value:.6g} ± {e.beyond.error:.2g}"
    if ruling is None:
        return Verdict.NOISY, told
    return (Verdict.FAIL, f"{told}; {ruling[1]}") if _fails(ruling) else (Verdict.CUT, told)


def _on_the_whole(e: Evidence) -> Ruling | None:
    """The ruling of differences over steps wider than the recorded path."""
    return by_differences(replace(e, reference=None, slope=e.beyond))


def rounds_off(e: Evidence) -> Ruling | None:
    """The candidate's error may be due to rounding, whose bound is too large to decide."""
    tells = e.tolerance is not None and e.off <= e.tolerance
    if tells and e.is_powerless and e.off > e.slack * abs(e.reference or 0.0):
        text = f"rounding alone may change it by {e.tolerance:.2g} where the derivative is {e.reference:.6g}"
        return Verdict.ROUNDOFF, f"{text}: a wrong gradient would pass as well"
    if e.reference is None or tells:
        return None
    if e.rounding is not None and e.off <= e.rounding and not is_refuted(e):
        return Verdict.ROUNDOFF, f"off by {e.off:.2g}, and rounding alone may change it by {e.rounding:.2g}"
    if e.off <= e.doubt < math.inf and e.off <= e.slack * e.largest:  # large terms cancel
        text = f"the last digits of the program's constants change the derivative by {e.doubt:.2g}"
        return Verdict.ROUNDOFF, f"off by {e.off:.2g}, and {text}"
    return None


def is_refuted(e: Evidence) -> bool:
    """Whether differences show that the candidate is wrong although there is no finite bound on its rounding."""
    return e.rounding == math.inf and e.slope is not None and differences_contradict(e.slope, e.candidate, e.slack)


def disputed(e: Evidence) -> Ruling | None:
    """The exact derivative and differences contradict each other."""
    return (Verdict.DISPUTED, f"by {e.dispute.name} {e.dispute.text}") if e.dispute else None


def by_reference(e: Evidence) -> Ruling | None:
    """The candidate is within or outside the tolerance of the exact derivative."""
    if e.reference is None or e.tolerance is None:
        return None
    if e.off <= e.tolerance:
        return Verdict.PASS, f"off by {e.off:.2g}" if e.off else "exact"
    times = f", {e.off / e.tolerance:.3g} times the tolerance" if e.tolerance else ""
    return Verdict.FAIL, f"off by {e.off:.6g}{times}{_of_the_last_digits(e)}"


def _of_the_last_digits(e: Evidence) -> str:
    """The remark on a candidate for a slightly different point, such as pi, which is not a binary number."""
    if not e.off <= e.sway < math.inf:
        return ""
    exact = f"at the exact binary point the derivative is {e.reference:.6g}"
    return f"; {exact}, and the last digits of the point change it by more than that"


def by_differences(e: Evidence) -> Ruling | None:
    """Without an exact derivative, differences decide if they have the power to."""
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
    least = POWER * size if e.candidate else POWER**2 * e.steepest  # a 0 must be told from the largest slopes
    if error <= least != 0:
        return Verdict.PASS, f"off by {off:.2g}, within the error of differences"
    return None


def is_flat(slope: Slope, share: float = 1.0) -> bool:
    """Whether differences fall to 0 at a power of the step, with an error far below them."""
    return slope.power > 0 and slope.error <= FLAT * share * slope.steepest


def _fails(ruling: Ruling | None) -> bool:
    return ruling is not None and ruling[0] is Verdict.FAIL


def in_a_group(e: Evidence) -> Ruling | None:
    """The component is one of too many for single differences, and they are compared together along one direction."""
    group = e.group
    if e.slope is not None or group is None or not math.isfinite(group.off):
        return None
    told = f"together with {group.size - 1} others, along one direction,"
    if group.off > SAFETY * group.error:
        wrong = f"one of {group.size} is wrong: {told}"
        return Verdict.FAIL, f"{wrong} off by {group.off:.6g}, where differences have an error of {group.error:.2g}"
    if group.error <= GROUP_POWER * group.share or (group.flat and group.off <= 2 * group.error):
        return Verdict.PASS, f"{told} off by {group.off:.2g}, within the error of differences"
    return None


def no_reference_decides(e: Evidence) -> Ruling:
    """No reference has the power to decide."""
    if e.slope is None:
        return Verdict.NOISY, "there is no exact derivative, and too many numbers for differences one by one"
    if not math.isfinite(e.slope.value):
        return Verdict.NOISY, f"there is no exact derivative, and differences say nothing: {e.slope.reason}"
    error = e.slope.error
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
    slopes_differ,
    stands_alone,
    turns_on,
    is_cut,
    rounds_off,
    disputed,
    by_reference,
    by_differences,
    in_a_group,
    no_reference_decides,
)
"""The rows of the table; the first that says anything decides."""


def verdict(evidence: Evidence) -> Ruling:
    """The verdict on one component, and its reason."""
    return evidence.ruling

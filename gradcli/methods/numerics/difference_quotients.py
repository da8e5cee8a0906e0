"""The difference quotients of a function on both sides of a point, and the slopes that they show."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from gradcli.engine.code.program_errors import program_errors
from gradcli.methods.numerics.extrapolation import SHRINK, QuotientDecay, extrapolated, quotient_decay

NOISY = 0.1  # fraction of the largest change of the values above which scatter hides everything else
SMOOTH = 1e-3  # fraction of the steepest quotient below which a bend is not a kink
LASTING = 0.99  # fraction of a change of the value that must remain as the step shrinks
GROWING = 6  # lasting changes of a quotient before its limit is called infinite
ABRUPT = 0.9 * SHRINK  # ratio of successive changes above which they show a jump
UNABATED = 0.98  # least ratio of successive changes of a quotient that grows without bound
SHARP = 1e-7  # relative error above which shorter steps are tried, where rounding leaves them more digits
FINE = 10.0  # ratio of scatter over short steps to that over the shortest that shows variation between them

NO_STEP = "too far away for a step"  # the last words of the reason where the next numbers are

Function = Callable[[float], float]


def value_or_nan(function: Callable[..., float], arguments: Sequence[object]) -> float:
    """The value of a plain run; nan if it raises, as off its point the user's function may raise anything."""
    try:
        return float(function(*arguments))
    except program_errors():
        return math.nan


@dataclass(frozen=True)
class Slope:
    """A derivative by differences.

    Attributes:
        value, left, right: the derivative and the one-sided derivatives; nan if there is none, infinite if the
            difference quotients grow without bound as the step shrinks.
        error, left_error, right_error: bounds on their errors; 0 for an infinite slope.
        step: the step at which the value was found.
        jump: the jump of the function's value at the point; 0 if there is none.
        reason: the reason if there is no value.
        noise: the scatter of the values at neighbouring numbers; 0 if rounding explains it.
        edge: the distance to the nearest point without a finite value, negative to the left, if such points lie within
            the longest step on one side alone; otherwise 0.
        grain: the roughness of values that change in stairs, like those of single precision; 0 if they do not.
        power: the power of the step with which the quotients on both sides fall to 0; 0 if unknown.
        steepest: the largest of the quotients that fall to 0.
        rivals: estimates at two scales that contradict each other, of which the value is one.
    """

    value: float = math.nan
    error: float = math.inf
    left: float = math.nan
    left_error: float = math.inf
    right: float = math.nan
    right_error: float = math.inf
    step: float = 0.0
    jump: float = 0.0
    reason: str = ""
    noise: float = 0.0
    edge: float = 0.0
    grain: float = 0.0
    power: float = 0.0
    steepest: float = 0.0
    rivals: tuple[Slope, ...] = ()


class Ladder:
    """The difference quotients of a function on both sides of a point, for shrinking steps.

    Attributes:
        steps: the steps, longest first.
        right, left: the quotient for each step; nan where the function has no value.
        unit: the rounding error of the value at the point.
        rises: for each step, the changes of the value to the right and to the left.
        rounding: for each step, the rounding error of the values.
    """

    def __init__(self, f: Function, x: float, here: float, steps: list[float], eps: float, size: float = 0.0) -> None:
        self.f, self.x, self.here = f, x, here
        self.steps = steps
        self.eps = eps
        self.size = size
        self.unit = eps * max(abs(here), size)
        points = [(x + h, x - h) for h in steps]
        values = [(f(above), f(below)) for above, below in points]
        self.rises = [(above - here, below - here) for above, below in values]
        self.right = [rise / (above - x) for (above, _), (rise, _) in zip(points, self.rises, strict=True)]
        self.left = [rise / (below - x) for (_, below), (_, rise) in zip(points, self.rises, strict=True)]
        self.rounding = [
            eps * (abs(here) + sum(map(abs, filter(math.isfinite, pair))) * (1 + abs(x) / h))
            for h, pair in zip(steps, self.rises, strict=True)
        ]

    @property
    def edge(self) -> float:
        """The shortest step without a value, negative to the left; 0 if that is on neither side or on both."""
        right, left = (
            min((h for h, rise in zip(self.steps, side, strict=True) if not math.isfinite(rise)), default=0.0)
            for side in zip(*self.rises, strict=True)
        )
        return 0.0 if right and left else right - left

    @property
    def changes(self) -> list[float]:
        """The sizes of the changes of the value from that at the point, where there are values."""
        return [abs(rise) for pair in self.rises for rise in pair if math.isfinite(rise)]

    @property
    def spread(self) -> float:
        """The largest change of the value."""
        return max(self.changes, default=0.0)

    @property
    def is_level(self) -> bool:
        """Whether the value does not change over the shortest step, but over longer ones."""
        return not any(self.rises[-1]) and any(map(any, self.rises))

    def decides(self, estimate: Slope, rough: float, *, settled: bool) -> bool:
        """Whether shorter steps have no digits that a slope by these steps lacks, as where the function varies fast."""
        if self.is_level or self.flattens:
            return self.flattens and not self.is_level
        if not settled:
            return False
        middle, noise = [0.5 * (self.left[n] + self.right[n]) for n in (-3, -2, -1)], self.noise(rough)
        earlier, latest = (abs(b - a) for a, b in pairwise(middle))
        moves = 0.5 * earlier >= latest > max(SHARP * abs(estimate.value), noise[-2] + noise[-1])
        return not (moves and estimate.error > SHARP * abs(estimate.value))

    def noise(self, rough: float) -> list[float]:
        """The error of each quotient if the values scatter by `rough` about a smooth curve."""
        return [4 * max(rough, rounding) / h for rounding, h in zip(self.rounding, self.steps, strict=True)]

    def drowns(self, noise: float) -> bool:
        """Whether scatter hides everything else; a jump, or a peak beside all steps, is larger than scatter."""
        return noise > NOISY * self.spread > 0.0 and noise > FINE * self.rounding[-1] and not self.jump

    def settles(self, rough: float) -> bool:
        """Whether the quotients to the left and right converge, as those of a smooth function do."""
        if len(self.steps) < 3 or self.jump:
            return False
        third, second, last = map(self.bend, (-3, -2, -1))
        bound = max(4 * self.noise(rough)[-1], SMOOTH * self.steepest)
        return last <= 0.5 * second <= 0.25 * third or last <= bound or self.flattens

    @property
    def steepest(self) -> float:
        """The larger of the quotients of the shortest step."""
        return max(abs(q) for q in (self.right[-1], self.left[-1], 0.0) if math.isfinite(q))

    def bend(self, level: int) -> float:
        """The difference of the quotients on both sides; with one side only, that of successive steps."""
        gap = abs(self.right[level] - self.left[level])
        if math.isfinite(gap):
            return gap
        one_sided = (abs(side[level] - side[level - 1]) for side in (self.right, self.left))
        return next((change for change in one_sided if math.isfinite(change)), math.inf)

    def slope(self, rough: float) -> Slope:
        """The derivative if the values of the function scatter by `rough` about a smooth curve."""
        noise = self.noise(rough)
        middle = [0.5 * (a + b) for a, b in zip(self.left, self.right, strict=True)]
        central, left, right = (
            extrapolated(quotients, noise, order) for quotients, order in ((middle, 2), (self.left, 1), (self.right, 1))
        )
        falls = self.falls
        left, right = (fall.better(side) if fall else side for fall, side in zip(falls, (left, right), strict=True))
        best = central if math.isfinite(central.value) else min(left, right, key=lambda side: side.error)
        if self.flattens:
            best = max(filter(None, falls), key=lambda fall: fall.error).better(best)
        gap = abs(left.value - right.value) + left.error + right.error
        bend = 0.0 if self.settles(rough) else min(0.5 * self.bend(-1), gap)
        derivative = Slope(
            best.value, max(best.error, bend), left.value, left.error, right.value, right.error, self.steps[best.level]
        )
        if self.jump:
            return replace(derivative, value=math.nan, error=math.inf, jump=self.jump, reason="its value jumps")
        if self.flattens and all(abs(quotient.value) <= quotient.error for quotient in (best, left, right)):
            flat = max(fall.steepest for fall in falls if fall)
            derivative = replace(derivative, power=min(fall.power for fall in falls if fall), steepest=flat)
        return _with_infinite_sides(derivative, growing(self.left, self.exactly), growing(self.right, self.exactly))

    @cached_property
    def exactly(self) -> list[float]:
        """The rounding error of each quotient."""
        return [rounding / h for rounding, h in zip(self.rounding, self.steps, strict=True)]

    @cached_property
    def falls(self) -> tuple[QuotientDecay | None, QuotientDecay | None]:
        """The fall of the quotients to 0 on the left and on the right, or None."""
        return quotient_decay(self.left, self.exactly), quotient_decay(self.right, self.exactly)

    @cached_property
    def flattens(self) -> bool:
        """Whether the quotients on both sides fall to 0 at a known power of the step."""
        left, right = self.falls
        return left is not None and right is not None and min(left.power, right.power) < math.inf

    @cached_property
    def jump(self) -> float:
        """The jump of the value: the change that remains however short the step is."""
        least = 100 * self.unit
        sides = ([abs(pair[side]) for pair in self.rises[-3:]] for side in (0, 1))
        return max(side[-1] if min(side) > max(least, LASTING * max(side)) else 0.0 for side in sides)


def growing(quotients: list[float], rounding: list[float]) -> float:
    """The infinity to which quotients grow as the step shrinks; 0 if they do not grow without bound.

    They grow by a factor per step for a root, or by a constant amount for x log x. The quotients of a smooth function,
    or of one with a kink, change less and less, and those of a jump change by the factor of the step. Quotients whose
    changes may be due to rounding are omitted.
    """
    changes = [b - a for a, b in pairwise(quotients)]
    clear = [n for n, change in enumerate(changes) if abs(change) > 4 * rounding[n + 1]]
    known = changes[: clear[-1] + 1][-GROWING:] if clear else []
    if len(known) < GROWING or not all(map(math.isfinite, known)):
        return 0.0
    sign = math.copysign(1.0, known[-1])
    lasting = all(UNABATED * a <= b <= ABRUPT * a for a, b in pairwise(sign * change for change in known))
    return sign * math.inf if lasting and sign * known[0] > 0 and sign * quotients[clear[-1]] > 0 else 0.0


def _with_infinite_sides(slope: Slope, left: float, right: float) -> Slope:
    """The slope with its infinite sides; the derivative is infinite if both sides agree."""
    if not (left or right):
        return slope
    sides = {side for side in (left or slope.left, right or slope.right) if not math.isnan(side)}
    value = sides.pop() if len(sides) == 1 else math.nan
    infinite = replace(slope, value=value, error=math.inf, reason="its slope is infinite")
    if left:
        infinite = replace(infinite, left=left, left_error=0.0)
    return replace(infinite, right=right, right_error=0.0) if right else infinite

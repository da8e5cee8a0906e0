"""Finite differences with error bounds: Ridders' extrapolation of central differences, and one-sided slopes.

The steps form a ladder downwards from the scale of the input, limited by the distance to the next outcome. Each
difference is divided by the distance of its two points in floating point. If the shortest steps do not settle, a second
ladder continues down to the resolution of the input. The error bound is the larger of the last change of the
extrapolation and the effect of the roughness of the values. (C. Ridders, Accurate computation of F'(x) and F'(x)
F''(x), Advances in Engineering Software 4, 1982.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from gradcli.numerics.extrapolation import CLEAR, SHRINK, QuotientDecay, extrapolated, quotient_decay

LEVELS = 9
SHORTEST = 1e-6  # of the scale of the input: the shortest step of the first ladder
NOISY = 0.1  # fraction of the largest change of the values above which scatter hides everything else
SMOOTH = 1e-3  # fraction of the steepest quotient below which a bend is not a kink
LASTING = 0.99  # fraction of a change of the value that must remain as the step shrinks
GROWING = 6  # lasting changes of a quotient before its limit is called infinite
ABRUPT = 0.9 * SHRINK  # ratio of successive changes above which they show a jump
UNABATED = 0.98  # least ratio of successive changes of a quotient that grows without bound
FINE = 10.0  # ratio of scatter over short steps to that over the shortest that shows variation between them

Function = Callable[[float], float]


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
        edge: `left` or `right` if the function lacks a value within the longest step on that side alone.
        power: the power of the step with which the quotients on both sides fall to 0; 0 if unknown.
        steepest: the largest of the quotients that fall to 0.
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
    edge: str = ""
    power: float = 0.0
    steepest: float = 0.0


def slope(f: Function, x: float, eps: float, reach: float = math.inf, size: float = 0.0) -> Slope:
    """The derivative of `f` at `x`.

    Args:
        f: a function of one number; nan where it is not defined.
        x: the point.
        eps: the rounding unit of the function's own arithmetic, 2.2e-16 for float64.
        reach: the distance from `x` within which the function keeps its path; no step is longer than half of it.
        size: the size of the terms of which the value is the sum, if known; a jump must exceed their rounding error.

    Returns:
        The derivative, with an error bound that holds for functions that are smooth within the steps. Costs 36 calls
        for a smooth function and an `x` of moderate size, and about twice as many for others.
    """
    here = f(x)
    steps = first_steps(x, eps, reach)
    if not math.isfinite(here) or not steps:
        return Slope(reason="no value here" if steps else f"the numbers next to {x:g} are too far away for a step")
    first = Ladder(f, x, here, steps, eps, size)
    tiny = scatter(f, x, here, [31 * math.ulp(x)])
    found = by_ladders(f, x, here, first, tiny, scatter(f, x, here, short_steps(x, reach)))
    return replace(found, noise=tiny if tiny > FINE * first.rounding[-1] else 0.0, edge=first.edge)


def by_ladders(f: Function, x: float, here: float, first: Ladder, tiny: float, short: float) -> Slope:
    """The derivative by the first ladder, and by a second one if the first does not settle.

    The values scatter by `tiny` between neighbouring numbers, and by `short` over short steps.
    """
    eps, steps = first.eps, first.steps
    noise = max(tiny, short)
    if first.drowns(noise):
        return Slope(reason=f"its values scatter by {noise:.2g} over the shortest steps")
    if first.flattens or (first.settles(noise) and short <= FINE * max(tiny, first.rounding[-1])):
        return first.slope(noise)
    second = Ladder(f, x, here, further_steps(x, eps, steps[-1]), eps, first.size)
    if not second.steps:
        return first.slope(noise)
    noise, closer = max(noise, second.stair), second.slope(tiny)
    return joined(first.slope(noise), closer) if first.settles(noise) else with_surer_sides(closer, first.slope(noise))


def with_surer_sides(short: Slope, long: Slope) -> Slope:
    """The estimate over short steps, with one-sided slopes of long steps that agree and have smaller errors."""
    if short.jump or long.jump:
        return short
    left, left_error = _surer(short.left, short.left_error, long.left, long.left_error)
    right, right_error = _surer(short.right, short.right_error, long.right, long.right_error)
    return replace(short, left=left, left_error=left_error, right=right, right_error=right_error)


def _surer(short: float, error: float, long: float, long_error: float) -> tuple[float, float]:
    """A slope over short steps with its error, or that over long steps if it agrees and has the smaller error."""
    return (long, long_error) if long_error < error and abs(short - long) <= error + long_error else (short, error)


def joined(long: Slope, short: Slope) -> Slope:
    """The better of two estimates at different scales, with an error no smaller than their difference allows."""
    if not (math.isfinite(long.value) and math.isfinite(short.value)):
        return short
    best = min(long, short, key=lambda each: each.error)
    apart = abs(long.value - short.value)
    if apart <= long.error + short.error:
        return best
    left, right = best.left_error + apart, best.right_error + apart
    return replace(best, error=best.error + apart, left_error=left, right_error=right)


# Steps


def first_steps(x: float, eps: float, reach: float) -> list[float]:
    """Steps from a tenth of the scale of `x` downwards, all of them representable at `x`.

    A large `x` gets more steps, because results may vary on the scale of 1.
    """
    scale = max(abs(x), 1e-3) if x else 1.0
    longest = min(0.1 * scale, 0.5 * reach)
    shortest = max(SHORTEST * min(scale, 1.0), finest(x, eps))
    count = max(LEVELS, levels(longest, shortest))
    return usable(longest, count, x, eps)


def further_steps(x: float, eps: float, shortest: float) -> list[float]:
    """Steps below `shortest` down to the resolution of `x`; from the scale of `x` if that is far below."""
    longest = shortest / SHRINK
    if 0.0 < abs(x) < longest:
        longest = 0.1 * abs(x)
    return usable(longest, levels(longest, max(finest(x, eps), 1e-8 * longest)), x, eps)


def levels(longest: float, shortest: float) -> int:
    """The number of steps from the longest to the shortest."""
    return math.ceil(math.log(longest / shortest, SHRINK)) + 1 if longest > shortest > 0 else 0


def finest(x: float, eps: float) -> float:
    """The shortest useful step, some 64 times the distance from `x` to the next number of its dtype."""
    return max(64 * math.ulp(x), 32 * eps * abs(x))


def usable(longest: float, count: int, x: float, eps: float) -> list[float]:
    """The first `count` steps downwards that `x` resolves, each longer than a few roundings of `x`."""
    steps = (longest / SHRINK**n for n in range(count))
    return [h for h in steps if h > 4 * math.ulp(x) and h > 2 * eps * abs(x)]


def short_steps(x: float, reach: float) -> list[float]:
    """Two steps over which a smooth function hardly bends; with one, rounding in phase with it could go unnoticed."""
    scale = min(max(abs(x), 1e-3), 1.0, 1e7 * reach)
    return [max(1.3819e-8 * scale, 37 * math.ulp(x)), max(7.2361e-9 * scale, 19 * math.ulp(x))]


# Roughness of the values


def scatter(f: Function, x: float, here: float, steps: list[float]) -> float:
    """The scatter of the values of `f` near `x` about a smooth curve, from their fourth differences.

    (R. Hamming, Introduction to Applied Numerical Analysis, 1971, chapter on the difference table.)
    """
    rows = [[f(x + k * step) if k else here for k in range(-3, 3)] for step in steps]
    for _ in range(4):
        rows = [[b - a for a, b in pairwise(row)] for row in rows]
    sizes = [abs(difference) / math.sqrt(70.0) for row in rows for difference in row]
    return max(filter(math.isfinite, sizes), default=0.0)


# Ladder


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
            eps * (abs(here) + sum(abs(rise) * (1 + abs(x) / h) for rise in pair if math.isfinite(rise)))
            for h, pair in zip(steps, self.rises, strict=True)
        ]

    @property
    def edge(self) -> str:
        """The only side on which the function lacks some values; an empty string if that is neither or both."""
        right, left = (not all(map(math.isfinite, side)) for side in zip(*self.rises, strict=True))
        return "" if right == left else "right" if right else "left"

    @property
    def changes(self) -> list[float]:
        """The sizes of the changes of the value from that at the point, where there are values."""
        return [abs(rise) for pair in self.rises for rise in pair if math.isfinite(rise)]

    @property
    def spread(self) -> float:
        """The largest change of the value."""
        return max(self.changes, default=0.0)

    @cached_property
    def stair(self) -> float:
        """The height of the first stair if the function is constant at its shortest steps only; else 0.

        A hinge that bends farther away has no stair: next to the bend its value changes by rounding errors.
        """
        if any(self.rises[-1]):
            return 0.0
        return min(filter(None, (self._height(side, sign) for side, sign in ((0, 1.0), (1, -1.0)))), default=0.0)

    def _height(self, side: int, sign: float) -> float:
        """The jump of the value at its first change on one side; 0 if the change is not a jump."""
        level = max((n for n, rises in enumerate(self.rises) if rises[side]), default=-1)
        if level < 0:
            return 0.0
        change, far, near = self.rises[level][side], self.steps[level], self.steps[level + 1]
        while near < (middle := 0.5 * (near + far)) < far:
            rise = self.f(self.x + sign * middle) - self.here
            change, far, near = (rise, middle, near) if rise else (change, far, middle)
        return abs(change) if abs(change) > CLEAR * self.unit else 0.0

    def noise(self, rough: float) -> list[float]:
        """The error of each quotient if the values scatter by `rough` about a smooth curve."""
        rough = max(rough, self.stair)
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
        apart = abs(self.right[level] - self.left[level])
        if math.isfinite(apart):
            return apart
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
        apart = abs(left.value - right.value) + left.error + right.error
        bend = 0.0 if self.settles(rough) else min(0.5 * self.bend(-1), apart)
        found = Slope(
            best.value, max(best.error, bend), left.value, left.error, right.value, right.error, self.steps[best.level]
        )
        if self.jump:
            return replace(found, value=math.nan, error=math.inf, jump=self.jump, reason="its value jumps")
        if self.flattens and all(abs(each.value) <= each.error for each in (best, left, right)):
            flat = max(fall.steepest for fall in falls if fall)
            found = replace(found, power=min(fall.power for fall in falls if fall), steepest=flat)
        return _with_infinite_sides(found, growing(self.left, self.exactly), growing(self.right, self.exactly))

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

    @property
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


def _with_infinite_sides(found: Slope, left: float, right: float) -> Slope:
    """The slope with its infinite sides; the derivative is infinite if both sides agree."""
    if not (left or right):
        return found
    sides = {side for side in (left or found.left, right or found.right) if not math.isnan(side)}
    value = sides.pop() if len(sides) == 1 else math.nan
    told = replace(found, value=value, error=math.inf, reason="its slope is infinite")
    if left:
        told = replace(told, left=left, left_error=0.0)
    return replace(told, right=right, right_error=0.0) if right else told

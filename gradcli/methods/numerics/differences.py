"""Finite differences with error bounds: Ridders' extrapolation of central differences, and one-sided slopes.

The steps form a ladder downwards from the scale of the input, limited by the distance to the next outcome. Each
difference is divided by the distance of its two points in floating point. If the shortest steps do not settle, a second
ladder continues down to the resolution of the input. The error bound is the larger of the last change of the
extrapolation and the effect of the roughness of the values. (C. Ridders, Accurate computation of F'(x) and F'(x)
F''(x), Advances in Engineering Software 4, 1982.)
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

from gradcli.methods.numerics.difference_quotients import FINE, NO_STEP, Function, Ladder, Slope
from gradcli.methods.numerics.extrapolation import SHRINK
from gradcli.methods.numerics.value_roughness import WIDER, Stair, continues, is_abrupt, rows_beside, scatter, stairs

LEVELS = 9
SHORTEST = 1e-6  # of the scale of the input: the shortest step of the first ladder


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
        return Slope(reason="no value here" if steps else f"the numbers next to {x:g} are {NO_STEP}")
    first = Ladder(f, x, here, steps, eps, size)
    tiny = scatter(rows_beside(f, x, here, [31 * math.ulp(x)]))
    derivative = by_ladders(first, tiny, short_steps(x, reach))
    return replace(derivative, noise=tiny if tiny > FINE * first.rounding[-1] else 0.0, edge=first.edge)


class NearbyScatter(NamedTuple):
    """The scatter of the values beside the point about a smooth curve.

    Attributes:
        tiny: the scatter between neighbouring numbers.
        short: the scatter over short steps.
        varies: whether the values vary between these scales, as by a wave, rather than scatter.
        values: the values over the short steps, a row for each.
    """

    tiny: float
    short: float
    varies: bool
    values: list[list[float]]

    @property
    def noise(self) -> float:
        """The larger scatter."""
        return max(self.tiny, self.short)


def nearby_scatter(ladder: Ladder, tiny: float, near: list[float]) -> NearbyScatter:
    """The scatter of values over short steps, where that between neighbouring numbers is `tiny`."""
    f, x, here, rounding = ladder.f, ladder.x, ladder.here, ladder.rounding[-1]
    rows = rows_beside(f, x, here, near)
    short = scatter(rows)
    if short > FINE * max(tiny, rounding):  # the two differences of a row may be small by chance
        tiny = max(tiny, scatter(rows_beside(f, x, here, [53 * math.ulp(x), 89 * math.ulp(x)])))
    return NearbyScatter(tiny, short, short > FINE * max(tiny, rounding), rows)


def by_ladders(first: Ladder, tiny: float, near: list[float]) -> Slope:
    """The derivative by the first ladder if that is enough, else with the help of a second one below it.

    The first is enough if its quotients settle, shorter steps have no further digits, and the values over short steps
    go on in the same way.

    Args:
        first: the ladder of longer steps.
        tiny: the scatter of the values between neighbouring numbers.
        near: short steps over which they may scatter too.
    """
    rough = nearby_scatter(first, tiny, near)
    if first.drowns(rough.noise):
        return Slope(reason=f"its values scatter by {rough.noise:.2g} over the shortest steps")
    long, settled = first.slope(rough.noise), first.settles(rough.noise)
    decided = first.decides(long, rough.noise, settled=settled and not rough.varies)
    if decided and (first.flattens or _goes_on(first, long, rough, near)):
        return long
    further = [] if first.is_level else further_steps(first.x, first.eps, first.steps[-1])
    second = Ladder(first.f, first.x, first.here, further, first.eps, first.size)
    closer = second.slope(rough.tiny) if further else Slope(left=0.0, right=0.0)
    if near_stairs := stairs(first, second, closer):
        return over_stairs(first, near_stairs, rough.noise)
    if decided or not further:
        return long
    return joined(long, closer) if settled else with_surer_sides(closer, long)


def _goes_on(ladder: Ladder, slope: Slope, rough: NearbyScatter, near: list[float]) -> bool:
    """Whether the values over short steps change at the rate of a slope by longer ones, without a jump between."""
    rounding = ladder.rounding[-1]
    return continues(rough.values, near, slope, max(rough.noise, rounding)) and not is_abrupt(ladder, slope)


def over_stairs(ladder: Ladder, stairs: list[Stair], noise: float) -> Slope:
    """The derivative over steps wider than the stairs of a function whose values have few digits."""
    width = max(abs(stair.end) for stair in stairs)
    rough = scatter(rows_beside(ladder.f, ladder.x, ladder.here, [factor * width for factor in WIDER]))
    noise = max(noise, rough, *(stair.height for stair in stairs))
    if ladder.drowns(noise):
        return Slope(reason=f"its values have stairs of {noise:.2g}", grain=noise)
    return replace(ladder.slope(noise), grain=noise)


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
    """The better of two estimates at different scales.

    If they differ by more than their errors, as where a wave hides below the steps, both stand as rivals, and the error
    is no smaller than their difference. If not, the worse one says nothing about the better.
    """
    if not (math.isfinite(long.value) and math.isfinite(short.value)):
        return short
    best, other = sorted((long, short), key=lambda estimate: estimate.error)
    gap = abs(long.value - short.value)
    if gap <= long.error + short.error:
        return best
    left, right = best.left_error + gap, best.right_error + gap
    return replace(best, error=best.error + gap, left_error=left, right_error=right, rivals=(best, other))


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

"""The roughness of a function's values near a point: their scatter about a smooth curve, and their stairs.

Values of single precision, say from compiled code, change in stairs where the steps are in double precision.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

from gradcli.methods.numerics.difference_quotients import FINE, SMOOTH, Function, Ladder, Slope
from gradcli.methods.numerics.extrapolation import CLEAR, SHRINK

BEYOND = 1.0001  # times the width of a stair: the step that shows its height, as the value at its end may be of neither
LEVEL = 1.001  # times the width of a stair: the step after which the values are level again
SHARE = 0.25  # share of the height of a stair by which its own values differ less, and those of the next one more
MOST_ABRUPT = 3  # most steps over which a stair is looked for
ABRUPT = 30.0  # growth of a change within a step that shows a jump, where it would not show a curve
FARTHER = (2.3, 5.1, 11.7, 29.3, 83.0, 241.0)  # times its distance: the steps over which another stair is looked for
WIDER = (2.3, 5.1, 11.7)  # times the width of a stair: the steps that show the roughness of a staircase


def rows_beside(f: Function, x: float, here: float, steps: list[float]) -> list[list[float]]:
    """For each step, the values of `f` at six numbers next to `x` that are so far apart."""
    return [[f(x + k * step) if k else here for k in range(-3, 3)] for step in steps]


def scatter(rows: list[list[float]]) -> float:
    """The scatter of the values in some rows about a smooth curve, from their fourth differences.

    (R. Hamming, Introduction to Applied Numerical Analysis, 1971, chapter on the difference table.)
    """
    for _ in range(4):
        rows = [[b - a for a, b in pairwise(row)] for row in rows]
    sizes = [abs(difference) / math.sqrt(70.0) for row in rows for difference in row]
    return max(filter(math.isfinite, sizes), default=0.0)


def continues(rows: list[list[float]], steps: list[float], slope: Slope, rough: float) -> bool:
    """Whether values next to the point change at the rate of a slope by longer steps.

    They do not if they change in stairs, or by a wave of a shorter period.
    """
    for row, step in zip(rows, steps, strict=True):
        length = step * (len(row) - 1)
        room = slope.error + SMOOTH * abs(slope.value) + FINE * rough / length
        if abs((row[-1] - row[0]) / length - slope.value) > room:
            return False
    return True


# Stairs


@dataclass(frozen=True)
class Stair:
    """The nearest jump of a function's values on one side of the point.

    Attributes:
        end: its distance from the point, negative to the left.
        height: the size of the jump.
    """

    end: float
    height: float


def stairs(ladder: Ladder, further: Ladder, close: Slope) -> list[Stair]:
    """The stairs next to the point if the values are those of a staircase about a curve with another slope.

    Args:
        ladder: the ladder of longer steps.
        further: the ladder of the steps that follow those; it may have none.
        close: the slope by these, which may be that of a single stair.
    """
    is_level = not any((*ladder.rises, *further.rises)[-1])  # over the shortest steps, which lie on one stair
    if is_level and (level := _on_both_sides(ladder, further, 0.0, 0.0)):
        return level
    sloping = _on_both_sides(ladder, further, close.left, close.right)
    return sloping if len(sloping) == len(ladder.rises[0]) else []  # a jump on one side may be the function's own


def _on_both_sides(ladder: Ladder, further: Ladder, left: float, right: float) -> list[Stair]:
    """The nearest stairs about values that change at these rates."""
    sides = (_stair(ladder, further, side, rate) for side, rate in enumerate((right, -left)))
    return [stair for stair in sides if stair]


def is_abrupt(ladder: Ladder, slope: Slope) -> bool:
    """Whether the changes over longer steps depart from a slope at once, as beyond the end of a stair."""
    return any(_abrupt_levels(_rests(ladder, side, rate)) for side, rate in enumerate((slope.right, -slope.left)))


def _rests(ladder: Ladder, side: int, rate: float) -> list[float]:
    """The changes of the value over the steps on one side, less those at a given rate, and at least their rounding."""
    changes = [pair[side] for pair in ladder.rises]
    least = CLEAR * ladder.eps * max(abs(ladder.here), *map(abs, filter(math.isfinite, (*changes, 0.0))))
    rests = [change - rate * step for change, step in zip(changes, ladder.steps, strict=True)]
    return [math.copysign(least, rest) if abs(rest) <= least else rest for rest in rests]


def _abrupt_levels(rests: list[float]) -> list[int]:
    """The levels of the steps, shortest first, over which the change departs at once."""
    return [n for n, (far, near) in reversed([*enumerate(pairwise(rests))]) if abs(far) > CLEAR * abs(near)]


def _stair(ladder: Ladder, further: Ladder, side: int, rate: float) -> Stair | None:
    """The nearest of several jumps on one side, about values that change at a given rate; None if there is none."""
    sign, steps = -1.0 if side else 1.0, [*ladder.steps, *further.steps]
    rests = [*_rests(ladder, side, rate), *_rests(further, side, rate)]

    def rest(step: float) -> float:
        return ladder.f(ladder.x + sign * step) - ladder.here - rate * step

    for level in _abrupt_levels(rests)[:MOST_ABRUPT]:
        least = max(ABRUPT * abs(rests[level + 1]), CLEAR * ladder.eps * max(abs(ladder.here), ladder.spread))
        step, above, below = _located(
            rest, steps[level : level + 2], rests[level : level + 2], least, math.ulp(ladder.x)
        )
        if abs(above - below) > least:
            top = rest(BEYOND * step)
            height = abs(top - below)
            nearest, *again = (abs(rest(multiple * step) - top) for multiple in (LEVEL, *FARTHER))
            if height > least and nearest <= SHARE * height < max(again):
                return Stair(sign * step, height)
    return None


def _located(
    rest: Function, steps: list[float], rests: list[float], least: float, unit: float
) -> tuple[float, float, float]:
    """The step between two at which a change first exceeds `least`, with the changes beyond it and before it.

    The search ends where the change is gradual, or where the steps are a unit apart.
    """
    (far, near), (above, below) = steps, rests
    while abs(above - below) > least and far - near > unit and near < (middle := _between(near, far)) < far:
        there = rest(middle)
        far, near, above, below = (far, middle, above, there) if abs(there) <= least else (middle, near, there, below)
    return far, above, below


def _between(near: float, far: float) -> float:
    """A step between two, halfway between their sizes or, of close ones, in the middle."""
    return math.sqrt(near) * math.sqrt(far) if far > SHRINK * near else 0.5 * (near + far)

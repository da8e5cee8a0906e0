"""Second derivatives by differences of values, with error bounds: extrapolated second difference quotients.

The mixed derivative along two directions is a quarter of the difference between the second derivatives along their sum
and along their difference. With steps of a tenth to some 1e-5 of the scale of the inputs, about nine digits are left of
double precision. (M. Abramowitz and I. Stegun, Handbook of Mathematical Functions, 1964, 25.3.23 to 25.3.27.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from gradcli.methods.numerics.difference_quotients import Function, Ladder, Slope
from gradcli.methods.numerics.differences import slope, usable
from gradcli.methods.numerics.extrapolation import CLEAR, NevilleEntry, extrapolated, quotient_decay
from gradcli.methods.numerics.value_roughness import rows_beside, scatter

LEVELS = 7
MORE_LEVELS = 9  # where the quotients of the shortest steps still move
NOISIEST = 1e-3  # largest scatter of the values, as a fraction of their change over the longest steps
NOISE = 8.0  # error of a second difference, in units of the scatter of the values
MOVING = 1e-7  # relative change that they must exceed
LONGEST = 0.1
NEAR = (7.2361e-9, 1.3819e-8)  # steps over which the scatter of the values is measured
FARTHER = (3.17e-6, 7.41e-6)  # steps over which values of single precision scatter, but for those of a fast wave
ALIKE = 0.2  # largest difference of two powers of the step with which scatter grows beside a bend
WAVE = 8.0  # least ratio of their scatter over these steps
HERE = 1.0  # the distance along a direction is counted from a number with the resolution of the inputs

Weighted = Sequence[tuple[float, Function]]  # functions of a distance counted from `HERE`, and their weights


def second_slope(along: Weighted, eps: float) -> Slope:
    """The weighted sum of the second derivatives of some functions at `HERE`, where they have the same value.

    Args:
        along: the functions; nan where they are not defined.
        eps: the rounding unit of the functions' own arithmetic.

    Returns:
        The derivative, with those to the left and to the right if there is one function. Costs 14 calls for each
        function, and 22 more to measure the roughness of its values; twice as many where a function varies fast.
    """
    here = along[0][1](HERE)
    if not math.isfinite(here):
        return Slope(reason="no value here")
    quotients = SecondQuotients(along, here, usable(LONGEST, LEVELS, HERE, eps), eps)
    if quotients.still_move:
        quotients = SecondQuotients(along, here, usable(LONGEST, MORE_LEVELS, HERE, eps), eps)
    return quotients.slope()


class SecondQuotients:
    """The second difference quotients of some functions for shrinking steps, and their weighted sums.

    Attributes:
        steps: the steps, longest first.
        central: the sums of the quotients about the point.
        exactly, noise: the rounding errors of these, and their errors if the values scatter.
        grain: the roughness of values that change in stairs; else 0.
        is_fast, smooth: whether the functions wave over short steps, and whether they have one slope at the point.
    """

    def __init__(self, along: Weighted, here: float, steps: list[float], eps: float) -> None:
        self.steps = steps
        self.ladders = [(weight, Ladder(f, HERE, here, steps, eps)) for weight, f in along]
        rough_ladders = [roughness(ladder) for _, ladder in self.ladders]
        self.grain, rough = (
            max(rough_ladder.stairs for rough_ladder in rough_ladders),
            max(rough_ladder.scatter for rough_ladder in rough_ladders),
        )
        self.is_fast = any(rough_ladder.fast for rough_ladder in rough_ladders)
        self.smooth = all(rough_ladder.steady for rough_ladder in rough_ladders) and all(
            ladder.settles(rough) and not NOISIEST * ladder.spread < rough > CLEAR * ladder.rounding[-1]
            for _, ladder in self.ladders
        )
        self.central = [
            sum(weight * (ladder.right[n] - ladder.left[n]) for weight, ladder in self.ladders) / h
            for n, h in enumerate(steps)
        ]
        size = sum(abs(weight) for weight, _ in self.ladders)
        self.exactly = [
            sum(abs(weight) * ladder.rounding[n] for weight, ladder in self.ladders) / h**2 for n, h in enumerate(steps)
        ]
        self.noise = [NOISE * max(rough * size / h**2, exact) for exact, h in zip(self.exactly, steps, strict=True)]

    @property
    def still_move(self) -> bool:
        """Whether the quotients of the shortest steps still change by more than their errors, or the values wave."""
        before, last = self.central[-2:]
        return self.is_fast or bool(abs(last - before) > max(MOVING * abs(last), self.noise[-2] + self.noise[-1]))

    def slope(self) -> Slope:
        """The weighted sum of the second derivatives."""
        if not self.smooth:
            return Slope(reason="its slope is not smooth here")
        left, right = (self.on_one_side(side) for side in ("left", "right"))
        best, fall = extrapolated(self.central, self.noise, 2), quotient_decay(self.central, self.exactly)
        best = fall.better(best) if fall else best
        gap = abs(left.value - right.value)
        differ = gap > left.error + right.error
        if differ and len(self.ladders) > 1:
            return Slope(reason="its second derivatives on the two sides differ")
        error = max(best.error, gap) if differ else best.error
        step = self.steps[best.level]
        second = Slope(best.value, error, left.value, left.error, right.value, right.error, step, grain=self.grain)
        falls = fall is not None and fall.power < math.inf and abs(best.value) <= best.error
        return replace(second, power=fall.power, steepest=fall.steepest) if fall and falls else second

    def on_one_side(self, side: str) -> NevilleEntry:
        """The sum on one side, from the changes of the difference quotients there with the step."""
        sign = 2.0 if side == "right" else -2.0
        sides = [(sign * weight, getattr(ladder, side)) for weight, ladder in self.ladders]
        quotients = [
            sum(weight * (quotients[n] - quotients[n + 1]) for weight, quotients in sides) / (far - near)
            for n, (far, near) in enumerate(pairwise(self.steps))
        ]
        return extrapolated(quotients, [2 * noise for noise in self.noise[1:]], 1)


class Roughness(NamedTuple):
    """The roughness of values near a point.

    Attributes:
        scatter: their scatter about a smooth curve over short steps.
        stairs: that of stairs, or their height; 0 if they do not change in stairs.
        steady: whether they are not those of a wave whose period is less than the steps.
        fast: whether they curve much over the steps at which they would scatter.
    """

    scatter: float
    stairs: float
    steady: bool
    fast: bool


def roughness(ladder: Ladder) -> Roughness:
    """The roughness of the values next to a ladder's point."""
    rows = [rows_beside(ladder.f, ladder.x, ladder.here, [*steps]) for steps in (NEAR, FARTHER[:1], FARTHER[1:])]
    short, near, far = map(scatter, rows)
    rough = max(short, near if far < WAVE * near and not _is_bend(short, near, far) else 0.0)
    doubtful = rough > CLEAR * max(short, ladder.rounding[-1])
    level = ladder.spread > 0 and all(value == ladder.here for row in rows[0] for value in row)  # maybe on a stair
    grain = slope(ladder.f, ladder.x, ladder.eps).grain if doubtful or level else 0.0
    fast = far > CLEAR * max(short, ladder.rounding[-1])
    return Roughness(max(rough, grain), grain, grain > 0 or not doubtful, fast)


def _is_bend(short: float, near: float, far: float) -> bool:
    """Whether scatter grows like a power of the step, as beside a kink or a jump of the second derivative."""
    if not short:
        return False
    power = math.log(near / short, FARTHER[0] / max(NEAR))
    return 0.5 < power < 2.5 and abs(math.log(far / near, FARTHER[1] / FARTHER[0]) - power) < ALIKE

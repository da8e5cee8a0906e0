"""The slope over wide steps of a function that is rough over short ones, such as the result of a bisection."""

from __future__ import annotations

from gradcli.methods.numerics.difference_quotients import Function, Ladder, Slope
from gradcli.methods.numerics.differences import LEVELS, levels, usable
from gradcli.methods.numerics.extrapolation import SHRINK, extrapolated
from gradcli.methods.numerics.value_roughness import rows_beside, scatter

WIDER = 2  # more steps than for a smooth function: a stair's effect on the slope falls with the length of the step
WIDE_LEVELS = 6  # steps, of which the shortest is about a thousandth of the scale of the input
WIDEST = 0.1 * SHRINK**WIDER  # in scales of the input
SAFETY = 10.0  # times their errors: the largest difference of the slopes on both sides
SHARP = 1e-4  # largest relative error of the slope on one side
ROUGH = (1e-3, 2.3e-3, 5.1e-3)  # in scales of the input: distances over which roughness is measured
NARROWEST = 1e-12  # narrowest stair, in scales of the input


def stair_ends(f: Function, x: float) -> list[float]:
    """The shortest steps to the right and to the left (negative) that change the value, if any."""
    here, scale = f(x), max(abs(x), 1e-3) if x else 1.0
    lengths = [NARROWEST * scale * SHRINK**n for n in range(levels(0.1 * scale, NARROWEST * scale) - 1)]
    ends = (next((way * h for h in lengths if f(x + way * h) != here), 0.0) for way in (1.0, -1.0))
    return [end for end in ends if end]


def over_the_paths(f: Function, x: float, eps: float, width: float) -> Slope:
    """The slope over steps wider than the paths beside `x`, which have this width; nan if the sides differ.

    A bisection between ends that depend on the input needs it: each of its paths has a slope of its own.
    """
    sides = [on_the_whole(f, x, eps, [width, -width], side) for side in (1.0, -1.0)]
    right, left = sides
    gap = abs(right.value - left.value)
    if not gap <= SAFETY * (right.error + left.error) or not left.error + right.error <= SHARP * abs(left.value):
        return Slope(reason="the sides differ")
    return on_the_whole(f, x, eps, [width, -width])


def on_the_whole(f: Function, x: float, eps: float, ends: list[float], side: float = 0.0) -> Slope:
    """The slope of a staircase over steps wider than the stairs that end at `ends`, on one side or on both."""
    here, width = f(x), max(map(abs, ends))
    longest = WIDEST * (max(abs(x), 1e-3) if x else 1.0)
    steps = usable(longest, min(LEVELS + WIDER, levels(longest, width)), x, eps)
    if len(steps) < 2:
        return Slope(reason="no step is wider than the path")
    ladder = Ladder(f, x, here, steps, eps)
    stair = max(abs(f(x + end) - here) for end in ends)
    rough = max(stair, scatter(rows_beside(f, x, here, [1.4 * width, 2.9 * width])))
    noise = [rough / h + rounding for h, rounding in zip(steps, ladder.exactly, strict=True)]
    middle = [0.5 * (a + b) for a, b in zip(ladder.left, ladder.right, strict=True)]
    quotients = {1.0: ladder.right, -1.0: ladder.left}.get(side, middle)
    limit = extrapolated(quotients, noise, 1 if side else 2)
    return Slope(limit.value, limit.error, step=steps[limit.level], reason="no step is wider than the path")


def over_roughness(f: Function, x: float, eps: float) -> Slope:
    """The slope of a smooth function whose values have an error, such as those of an adaptive integrator."""
    here, scale = f(x), max(abs(x), 1e-3) if x else 1.0
    ladder = Ladder(f, x, here, usable(0.1 * scale, WIDE_LEVELS, x, eps), eps)
    return ladder.slope(scatter(rows_beside(f, x, here, [factor * scale for factor in ROUGH])))

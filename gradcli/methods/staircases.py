"""The slope on the whole of a function that is flat almost everywhere, as what a bisection finds."""

from __future__ import annotations

from gradcli.methods.differences import LEVELS, Function, Ladder, Slope, levels, scatter, usable
from gradcli.methods.extrapolation import SHRINK, extrapolated

WIDER = 2  # steps more than of a smooth function: what a stair makes of a slope falls with the length of the step
WIDEST = 0.1 * SHRINK**WIDER  # of the scale of the input
NARROWEST = 1e-12  # of the scale of the input, of the stairs of a staircase


def stair_ends(f: Function, x: float) -> list[float]:
    """Steps to the right and to the left, negative ones, over which the value is another; none for one that stays."""
    here, scale = f(x), max(abs(x), 1e-3) if x else 1.0
    lengths = [NARROWEST * scale * SHRINK**n for n in range(levels(0.1 * scale, NARROWEST * scale) - 1)]
    ends = (next((way * h for h in lengths if f(x + way * h) != here), 0.0) for way in (1.0, -1.0))
    return [end for end in ends if end]


def on_the_whole(f: Function, x: float, eps: float, ends: list[float]) -> Slope:
    """The slope of a staircase over steps wider than its stairs, the nearest of which `ends` beside `x`."""
    here, width = f(x), max(map(abs, ends))
    longest = WIDEST * (max(abs(x), 1e-3) if x else 1.0)
    steps = usable(longest, min(LEVELS + WIDER, levels(longest, width)), x, eps)
    if len(steps) < 2:
        return Slope(reason="no step is wider than the path")
    ladder = Ladder(f, x, here, steps, eps)
    stair = max(abs(f(x + end) - here) for end in ends)
    rough = max(stair, scatter(f, x, here, [1.4 * width, 2.9 * width]))
    noise = [rough / h + rounding for h, rounding in zip(steps, ladder.exactly, strict=True)]
    middle = [0.5 * (a + b) for a, b in zip(ladder.left, ladder.right, strict=True)]
    found = extrapolated(middle, noise, 2)
    return Slope(found.value, found.error, step=steps[found.level], reason="no step is wider than the path")

"""Jumps of a sampled curve, found by bisection between the samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

LEAST = 0.02  # of the range of the samples: a smaller step is not looked at
STEEP = 3.0  # times as large as the steps beside it, at least
HALVINGS = 36
MOST = 12  # steps that are looked at

Bracket = tuple[float, float, float, float]
"""The two places beside a jump, and the numbers there."""


def jumps(f: Callable[[float], float], xs: Sequence[float], ys: Sequence[float]) -> dict[int, Bracket]:
    """The jumps of `f` between neighbouring samples, by the index of the left one.

    A jump is a step of which at least half, and at most four times as much, is left after 36 halvings of the interval:
    what is steep shrinks, and what has a pole grows. At most 12 intervals are examined, the largest steps first.
    """
    finite = [y for y in ys if math.isfinite(y)]
    least = LEAST * (max(finite) - min(finite)) if finite else math.inf
    steps = [abs(after - before) for before, after in pairwise(ys)]
    suspects = [
        n for n, step in enumerate(steps) if math.isfinite(step) and step > max(least, STEEP * max(_beside(steps, n)))
    ]
    largest = sorted(sorted(suspects, key=lambda n: -steps[n])[:MOST])
    brackets = {n: _halved(f, (xs[n], xs[n + 1], ys[n], ys[n + 1])) for n in largest}
    return {n: bracket for n, bracket in brackets.items() if bracket is not None}


def _beside(steps: Sequence[float], n: int) -> list[float]:
    """The smaller of the two steps on each side: a sample may stand on the jump itself, between its two sides."""
    sides = (steps[max(0, n - 2) : n], steps[n + 1 : n + 3])
    return [min(filter(math.isfinite, side), default=0.0) for side in sides]


def _halved(f: Callable[[float], float], bracket: Bracket) -> Bracket | None:
    """The places beside the jump; None if the step shrinks or grows."""
    left, right, below, above = bracket
    size = abs(above - below)
    for _ in range(HALVINGS):
        middle = left + (right - left) / 2
        if not left < middle < right:
            break
        y = f(middle)
        if not math.isfinite(y):
            return None
        if abs(y - below) >= abs(above - y):
            right, above = middle, y
        else:
            left, below = middle, y
    return (left, right, below, above) if size / 2 < abs(above - below) < 4 * size else None

"""Curves with poles: parted where they leave the panel, over limits that do not flatten the rest."""

from __future__ import annotations

import math
from itertools import pairwise

from gradcli.shared.records.plots import Series

POLE = 8.0  # a curve that reaches so many times as far as nine tenths of its numbers has a pole
CUT_OFF = "cut off at a pole"
FEW = 3


def jump_text(series: Series) -> str:
    """Where a curve jumps: `a jump at 0.5`, `7 jumps`; empty where it does not."""
    places = series.jumps
    if len(places) > FEW:
        return f"{len(places)} jumps"
    return (
        f"{'jumps' if len(places) > 1 else 'a jump'} at {', '.join(f'{x + 0.0:.4g}' for x in places)}" if places else ""
    )


def with_poles(series: Series) -> tuple[list[float], list[float], tuple[float, float] | None]:
    """A curve as it is drawn, and limits for its panel if a few numbers would flatten all others.

    There the curve is parted where it leaves the panel between two places: it does not pass through a pole.
    """
    finite = sorted(y for y in (*series.y, series.marked) if y is not None and math.isfinite(y))
    if not finite:
        return list(series.x), list(series.y), None
    low, high = finite[len(finite) // 20], finite[-1 - len(finite) // 20]
    span = high - low
    if not span or finite[-1] - finite[0] <= POLE * span:
        return list(series.x), list(series.y), None
    xs, ys = [series.x[0]], [series.y[0]]
    for (_, before), (x, y) in pairwise(zip(series.x, series.y, strict=True)):
        if abs(y - before) > POLE * span / 2:
            xs.append(x)
            ys.append(math.nan)
        xs.append(x)
        ys.append(y)
    return xs, ys, (low - span, high + span)

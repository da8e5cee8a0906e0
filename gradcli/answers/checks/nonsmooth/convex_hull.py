"""The distance of a vector from a set of points: from their convex hull, and from the flat that contains them."""

from __future__ import annotations

from typing import Any

import numpy as np

SMALL = 1e-12  # a weight, or a gain relative to the size of the points, that counts as 0
MOST_STEPS = 1000
FLAT = 1e-5  # fraction of the longest axis of the points below which an axis has no extent
SPARE = 8  # points beyond the dimension of a flat that show it is not one by chance


def nearest_hull_point(points: Any, target: Any) -> Any:
    """The point of the convex hull of the rows of `points` that is nearest to `target`.

    It takes a few steps more than the hull has corners nearby. Each step solves a linear system of that size.
    """
    moved = np.asarray(points, dtype=float) - target
    size = np.max(np.sum(moved**2, 1))
    corners, weights = [int(np.argmin(np.sum(moved**2, 1)))], np.ones(1)
    for _ in range(MOST_STEPS):
        here = weights @ moved[corners]
        ahead = int(np.argmin(moved @ here))
        if ahead in corners or moved[ahead] @ here >= here @ here - SMALL * size:
            break
        corners, weights = _reduced(moved, [*corners, ahead], np.append(weights, 0.0))
    return target + weights @ moved[corners]


def _reduced(moved: Any, corners: list[int], weights: Any) -> tuple[list[int], Any]:
    """Keep corners with the nearest point of their plane between them, and return its weights."""
    while True:
        best = _of_plane(moved[corners])
        if np.all(best > SMALL):
            return corners, best
        falling = best <= SMALL
        ways = weights[falling] / np.maximum(weights[falling] - best[falling], SMALL)
        weights = weights + min(1.0, np.min(ways)) * (best - weights)
        kept = weights > SMALL
        corners, weights = [corner for corner, keep in zip(corners, kept, strict=True) if keep], weights[kept]
        weights = weights / np.sum(weights)
        if len(corners) == 1:
            return corners, weights


def _of_plane(rows: Any) -> Any:
    """The weights, with sum 1, of the point nearest to 0 in the affine hull of some points."""
    size = len(rows)
    system = np.ones((size + 1, size + 1))
    system[0, 0] = 0.0
    system[1:, 1:] = rows @ rows.T
    return np.linalg.lstsq(system, np.eye(1, size + 1)[0], rcond=None)[0][1:]


def offset_from_flat(points: Any, target: Any) -> Any:
    """The distance of a vector from the flat that contains all points; 0 if there are too few to tell."""
    middle = np.mean(points, 0)
    sizes, axes = np.linalg.svd(points - middle, full_matrices=False)[1:]
    axes = axes[sizes > FLAT * sizes[0]]
    off = target - middle
    return off - axes.T @ (axes @ off) if len(axes) + SPARE <= len(points) else np.zeros(len(target))

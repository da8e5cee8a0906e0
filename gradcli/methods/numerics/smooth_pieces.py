"""The pieces of a function that meet at a point, found by their gradients nearby and in between."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from gradcli.methods.numerics.nearby_gradients import RayGradients, Surroundings, directions

TRIALS = 24  # random points
SHARP = 1e-6  # fraction of the spread of the slopes by a number below which slopes are equal
SLACKS = 10.0  # slopes within so many times the slack are equal, relative to their size
LASTING = 0.25  # fraction of the spread by which a gradient may move from a point to a nearer one
RELIABLE = 0.8  # fraction of the gradients that must not move for the slopes by a number to be known
THIN = (1e-2, 1e-3, 1e-4)  # displacements of the others relative to one number's
GROWN = 2.0  # growth of a gradient from each to the next that shows it has no bound
MOST_THIN = 8  # most numbers for which that is tested
ASIDE = 0.01  # fraction of a direction for a step off an edge


class Pieces:
    """The gradients around a point.

    A number is known if the slopes by it are the same at nearer points. For a smooth function they converge; rounding,
    and a path that holds only next to the point, make them diverge.

    `take` adds gradients and updates the attributes. Where the next direction depends on the last gradient, `meet` adds
    one at a time, and `measure` must be called before the attributes are read again. `known` is decided by the first
    `TRIALS` gradients. `coarse` is 0 until the search for pieces (`piece_search`) meets a continuum and sets it.

    Args:
        around: the surroundings of the point.
        slack: the relative difference allowed between right formulas.
        asked: the parts along whose own direction pieces are looked for too.

    Attributes:
        met: all gradients taken, in order.
        gradients: one gradient per row, taken at the nearer point; only those that stay the same at nearer points.
        ways: the direction of each gradient.
        known: whether the slopes by each number are known.
        varying: whether the slopes by each number differ between pieces.
        room: the largest difference of two gradients that counts as none.
        blur: the largest distance of a gradient from that of its piece at the point itself.
        coarse: the fraction of the spread of the slopes by a number within which gradients count as one; 0 for pieces.
    """

    def __init__(self, around: Surroundings, slack: float, asked: Iterable[int] = ()) -> None:
        self.around, self.slack, self.coarse = around, slack, 0.0
        self.met: list[RayGradients] = []
        self.random = np.random.default_rng(1)
        self.take(directions(len(around.parts), TRIALS))
        axes = [np.eye(1, len(around.parts), n)[0] for n in asked if not self.varying[n]]
        self.take(sign * self.off_edges(axis) for axis in axes for sign in (1.0, -1.0))

    def take(self, ways: Iterable[Any]) -> None:
        """Take the gradients in some more directions, and update the attributes."""
        for way in ways:
            self.meet(way)
        self.measure()

    def meet(self, way: Any) -> RayGradients | None:
        """Take the gradient in one more direction; `measure` must be called afterwards."""
        gradients = self.around.meet(way)
        if gradients is not None:
            self.met.append(gradients)
        return gradients

    def off_edges(self, way: Any) -> Any:
        """A direction slightly off `way`, so that it does not follow the edge of a piece."""
        return way + ASIDE * self.random.uniform(-1, 1, len(way)) * np.max(np.abs(way))

    def measure(self) -> None:
        """Update the attributes from all gradients taken so far."""
        shape = len(self.met), len(self.around.parts)
        far, near = (np.array([getattr(piece, name) for piece in self.met]).reshape(shape) for name in ("far", "near"))
        spreads = (np.ptp(slopes, 0) if self.met else np.zeros(shape[1]) for slopes in (far, near))
        least = np.minimum(*spreads)
        self.room = np.maximum(SHARP * least, SLACKS * self.slack * np.max(np.abs(near), 0, initial=0.0))
        stays = np.abs(far - near) <= np.maximum(self.room, LASTING * least)
        if len(self.met) <= TRIALS:  # later points are taken where pieces meet, and stay on neither
            self.known = np.mean(stays, 0) >= RELIABLE if self.met else np.zeros(shape[1], dtype=bool)
        rows = np.all(stays | ~self.known, 1)
        self.gradients = near[rows]
        self.ways = np.array([piece.way for piece in self.met]).reshape(shape)[rows]
        moved = np.max(np.abs(far - near)[rows], 0, initial=0.0)
        self.blur = np.minimum(self.room, 2 * moved + self.slack * np.max(np.abs(near), 0, initial=0.0))
        self.varying = self.known & (np.ptp(self.gradients, 0) > self.room) if np.any(rows) else self.known & False

    def bounded(self) -> bool:
        """Whether gradients stay bounded in directions ever closer to those of single numbers."""
        size = len(self.around.parts)
        unequal = np.arange(1.0, size + 1) / size
        for n in range(min(size, MOST_THIN)):
            one = np.eye(1, size, n)[0]
            nearby = [self.around.meet(one + thin * (1 - one) * unequal) for thin in THIN]
            sizes = [np.max(np.abs(met.near * self.around.scales)) for met in nearby if met is not None]
            if len(sizes) == len(THIN) and all(b > GROWN * a for a, b in pairwise(sizes)):
                return False
        return True

    @property
    def unseen(self) -> Any:
        """The differences, by number, within which two gradients of a continuum count as one; 0 for pieces.

        Once the search has succeeded, hardly any unknown gradient is farther from the nearest known one.
        """
        return self.coarse * np.ptp(self.gradients, 0)

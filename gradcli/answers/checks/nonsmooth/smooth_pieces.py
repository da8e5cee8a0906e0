"""The pieces of a function that meet at a point, found by their gradients nearby and in between."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, pairwise
from typing import Any

import numpy as np

from gradcli.answers.checks.nonsmooth.nearby_gradients import RayGradients, Surroundings, directions

TRIALS = 24  # random points
SHARP = 1e-6  # fraction of the spread of the slopes by a number below which slopes are equal
SLACKS = 10.0  # slopes within so many times the slack are equal, relative to their size
LASTING = 0.25  # fraction of the spread by which a gradient may move from a point to a nearer one
RELIABLE = 0.8  # fraction of the gradients that must not move for the slopes by a number to be known
MORE = 48  # further random points before a vector is rejected; more of them while new pieces appear
RARE = 0.05  # fraction of all gradients, for those found only once
ENDLESS = 0.5  # fraction found only once that shows that there is no end of them
COARSE = 0.125  # most and least fraction of the spread within which the gradients of a continuum count as one
FINE = 0.01
COVERED = 0.005  # fraction of all gradients, for those that are then within it of no other
MOST = 500  # most points
DEEP = 12  # depth of the search for pieces between two points
THIN = (1e-2, 1e-3, 1e-4)  # displacements of the others relative to one number's
GROWN = 2.0  # growth of a gradient from each to the next that shows it has no bound
MOST_THIN = 8  # most numbers for which that is tested
ASIDE = 0.01  # fraction of a direction for a step off an edge
FLAT = 1e-4  # fraction of the change of the slope by which a value may differ from a known piece


class Pieces:
    """The gradients around a point.

    A number is known if the slopes by it are the same at nearer points. For a smooth function they converge; rounding,
    and a path that holds only next to the point, make them diverge.

    Args:
        around: the surroundings of the point.
        slack: the relative difference allowed between right formulas.
        asked: the parts along whose own direction pieces are looked for too.

    Attributes:
        gradients: one gradient per row, taken at the nearer point.
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
        for way in directions(len(around.parts), TRIALS):
            self.meet(way)
        self.measure()
        for n in (n for n in asked if not self.varying[n]):
            for sign in (1.0, -1.0):
                self.meet(sign * self.off_edges(np.eye(1, len(around.parts), n)[0]))
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
        """The largest differences of an unknown gradient from the nearest known one, once `explore` has succeeded."""
        return self.coarse * np.ptp(self.gradients, 0)

    def explore(self, coarse: float) -> bool:
        """Look for pieces more closely and between known ones; return whether all of them are known now.

        Where a continuum of gradients meets, it is known if hardly any is farther than `coarse` from all known ones.
        """
        return self._search(min(coarse, COARSE)) and not self.around.is_over()

    def _search(self, coarse: float) -> bool:
        """Look for pieces as `explore` does, without regard to the time: points that it refused count as none."""
        if not self._sample(coarse):
            return False
        if self.coarse:
            return True
        path = list(self.met)
        for _ in range(DEEP):
            before = len(self._representatives())
            for a, b in zip(path, path[1:] + path[:1], strict=True):
                self._between(a, b, DEEP)
            self.measure()
            path = self._representatives()
            if len(self.met) >= MOST:
                return False
            if len(path) == before:
                return True
        return False

    def _sample(self, coarse: float) -> bool:
        """Take gradients at random points until hardly any is found only once, so that hardly any is unknown.

        If nearly all are, they are a continuum, in which a narrow piece may lie anywhere: all points are then taken.

        The share of those found once estimates the share of the unknown ones. (I. J. Good, The population frequencies
        of species and the estimation of population parameters, Biometrika 40, 1953.)
        """
        ways, before = islice(directions(len(self.around.parts), MOST), TRIALS, None), -1
        while before < len(self.met):
            before = len(self.met)
            for way in islice(ways, MORE):
                self.meet(way)
            self.measure()
            alone = self._alone()
            if alone > ENDLESS * len(self.met):
                if self.coarse or coarse < FINE:
                    return False
                self.coarse = coarse
            elif alone <= RARE * len(self.met) and not self.coarse:
                return True
        return self.coarse > 0 and self._alone() <= COVERED * len(self.met)

    def _alone(self) -> int:
        """The number of gradients that were found only once."""
        near = self._near()
        return sum(int(np.count_nonzero(self._alike(slope, near))) == 1 for slope in near)

    def _representatives(self) -> list[RayGradients]:
        """One point of each piece."""
        near = self._near()
        chosen: list[int] = []
        for n, slope in enumerate(near):
            if not np.any(self._alike(slope, near[chosen])):
                chosen.append(n)
        return [self.met[n] for n in chosen]

    def _near(self) -> Any:
        """The gradients at the nearer points, one per row."""
        return np.array([piece.near for piece in self.met]).reshape(len(self.met), len(self.around.parts))

    def _alike(self, gradient: Any, others: Any) -> Any:
        """Whether each of the other gradients is that of the same piece."""
        off = np.abs(gradient - others) > np.maximum(SLACKS * self.room, self.unseen)
        return ~np.any(off & self.known, -1)

    def _between(self, a: RayGradients, b: RayGradients, deep: int) -> None:
        """Search between two points, at the place where their pieces would meet if there were no others."""
        if not deep or len(self.met) >= MOST or (deep < DEEP and self._alike(a.near, b.near)):
            return
        step = self.around.reach(0) * self.around.scales * (b.way - a.way)
        here, there = float(a.far @ step), float(b.far @ step)
        share = (b.value - there - a.value) / (here - there) if here != there else np.nan
        share = min(max(share + ASIDE * self.random.uniform(0.5, 1.0), ASIDE), 1 - ASIDE) if 0 < share < 1 else 0.5
        middle = self.meet(a.way + share * (b.way - a.way))
        if middle is not None:
            expected = a.value + share * here, b.value - (1 - share) * there
            if all(abs(middle.value - value) > FLAT * abs(here - there) for value in expected):
                self._between(a, middle, deep - 1)
                self._between(middle, b, deep - 1)

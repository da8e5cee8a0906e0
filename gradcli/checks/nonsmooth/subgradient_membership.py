"""Whether a vector is a gradient at a kink: each number between its own slopes is not enough for all of them together.

At a tie, `max(x, y)` has the slopes 0 and 1 by each input, and yet (1, 1) is no gradient: moving both inputs by 1 moves
the value by 1.  What is a gradient is a mean of the gradients of the pieces that meet at the point; what is none is
parted from them by a direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.checks.nonsmooth.convex_hull import nearest
from gradcli.checks.nonsmooth.subgradients import Pieces
from gradcli.numerics.coordinates import Coordinate

ROUNDS = 60  # in which pieces are looked for along a direction that may part the vector from them
COARSE = 100.0  # the widths of the gradients are taken to a power of it: samples do not show them more precisely
APART = 1e-3  # of the largest: a smaller part of a direction is none
FLAT = 1e-5  # of the longest axis of the gradients: a shorter one is none
SPARE = 8  # gradients that lie in a flat by more than chance
SHOWN = 4
LINES = 48  # along each of which the slope is looked at in three places
EXACT = 1e-7  # of what its numbers contribute: how far the slope of a vector may be off the function's own


@dataclass(frozen=True)
class Parted:
    """The direction that parts a vector from all gradients close by.

    Attributes:
        direction: by part; the largest of its numbers is 1, and 0 those that have no share in what is wrong.
        slope: of the vector along it.
        least, most: of the gradients.
    """

    direction: Any
    slope: float
    least: float
    most: float

    def text(self, parts: Sequence[Coordinate]) -> str:
        """What is wrong, in words."""
        if self.direction[np.argmax(np.abs(self.direction))] < 0:
            return Parted(-self.direction, -self.slope, -self.most, -self.least).text(parts)
        if np.count_nonzero(self.direction) == 1:
            return "the candidate is not between them"
        shown = moving(parts, self.direction)
        least, most, slope = (f"{x:.6g}" for x in (self.least, self.most, self.slope))
        pieces = most if least == most else f"from {least} to {most}"
        return f"the numbers together are no gradient: {shown}, the slope is {pieces}, not {slope}"


def moving(parts: Sequence[Coordinate], direction: Any) -> str:
    """A direction in words."""
    taking = [(part.name, x) for part, x in zip(parts, direction, strict=True) if x]
    shown = ", ".join(f"{name} by {x:.3g}" for name, x in taking[:SHOWN])
    return f"moving {shown}" + (", …" if taking[SHOWN:] else "")


def is_mean(pieces: Pieces, numbers: Sequence[float]) -> Parted | bool | None:
    """Whether a vector is a mean of the gradients close by, by the numbers whose slopes vary.

    New gradients are looked for along directions that may part the vector from them, the first of which is its own.

    Returns:
        True where it is; the direction that parts them where it is not, and no more pieces are to be expected; False
        where it is none of those that are known; None where new ones were found to the end.
    """
    return Search(pieces, np.array(numbers)).ended()


class Search:
    """A vector, and the gradients of which it may be a mean."""

    def __init__(self, pieces: Pieces, vector: Any) -> None:
        self.pieces, self.vector = pieces, vector
        self.complete: bool | None = None

    def ended(self) -> Parted | bool | None:
        """What the search along directions that may part the vector from the pieces comes to.

        The next direction is the best by the pieces that are known, not far from the best that was looked along: where
        the gradients lie on a curve, directions from the nearest of their means alone turn to and fro.
        (Proximal bundle methods; K. Kiwiel, Mathematical Programming 46, 1990.)
        """
        best: Any = None
        ahead: Any = np.where(self.pieces.varying, self.vector, 0.0)
        for _ in range(ROUNDS):
            straight = self.direction()
            if straight is None:
                return True
            direction = ahead if np.any(ahead) else straight
            grown = self.grows(direction)
            if self.gap(direction) > 0 and (found := self.said(self.direction()) or self.said(direction)):
                return found
            if not grown and direction is straight:
                return self.alone()
            best = direction if best is None else max(best, direction, key=self.gap)
            ahead = self.direction(pull=self._unit(best)) if grown else None
        return None

    def direction(self, pull: Any = 0.0) -> Any:
        """The direction from the nearest mean to the vector; None where that is no farther by any number than the blur.

        The pull is by how much the vector is moved first, in widths.
        """
        pieces, widths = self.pieces, self.widths
        target = np.where(pieces.varying, self.vector / widths + pull, 0.0)
        scaled = np.where(pieces.varying, pieces.gradients / widths, 0.0)
        off = np.where(pieces.varying, _beside(scaled, target), 0.0)
        if np.all(np.abs(off) * widths <= pieces.blur):
            off = target - nearest(scaled, target)
        if np.all(np.abs(off) * widths <= pieces.blur):
            return None
        direction = np.where(np.abs(off) >= APART * np.max(np.abs(off)), off, 0.0) / widths
        return direction / np.max(np.abs(direction))

    @property
    def widths(self) -> Any:
        """About how far apart the gradients are by each number."""
        spread = np.where(self.pieces.varying, np.ptp(self.pieces.gradients, 0), 1.0)
        return COARSE ** np.round(np.log(spread) / np.log(COARSE))

    def gap(self, direction: Any) -> float:
        """How far the vector is beyond all known gradients along a direction, in widths; negative where it is not."""
        beyond = float(self.vector @ direction) - self._most(direction) - float(self.pieces.blur @ np.abs(direction))
        return beyond / float(np.linalg.norm(direction * self.widths))

    def grows(self, direction: Any) -> bool:
        """Whether there is a new piece along the direction.

        They are looked for all around, once, where there is none, or where the direction parts the vector from them.
        """
        before = self._most(direction) + self._room(direction)
        for way in self._ways(direction):
            self.pieces.meet(way)
        self.pieces.measure()
        if self.complete is None and (self._most(direction) <= before or self.gap(direction) > 0):
            self.complete = self.pieces.explore()
        return self._most(direction) > before

    def said(self, direction: Any) -> Parted | bool:
        """That the direction parts the vector from all pieces: these are known, or it leads to the steepest of them."""
        if direction is None or self.gap(direction) <= 0:
            return False
        if self.complete:
            slopes, slope = self.pieces.gradients @ direction, float(self.vector @ direction)
            return Parted(direction, slope, float(np.min(slopes)), float(np.max(slopes)))
        return self.parts(direction)

    def parts(self, direction: Any) -> Parted | bool:
        """That the slope along a direction is beyond both one-sided slopes of the function, the steepest there are.

        Where the function bends upwards, or downwards, its own slopes to both sides are those of its steepest pieces.
        """
        way = self._way(direction)
        along = self.pieces.around.slopes(way)
        unit = self.pieces.around.scales * way
        size = float(np.max(np.abs(unit)) / np.max(np.abs(direction)))
        left, right = along.left / size, along.right / size
        room = (along.left_error + along.right_error) / size + EXACT * float(np.sum(np.abs(self.vector * direction)))
        slope, least, most = float(self.vector @ direction), min(left, right), max(left, right)
        steepest = most + room + self._room(direction)
        parted = slope > most + room and self._most(direction) <= steepest and self.bends_one_way(direction)
        return Parted(direction, slope, least, most) if parted and self._most(direction) <= steepest else False

    def bends_one_way(self, direction: Any) -> bool:
        """Whether the slope along a direction only rises, or only falls, on lines beside the point too.

        Where it does neither, it may be steeper on one of them than at the point.
        """
        straight, room = self._way(direction), self._room(direction)
        turns = []
        for here in self.pieces.met[:LINES]:
            before, after = (self.pieces.meet(here.way + way) for way in (-straight, straight))
            turns += [b.near - a.near for a, b in ((before, here), (here, after)) if a and b]
        self.pieces.measure()
        bends = np.array(turns).reshape(-1, len(direction)) @ direction
        return len(turns) >= LINES and bool(np.all(bends >= -room) or np.all(bends <= room))

    def alone(self) -> Parted | bool:
        """That a single number is beyond all slopes by it, where these are known though not all pieces are."""
        gradients = self.pieces.gradients
        least, most = np.min(gradients, 0), np.max(gradients, 0)
        beyond = np.maximum(self.vector - most, least - self.vector) - self.pieces.blur
        for n in np.argsort(-beyond)[:SHOWN]:
            direction = np.sign(self.vector[n] - most[n]) * np.eye(1, len(most), n)[0]
            if beyond[n] > 0 and self.pieces.varying[n] and (found := self.said(direction)):
                return found
        return False

    def _way(self, direction: Any) -> Any:
        """A direction by part in the scales of the surroundings."""
        way = direction / self.pieces.around.scales
        return way / np.max(np.abs(way))

    def _unit(self, direction: Any) -> Any:
        """A direction of length 1 in widths."""
        return direction * self.widths / np.linalg.norm(direction * self.widths)

    def _most(self, direction: Any) -> float:
        return float(np.max(self.pieces.gradients @ direction))

    def _room(self, direction: Any) -> float:
        return float(np.sum(self.pieces.room * np.abs(direction)))

    def _ways(self, direction: Any) -> list[Any]:
        """Along the direction, against it, a little beside both, and where each number goes where it did best.

        The last leads to the steepest piece where the kinks have nothing to do with each other.
        """
        pieces = self.pieces
        straight = self._way(direction)
        along = pieces.beside(straight)
        best = np.argmax(pieces.gradients * direction, 0)
        return [straight, -straight, along, -along, pieces.ways[best, np.arange(len(best))]]


def _beside(points: Any, target: Any) -> Any:
    """How far a vector is from the flat in which all points lie, where they are more than its dimensions."""
    middle = np.mean(points, 0)
    sizes, axes = np.linalg.svd(points - middle, full_matrices=False)[1:]
    axes = axes[sizes > FLAT * sizes[0]]
    off = target - middle
    return off - axes.T @ (axes @ off) if len(axes) + SPARE <= len(points) else np.zeros(len(target))

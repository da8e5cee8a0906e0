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

from gradcli.methods.components import Component
from gradcli.methods.hull import nearest
from gradcli.methods.pieces import Pieces

ROUNDS = 40  # in which pieces are looked for along a direction that parts the vector from those that are known
APART = 1e-3  # of the largest: a smaller part of a direction is none
FLAT = 1e-5  # of the longest axis of the gradients: a shorter one is none
SPARE = 8  # gradients that lie in a flat by more than chance
SHOWN = 4


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

    def text(self, parts: Sequence[Component]) -> str:
        """What is wrong, in words."""
        if self.direction[np.argmax(np.abs(self.direction))] < 0:
            return Parted(-self.direction, -self.slope, -self.most, -self.least).text(parts)
        taking = [(part.name, x) for part, x in zip(parts, self.direction, strict=True) if x]
        if len(taking) == 1:
            return "the candidate is not between them"
        shown = ", ".join(f"{name} by {x:.3g}" for name, x in taking[:SHOWN]) + (", …" if taking[SHOWN:] else "")
        least, most, slope = (f"{x:.6g}" for x in (self.least, self.most, self.slope))
        pieces = most if least == most else f"from {least} to {most}"
        return f"the numbers together are no gradient: moving {shown}, the slope is {pieces}, not {slope}"


def is_mean(pieces: Pieces, numbers: Sequence[float]) -> Parted | bool | None:
    """Whether a vector is a mean of the gradients close by, by the numbers whose slopes vary.

    New gradients are looked for along the direction that parts the vector from those that are known.

    Returns:
        True where it is; the direction that parts them where it is not, and no more pieces are to be expected; False
        where it is none of those that are known; None where new ones were found to the end.
    """
    search = _Search(pieces, np.array(numbers))
    for _ in range(ROUNDS):
        direction = search.direction()
        if direction is None:
            return True
        if not search.grows(direction):
            return search.said(direction) or search.alone()
    return None


class _Search:
    """A vector, and the gradients of which it may be a mean."""

    def __init__(self, pieces: Pieces, vector: Any) -> None:
        self.pieces, self.vector = pieces, vector
        self.complete: bool | None = None

    def direction(self) -> Any:
        """The direction from the nearest mean to the vector; None where that is as near as can be told."""
        pieces = self.pieces
        widths = np.where(pieces.varying, np.ptp(pieces.gradients, 0), 1.0)
        target = np.where(pieces.varying, self.vector / widths, 0.0)
        scaled = np.where(pieces.varying, pieces.gradients / widths, 0.0)
        off = _beside(scaled, target)
        if np.all(np.abs(off) * widths <= pieces.room):
            off = target - nearest(scaled, target)
        if np.all(np.abs(off) * widths <= pieces.room):
            return None
        direction = np.where(np.abs(off) >= APART * np.max(np.abs(off)), off, 0.0) / widths
        return direction / np.max(np.abs(direction))

    def grows(self, direction: Any) -> bool:
        """Whether there is a new piece along the direction; where not, it is looked for all around, once."""
        before = self._most(direction)
        for way in self._ways(direction):
            self.pieces.meet(way)
        self.pieces.measure()
        if self._most(direction) > before + self._room(direction):
            return True
        if self.complete is None:
            self.complete = self.pieces.explore()
        return self._most(direction) > before + self._room(direction)

    def said(self, direction: Any) -> Parted | bool:
        """That the direction parts the vector from all pieces: these are known, or it leads to the steepest of them."""
        slopes, slope = self.pieces.gradients @ direction, float(self.vector @ direction)
        straight = self._straight(direction)
        if slope <= np.max(slopes) + self._room(direction) or not (self.complete or straight):
            return False
        return Parted(direction, slope, float(np.min(slopes)), float(np.max(slopes)))

    def alone(self) -> Parted | bool:
        """That a single number is beyond all slopes by it, where these are known though not all pieces are."""
        gradients = self.pieces.gradients
        least, most = np.min(gradients, 0), np.max(gradients, 0)
        beyond = np.maximum(self.vector - most, least - self.vector) - self.pieces.room
        for n in np.argsort(-beyond)[:SHOWN]:
            direction = np.sign(self.vector[n] - most[n]) * np.eye(1, len(most), n)[0]
            if beyond[n] > 0 and self.pieces.varying[n] and (found := self.said(direction)):
                return found
        return False

    def _straight(self, direction: Any) -> bool:
        """Whether the piece right in the direction, or right against it, is the steepest: where the function bends
        upwards, or downwards, it is the steepest of all.
        """
        found = (self.pieces.around.meet(way) for way in self._ways(direction)[:2])
        return any(
            met is not None and met.near @ direction >= self._most(direction) - self._room(direction) for met in found
        )

    def _most(self, direction: Any) -> float:
        return float(np.max(self.pieces.gradients @ direction))

    def _room(self, direction: Any) -> float:
        return float(np.sum(self.pieces.room * np.abs(direction)))

    def _ways(self, direction: Any) -> list[Any]:
        """Along the direction, against it, and where each number goes where it did best: the last leads to the steepest
        piece where the kinks have nothing to do with each other.
        """
        pieces = self.pieces
        along = direction / pieces.around.scales
        along = along / np.max(np.abs(along))
        best = np.argmax(pieces.gradients * direction, 0)
        along = pieces.beside(along)
        return [along, -along, pieces.ways[best, np.arange(len(best))]]


def _beside(points: Any, target: Any) -> Any:
    """How far a vector is from the flat in which all points lie, where they are more than its dimensions."""
    middle = np.mean(points, 0)
    sizes, axes = np.linalg.svd(points - middle, full_matrices=False)[1:]
    axes = axes[sizes > FLAT * sizes[0]]
    off = target - middle
    return off - axes.T @ (axes @ off) if len(axes) + SPARE <= len(points) else np.zeros(len(target))

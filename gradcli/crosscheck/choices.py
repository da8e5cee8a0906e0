"""Whether a vector is a gradient at a kink: each number between its own slopes is not enough for all of them together.

At a tie, `max(x, y)` has the slopes 0 and 1 by each input, and yet (1, 1) is no gradient: moving both inputs by 1 moves
the value by 1.  What is a gradient is a mean of the gradients of the pieces that meet at the point; what is none is
parted from them by a direction.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradcli.methods.close_by import Surroundings
from gradcli.methods.components import Component
from gradcli.methods.hull import nearest
from gradcli.tape.quiet import quiet

SHARP = 1e-6  # of the spread of the slopes: how far out a vector has to be
SLACKS = 10.0  # of the slack of another right formula: how far out, of the slopes themselves
ROUNDS = 40  # in which pieces are looked for along a direction that parts the vector from those that are known
PATIENCE = 5.0  # seconds
ONCE = 0.1  # of the gradients found: met only once; of fewer than that none remain unknown
APART = 1e-3  # of the largest: a smaller part of a direction is none
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
        shown = ", ".join(f"{name} by {x:.3g}" for name, x in taking[:SHOWN]) + (", …" if taking[SHOWN:] else "")
        least, most, slope = (f"{x:.6g}" for x in (self.least, self.most, self.slope))
        pieces = most if least == most else f"from {least} to {most}"
        return f"the numbers together are no gradient: moving {shown}, the slope is {pieces}, not {slope}"


def parted(around: Surroundings, numbers: Sequence[float], slack: float) -> Parted | None:
    """The direction that parts a vector from the gradients close by; None where it is a mean of them, or not told.

    New gradients are looked for along the direction that parts the vector from those that are known: where there are
    none, nor is there any reason to expect more, the vector is no gradient.  Costs some thirty gradients, and some more
    where many kinks meet.
    """
    around = replace(around, until=min(around.until, time.monotonic() + PATIENCE))
    with quiet():
        pieces = _Pieces(around, np.array(numbers), slack)
        for _ in range(ROUNDS):
            found = pieces.look()
            if not isinstance(found, _Pieces):
                return found
    return None


class _Pieces:
    """The gradients that were found, and the steps from the point to where.

    Where a slope does not differ from gradient to gradient it is left out of account: it is judged alone.
    """

    def __init__(self, around: Surroundings, vector: Any, slack: float) -> None:
        self.around, self.vector, self.slack = around, vector, slack
        self.steps, self.gradients = map(np.vstack, zip(*(around.sample(level) for level in (0, 1)), strict=True))
        self._measure()
        for n in np.flatnonzero(~self.taking):
            for way in (1.0, -1.0):
                self._met(self._step(way * np.eye(len(vector))[n]))
        self._measure()
        self.few = self._are_few()

    def _measure(self) -> None:
        """How far the gradients differ, and how far that is more than rounding."""
        sizes = np.max(np.abs(self.gradients), 0, initial=0.0)
        spread = np.ptp(self.gradients, 0) if len(self.gradients) else sizes
        self.room = np.maximum(SHARP * spread, SLACKS * self.slack * sizes)
        self.taking = spread > self.room
        self.widths = np.where(self.taking, spread, 1.0)

    def look(self) -> Parted | _Pieces | None:
        """The direction that parts the vector from the gradients; None where none does; itself to look once more."""
        if np.count_nonzero(self.taking) <= 1:
            return None
        off = np.where(self.taking, (self.vector - self._nearest()) / self.widths, 0.0)
        if np.all(np.abs(off) * self.widths <= self.room):
            return None
        direction = np.where(np.abs(off) >= APART * np.max(np.abs(off)), off, 0.0) / self.widths
        return self._along(direction / np.max(np.abs(direction)))

    def _nearest(self) -> Any:
        scaled = np.where(self.taking, self.gradients / self.widths, 0.0)
        return self.widths * nearest(scaled, np.where(self.taking, self.vector / self.widths, 0.0))

    def _along(self, direction: Any) -> Parted | _Pieces | None:
        """What is known along a direction once nothing new is found there."""
        room = float(np.sum(self.room * np.abs(direction)))
        slopes = self.gradients @ direction
        there = [self._met(step) for step in self._ways(direction)]
        if any(gradient is not None and gradient @ direction > np.max(slopes) + room for gradient in there):
            return self
        straight = (gradient @ direction for gradient in there[:2] if gradient is not None)
        if not self.few and all(slope < np.max(slopes) - room for slope in straight):
            return None
        slope = float(self.vector @ direction)
        found = Parted(direction, slope, float(np.min(slopes)), float(np.max(slopes)))
        return found if slope > found.most + room else None

    def _ways(self, direction: Any) -> list[Any]:
        """Steps along the direction, against it, and where each number goes where it did best.

        The first two lead to the steepest piece of a function that bends upwards or downwards; the third, where the
        kinks have nothing to do with each other.
        """
        along, mixed = self._step(direction), self.steps[0].copy()
        mixed[self.places] = self.steps[np.argmax(self.gradients * direction, 0), self.places]
        return [along, -along, mixed]

    @property
    def places(self) -> list[int]:
        """Which of all numbers of the point the parts are."""
        return [part.number for part in self.around.parts]

    def _step(self, direction: Any) -> Any:
        """The step in a direction to the closer of the points."""
        scales = self.around.scales
        along = np.zeros(len(scales))
        along[self.places] = direction
        return along * self.around.reach(1) / np.max(np.abs(along) / scales)

    def _met(self, step: Any) -> Any:
        """The gradient at a step from the point, which is kept; None where there is none."""
        gradient = self.around.gradient(step)
        if gradient is not None:
            self.steps, self.gradients = np.vstack([self.steps, step]), np.vstack([self.gradients, gradient])
        return gradient

    def _are_few(self) -> bool:
        """Whether hardly any gradient was found only once, so that those of all pieces are known."""
        alike = np.abs(self.gradients[:, None] - self.gradients[None]) <= SLACKS * self.room
        return bool(np.mean(np.sum(np.all(alike, 2), 1) == 1) <= ONCE) if len(self.gradients) else False

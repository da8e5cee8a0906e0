"""Whether a vector is a gradient at a kink. That each component lies between its slopes is not sufficient.

At a tie, `max(x, y)` has the slopes 0 and 1 by each input, yet (1, 1) is not a gradient: moving both inputs by 1 moves
the value by 1. A valid gradient is a mean of the gradients of the pieces that meet at the point. An invalid one is
separated from them by a direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gradcli.answers.checks.nonsmooth.convex_hull import nearest_hull_point, offset_from_flat
from gradcli.answers.checks.nonsmooth.piece_search import explore
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.smooth_pieces import Pieces
from gradcli.shared.message_wording import first_items

ROUNDS = 60  # rounds of looking for pieces along a separating direction
COARSE = 100.0  # widths of the gradients are rounded to a power of it, because samples do not show them more precisely
APART = 1e-3  # fraction of the largest component below which a component of a direction is 0
REST = 0.8  # fraction of the distance of a vector from the gradients in which others may be left unseen
SHOWN = 4
LINES = 48  # lines along each of which the slope is measured at three points
EXACT = 1e-7  # fraction of the contributions that a vector's slope may differ from the function's

Membership = Literal["mean", "open", "undecided"]


@dataclass(frozen=True)
class SeparatingDirection:
    """A direction that separates a vector from all gradients nearby.

    Attributes:
        direction: by part; the largest component is 1, and those not involved are 0.
        slope: the slope of the vector along the direction.
        least, most: the range of the gradients' slopes along it.
    """

    direction: Any
    slope: float
    least: float
    most: float

    def text(self, parts: Sequence[Coordinate]) -> str:
        """The mistake in words."""
        if self.direction[np.argmax(np.abs(self.direction))] < 0:
            return SeparatingDirection(-self.direction, -self.slope, -self.most, -self.least).text(parts)
        if np.count_nonzero(self.direction) == 1:
            return "the candidate is not between them"
        shown = moving(parts, self.direction)
        least, most, slope = (f"{x + 0.0:.6g}" for x in (self.least, self.most, self.slope))
        pieces = most if least == most else f"from {least} to {most}"
        return f"the components together are not a gradient: {shown}, the slope is {pieces}, not {slope}"


def moving(parts: Sequence[Coordinate], direction: Any) -> str:
    """A direction in words."""
    taking = [(part.name, x) for part, x in zip(parts, direction, strict=True) if x]
    return f"moving {first_items([f'{name} by {x:.3g}' for name, x in taking], SHOWN)}"


def membership(pieces: Pieces, numbers: Sequence[float]) -> SeparatingDirection | Membership:
    """Whether a vector is a mean of the gradients nearby, in the components whose slopes vary.

    New gradients are looked for along directions that may separate the vector from the known ones, beginning with the
    vector itself.

    Returns:
        "mean" if it is; the separating direction if it is not and no more pieces are expected; "open" if it is not a
        mean of the known gradients; "undecided" if new gradients appeared until the end.
    """
    return MembershipSearch(pieces, np.array(numbers)).result()


class MembershipSearch:
    """A vector, and the gradients of which it may be a mean.

    The search adds gradients to `pieces` while it goes on: `grows`, `separation` and what they call may do so, and what
    was computed of the pieces before such a call is then that of fewer pieces.

    Attributes:
        complete: whether all pieces are known, as far as a search all around tells; None before that search.
    """

    def __init__(self, pieces: Pieces, vector: Any) -> None:
        self.pieces, self.vector = pieces, vector
        self.complete: bool | None = None

    def result(self) -> SeparatingDirection | Membership:
        """Run the search along directions that may separate the vector from the pieces, and return its result.

        The next direction is the best one for the known pieces near the best direction so far. Where the gradients lie
        on a curve, directions from the nearest mean alone would oscillate. (Proximal bundle methods; K. Kiwiel,
        Mathematical Programming 46, 1990.)
        """
        best: Any = None
        ahead: Any = np.where(self.pieces.varying, self.vector, 0.0)
        for _ in range(ROUNDS):
            straight = self.direction()
            if straight is None:
                return "mean"
            direction = ahead if np.any(ahead) else straight
            grown = self.grows(direction)
            if self.gap(direction) > 0 and (
                separating := self.separation(self.direction()) or self.separation(direction)
            ):
                return separating
            if not grown and direction is straight:
                return self.separation_by_one_component() or "open"
            best = direction if best is None else max(best, direction, key=self.gap)
            ahead = self.direction(pull=best * self.widths / np.linalg.norm(best * self.widths)) if grown else None
        return "undecided"

    def direction(self, pull: Any = 0.0) -> Any:
        """The direction from the nearest mean to the vector; None if no component differs by more than the blur.

        `pull` moves the vector first, in units of the widths: by a direction of length 1, towards what lies that way.
        """
        pieces, widths = self.pieces, self.widths
        target = np.where(pieces.varying, self.vector / widths + pull, 0.0)
        scaled = np.where(pieces.varying, pieces.gradients / widths, 0.0)
        off = np.where(pieces.varying, offset_from_flat(scaled, target), 0.0)
        if np.all(np.abs(off) * widths <= pieces.blur):
            off = target - nearest_hull_point(scaled, target)
        if np.all(np.abs(off) * widths <= pieces.blur):
            return None
        direction = np.where(np.abs(off) >= APART * np.max(np.abs(off)), off, 0.0) / widths
        return direction / np.max(np.abs(direction))

    @property
    def widths(self) -> Any:
        """The approximate spread of the gradients in each component."""
        spread = np.where(self.pieces.varying, np.ptp(self.pieces.gradients, 0), 1.0)
        return COARSE ** np.round(np.log(spread) / np.log(COARSE))

    def gap(self, direction: Any) -> float:
        """The distance of the vector beyond all known gradients along a direction, in widths; may be negative."""
        return self.beyond(direction) / float(np.linalg.norm(direction * self.widths))

    def beyond(self, direction: Any) -> float:
        """The slope of the vector along a direction, less the largest of the known gradients; may be negative."""
        return float(self.vector @ direction) - self._most(direction) - float(self.pieces.blur @ np.abs(direction))

    def grows(self, direction: Any) -> bool:
        """Whether a new piece is found along the direction.

        If none is found, or if the direction separates the vector from the pieces, they are also looked for all around,
        once.
        """
        before = self._most(direction) + self._room(direction)
        self.pieces.take(self._ways(direction))
        if self.complete is None and (self._most(direction) <= before or self.gap(direction) > 0):
            spread = float(np.ptp(self.pieces.gradients, 0) @ np.abs(direction))  # if the components vary independently
            self.complete = explore(self.pieces, REST * self.beyond(direction) / spread)
        return self._most(direction) > before

    def separation(self, direction: Any) -> SeparatingDirection | None:
        """The separating direction, if the pieces are complete or if it leads to the steepest of them; else None."""
        if direction is None or self.gap(direction) <= 0:
            return None
        if self.complete and self.beyond(direction) > float(self.pieces.unseen @ np.abs(direction)):
            slopes, slope = self.pieces.gradients @ direction, float(self.vector @ direction)
            return SeparatingDirection(direction, slope, float(np.min(slopes)), float(np.max(slopes)))
        return self.separation_by_slopes(direction)

    def separation_by_slopes(self, direction: Any) -> SeparatingDirection | None:
        """The direction, if the vector's slope along it exceeds both one-sided slopes of the function; else None.

        Where the function is convex or concave along the direction, its one-sided slopes are those of its steepest
        pieces.
        """
        way = self._way(direction)
        along = self.pieces.around.slopes(way)
        unit = self.pieces.around.scales * way
        size = float(np.max(np.abs(unit)) / np.max(np.abs(direction)))
        left, right = along.left / size, along.right / size
        room = (along.left_error + along.right_error) / size + EXACT * float(np.sum(np.abs(self.vector * direction)))
        slope, least, most = float(self.vector @ direction), min(left, right), max(left, right)
        steepest = most + room + self._room(direction)
        is_separated = (
            slope > most + room
            and self._most(direction) <= steepest
            and self.bends_one_way(direction)
            and self._most(direction) <= steepest  # asked again, as the test before may have added a steeper piece
        )
        return SeparatingDirection(direction, slope, least, most) if is_separated else None

    def bends_one_way(self, direction: Any) -> bool:
        """Whether the slope along a direction only rises, or only falls, on lines near the point too.

        If it does neither, the slope may be steeper on one of those lines than at the point.
        """
        straight, room = self._way(direction), self._room(direction)
        turns = []
        for here in self.pieces.met[:LINES]:
            before, after = (self.pieces.meet(here.way + way) for way in (-straight, straight))
            turns += [b.near - a.near for a, b in ((before, here), (here, after)) if a and b]
        self.pieces.measure()
        bends = np.array(turns).reshape(-1, len(direction)) @ direction
        return len(turns) >= LINES and bool(np.all(bends >= -room) or np.all(bends <= room))

    def separation_by_one_component(self) -> SeparatingDirection | None:
        """The direction of a component beyond all known slopes by it, where not all pieces are known; else None."""
        gradients = self.pieces.gradients
        least, most = np.min(gradients, 0), np.max(gradients, 0)
        beyond = np.maximum(self.vector - most, least - self.vector) - self.pieces.blur
        for n in np.argsort(-beyond)[:SHOWN]:
            direction = np.sign(self.vector[n] - most[n]) * np.eye(1, len(most), n)[0]
            if beyond[n] > 0 and self.pieces.varying[n] and (separating := self.separation(direction)):
                return separating
        return None

    def _way(self, direction: Any) -> Any:
        """A direction by part, in scales of the surroundings."""
        way = direction / self.pieces.around.scales
        return way / np.max(np.abs(way))

    def _most(self, direction: Any) -> float:
        """The largest slope of the known gradients along a direction."""
        return float(np.max(self.pieces.gradients @ direction))

    def _room(self, direction: Any) -> float:
        """The difference of two slopes along a direction that counts as none."""
        return float(np.sum(self.pieces.room * np.abs(direction)))

    def _ways(self, direction: Any) -> list[Any]:
        """Directions to search: along `direction`, opposite, slightly off both, and for each number where it did best.

        The last leads to the steepest piece if the kinks are independent of one another.
        """
        pieces = self.pieces
        straight = self._way(direction)
        along = pieces.off_edges(straight)
        best = np.argmax(pieces.gradients * direction, 0)
        return [straight, -straight, along, -along, pieces.ways[best, np.arange(len(best))]]

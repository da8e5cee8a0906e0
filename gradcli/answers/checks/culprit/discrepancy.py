"""The components of a wrong derivative with the right ones, and a slip that accounts for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

SLACK = 1e-7  # relative difference allowed between right formulas in double precision
MATCH = 10.0  # tolerance for a slip, as a multiple of the slack
EXACTLY = 1e-3  # the same for a slip up to rounding
ROUNDING = 1e-5  # fraction of a component, as a multiple of the slack, for which a slip need not account
VANISHED = 1e-13  # relative size of a component that is the rounding of 0
DIFFERENT = 1e-4  # relative distance of references that count as different

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Discrepancy:
    """The components of a derivative and its reference; `slack` is the relative difference of right formulas."""

    candidate: np.ndarray
    reference: np.ndarray
    slack: float = SLACK

    @cached_property
    def wrong(self) -> Any:
        """Which components are wrong."""
        return ~close(self.candidate, self.reference, self.slack)

    def is_filled_by(self, expected: Any, counted: Any = np.True_, share: float = MATCH) -> bool:
        """Whether `expected` equals the counted components, up to a share of candidate minus reference.

        A candidate component that is 0, or what rounding leaves of 0, must be expected so, up to the rounding of its
        reference.
        """
        difference, rounding, reference = self._sizes
        room = np.where(self.wrong, share * difference + rounding, reference)
        fits = np.abs(expected - self.candidate) <= self.slack * room
        return bool(np.any(self.wrong & counted) and np.all(fits | ~counted))

    @cached_property
    def _sizes(self) -> tuple[Any, Any, Any]:
        """The differences, at most the candidate itself; the roundings; the sizes of the reference."""
        candidate, reference = np.abs(self.candidate), np.abs(self.reference)
        rounding = ROUNDING * np.where(candidate > VANISHED * reference, candidate, reference)
        return np.minimum(candidate, np.abs(self.candidate - self.reference)), rounding, reference


@dataclass(frozen=True)
class Slip:
    """A slip that accounts for the wrong components.

    Attributes:
        key: identifies the same slip at another point.
        text: the description.
        implausibility: of several slips, the lowest is reported; first whether it only fits loosely.
        row: the step that it concerns, or None.
        expects: for a pattern in the numbers, computes the candidate from another derivative.
        evidence: the number of different references, here and at the second point, that a pattern must explain.
        contributions: for a mistake in one step, what the candidate has for the step's contribution to its argument,
            and to the components.
    """

    key: Key
    text: str
    implausibility: tuple[bool, int]
    row: int | None = None
    expects: Callable[[Any], Any] | None = None
    evidence: int = 1
    contributions: tuple[Any, ...] = ()


def close(a: Any, b: Any, room: float) -> Any:
    """Which numbers are equal up to rounding; a number equals 0 only if it is 0."""
    return np.abs(a - b) <= room * np.minimum(np.abs(a), np.abs(b))


def different(references: Any) -> int:
    """The number of different sizes among some references."""
    sizes = np.sort(np.abs(references))
    return int(np.sum(np.diff(sizes) > DIFFERENT * sizes[1:])) + 1 if sizes.size else 0


def derivatives(labels: Sequence[str], noun: str = "derivative") -> str:
    """Phrase for the derivatives by some numbers, or for some elements."""
    shown = ", ".join(labels[:4]) + (f" and {len(labels) - 4} more" if len(labels) > 4 else "")
    by = " by" if noun == "derivative" else ""
    return f"{f'each of the {noun}s' if len(labels) > 1 else f'the {noun}'}{by} {shown}"

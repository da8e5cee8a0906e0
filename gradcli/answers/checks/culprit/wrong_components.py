"""The components of a wrong gradient with the right ones, and what a slip is that accounts for them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

SLACK = 1e-7  # relative difference allowed between right formulas in double precision
MATCH = 10.0  # tolerance for a slip, as a multiple of the slack
ROUNDING = 1e-5  # fraction of a component, as a multiple of the slack, for which a slip need not account
VANISHED = 1e-13  # relative size of a component that is the rounding of 0
DIFFERENT = 1e-4  # relative distance of references that count as different
ENOUGH = 3  # different references that a slip must explain if it cannot be tried at a second point

# The implausibility of a slip; of those that account for the components, the lowest is reported. Slips of single steps
# rank in between.
NOTHING, ORDER, FACTOR, NAMED, OF_ANOTHER_VARIABLE, FITTED = 1, 1, 3, 8, 9, 10

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Discrepancy:
    """A gradient and its reference.

    Attributes:
        candidate, reference: the components.
        slack: the relative difference allowed between right formulas.
        counted: the components that a slip must account for; None for all.
    """

    candidate: np.ndarray
    reference: np.ndarray
    slack: float = SLACK
    counted: Any = None

    @cached_property
    def wrong(self) -> Any:
        """Which components are wrong."""
        return ~close(self.candidate, self.reference, self.slack)

    def is_filled_by(self, expected: Any, share: float = MATCH) -> bool:
        """Whether `expected` equals the candidate, up to a share of the difference between candidate and reference.

        A candidate component that is 0, or what rounding leaves of 0, must be expected so, up to the rounding of its
        reference.
        """
        difference, rounding, reference = self._sizes
        room = np.where(self.wrong, share * difference + rounding, reference)
        fits = np.abs(expected - self.candidate) <= self.slack * room
        counted = True if self.counted is None else self.counted
        return bool(np.any(self.wrong & counted) and np.all(fits | ~np.broadcast_to(counted, fits.shape)))

    @cached_property
    def _sizes(self) -> tuple[Any, Any, Any]:
        """The differences, at most the candidate itself; the roundings; the sizes of the reference."""
        candidate, reference = np.abs(self.candidate), np.abs(self.reference)
        rounding = ROUNDING * np.where(candidate > VANISHED * reference, candidate, reference)
        return np.minimum(candidate, np.abs(self.candidate - self.reference)), rounding, reference

    def at(self, places: Any) -> Discrepancy:
        """The part at some places."""
        return replace(self, candidate=self.candidate[places], reference=self.reference[places], counted=None)


@dataclass(frozen=True)
class Slip:
    """A slip that accounts for the components.

    Attributes:
        key: identifies the same slip at another point.
        text: the description.
        row: the row of the tape that it concerns, or None.
        order: its implausibility.
        loose: whether the mismatch is larger than rounding explains.
        expects: for a pattern, computes the candidate of its block at another point.
        evidence: the number of different references, here and at the second point, that the pattern must explain.
        counted: the components of the block that the pattern accounts for; None for all.
        parts: the two slips of which it consists, if it does.
        contributions: for a mistake in the derivative of one step, what the candidate has for the step's contribution
            to its argument, and to the components.
    """

    key: Key
    text: str
    row: int | None = None
    order: int = FACTOR
    loose: bool = False
    expects: Callable[[Block], Any] | None = None
    evidence: int = 1
    counted: Any = None
    parts: tuple[Slip, ...] = ()
    contributions: tuple[Any, ...] = ()

    @property
    def kind(self) -> Any:
        """What distinguishes it from other slips at the same place."""
        return self.key[1] if self.expects is None else self.text

    def is_confirmed_by(self, block: Block) -> bool:
        """Whether the pattern accounts for the same components at another point."""
        assert self.expects is not None
        with np.errstate(all="ignore"):
            return replace(block.gap, counted=self.counted).is_filled_by(self.expects(block))


@dataclass(frozen=True)
class Block:
    """The components for one input, for all, or of a matrix, with their references.

    Attributes:
        whose: the words for all components, such as "the gradient by w".
        labels: the name of each component.
        shape: the shape of the input; for several inputs, that of a vector.
        gap: the components and the right ones.
        point: the number that each component is the derivative by.
        value: the value of the function.
        variable: the name of the input; empty for several.
        factors: more factors that are slips, with words for them.
        sides: the names of the rows and of the columns of a matrix; None for a gradient.
        gradient: for a Hessian, the gradient.
    """

    whose: str
    labels: Sequence[str]
    shape: tuple[int, ...]
    gap: Discrepancy
    point: Any = None
    value: float = math.nan
    variable: str = ""
    factors: Sequence[tuple[float, str]] = ()
    sides: tuple[Sequence[str], Sequence[str]] | None = None
    gradient: Any = None

    def named(self, places: Sequence[int]) -> str:
        """Phrase for some components."""
        labels = [self.labels[place] for place in places]
        return derivatives(labels, "element" if self.sides else "derivative")


class Pattern(NamedTuple):
    """A way to compute the candidate from the reference: words with {} for the region, its formula, as in `Slip`."""

    words: str
    expects: Callable[[Block], Any]
    order: int = FACTOR
    evidence: int = 1


class Region(NamedTuple):
    """Some components of a block: words for them, a mask, and the number that all are derivatives by, if it is one."""

    words: str
    mask: Any
    variable: str = ""


def close(a: Any, b: Any, room: float) -> Any:
    """Which numbers are equal up to rounding; a number equals 0 only if it is 0."""
    return np.abs(a - b) <= room * np.minimum(np.abs(a), np.abs(b))


def different(references: Any) -> int:
    """The number of different sizes among some references."""
    sizes = np.sort(np.abs(references))
    return int(np.sum(np.diff(sizes) > DIFFERENT * sizes[1:])) + 1 if sizes.size else 0


def places_of(wrong: Any) -> tuple[int, ...]:
    """The positions of wrong components."""
    return tuple(map(int, np.flatnonzero(wrong)))


def derivatives(labels: Sequence[str], noun: str = "derivative") -> str:
    """Phrase for the derivatives by some numbers, or for some elements."""
    shown = ", ".join(labels[:4]) + (f" and {len(labels) - 4} more" if len(labels) > 4 else "")
    by = " by" if noun == "derivative" else ""
    return f"{f'each of the {noun}s' if len(labels) > 1 else f'the {noun}'}{by} {shown}"

"""Slips that show in the components of a wrong gradient alone: a factor, a sign, or a permutation."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

SLACK = 1e-7  # relative difference allowed between right formulas in double precision
MATCH = 10.0  # tolerance for a slip, as a multiple of the slack
ROUNDING = 1e-5  # fraction of a component, as a multiple of the slack, for which a slip need not account

# The implausibility of a slip; of those that account for the components, the lowest is reported. Slips of single steps
# rank in between.
NOTHING, ORDER, FACTOR = 1, 1, 3

Key = tuple[Any, ...]

# Factors that are slips, with the words for a candidate that is off by one.
FACTORS = (
    (-1.0, "has the wrong sign"),
    (2.0, "is twice the derivative"),
    (0.5, "is half the derivative: a factor of 2 is missing"),
    (180 / math.pi, "is per radian where the derivative is per degree: a factor of pi/180 is missing"),
    (math.pi / 180, "has an extra factor of pi/180: degrees in place of radians"),
    (-2.0, "is twice the derivative, with the wrong sign"),
    (-0.5, "is half the derivative, with the wrong sign"),
)


@dataclass(frozen=True)
class Slip:
    """A slip that accounts for the components.

    Attributes:
        key: identifies the same slip at another point.
        text: the description.
        row: the row of the tape that it concerns, or None.
        order: its implausibility.
        loose: whether the mismatch is larger than rounding explains.
    """

    key: Key
    text: str
    row: int | None = None
    order: int = FACTOR
    loose: bool = False


@dataclass(frozen=True)
class Discrepancy:
    """A gradient and its reference.

    Attributes:
        candidate, reference: the components.
        slack: the relative difference allowed between right formulas.
        partly: whether only the wrong components count, as for a mistake in one derivative alone.
    """

    candidate: np.ndarray
    reference: np.ndarray
    slack: float = SLACK
    partly: bool = False

    @cached_property
    def wrong(self) -> Any:
        """Which components are wrong."""
        return ~close(self.candidate, self.reference, self.slack)

    def is_filled_by(self, expected: Any, share: float = MATCH) -> bool:
        """Whether `expected` equals the candidate, up to a share of the difference between candidate and reference.

        A candidate component that is 0 must be expected as 0, up to the rounding of its reference.
        """
        wrong, candidate, reference = self.wrong, np.abs(self.candidate), np.abs(self.reference)
        room = share * np.minimum(candidate, np.abs(self.candidate - self.reference))
        room += ROUNDING * np.where(candidate, candidate, reference)
        fits = np.abs(expected - self.candidate) <= self.slack * np.where(wrong, room, reference)
        return bool(wrong.any() and np.all(fits | (self.partly & ~wrong)))


@dataclass(frozen=True)
class Block:
    """The components for one input, or for all, with their references.

    Attributes:
        name: the name of the input; empty for all.
        labels: the name of each component.
        shape: the shape of the input; for all, that of a vector.
        candidate, reference: the components.
        slack: the relative difference allowed between right formulas.
    """

    name: str
    labels: Sequence[str]
    shape: tuple[int, ...]
    candidate: np.ndarray
    reference: np.ndarray
    slack: float = SLACK

    @property
    def wrong(self) -> Any:
        """Which components are wrong."""
        return ~close(self.candidate, self.reference, self.slack)

    def are(self, expected: Any, places: Any = slice(None)) -> bool:
        """Whether the candidate's components, or those at `places`, equal `expected`."""
        return bool(close(self.candidate[places], expected, MATCH * self.slack).all())


def close(a: Any, b: Any, room: float) -> Any:
    """Which numbers are equal up to rounding; a number equals 0 only if it is 0."""
    return np.abs(a - b) <= room * np.minimum(np.abs(a), np.abs(b))


def slips(block: Block, counts: Sequence[int] = ()) -> Iterator[Slip]:
    """The slips that account for every wrong component of a block, simplest first.

    `counts` are the numbers of terms in the program's means.
    """
    whose = f"the gradient by {block.name}" if block.name else "the gradient"
    wrong = block.wrong
    if not wrong.any():
        return
    if not block.candidate.any():
        yield Slip(("zero",), f"{whose} is 0 throughout", None, NOTHING)
    elif wrong.all():
        yield from _factor(block, whose, counts)
    elif not block.candidate[wrong].any():
        yield Slip(("missing", *_places(wrong)), f"{_named(block, wrong)} is left at 0", None, NOTHING)
    yield from _order(block, whose)
    if not wrong.all():
        yield from _factor_of_some(block, wrong)


def _factor(block: Block, whose: str, counts: Sequence[int]) -> Iterator[Slip]:
    known = [(factor, f"{whose} {said}") for factor, said in FACTORS]
    for n in counts:
        known += [
            (n, f"{whose} is {n} times the derivative: the 1/{n} of the mean is missing"),
            (1 / n, f"{whose} is 1/{n} of the derivative: it has the 1/{n} of a mean, and the function has none"),
        ]
    for factor, text in known:
        if block.are(factor * block.reference):
            yield Slip(("factor", factor), text)


def _factor_of_some(block: Block, wrong: Any) -> Iterator[Slip]:
    for factor, said in FACTORS:
        if block.are(factor * block.reference[wrong], wrong):
            yield Slip(("factor", factor, *_places(wrong)), f"{_named(block, wrong)} {said}")


def _order(block: Block, whose: str) -> Iterator[Slip]:
    r = block.reference
    square = len(block.shape) == 2 and block.shape[0] == block.shape[1]
    if square and block.are(r.reshape(block.shape).T.ravel()):
        yield Slip(("transposed",), f"{whose} is transposed", None, ORDER)
        return
    places = list(_places(block.wrong))
    if len(places) == 2 and block.are(r[places[::-1]], places):
        first, second = (block.labels[place] for place in places)
        yield Slip(("swapped", *places), f"the derivatives by {first} and {second} are swapped", None, ORDER)
        return
    if len(r) > 2 and block.are(r[::-1]):
        yield Slip(("reversed",), f"{whose} is in reversed order", None, ORDER)
    for step in (1, -1) if len(r) > 2 else ():
        if block.are(np.roll(r, step)):
            yield Slip(
                ("shifted", step), f"{whose} is shifted by one place {'forward' if step > 0 else 'back'}", None, ORDER
            )


def _places(wrong: Any) -> tuple[int, ...]:
    return tuple(map(int, np.flatnonzero(wrong)))


def _named(block: Block, wrong: Any) -> str:
    return derivatives([block.labels[place] for place in _places(wrong)])


def derivatives(labels: Sequence[str]) -> str:
    """Phrase for the derivatives by some numbers."""
    shown = ", ".join(labels[:4]) + (f" and {len(labels) - 4} more" if len(labels) > 4 else "")
    return f"{'each of the derivatives' if len(labels) > 1 else 'the derivative'} by {shown}"

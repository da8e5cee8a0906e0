"""Slips that show in the components of a wrong gradient alone: a table of patterns, tried on regions of the gradient.

A pattern computes the candidate from the reference, with a number that is the same at every point or none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from gradcli.checks.culprit.numbers_in_words import FACTORS, NAMED_FACTORS, number, same

SLACK = 1e-7  # relative difference allowed between right formulas in double precision
MATCH = 10.0  # tolerance for a slip, as a multiple of the slack
ROUNDING = 1e-5  # fraction of a component, as a multiple of the slack, for which a slip need not account
NOTICEABLE = 1e-3  # least relative distance from 1 of a factor without a name
DIFFERENT = 1e-4  # relative distance of references that count as different
ENOUGH = 3  # different references that a slip must explain if it cannot be tried at a second point

# The implausibility of a slip; of those that account for the components, the lowest is reported. Slips of single steps
# rank in between.
NOTHING, ORDER, FACTOR, NAMED, OF_ANOTHER_VARIABLE, FITTED = 1, 1, 3, 8, 9, 10

Key = tuple[Any, ...]

# Other variables `u` that a derivative by `x` may be taken by, with `dx/du`.
VARIABLES: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("the logarithm of {0}", "{0}", lambda x: x),
    ("the logarithm of {0} to base 10", "{0} * ln 10", lambda x: x * math.log(10)),
    ("the logarithm of {0} to base 2", "{0} * ln 2", lambda x: x * math.log(2)),
    ("the square of {0}", "1 / (2 * {0})", lambda x: 0.5 / x),
    ("the square root of {0}", "2 * sqrt({0})", lambda x: 2 * np.sqrt(x)),
    ("1/{0}", "-{0}**2", lambda x: -(x**2)),
    ("1/{0}**2", "-{0}**3 / 2", lambda x: -(x**3) / 2),
    ("exp({0})", "exp(-{0})", lambda x: np.exp(-x)),
    ("the logit of {0}", "{0} * (1 - {0})", lambda x: x * (1 - x)),
    ("the logistic function of {0}", "2 + 2 * cosh({0})", lambda x: 2 + 2 * np.cosh(x)),
)
# Other functions of the value `f` that a gradient may be that of, with their derivatives.
VALUES: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("the logarithm of the function", lambda f: 1 / f),
    ("exp of the function", math.exp),
    ("the square of the function", lambda f: 2 * f),
    ("the square root of the function", lambda f: 0.5 / math.sqrt(f)),
    ("1 over the function", lambda f: -1 / f**2),
)


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

        A candidate component that is 0 must be expected as 0, up to the rounding of its reference.
        """
        wrong, candidate, reference = self.wrong, np.abs(self.candidate), np.abs(self.reference)
        room = share * np.minimum(candidate, np.abs(self.candidate - self.reference))
        room += ROUNDING * np.where(candidate, candidate, reference)
        fits = np.abs(expected - self.candidate) <= self.slack * np.where(wrong, room, reference)
        counted = True if self.counted is None else self.counted
        return bool(np.any(wrong & counted) and np.all(fits | ~np.broadcast_to(counted, fits.shape)))

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
    """

    key: Key
    text: str
    row: int | None = None
    order: int = FACTOR
    loose: bool = False
    expects: Callable[[Block], Any] | None = None
    evidence: int = 1
    counted: Any = None

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
        point: the number that each component is the derivative by; None for a matrix.
        value: the value of the function.
        variable: the name of the input; empty for several.
        factors: more factors that are slips, with words for them.
        sides: the names of the rows and of the columns of a matrix; None for a gradient.
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
    """Some components of a block, with words for them."""

    words: str
    mask: Any


def close(a: Any, b: Any, room: float) -> Any:
    """Which numbers are equal up to rounding; a number equals 0 only if it is 0."""
    return np.abs(a - b) <= room * np.minimum(np.abs(a), np.abs(b))


def slips(block: Block) -> Iterator[Slip]:
    """The slips that account for every wrong component of a block."""
    if not block.gap.wrong.any():
        return
    for region in _regions(block):
        for pattern in _patterns(block, region.mask):
            yield from _tried(block, region, pattern)
    for order in _orders(block):
        yield from _tried(block, Region(block.whose, np.True_), order)


def groups_of_factors(block: Block) -> Iterator[tuple[Any, Slip]]:
    """The wrong components with a common factor among others that are wrong by other slips: a mask, and the slip."""
    gap = block.gap
    for factor in (0.0, *(value for value, _ in (*FACTORS, *NAMED_FACTORS))):
        mask = gap.wrong & (gap.candidate == 0 if factor == 0 else close(gap.candidate, factor * gap.reference, 1e-6))
        if mask.any() and not mask[gap.wrong].all():
            counted = replace(block, gap=replace(gap, counted=mask))
            region = Region(block.named(_places(mask)), mask)
            for pattern in _patterns(counted, mask):
                yield from ((mask, slip) for slip in _tried(counted, region, pattern) if pattern.evidence == 1)


def different(references: Any) -> int:
    """The number of different sizes among some references."""
    sizes = np.sort(np.abs(references))
    return int(np.sum(np.diff(sizes) > DIFFERENT * sizes[1:])) + 1 if sizes.size else 0


def _tried(block: Block, region: Region, pattern: Pattern) -> Iterator[Slip]:
    def expects(there: Block) -> Any:
        return np.where(region.mask, pattern.expects(there), there.gap.reference)

    with np.errstate(all="ignore"):
        filled = block.gap.is_filled_by(expects(block))
    if filled:
        text = pattern.words.format(region.words)
        key = ("pattern", block.whose, text)
        yield Slip(
            key, text, None, pattern.order, expects=expects, evidence=pattern.evidence, counted=block.gap.counted
        )


def _regions(block: Block) -> Iterator[Region]:
    """All components, and the smallest regions of each kind that hold the wrong ones."""
    wrong = block.gap.wrong
    yield Region(block.whose, np.True_)
    if wrong.all():
        return
    places = _places(wrong)
    if len(places) == 1:
        yield Region(block.named(places), wrong)
        return
    if len(block.shape) == 2:
        yield from _regions_of_matrix(block, wrong.reshape(block.shape))
    if len(places) > 2 and places[-1] - places[0] == len(places) - 1:
        yield Region(f"each of the derivatives by {block.labels[places[0]]} to {block.labels[places[-1]]}", wrong)
    yield Region(block.named(places), wrong)


def _regions_of_matrix(block: Block, wrong: Any) -> Iterator[Region]:
    names = [list(map(str, range(size))) for size in block.shape] if block.sides is None else block.sides
    for axis, word in enumerate(("row", "column")):
        lines = np.flatnonzero(wrong.any(axis=1 - axis))
        if len(lines) < block.shape[axis] and len(lines) <= 4:
            mask = np.zeros(block.shape, bool)
            mask[(lines, slice(None)) if axis == 0 else (slice(None), lines)] = True
            shown = ", ".join(names[axis][int(line)] for line in lines)
            several = f"each of the {word}s" if len(lines) > 1 else word
            yield Region(f"{several} {shown} of {block.whose}", mask.ravel())
    rows, columns = np.indices(block.shape)
    if block.shape[0] != block.shape[1]:
        return
    for words, mask in (
        ("the diagonal", rows == columns),
        ("the part above the diagonal", rows < columns),
        ("the part below the diagonal", rows > columns),
        ("the part off the diagonal", rows != columns),
    ):
        if not wrong[~mask].any():
            yield Region(f"{words} of {block.whose}", mask.ravel())


def _patterns(block: Block, mask: Any) -> Iterator[Pattern]:
    gap = block.gap
    inside = np.broadcast_to(mask, gap.reference.shape)
    if not gap.candidate[inside].any():
        said = "{} is 0 throughout" if mask is np.True_ else "{} is left at 0"
        yield Pattern(said, lambda there: 0 * there.gap.reference, NOTHING)
        return
    for factor, words in (*FACTORS, *block.factors):
        yield Pattern(f"{{}} {words}", partial(_times, factor))
    for factor, words in NAMED_FACTORS:
        yield Pattern(f"{{}} {words}", partial(_times, factor), NAMED)
    yield from _fitted(gap, inside)
    if block.point is not None:
        yield from _of_another_variable(block, int(inside.sum()))


def _fitted(gap: Discrepancy, inside: Any) -> Iterator[Pattern]:
    """A common factor and a common difference."""
    sizes = np.where(inside, np.abs(gap.reference), -1.0)
    largest, smallest = int(np.argmax(sizes)), int(np.argmin(np.where(inside, sizes, np.inf)))
    if gap.reference[largest]:
        factor = float(gap.candidate[largest] / gap.reference[largest])
        if abs(factor - 1) > NOTICEABLE and not any(
            same(factor, known, 1e-6) for known, _ in (*FACTORS, *NAMED_FACTORS)
        ):
            words = f"{{}} is {number(factor)} times the derivative"
            yield Pattern(words, partial(_times, factor), FITTED, evidence=2)
    constant = float(gap.candidate[smallest] - gap.reference[smallest])
    words = f"{{}} is the derivative {'plus' if constant > 0 else 'minus'} {number(abs(constant))}, a constant"
    yield Pattern(words, lambda there: there.gap.reference + constant, FITTED, evidence=2)


def _times(factor: float, block: Block) -> Any:
    return factor * block.gap.reference


def _of_another_variable(block: Block, count: int) -> Iterator[Pattern]:
    x = block.variable or (block.labels[0] if count == 1 and len(block.labels) == 1 else "each input")

    def by(slope: Callable[[Any], Any], there: Block) -> Any:
        return there.gap.reference * slope(there.point)

    def of(slope: Callable[[float], float], there: Block) -> Any:
        try:
            return there.gap.reference * slope(there.value)
        except ArithmeticError:
            return math.nan * there.gap.reference
        except ValueError:
            return math.nan * there.gap.reference

    for variable, slope, function in VARIABLES:
        said = f"{{}} is that by {variable.format(x)}, which is the derivative times {slope.format(x)}"
        yield Pattern(said, partial(by, function), OF_ANOTHER_VARIABLE)
    for words, function in VALUES:
        yield Pattern(f"{{}} is that of {words}", partial(of, function), OF_ANOTHER_VARIABLE)


def _orders(block: Block) -> Iterator[Pattern]:
    """The right components in another order."""
    known = list(_known_orders(block))
    for words, order in known:
        yield Pattern(words, partial(_reordered, order), ORDER, evidence=3)
    for words, order in _any_order(block):
        if not any(np.array_equal(order, other) for _, other in known):
            yield Pattern(words, partial(_reordered, order), ORDER, evidence=int(block.gap.wrong.sum()) + 2)


def _reordered(order: Any, block: Block) -> Any:
    return block.gap.reference[order]


def _known_orders(block: Block) -> Iterator[tuple[str, Any]]:
    count, shape = len(block.labels), block.shape
    numbers = np.arange(count)
    places = _places(block.gap.wrong)
    if len(shape) >= 2 and max(shape) < count:
        yield from _orders_of_array(block, numbers.reshape(shape))
    if len(places) == 2:
        order = numbers.copy()
        order[[*places]] = places[::-1]
        first, second = (block.labels[place] for place in places)
        yield f"the {'elements' if block.sides else 'derivatives by'} {first} and {second} are swapped", order
    if count > 3 and not block.sides:
        yield "{} is in reversed order", numbers[::-1]
        yield "{} is shifted by one place forward", np.roll(numbers, 1)
        yield "{} is shifted by one place back", np.roll(numbers, -1)


def _orders_of_array(block: Block, numbers: Any) -> Iterator[tuple[str, Any]]:
    shape = block.shape
    if len(shape) == 2 and shape[0] == shape[1]:
        yield "{} is transposed", numbers.T.ravel()
    else:
        yield "{} has its numbers in the order of the transposed array", numbers.T.ravel()
        turned = np.arange(len(block.labels)).reshape(shape[::-1]).T.ravel()
        yield "{} has its numbers in the order of the transposed array", turned
    wrong = block.gap.wrong.reshape(shape)
    for axis, words in enumerate(("rows", "columns")[: len(shape)]):
        yield f"the {words} of {{}} are in reversed order", np.flip(numbers, axis).ravel()
        for step, way in ((1, "forward"), (-1, "back")):
            yield f"the {words} of {{}} are shifted by one place {way}", np.roll(numbers, step, axis).ravel()
        lines = np.flatnonzero(wrong.any(axis=tuple(a for a in range(len(shape)) if a != axis)))
        if len(lines) == 2:
            order = np.arange(shape[axis])
            order[lines] = lines[::-1]
            names = block.sides[axis] if block.sides else list(map(str, range(shape[axis])))
            shown = f"{names[lines[0]]} and {names[lines[1]]}"
            yield f"{words} {shown} of {{}} are swapped", np.take(numbers, order, axis).ravel()


def _any_order(block: Block) -> Iterator[tuple[str, Any]]:
    """The order that makes the references equal the candidate, if they are all different."""
    gap = block.gap
    places = np.flatnonzero(gap.wrong)
    reference, candidate = gap.reference[places], gap.candidate[places]
    ascending = np.sort(reference)
    if len(places) < 3 or np.any(close(ascending[1:], ascending[:-1], 1e-5)):
        return
    order = np.arange(len(gap.reference))
    order[places[np.argsort(candidate)]] = places[np.argsort(reference)]
    if not np.array_equal(np.sort(order), np.arange(len(order))):
        return
    shown = [f"the derivative by {block.labels[order[n]]} stands at {block.labels[n]}" for n in places[:3]]
    more = f", and {len(places) - 3} more" if len(places) > 3 else ""
    yield f"{{}} is permuted, with the right numbers in another order: {', '.join(shown)}{more}", order


def _places(wrong: Any) -> tuple[int, ...]:
    return tuple(map(int, np.flatnonzero(wrong)))


def derivatives(labels: Sequence[str], noun: str = "derivative") -> str:
    """Phrase for the derivatives by some numbers, or for some elements."""
    shown = ", ".join(labels[:4]) + (f" and {len(labels) - 4} more" if len(labels) > 4 else "")
    by = " by" if noun == "derivative" else ""
    return f"{f'each of the {noun}s' if len(labels) > 1 else f'the {noun}'}{by} {shown}"

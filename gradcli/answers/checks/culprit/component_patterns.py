"""Slips that show in the components of a wrong derivative alone: a table of patterns, tried on regions of it.

A pattern computes the candidate from the reference, with a number that is the same at every point or none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.checks.culprit.discrepancy import SLACK, Discrepancy, Slip, derivatives
from gradcli.answers.checks.culprit.numbers_in_words import FACTORS, NAMED_FACTORS, number, same

NOTICEABLE = 1e-3  # least relative distance from 1 of a factor without a name

# The implausibility of a slip; those of single steps rank in between.
NOTHING, ORDER, FACTOR, NAMED, OF_ANOTHER_VARIABLE, FITTED = 1, 1, 3, 8, 9, 10

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


@dataclass(frozen=True)
class Block:
    """The components for one input, for all, or of a matrix, with their references.

    Attributes:
        whose: the words for all components, such as "the gradient by w".
        labels: the name of each component.
        shape: the shape of the input; for several inputs, that of a vector.
        gap: the components and the right ones.
        places: the places of the components in the whole derivative.
        point: the number that each component is the derivative by.
        variable: the name of the input; empty for several.
        factors: more factors that are slips, with words for them.
        sides: the names of the rows and of the columns of a matrix; None for a gradient.
    """

    whose: str
    labels: Sequence[str]
    shape: tuple[int, ...]
    gap: Discrepancy
    places: Any
    point: Any = None
    variable: str = ""
    factors: Sequence[tuple[float, str]] = field(default=())
    sides: tuple[Sequence[str], Sequence[str]] | None = None


class Pattern(NamedTuple):
    """A way to compute the candidate of a block from its reference: words with {} for the region, and as in `Slip`."""

    words: str
    expects: Callable[[Block], Any]
    implausibility: int = FACTOR
    evidence: int = 1


class Region(NamedTuple):
    """Some components of a block: words for them, a mask, and the number that all are derivatives by, if it is one."""

    words: str
    mask: Any
    variable: str = ""


def slips_of_block(block: Block) -> Iterator[Slip]:
    """The slips that account for every wrong component of a block."""
    if not block.gap.wrong.any():
        return
    for region in _regions(block):
        for pattern in _patterns(block, region):
            yield from _tried(block, region, pattern)
    for words, order in _orders(block):
        pattern = Pattern(words, partial(_reordered, order), ORDER, evidence=3)
        yield from _tried(block, Region(block.whose, np.True_), pattern)


def _tried(block: Block, region: Region, pattern: Pattern) -> Iterator[Slip]:
    """Yield the slip of a pattern in a region, if it accounts for the wrong components."""

    def expects(there: Block) -> Any:
        return np.where(region.mask, pattern.expects(there), there.gap.reference)

    with np.errstate(all="ignore"):
        expected = expects(block)
        if block.gap.is_filled_by(expected):
            text = pattern.words.format(region.words)
            order = False, pattern.implausibility
            yield Slip((block.whose, text), text, order, expects=expects, evidence=pattern.evidence)


def _regions(block: Block) -> Iterator[Region]:
    """All components, and the smallest regions of each kind that hold the wrong ones."""
    wrong = block.gap.wrong
    yield Region(block.whose, np.True_)
    if wrong.all():
        return
    names = [label for label, off in zip(block.labels, wrong, strict=True) if off]
    if len(block.shape) == 2 and names[1:]:
        yield from _regions_of_matrix(block, wrong.reshape(block.shape))
    variable = names[0] if not (names[1:] or block.sides) else ""
    yield Region(derivatives(names, "element" if block.sides else "derivative"), wrong, variable)


def _regions_of_matrix(block: Block, wrong: Any) -> Iterator[Region]:
    names = [list(map(str, range(size))) for size in block.shape] if block.sides is None else block.sides
    indices = np.indices(block.shape)
    for axis, word in enumerate(("row", "column")):
        lines = np.flatnonzero(wrong.any(axis=1 - axis))
        if len(lines) < block.shape[axis] and len(lines) <= 4:
            shown = ", ".join(names[axis][int(line)] for line in lines)
            several = f"each of the {word}s" if len(lines) > 1 else word
            variable = names[axis][int(lines[0])] if block.sides and axis and len(lines) == 1 else ""
            yield Region(f"{several} {shown} of {block.whose}", np.isin(indices[axis], lines).ravel(), variable)
    rows, columns = indices
    for words, mask in (
        ("the diagonal", rows == columns),
        ("the part above the diagonal", rows < columns),
        ("the part below the diagonal", rows > columns),
        ("the part off the diagonal", rows != columns),
    ):
        if block.shape[0] == block.shape[1] and not wrong[~mask].any():
            yield Region(f"{words} of {block.whose}", mask.ravel())


def _patterns(block: Block, region: Region) -> Iterator[Pattern]:
    gap = block.gap
    inside = np.broadcast_to(region.mask, gap.reference.shape)
    if not gap.candidate[inside].any():
        words = "{} is 0 throughout" if region.mask is np.True_ else "{} is left at 0"
        yield Pattern(words, partial(_times, 0.0), NOTHING)
        return
    for factor, words in (*FACTORS, *block.factors):
        yield Pattern(f"{{}} {words}", partial(_times, factor))
    for factor, words in NAMED_FACTORS:
        yield Pattern(f"{{}} {words}", partial(_times, factor), NAMED)
    yield from _fitted(gap, inside)
    x = region.variable or block.variable or "each input"
    for variable, slope, function in VARIABLES:
        words = f"{{}} is that by {variable.format(x)}, which is the derivative times {slope.format(x)}"
        yield Pattern(words, partial(_by_variable, function), OF_ANOTHER_VARIABLE)


def _fitted(gap: Discrepancy, inside: Any) -> Iterator[Pattern]:
    """A common factor and a common difference. In coarse types, more different references have to agree on one."""
    evidence = 2 if gap.slack <= SLACK else 4
    sizes = np.where(inside, np.abs(gap.reference), -1.0)
    largest, smallest = int(np.argmax(sizes)), int(np.argmin(np.where(inside, sizes, np.inf)))
    if gap.reference[largest]:
        factor = float(gap.candidate[largest] / gap.reference[largest])
        known = any(same(factor, value, 1e-6) for value, _ in (*FACTORS, *NAMED_FACTORS))
        if abs(factor - 1) > NOTICEABLE and not known:
            yield Pattern(f"{{}} is {number(factor)} times the derivative", partial(_times, factor), FITTED, evidence)
    constant = float(gap.candidate[smallest] - gap.reference[smallest])
    words = f"{{}} is the derivative {'plus' if constant > 0 else 'minus'} {number(abs(constant))}, a constant"
    yield Pattern(words, partial(_plus, constant), FITTED, evidence)


def _times(factor: float, block: Block) -> Any:
    return factor * block.gap.reference


def _plus(constant: float, block: Block) -> Any:
    return block.gap.reference + constant


def _by_variable(slope: Callable[[Any], Any], block: Block) -> Any:
    return block.gap.reference * slope(block.point)


def _reordered(order: Any, block: Block) -> Any:
    return block.gap.reference[order]


def _orders(block: Block) -> Iterator[tuple[str, Any]]:
    """The right components in another order: words for it, and the places that they are taken from."""
    count, shape = len(block.labels), block.shape
    numbers = np.arange(count)
    wrong = np.flatnonzero(block.gap.wrong).tolist()
    if len(shape) == 2 and max(shape) < count:
        square = shape[0] == shape[1]
        words = "{} is transposed" if square else "{} has its numbers in the order of the transposed array"
        yield words, numbers.reshape(shape).T.ravel()
        yield words, numbers.reshape(shape[::-1]).T.ravel()
    if len(wrong) == 2:
        order = numbers.copy()
        order[wrong] = wrong[::-1]
        first, second = (block.labels[place] for place in wrong)
        yield f"the {'elements' if block.sides else 'derivatives by'} {first} and {second} are swapped", order
    if count > 3 and not block.sides:
        yield "{} is in reversed order", numbers[::-1]
        yield "{} is shifted by one place forward", np.roll(numbers, 1)
        yield "{} is shifted by one place back", np.roll(numbers, -1)

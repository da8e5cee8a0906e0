"""Slips that show in the components of a wrong gradient alone: a table of patterns, tried on regions of the gradient.

A pattern computes the candidate from the reference, with a number that is the same at every point or none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.numbers_in_words import FACTORS, NAMED_FACTORS, number, same
from gradcli.answers.checks.culprit.wrong_components import (
    FITTED,
    NAMED,
    NOTHING,
    OF_ANOTHER_VARIABLE,
    ORDER,
    SLACK,
    Block,
    Discrepancy,
    Pattern,
    Region,
    Slip,
    close,
    places_of,
)


def orders(block: Block) -> Iterator[Pattern]:
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
    places = places_of(block.gap.wrong)
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


NOTICEABLE = 1e-3  # least relative distance from 1 of a factor without a name

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


def slips(block: Block) -> Iterator[Slip]:
    """The slips that account for every wrong component of a block."""
    if not block.gap.wrong.any():
        return
    for region in _regions(block):
        for pattern in _patterns(block, region):
            yield from tried(block, region, pattern)
    for order in orders(block):
        yield from tried(block, Region(block.whose, np.True_), order)


def groups_of_factors(block: Block) -> Iterator[tuple[Any, Slip]]:
    """The wrong components with a common factor among others that are wrong by other slips: a mask, and the slip."""
    gap = block.gap
    for factor in (0.0, *(value for value, _ in (*FACTORS, *NAMED_FACTORS))):
        mask = gap.wrong & (gap.candidate == 0 if factor == 0 else close(gap.candidate, factor * gap.reference, 1e-6))
        if mask.any() and not mask[gap.wrong].all():
            counted = replace(block, gap=replace(gap, counted=mask))
            region = Region(block.named(places_of(mask)), mask)
            for pattern in _patterns(counted, region):
                yield from ((mask, slip) for slip in tried(counted, region, pattern) if pattern.evidence == 1)


def tried(block: Block, region: Region, pattern: Pattern) -> Iterator[Slip]:
    """Yield the slip of a pattern in a region, if it accounts for the wrong components."""

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
    places = places_of(wrong)
    if len(places) == 1:
        yield Region(block.named(places), wrong, "" if block.sides else block.labels[places[0]])
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
            variable = names[axis][int(lines[0])] if block.sides and axis and len(lines) == 1 else ""
            yield Region(f"{several} {shown} of {block.whose}", mask.ravel(), variable)
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


def _patterns(block: Block, region: Region) -> Iterator[Pattern]:
    gap = block.gap
    inside = np.broadcast_to(region.mask, gap.reference.shape)
    if not gap.candidate[inside].any():
        words = "{} is 0 throughout" if region.mask is np.True_ else "{} is left at 0"
        yield Pattern(words, lambda there: 0 * there.gap.reference, NOTHING)
        return
    for factor, words in (*FACTORS, *block.factors):
        yield Pattern(f"{{}} {words}", partial(_times, factor))
    for factor, words in NAMED_FACTORS:
        yield Pattern(f"{{}} {words}", partial(_times, factor), NAMED)
    yield from _fitted(gap, inside)
    if block.point is not None:
        yield from _of_another_variable(block, region)


def _fitted(gap: Discrepancy, inside: Any) -> Iterator[Pattern]:
    """A common factor and a common difference. In coarse types, more different references have to agree on one."""
    evidence = 2 if gap.slack <= SLACK else 4
    sizes = np.where(inside, np.abs(gap.reference), -1.0)
    largest, smallest = int(np.argmax(sizes)), int(np.argmin(np.where(inside, sizes, np.inf)))
    if gap.reference[largest]:
        factor = float(gap.candidate[largest] / gap.reference[largest])
        if abs(factor - 1) > NOTICEABLE and not any(
            same(factor, known, 1e-6) for known, _ in (*FACTORS, *NAMED_FACTORS)
        ):
            words = f"{{}} is {number(factor)} times the derivative"
            yield Pattern(words, partial(_times, factor), FITTED, evidence)
    constant = float(gap.candidate[smallest] - gap.reference[smallest])
    words = f"{{}} is the derivative {'plus' if constant > 0 else 'minus'} {number(abs(constant))}, a constant"
    yield Pattern(words, lambda there: there.gap.reference + constant, FITTED, evidence)


def _times(factor: float, block: Block) -> Any:
    return factor * block.gap.reference


def _of_another_variable(block: Block, region: Region) -> Iterator[Pattern]:
    x = region.variable or block.variable or "each input"

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
        words = f"{{}} is that by {variable.format(x)}, which is the derivative times {slope.format(x)}"
        yield Pattern(words, partial(by, function), OF_ANOTHER_VARIABLE)
    for words, function in VALUES:
        yield Pattern(f"{{}} is that of {words}", partial(of, function), OF_ANOTHER_VARIABLE)

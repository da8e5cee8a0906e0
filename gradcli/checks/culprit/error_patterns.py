"""Slips that show in the components of a wrong gradient alone: a table of patterns, tried on regions of the gradient.

A pattern computes the candidate from the reference, with a number that is the same at every point or none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from gradcli.checks.culprit.component_orders import orders
from gradcli.checks.culprit.numbers_in_words import FACTORS, number, same
from gradcli.checks.culprit.wrong_components import (
    FITTED,
    NOTHING,
    OF_ANOTHER_VARIABLE,
    SLACK,
    Block,
    Discrepancy,
    Pattern,
    Region,
    Slip,
    places_of,
)

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


def slips(block: Block) -> Iterator[Slip]:
    """The slips that account for every wrong component of a block."""
    if not block.gap.wrong.any():
        return
    for region in _regions(block):
        for pattern in _patterns(block, region):
            yield from tried(block, region, pattern)
    for order in orders(block):
        yield from tried(block, Region(block.whose, np.True_), order)


def tried(block: Block, region: Region, pattern: Pattern) -> Iterator[Slip]:
    """Yield the slip of a pattern in a region, if it accounts for the wrong components."""

    def expects(there: Block) -> Any:
        return np.where(region.mask, pattern.expects(there), there.gap.reference)

    with np.errstate(all="ignore"):
        filled = block.gap.is_filled_by(expects(block))
    if filled:
        text = pattern.words.format(region.words)
        key = ("pattern", block.whose, text)
        yield Slip(key, text, None, pattern.order, expects=expects, evidence=pattern.evidence)


def _regions(block: Block) -> Iterator[Region]:
    """All components, and a single one that is wrong."""
    yield Region(block.whose, np.True_)
    places = places_of(block.gap.wrong)
    if len(places) == 1 < len(block.labels):
        name = block.labels[places[0]]
        words = f"the {'element' if block.sides else 'derivative by'} {name}"
        yield Region(words, block.gap.wrong, "" if block.sides else name)


def _patterns(block: Block, region: Region) -> Iterator[Pattern]:
    gap = block.gap
    inside = np.broadcast_to(region.mask, gap.reference.shape)
    if not gap.candidate[inside].any():
        words = "{} is 0 throughout" if region.mask is np.True_ else "{} is left at 0"
        yield Pattern(words, lambda there: 0 * there.gap.reference, NOTHING)
        return
    for factor, words in FACTORS:
        yield Pattern(f"{{}} {words}", partial(_times, factor))
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
        if abs(factor - 1) > NOTICEABLE and not any(same(factor, known, 1e-6) for known, _ in FACTORS):
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

    for variable, slope, function in VARIABLES:
        words = f"{{}} is that by {variable.format(x)}, which is the derivative times {slope.format(x)}"
        yield Pattern(words, partial(by, function), OF_ANOTHER_VARIABLE)

"""The right components of a gradient in another order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from gradcli.checks.culprit.wrong_components import ORDER, Block, Pattern, places_of


def orders(block: Block) -> Iterator[Pattern]:
    """The right components in another order."""
    for words, order in _known_orders(block):
        yield Pattern(words, partial(_reordered, order), ORDER, evidence=3)


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

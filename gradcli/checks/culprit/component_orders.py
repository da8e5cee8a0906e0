"""The right components of a gradient in another order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from gradcli.checks.culprit.wrong_components import ORDER, Block, Pattern, close, places_of


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

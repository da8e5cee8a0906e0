"""Two simple mistakes at once in the derivatives of different steps, whose errors add up to that of the candidate.

The errors add up where no step is computed from the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.checks.culprit.mistake import Mistake
from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.answers.checks.culprit.wrong_components import Discrepancy, Key, Slip
from gradcli.engine.traces.node import ancestors

MOST_MISTAKES = 1500  # most mistakes that are combined
LARGEST = 1000  # components of the largest gradient that two mistakes are tried on
NEAR = 1e-5  # relative distance of sums that are compared further
ORDER_OF_TWO = 20  # added to the implausibility of two mistakes


class TriedMistake(NamedTuple):
    """A mistake: its key, its step and an argument of that, the step that it is reported at, and the error it makes."""

    key: Key
    mistake: Mistake
    step: int
    source: int
    row: int
    error: Any


def mistake_pairs(
    tried: Sequence[TriedMistake], gap: Discrepancy, gradient: Any, texts: StepTexts, wanted: Set[Key] | None
) -> Iterator[Slip]:
    """The pairs of mistakes at different steps that account for a gradient; only the `wanted` ones if given."""
    if not 1 < len(tried) <= MOST_MISTAKES or len(gradient) > LARGEST:
        return
    weights = np.random.default_rng(0).uniform(0.5, 1.5, len(gradient))
    sums = np.array([one.error for one in tried]) @ weights
    missing = (gap.candidate - gap.reference) @ weights
    order = np.argsort(sums)
    room = NEAR * np.abs(gap.candidate - gap.reference) @ weights
    for n, first in enumerate(tried):
        low, high = np.searchsorted(sums[order], [missing - sums[n] - room, missing - sums[n] + room])
        for m in order[low:high]:
            second = tried[m]
            key = ((), "pair", first.key, second.key)
            if m <= n or not (wanted is None or key in wanted):
                continue
            if gap.is_filled_by(gradient + first.error + second.error) and not _are_nested(texts, first, second):
                parts = tuple(
                    Slip(one.key, texts.finished(one.mistake.says(texts)), one.row, one.mistake.order)
                    for one in (first, second)
                )
                yield Slip(key, "", None, ORDER_OF_TWO + sum(part.order for part in parts), parts=parts)


def _are_nested(texts: StepTexts, first: TriedMistake, second: TriedMistake) -> bool:
    """Whether both concern the same argument of a step, or one of the steps is on the way from the other's argument."""
    nodes = texts.trace.nodes
    same = (first.step, first.source) == (second.step, second.source)
    return same or any(x.step in ancestors(nodes, y.source) for x, y in ((first, second), (second, first)))

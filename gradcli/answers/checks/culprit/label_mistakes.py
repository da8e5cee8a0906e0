"""Mistakes about the labels of a classification: a one-hot that is missing or doubled, and labels that are off by one.

With logits `z`, the cross entropy of a softmax has the cotangents `w * (p - Y)`, where `Y` has a 1 at each label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace

ROUNDING = 1e-9  # largest sum of a row of cotangents, relative to their sizes


class LabelMistake(NamedTuple):
    """A mistake about labels: the step of the logits, the step of the labels, and the error of the cotangents.

    The error of the candidate is that of the cotangents times `weight`, which must be the same for all components.
    """

    kind: str
    text: str
    logits: int
    labels: int
    error: Any


def label_mistakes(trace: Trace, cotangents: Sequence[Any]) -> Iterator[LabelMistake]:
    """The mistakes at each step whose cotangents could be those of logits."""
    for node in trace.nodes:
        hot = _one_hot(node)
        if hot is None:
            continue
        for index in range(node.index):
            cotangent = cotangents[index]
            if cotangent is UNTOUCHED or np.shape(cotangent) != hot.shape or not _is_of_logits(cotangent, hot):
                continue
            weight = np.sign(np.sum(np.where(hot, 0.0, cotangent)))
            yield LabelMistake("missing", "the one-hot of the labels is missing", index, node.index, weight * hot)
            yield LabelMistake(
                "doubled", "the one-hot of the labels is subtracted twice", index, node.index, -weight * hot
            )
            for step in (1, -1):
                shifted = np.roll(hot, step, axis=-1)
                words = (
                    f"the labels are off by one: label + {step} in place of label"
                    if step > 0
                    else ("the labels are off by one: label - 1 in place of label")
                )
                yield LabelMistake(f"shifted {step}", words, index, node.index, weight * (hot - shifted))


def _is_of_logits(cotangent: Any, hot: Any) -> bool:
    """Whether each row adds up to 0, and the numbers off the labels have the same sign."""
    sums, sizes = np.sum(cotangent, axis=-1), np.sum(np.abs(cotangent), axis=-1)
    others = cotangent[hot == 0]
    return bool(
        np.all(np.abs(sums) <= ROUNDING * sizes) and np.any(others) and abs(np.sum(np.sign(others))) == others.size
    )


def _one_hot(node: TraceNode) -> Any:
    """The array with a 1 at each label, if a step picks one number of each row, or multiplies by such an array."""
    for operand in node.operands if node.rule is not None and node.rule.is_product else ():
        if isinstance(operand, np.ndarray) and 0 < operand.ndim <= 2 and _is_one_hot(operand):
            return np.asarray(operand, float)
    key, value = node.static.get("key"), node.operands[0] if node.operands else None
    if key is None or not isinstance(value, np.ndarray) or value.ndim > 2:
        return None
    hot = np.zeros(value.shape)
    try:
        hot[key] = 1.0
    except (IndexError, ValueError, TypeError):
        return None
    return hot if _is_one_hot(hot) else None


def _is_one_hot(array: Any) -> bool:
    return bool(array.shape[-1] > 1 and np.all((array == 0) | (array == 1)) and np.all(array.sum(axis=-1) == 1))

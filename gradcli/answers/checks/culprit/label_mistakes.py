"""Mistakes about the labels of a classification: a one-hot that is missing or doubled, and labels that are off by one.

With logits `z`, the cross entropy of a softmax has the cotangents `w * (p - Y)`, where `Y` has a 1 at each label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace

ROUNDING = 1e-6  # difference of the cotangents from those of a cross entropy, relative to the largest


def label_mistakes(trace: Trace, cotangents: Sequence[Any]) -> Iterator[tuple[str, int, int, Any]]:
    """The mistakes at each step whose cotangents are those of logits.

    Each is given as words, the steps of the logits and the labels, and the error of the logits' cotangent.
    """
    for node in trace.nodes:
        hot = _one_hot(node)
        for logits in trace.nodes[: node.index] if hot is not None else ():
            cotangent = cotangents[logits.index]
            if cotangent is UNTOUCHED or np.shape(logits.value) != hot.shape:
                continue
            p = np.exp(logits.value - np.max(logits.value, axis=-1, keepdims=True))
            p /= np.sum(p, axis=-1, keepdims=True)
            w = np.sum(cotangent * (p - hot), axis=-1, keepdims=True)
            w /= np.sum((p - hot) ** 2, axis=-1, keepdims=True)
            if np.any(w) and np.allclose(w * (p - hot), cotangent, rtol=0, atol=ROUNDING * np.max(np.abs(cotangent))):
                for words, labels in _mistaken(hot):
                    yield words, logits.index, node.index, w * (hot - labels)


def _mistaken(hot: Any) -> Iterator[tuple[str, Any]]:
    """What may be subtracted from the probabilities in place of the one-hot of the labels."""
    yield "the one-hot of the labels is missing", 0 * hot
    yield "the one-hot of the labels is subtracted twice", 2 * hot
    yield "the one-hot of the labels is added, not subtracted", -hot
    yield "the labels themselves are subtracted, not their one-hot", np.argmax(hot, axis=-1)[..., None]
    for step, words in ((1, "label + 1"), (-1, "label - 1")):
        yield f"the labels are off by one: {words} in place of label", np.roll(hot, step, axis=-1)


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

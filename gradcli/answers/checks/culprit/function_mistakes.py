"""The possible mistakes about the value that a step computes, with the rest differentiated correctly.

They replace the step by another operation, such as a logarithm of another base or a sum without its constant. Those
about the labels of a classification change the cotangents of its logits: with logits `z`, the cross entropy of a
softmax has the cotangents `w * (p - Y)`, where `Y` has a 1 at each label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.mistake import (
    OF_THE_FUNCTION,
    Mistake,
    Says,
    description,
)
from gradcli.answers.checks.culprit.mistake_table import (
    FUNCTIONS,
    MATRICES,
    WITH_CONSTANT,
)
from gradcli.answers.checks.culprit.step_partials import constant_partial, count_text, mistaken_counts, parsed
from gradcli.answers.checks.culprit.step_texts import StepTexts, moved_elements, moved_subscript
from gradcli.answers.checks.culprit.wrong_components import Key
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language import Syntax
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.compiled_formulas import GENERIC_FUNCTIONS
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.transforms.gradients import stop_gradient


def of_function(node: TraceNode, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes about the value that a step computes."""
    rule = node.rule
    if isinstance(rule, Elementwise):
        texts = list(FUNCTIONS.get(rule.name, ()))
        for place, index in enumerate(node.sources):
            if index == CONSTANT:
                texts += WITH_CONSTANT.get((rule.name, place), ())
        yield from (_in_place(node, text) for text in texts)
    yield from _of_counts(node, sizes)
    yield from _of_axes(node)
    yield from _of_indices(node)
    if rule is not None:
        for pattern, function in MATRICES.get(rule.name, ()):
            yield Mistake(("function", pattern), OF_THE_FUNCTION, _replaced(node, pattern), computes=function)


def _of_axes(node: TraceNode) -> Iterator[Mistake]:
    """The mistakes of another axis."""
    axis, count = node.static.get("axis"), np.ndim(node.operands[0])
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    if not isinstance(axis, int) or count < 2:
        return
    for other in range(count):
        if other != axis % count:
            yield _with_static(node, ("axis", other), axis=other)
            if node.static.get("keepdims") is False:
                yield _with_static(node, ("axis", other, "kept"), axis=other, keepdims=True)


def _of_indices(node: TraceNode) -> Iterator[Mistake]:
    """The mistakes of another index: in the function, or only where the derivative reads or adds up."""
    for axis, step, element in moved_elements(node):
        yield from _of_index(node, element, (axis, step))


def _of_index(node: TraceNode, other: Callable[[Any], Any], moved: tuple[int, int]) -> Iterator[Mistake]:
    """The mistakes of another element in place of the one that a step reads."""

    def own(array: Any) -> Any:
        return node.rule(array, **node.static)

    for words, computes in (
        ("the candidate is the gradient with {1} in place of {0}", other),
        ("the derivative has {1} in place of {0}", lambda array: own(array) + stop_gradient(other(array) - own(array))),
        (
            "what belongs to the derivative by {0} is added to that by {1}",
            lambda array: other(array) + stop_gradient(own(array) - other(array)),
        ),
    ):

        def says(texts: StepTexts, words: str = words) -> str:
            right = texts.step(node)[0]
            return words.format(right, moved_subscript(right, *moved))

        yield Mistake(("function", "index", words, *moved), OF_THE_FUNCTION, says, computes=computes)


def _with_static(node: TraceNode, kind: Key, **static: Any) -> Mistake:
    """The mistake of another axis."""
    right = node.static["axis"] if isinstance(node.static["axis"], int) else node.static["axis"][0]
    return Mistake(
        ("function", *kind),
        OF_THE_FUNCTION,
        _replaced(node, f"axis={static['axis']}", f"axis={right} in {{step}}"),
        computes=lambda *arguments: node.rule(*arguments, **{**node.static, **static}),
    )


def _replaced(node: TraceNode, other: str, right: str = "{step}", **trees: Syntax) -> Says:
    return description(f"the candidate is the gradient with {other} in place of {right}", node, 0, **trees)


def _of_counts(node: TraceNode, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes of dividing by the number of terms less one, or the reverse."""
    partial = constant_partial(node, node.positions[0]) if len(node.positions) == 1 else None
    for n, right, wrong in mistaken_counts(partial, sizes) if partial else ():
        yield Mistake(
            ("function", "count", n, wrong),
            OF_THE_FUNCTION,
            _replaced(node, count_text(n, wrong), f"{count_text(n, right)} in {{step}}"),
            computes=lambda *arguments, by=right / wrong: node.rule(*arguments, **node.static) * by,
        )


def _in_place(node: TraceNode, text: str) -> Mistake:
    tree, rule = parsed(text), node.rule

    def computes(*arguments: Any) -> Any:
        names = {**CONSTANTS, **dict(zip(rule.parameters, arguments, strict=True))}
        return evaluate(tree, names, GENERIC_FUNCTIONS)

    return Mistake(("function", text), OF_THE_FUNCTION, _replaced(node, "{wrong}", wrong=tree), computes=computes)


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

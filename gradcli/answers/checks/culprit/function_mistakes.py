"""The possible mistakes about the value that a step computes, with the rest differentiated correctly.

They replace the step by another operation, such as a logarithm of another base or a sum without its constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.mistake import (
    OF_THE_FUNCTION,
    Mistake,
)
from gradcli.answers.checks.culprit.mistake_table import (
    FUNCTIONS,
    MATRICES,
    WITH_CONSTANT,
)
from gradcli.answers.checks.culprit.step_partials import constant_partial, count_text, mistaken_counts, parsed
from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.answers.checks.culprit.wrong_components import Key
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.compiled_formulas import GENERIC_FUNCTIONS
from gradcli.mathematics.rules.rule_types import Elementwise


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
            yield Mistake(("function", pattern), OF_THE_FUNCTION, _says_pattern(node, pattern), computes=function)


def _of_axes(node: TraceNode) -> Iterator[Mistake]:
    """The mistakes of another axis."""
    axis, count = node.static.get("axis"), np.ndim(node.operands[0])
    if isinstance(axis, tuple) and len(axis) == 1:
        (axis,) = axis
    if not isinstance(axis, int) or count < 2:
        return
    for other in range(count):
        if other != axis % count:
            words = f"the candidate is the gradient with axis={other} in place of axis={axis} in"
            yield _with_static(node, ("axis", other), words, axis=other)
            if node.static.get("keepdims") is False:
                yield _with_static(node, ("axis", other, "kept"), words, axis=other, keepdims=True)


def _of_indices(node: TraceNode) -> Iterator[Mistake]:
    """The mistakes of an index that is off by one."""
    key = node.static.get("key")
    for step in (1, -1) if key is not None else ():
        shifted = _shifted(key, step)
        if shifted is not None:
            words = f"the candidate is the gradient with an index off by one, {'+' if step > 0 else '-'}1, in"
            yield _with_static(node, ("index", step), words, key=shifted)


def _shifted(key: Any, step: int) -> Any:
    """An index moved by one step along its last axis; None where that is not possible."""
    if isinstance(key, tuple):
        last = _shifted(key[-1], step) if key else None
        return None if last is None else (*key[:-1], last)
    if isinstance(key, (int, np.integer)) and (key >= 0) == (key + step >= 0):
        return int(key) + step
    if isinstance(key, np.ndarray) and key.dtype.kind == "i" and np.all((key >= 0) == (key + step >= 0)):
        return key + step
    return None


def _with_static(node: TraceNode, kind: Key, words: str, **static: Any) -> Mistake:
    """The mistake of another keyword argument."""
    return Mistake(
        ("function", *kind),
        OF_THE_FUNCTION,
        _said_of(node, words),
        computes=lambda *arguments: node.rule(*arguments, **{**node.static, **static}),
    )


def _says_pattern(node: TraceNode, pattern: str) -> Callable[[StepTexts], str]:
    def says(texts: StepTexts) -> str:
        wrong = pattern.format(*(text for text, _ in texts.operands(node)))
        return f"the candidate is the gradient with {wrong} in place of {texts.step(node)[0]}"

    return says


def _of_counts(node: TraceNode, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes of dividing by the number of terms less one, or the reverse."""
    partial = constant_partial(node, node.positions[0]) if len(node.positions) == 1 else None
    for n, right, wrong in mistaken_counts(partial, sizes) if partial else ():
        words = f"the candidate is the gradient with {count_text(n, wrong)} in place of {count_text(n, right)} in"
        yield Mistake(
            ("function", "count", n, wrong),
            OF_THE_FUNCTION,
            _said_of(node, words),
            computes=lambda *arguments, by=right / wrong: node.rule(*arguments, **node.static) * by,
        )


def _said_of(node: TraceNode, words: str) -> Callable[[StepTexts], str]:
    return lambda texts: f"{words} {texts.step(node)[0]}"


def _in_place(node: TraceNode, text: str) -> Mistake:
    tree, rule = parsed(text), node.rule

    def computes(*arguments: Any) -> Any:
        names = {**CONSTANTS, **dict(zip(rule.parameters, arguments, strict=True))}
        return evaluate(tree, names, GENERIC_FUNCTIONS)

    def says(texts: StepTexts) -> str:
        wrong, right = texts.formula(tree, node)[0], texts.step(node)[0]
        return f"the candidate is the gradient with {wrong} in place of {right}"

    return Mistake(("function", text), OF_THE_FUNCTION, says, computes=computes)

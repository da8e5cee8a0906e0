"""Mistakes about matrices at one step of a recorded program: a missing transpose or inverse."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.checks.culprit.mistake import OF_A_PARTIAL, ArgumentContribution, Mistake
from gradcli.checks.culprit.mistake_table import transposed
from gradcli.checks.culprit.step_texts import StepTexts
from gradcli.rules.array_rule import ArrayRule
from gradcli.tape.accumulation import fit
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace

LARGEST_MATRIX = 200  # rows of the largest matrix that is inverted to find a missing inverse
SUBSTITUTES = (
    ("transposed", "has {0}.T in place of {0}: a matrix is transposed", transposed),
    ("inverse", "confuses {0} with its inverse", np.linalg.inv),
)


def of_matrices(node: TraceNode, position: int) -> Iterator[Mistake]:
    """The mistakes about a matrix in an array rule's product for one argument."""
    rule: ArrayRule = node.rule
    if position not in node.positions:
        return

    def says(said: str, place: int = 0) -> Callable[[StepTexts], str]:
        def told(texts: StepTexts) -> str:
            names = [texts.step(node)[0], *(text for text, _ in texts.operands(node))]
            return f"the derivative of {names[0]} by {names[position + 1]} {said.format(names[place])}"

        return told

    for place, value in enumerate((node.value, *node.operands)):
        for kind, said, changed in SUBSTITUTES if _is_square(value) else ():
            yield Mistake((kind, place), OF_A_PARTIAL, says(said, place), _substituted(rule, place, changed))
    if np.shape(node.value) == np.shape(node.operands[position]):
        yield Mistake(("factor",), OF_A_PARTIAL, says("is missing"), lambda passed: passed.cotangent)
    if _is_square(node.operands[position]):
        yield Mistake(("turned",), OF_A_PARTIAL, says("is transposed"), lambda passed: transposed(passed.pulled))


def of_products(trace: Trace, node: TraceNode, position: int) -> Iterator[Mistake]:
    """The mistakes about a matrix inside another argument, such as treating a quadratic form's matrix as symmetric."""
    for place, index in enumerate(node.sources):
        inner = trace.nodes[index] if index != CONSTANT and place != position else node
        if inner is node or not isinstance(inner.rule, ArrayRule):
            continue
        for at, value in enumerate(inner.operands):
            if _is_square(value):
                yield _with_inner(node, inner, position, place, at)


def _with_inner(node: TraceNode, inner: TraceNode, position: int, place: int, at: int) -> Mistake:
    """A mistake about argument `at` of the step that computes argument `place`."""

    def changed(_: Any) -> Any:
        arguments = [transposed(x) if n == at else x for n, x in enumerate(inner.operands)]
        return inner.rule.forward(*arguments, **inner.static)

    def says(texts: StepTexts) -> str:
        step, argument, matrix = (
            x[0] for x in (texts.step(node), texts.operands(node)[position], texts.operands(inner)[at])
        )
        return f"the derivative of {step} by {argument} has {matrix}.T in place of {matrix}: a matrix is transposed"

    return Mistake(("inner", place, at), OF_A_PARTIAL, says, _substituted(node.rule, place + 1, changed))


def _is_square(value: Any) -> bool:
    shape = np.shape(value)
    return len(shape) == 2 and 1 < shape[0] == shape[1] <= LARGEST_MATRIX and value.dtype.kind == "f"


def _substituted(rule: ArrayRule, place: int, changed: Callable[[Any], Any]) -> Callable[[ArgumentContribution], Any]:
    def passes(passed: ArgumentContribution) -> Any:
        values = [passed.node.value, *passed.node.operands]
        values[place] = changed(values[place])
        static = passed.node.static
        return fit(rule.vjp(passed.position, passed.cotangent, values[0], tuple(values[1:]), static), passed.operand)

    return passes

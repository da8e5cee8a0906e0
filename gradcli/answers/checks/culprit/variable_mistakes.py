"""The possible mistakes of another variable in the place of one in the derivative of a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import partial
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.mistake import OF_AN_ARGUMENT, Mistake, description
from gradcli.answers.checks.culprit.possible_mistakes import derivative_text, with_argument
from gradcli.answers.checks.culprit.step_partials import constant_partial, step_partial
from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language import Syntax
from gradcli.mathematics.rules.rule_types import Elementwise

DEEPEST = 3  # most steps between an argument of a partial and a variable in its formula
MOST_VARIABLES = 16  # most variables that are tried in place of another


def named_values(trace: Trace, count: int) -> list[TraceNode]:
    """Of the first `count` steps, those with a name of the user's, and the elements of inputs."""
    inputs = {*trace.input_indices()}
    named = [
        node
        for node in trace.nodes[:count]
        if node.index in trace.names or (node.rule is not None and node.rule.moves and inputs & {*node.inputs})
    ]
    return named[:MOST_VARIABLES]


def of_other_variables(
    trace: Trace, node: TraceNode, position: int, variables: Sequence[TraceNode]
) -> Iterator[Mistake]:
    """The mistakes of another variable in the place of one in the derivative of an elementwise step."""
    tree = step_partial(node, position)
    if tree is None or constant_partial(node, position) is not None:
        return
    for place, (source, operand) in enumerate(node.arguments()):
        inner = [] if source == CONSTANT else [*_inside(trace, source, {variable.index for variable in variables})]
        for other in variables:
            if other.index in {node.index, *node.sources}:
                continue
            if np.shape(other.value) == np.shape(operand):
                yield _with_variable(node, tree, position, place, other)
            for index, put in inner:
                if index != other.index and not np.ndim(other.value):
                    yield _with_variable(node, tree, position, place, other, (index, put))


Inner = tuple[int, Callable[[Any], Any]]
"""A variable in a formula of numbers, and the formula as a function of it."""


def _inside(trace: Trace, index: int, variables: Set[int], depth: int = DEEPEST) -> Iterator[Inner]:
    """The variables in the formula of an elementwise step of numbers."""
    node = trace.nodes[index]
    if not isinstance(node.rule, Elementwise) or np.ndim(node.value) or not depth:
        return
    for at, (source, _) in enumerate(node.arguments()):
        if source != CONSTANT:
            inner = [(source, _same)] if source in variables else _inside(trace, source, variables, depth - 1)
            yield from ((variable, partial(_put, node, at, put)) for variable, put in inner)


def _same(value: Any) -> Any:
    return value


def _put(node: TraceNode, at: int, inner: Callable[[Any], Any], value: Any) -> Any:
    """The value of a step with another value of a variable in one argument."""
    return node.rule.on_arrays(*(inner(value) if n == at else x for n, x in enumerate(node.operands)))


def _with_variable(
    node: TraceNode, tree: Syntax, position: int, place: int, other: TraceNode, inner: Inner | None = None
) -> Mistake:
    """The mistake of another variable in place of an argument of the partial, or of a variable in its formula."""
    index, put = inner or (None, _same)

    def says(texts: StepTexts) -> str:
        right = texts.operands(node)[place][0]
        right = right if index is None else f"{texts.names[index][0]} in {right}"
        derivative = description(derivative_text(node), node, position)(texts)
        return f"{derivative} has {texts.names[other.index][0]} in place of {right}"

    kind = ("variable", place, index, other.index)
    return Mistake(kind, OF_AN_ARGUMENT, says, with_argument(node.rule, tree, place, put(other.value)))

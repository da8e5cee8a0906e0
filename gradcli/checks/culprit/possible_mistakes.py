"""The possible mistakes at one step of a recorded program, with their effects and descriptions.

They change what the step passes back to an argument, by a factor or another partial, or they change its index or axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.checks.culprit.mistake import (
    OF_A_CONSTANT,
    OF_A_PARTIAL,
    OF_AN_ARGUMENT,
    OF_THE_FUNCTION,
    ArgumentContribution,
    Mistake,
    scaled,
)
from gradcli.checks.culprit.mistake_table import (
    AT_SCHOOL,
    OTHER_BASES,
    PARTIALS,
    TERMS,
)
from gradcli.checks.culprit.numbers_in_words import number
from gradcli.checks.culprit.step_partials import (
    constant_partial,
    parsed,
    step_partial,
    value_of_formula,
    value_of_partial,
)
from gradcli.checks.culprit.step_texts import StepTexts
from gradcli.language import Syntax
from gradcli.rules.rule_types import Elementwise, elementwise_rule
from gradcli.tape.accumulation import fit
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace

MOST_VARIABLES = 16  # most variables that are tried in place of another


def of_derivative(trace: Trace, node: TraceNode, position: int) -> Iterator[Mistake]:
    """The mistakes in a step's contribution to one argument."""
    rule = node.rule
    partial = constant_partial(node, position)
    yield from _of_broadcast(node, position)
    if partial is not None:
        yield from _of_constant(node, partial)
    elif isinstance(rule, Elementwise):
        yield from _of_partial(node, position)


def _of_broadcast(node: TraceNode, position: int) -> Iterator[Mistake]:
    """The mistake of summing over the wrong axis for a vector that is broadcast along the other."""
    operand = node.operands[position] if isinstance(node.rule, Elementwise) else 0.0
    shape = np.shape(node.value)
    if len(shape) != 2 or not 1 < shape[0] == shape[1] or np.size(operand) != shape[0]:
        return
    axis = 1 if np.shape(operand)[-1] > 1 else 0  # right is the sum over the other one
    tree = step_partial(node, position)
    if tree is None:
        return

    def passes(passed: ArgumentContribution) -> Any:
        whole = np.broadcast_to(_times_partial(passed, tree), shape)
        return np.reshape(whole.sum(axis=axis), np.shape(passed.operand))

    def says(texts: StepTexts) -> str:
        name = texts.operands(node)[position][0]
        return (
            f"the derivative of {texts.step(node)[0]} by {name} is summed over axis {axis} in place of axis {1 - axis}"
        )

    yield Mistake(("broadcast",), OF_A_PARTIAL, says, passes)


def of_term(term: Callable[[], str], order: int) -> list[Mistake]:
    """The mistakes about everything that comes through one argument of a step; `term` describes it."""

    def says(said: str) -> Callable[[StepTexts], str]:
        return lambda texts: f"{term()} {said}"

    return [scaled(("term", factor), order if factor else order - 1, factor, says(said)) for factor, said in TERMS]


def _of_constant(node: TraceNode, partial: float) -> Iterator[Mistake]:
    """The mistakes about a constant factor."""
    size = abs(partial)
    if partial == -1.0 and len(node.operands) == 1:
        words = "the minus sign of {} is missing"
        yield scaled(("minus",), OF_A_PARTIAL, -1.0, lambda texts: words.format(texts.step(node)[0]))
    if size == 1.0 or not size or not np.isfinite(size):
        return

    yield scaled(("factor",), OF_A_CONSTANT, 1 / size, lambda texts: f"{_factor(texts, number(size), node)} is missing")


def _factor(texts: StepTexts, factor: str, node: TraceNode) -> str:
    return f"the factor {factor} of the chain rule, the derivative of {texts.step(node)[0]},"


def _of_partial(node: TraceNode, position: int) -> Iterator[Mistake]:
    """The mistakes about a partial that is a formula."""
    rule: Elementwise = node.rule
    tree = step_partial(node, position)
    if tree is None or rule.selects:
        return
    school = AT_SCHOOL.get((rule.name, position)) if node.sources.count(node.sources[position]) == 1 else None
    right = parsed(school) if school else tree

    def missing(texts: StepTexts) -> str:
        return f"{_factor(texts, texts.formula(right, node)[0], node)} is missing"

    yield _by_formula(("factor",), missing, parsed("1"))
    for text in _others(rule, position):
        yield _by_formula(("partial", text), _instead(node, right, parsed(text)), parsed(text))
    for base in OTHER_BASES.get(rule.name, ()):
        wrong = elementwise_rule(base).slopes.trees[0]
        assert wrong is not None
        yield _by_formula(("base", base), _instead(node, right, wrong, f", that of {base}"), wrong)


def _others(rule: Elementwise, position: int) -> Iterator[str]:
    """Formulas that could be mistaken for the partial."""
    if partials := PARTIALS.get(rule.name):
        yield from partials[position]
    if not (rule.is_product or rule.is_quotient):
        yield "v"
    yield from rule.parameters


def _by_formula(kind: tuple[Any, ...], says: Callable[[StepTexts], str], tree: Syntax) -> Mistake:
    return Mistake(kind, OF_A_PARTIAL, says, lambda passed: _times(passed, value_of_partial(passed.node, tree)))


def _instead(node: TraceNode, right: Syntax, wrong: Syntax, added: str = "") -> Callable[[StepTexts], str]:
    """The description of a wrong formula in place of the right one, with their values if these are numbers."""

    def says(texts: StepTexts) -> str:
        shown = [_with_number(texts.formula(tree, node)[0], value_of_partial(node, tree)) for tree in (right, wrong)]
        return f"the derivative of {texts.step(node)[0]} is {shown[0]}; the candidate has {shown[1]}{added}"

    return says


def _with_number(text: str, value: Any) -> str:
    shown = f"{float(value):.6g}" if np.ndim(value) == 0 else ""
    return f"{text} = {shown}" if shown and text != shown else text


def _times_partial(passed: ArgumentContribution, tree: Syntax) -> Any:
    """The contribution before it is summed over the axes of a broadcast."""
    return passed.cotangent * value_of_partial(passed.node, tree)


def _times(passed: ArgumentContribution, partial: Any) -> Any:
    return fit(passed.cotangent * partial, passed.operand)


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
        negated = source != CONSTANT and _is_negated(trace.nodes[source])
        for other in variables:
            if other.index not in {node.index, *node.sources} and np.shape(other.value) == np.shape(operand):
                yield _with_variable(node, tree, position, place, other, -1.0 if negated else 1.0)


def _is_negated(node: TraceNode) -> bool:
    return node.rule is not None and len(node.operands) == 1 and constant_partial(node, 0) == -1.0


def _with_variable(node: TraceNode, tree: Syntax, position: int, place: int, other: TraceNode, sign: float) -> Mistake:
    rule: Elementwise = node.rule

    def passes(passed: ArgumentContribution) -> Any:
        arguments = [*passed.node.operands]
        arguments[place] = sign * other.value
        names = {**dict(zip(rule.parameters, arguments, strict=True)), "v": rule.on_arrays(*arguments)}
        return _times(passed, value_of_formula(tree, names))

    def says(texts: StepTexts) -> str:
        operands = texts.operands(node)
        wrong = ("-" if sign < 0 else "") + texts.names[other.index][0]
        by = f" by {operands[position][0]}" if len(node.positions) > 1 else ""
        return f"the derivative of {texts.step(node)[0]}{by} has {wrong} in place of {operands[place][0]}"

    return Mistake(("variable", place, other.index), OF_AN_ARGUMENT, says, passes)


def of_keywords(node: TraceNode) -> Iterator[Mistake]:
    """The mistakes of an index that is off by one, and of another axis, with the rest differentiated correctly."""
    key = node.static.get("key")
    for step in (1, -1) if key is not None else ():
        shifted = _shifted(key, step)
        if shifted is not None:
            yield _with_keywords(node, f"with an index off by one, {step:+},", key=shifted)
    axis, count = node.static.get("axis"), np.ndim(node.operands[0])
    given: Any = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    for other in range(count) if isinstance(given, int) else ():
        if other != given % count:
            yield _with_keywords(node, f"with axis={other} in place of axis={given}", axis=other)


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


def _with_keywords(node: TraceNode, words: str, **keywords: Any) -> Mistake:
    def says(texts: StepTexts) -> str:
        return f"the candidate is the gradient {words} in {texts.step(node)[0]}"

    static = {**node.static, **keywords}
    return Mistake((words,), OF_THE_FUNCTION, says, computes=lambda x: node.rule(x, **static))

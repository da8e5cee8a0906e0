"""The possible mistakes in the derivative of one step of a recorded program, with their effects and descriptions.

They change the step's contribution to one of its arguments: a factor, another formula for the partial, a matrix that is
not transposed or not inverted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.mistake import (
    OF_A_CONSTANT,
    OF_A_PARTIAL,
    OF_A_SUM,
    OF_A_TERM,
    OF_AN_ARGUMENT,
    ArgumentContribution,
    Mistake,
    Says,
    description,
    scaled,
)
from gradcli.answers.checks.culprit.mistake_table import AT_SCHOOL, FORMULAS, OTHER_BASES, PARTIALS, TERMS
from gradcli.answers.checks.culprit.numbers_in_words import number
from gradcli.answers.checks.culprit.step_partials import (
    constant_partial,
    count_text,
    mistaken_counts,
    parsed,
    step_partial,
    value_of_formula,
    value_of_partial,
)
from gradcli.answers.checks.culprit.step_texts import StepTexts, moved_elements, moved_subscript
from gradcli.engine.tape.accumulation import fit
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language import Syntax
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.linalg.matrix_helpers import transposed
from gradcli.mathematics.rules.rule_types import Elementwise, elementwise_rule

_ONE_TRIANGLE = (
    "it reads one triangle of {x} alone, as {step}, and the candidate is the derivative where both triangles change "
    "together; see `gradcli help conventions`"
)
LARGEST_MATRIX = 200  # rows of the largest matrix that is inverted to find a missing inverse


def of_matrices(node: TraceNode, position: int) -> Iterator[Mistake]:
    """The mistakes about a matrix in an array rule's product for one argument."""
    rule: ArrayRule = node.rule
    if position not in node.positions:
        return

    def says(words: str) -> Says:
        return description(f"the derivative of {{step}} by {{x}} {words}", node, position)

    def turned(place: int) -> Says:
        return lambda texts: f"{texts.products(node, position, place)}: a matrix is transposed"

    for place, value in enumerate((node.value, *node.operands)):
        if _is_square(value):
            yield Mistake(("transposed", place), OF_A_PARTIAL, turned(place), _substituted(rule, place, transposed))
            words = f"confuses {{{place - 1 if place else 'step'}}} with its inverse"
            yield Mistake(("inverse", place), OF_A_PARTIAL, says(words), _substituted(rule, place, np.linalg.inv))
    if np.shape(node.value) == np.shape(node.operands[position]):
        missing = description(_ONE_TRIANGLE, node, position) if rule.name == "hermitian" else says("is missing")
        yield Mistake(("factor",), OF_A_PARTIAL, missing, lambda passed: passed.cotangent)
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


def of_derivative(trace: Trace, node: TraceNode, position: int, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes in a step's contribution to one argument."""
    rule = node.rule
    partial = constant_partial(node, position)
    yield from _of_broadcast(node, position)
    if partial is not None:
        yield from _of_constant(node, partial, sizes)
    elif isinstance(rule, Elementwise):
        yield from _of_partial(trace, node, position)
    elif isinstance(rule, ArrayRule):
        yield from of_matrices(node, position)
        yield from of_products(trace, node, position)


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

    words = f"the derivative of {{step}} by {{x}} is summed over axis {axis} in place of axis {1 - axis}"
    yield Mistake(("broadcast",), OF_A_PARTIAL, description(words, node, position), passes)


def of_formula(value: int, argument: int) -> Iterator[Mistake]:
    """The mistakes in the derivative of a whole line that computes one step of the program from another."""

    def of_line(text: str, words: str) -> Mistake:
        def passes(passed: ArgumentContribution) -> Any:
            names = {"x": passed.operand, "v": passed.node.value}
            return _times(passed, value_of_formula(parsed(text), names))

        def says(texts: StepTexts) -> str:
            return f"the derivative of {{0}} by {{1}} {words}".format(texts.names[value][0], texts.names[argument][0])

        return Mistake(("formula", text), OF_A_PARTIAL, says, passes)

    for text in FORMULAS:
        words = "is missing" if text == "1" else f"is {text.replace('v', '{0}').replace('x', '{1}')} in the candidate"
        yield of_line(text, words)


def of_term(term: str, node: TraceNode, position: int, order: int) -> list[Mistake]:
    """The mistakes about everything that comes through one argument of a step; `term` describes it."""
    return [
        scaled(("term", factor), order if factor else order - 1, factor, description(f"{term} {words}", node, position))
        for factor, words in TERMS
    ]


def of_loop(word: str, node: TraceNode, position: int, *, adds: bool, alone: bool) -> Mistake:
    """The mistake in the sum over a loop, which it `adds`: one iteration counts `alone`, or is left out."""
    terms = "of the terms {x} of {step}" if adds else "of the derivatives of {step} by {x}"
    words = f"{terms}, that of the {word} iteration is missing"
    if alone:
        words = f"{terms}, only that of the {word} iteration counts: the sum over the loop is overwritten (= for +=)"
    kind, order = "overwritten" if alone else "left out", OF_A_SUM if adds else OF_A_TERM
    return Mistake((kind, word), order, description(words, node, position), lambda passed: 0.0 * passed.pulled)


def _of_constant(node: TraceNode, partial: float, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes about a constant factor."""
    size = abs(partial)
    if node.rule.is_product and CONSTANT in node.sources:
        words = description("the factor {x} of {step} is missing", node, node.sources.index(CONSTANT))
        yield _by_formula(("dropped",), words, parsed("1"))
    if partial == -1.0 and len(node.operands) == 1:
        yield scaled(("minus",), OF_A_PARTIAL, -1.0, description("the minus sign of {step} is missing", node))
    if size == 1.0 or not size or not np.isfinite(size):
        return

    def factor(predicate: str) -> Says:
        return description(f"{_factor(number(size), node)} {predicate}", node)

    yield scaled(("factor",), OF_A_CONSTANT, 1 / size, factor("is missing"))
    yield scaled(("square",), OF_A_CONSTANT, size, factor("appears twice"))
    yield scaled(("root",), OF_A_CONSTANT, size**-0.5, factor(f"is {number(float(np.sqrt(size)))} in the candidate"))
    for n, right, wrong in mistaken_counts(partial, sizes):
        predicate = f"divides by {count_text(n, right)}; the candidate divides by {count_text(n, wrong)}"
        yield scaled(("count", n, wrong), OF_A_CONSTANT, right / wrong, factor(predicate))


def _factor(factor: str, node: TraceNode) -> str:
    return f"the factor {factor} of the chain rule, {derivative_text(node)},"


def derivative_text(node: TraceNode) -> str:
    """The template for the derivative of a step, by an argument if it has several."""
    return f"the derivative of {{step}}{' by {x}' if len(node.positions) > 1 else ''}"


def _of_partial(trace: Trace, node: TraceNode, position: int) -> Iterator[Mistake]:
    """The mistakes about a partial that is a formula."""
    rule: Elementwise = node.rule
    tree = step_partial(node, position)
    if rule.selects:
        yield _by_formula(("mask",), description("the mask of {step} is missing", node), parsed("1"))
    if tree is None or rule.selects:
        return
    school = AT_SCHOOL.get((rule.name, position)) if node.sources.count(node.sources[position]) == 1 else None
    right = parsed(school) if school else tree

    def factor(words: str) -> Says:
        return description(f"{_factor('{right}', node)} {words}", node, position, right=right)

    def squared(passed: ArgumentContribution) -> Any:
        return _times(passed, value_of_partial(passed.node, tree) ** 2)

    yield _by_formula(("factor",), factor("is missing"), parsed("1"))
    yield Mistake(("square",), OF_A_PARTIAL, factor("appears twice"), squared)
    for text in _others(rule, position):
        yield _by_formula(("partial", text), _instead(node, position, right, parsed(text)), parsed(text))
    for base in OTHER_BASES.get(rule.name, ()):
        wrong = elementwise_rule(base).slopes.trees[0]
        assert wrong is not None
        yield _by_formula(("base", base), _instead(node, position, right, wrong, f", that of {base}"), wrong)
    for place, index in enumerate(node.sources):
        if index != CONSTANT:
            inner = trace.nodes[index]
            for term, value, words in _with_wrong_term(inner):
                yield _in_argument(node, tree, right, (place, inner, term), value, words)
            for axis, step, element in moved_elements(inner):
                with suppress(IndexError):
                    yield _with_element(node, tree, position, place, (axis, step), element(inner.operands[0]))


def _others(rule: Elementwise, position: int) -> Iterator[str]:
    """Formulas that could be mistaken for the partial."""
    if partials := PARTIALS.get(rule.name):
        yield from partials[position]
    if not (rule.is_product or rule.is_quotient):
        yield "v"
    yield from rule.parameters


def _by_formula(kind: tuple[Any, ...], says: Says, tree: Syntax) -> Mistake:
    return Mistake(kind, OF_A_PARTIAL, says, lambda passed: _times(passed, value_of_partial(passed.node, tree)))


def _instead(node: TraceNode, position: int, right: Syntax, wrong: Syntax, added: str = "") -> Says:
    """The description of a wrong formula in place of the right one, with their values if these are numbers."""

    def says(texts: StepTexts) -> str:
        shown = [_with_number(texts.formula(tree, node)[0], value_of_partial(node, tree)) for tree in (right, wrong)]
        derivative = description(derivative_text(node), node, position)(texts)
        return f"{derivative} is {shown[0]}; the candidate has {shown[1]}{added}"

    return says


def _with_number(text: str, value: Any) -> str:
    shown = f"{float(value):.6g}" if np.ndim(value) == 0 else ""
    return f"{text} = {shown}" if shown and text != shown else text


def _times_partial(passed: ArgumentContribution, tree: Syntax) -> Any:
    """The contribution before it is summed over the axes of a broadcast."""
    return passed.cotangent * value_of_partial(passed.node, tree)


def _times(passed: ArgumentContribution, partial: Any) -> Any:
    return fit(passed.cotangent * partial, passed.operand)


def _with_wrong_term(node: TraceNode) -> Iterator[tuple[int, Any, str]]:
    """A sum or a product of two with a mistake: the position of the term, the wrong value, and words for the mistake.

    A constant is missing, or the second term of a sum has the wrong sign.
    """
    rule = node.rule
    if rule is None or not (rule.adds or rule.is_product) or len(node.operands) != 2 or np.iscomplexobj(node.value):
        return
    for term, kept in enumerate(node.operands[::-1]):
        if np.shape(kept) == np.shape(node.value):
            value = kept * (constant_partial(node, 1 - term) or 1.0) if rule.adds else kept
            if term not in node.positions:
                yield term, value, "the constant {} of {} is missing"
            if rule.adds and term:
                yield term, 2 * value - node.value, "the term {} of {} has the wrong sign"


def _in_argument(
    node: TraceNode, tree: Syntax, right: Syntax, term: tuple[int, TraceNode, int], value: Any, words: str
) -> Mistake:
    """The mistake about a term in an argument of the partial, given the argument, its step, and the term's position."""
    place, inner, at = term

    def says(texts: StepTexts) -> str:
        formula, names = texts.formula(right, node)[0], (texts.operands(inner)[at][0], texts.operands(node)[place][0])
        return f"in {formula}, the derivative of {texts.step(node)[0]}, {words.format(*names)}"

    return Mistake((words, place), OF_AN_ARGUMENT, says, with_argument(node.rule, tree, place, value))


def with_argument(rule: Elementwise, tree: Syntax, place: int, value: Any) -> Callable[[ArgumentContribution], Any]:
    """The contribution by a partial with another value in place of an argument."""

    def passes(passed: ArgumentContribution) -> Any:
        arguments = [*passed.node.operands]
        arguments[place] = value
        names = {**dict(zip(rule.parameters, arguments, strict=True)), "v": rule.on_arrays(*arguments)}
        return _times(passed, value_of_formula(tree, names))

    return passes


def _with_element(
    node: TraceNode, tree: Syntax, position: int, place: int, moved: tuple[int, int], value: Any
) -> Mistake:
    """The mistake of another element in place of the one that is an argument of the partial."""

    def says(texts: StepTexts) -> str:
        right = texts.operands(node)[place][0]
        derivative = description(derivative_text(node), node, position)(texts)
        return f"{derivative} has {moved_subscript(right, *moved)} in place of {right}"

    return Mistake(("element", place, *moved), OF_AN_ARGUMENT + 1, says, with_argument(node.rule, tree, place, value))

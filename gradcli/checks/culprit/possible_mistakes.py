"""The possible mistakes at one step of a recorded program, with their effects and descriptions.

A mistake in the *derivative* changes one step's contribution to one of its arguments: a factor, another formula for the
partial, a matrix that is not transposed or not inverted. A mistake in the *function* replaces a step by another
operation, such as a logarithm of another base or a sum without its constant, and the rest is differentiated correctly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import cache, reduce
from typing import Any

import numpy as np

from gradcli import language
from gradcli.checks.culprit.error_patterns import Key
from gradcli.checks.culprit.matrix_mistakes import of_matrices, of_products
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
    FORMULAS,
    FUNCTIONS,
    MATRICES,
    OTHER_BASES,
    PARTIALS,
    TERMS,
    WITH_CONSTANT,
)
from gradcli.checks.culprit.numbers_in_words import number
from gradcli.checks.culprit.step_texts import StepTexts
from gradcli.language import Name, Syntax
from gradcli.language.evaluation import evaluate
from gradcli.language.syntax import Apply, Number, walk
from gradcli.language.vocabulary import CONSTANTS
from gradcli.rules.array_rule import ArrayRule
from gradcli.rules.compiled_formulas import ARRAY_FUNCTIONS, GENERIC_FUNCTIONS
from gradcli.rules.rule_table import elementwise_rule
from gradcli.rules.rule_types import Elementwise
from gradcli.tape.accumulation import fit
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace


def of_derivative(trace: Trace, node: TraceNode, position: int, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes in a step's contribution to one argument."""
    rule = node.rule
    partial = _constant_partial(node, position)
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
    tree = _slope(node, position)
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


def of_formula(value: int, argument: int) -> Iterator[Mistake]:
    """The mistakes in the derivative of a whole line that computes one step of the program from another."""

    def says(said: str) -> Callable[[StepTexts], str]:
        return lambda texts: said.format(texts.names[value][0], texts.names[argument][0])

    for text in FORMULAS:
        said = "is missing" if text == "1" else f"is {text.replace('v', '{0}').replace('x', '{1}')} in the candidate"
        told = says(f"the derivative of {{0}} by {{1}} {said}")
        yield Mistake(("formula", text), OF_A_PARTIAL, told, _of_line(_parsed(text)))


def _of_line(tree: Syntax) -> Callable[[ArgumentContribution], Any]:
    return lambda passed: _times(passed, value_of_formula(tree, {"x": passed.operand, "v": passed.node.value}))


def of_term(term: Callable[[], str], order: int) -> list[Mistake]:
    """The mistakes about everything that comes through one argument of a step; `term` describes it."""

    def says(said: str) -> Callable[[StepTexts], str]:
        return lambda texts: f"{term()} {said}"

    return [scaled(("term", factor), order if factor else order - 1, factor, says(said)) for factor, said in TERMS]


def _constant_partial(node: TraceNode, position: int) -> float | None:
    """The partial if it is the same number at every point, else None."""
    rule = node.rule
    if rule.averages:
        return float(np.size(node.value) / np.size(node.operands[0]))
    tree = node.slopes.trees[position] if node.slopes else None
    if tree is None:
        return None
    known = {
        name: x
        for name, index, x in zip(rule.parameters, node.sources, node.operands, strict=True)
        if index == CONSTANT and np.ndim(x) == 0
    }
    used = {node.id for node in walk(tree) if isinstance(node, Name)} - CONSTANTS.keys()
    return float(value_of_formula(tree, known)) if used <= known.keys() else None


def value_of_formula(tree: Syntax, names: dict[str, Any]) -> Any:
    """The value of a formula, given those of its names."""
    return evaluate(tree, {**CONSTANTS, **names}, ARRAY_FUNCTIONS)


@cache
def _parsed(text: str) -> Syntax:
    return language.parse(text)


def _of_constant(node: TraceNode, partial: float, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes about a constant factor."""
    size = abs(partial)
    if partial == -1.0 and len(node.operands) == 1:
        said = "the minus sign of {} is missing"
        yield scaled(("minus",), OF_A_PARTIAL, -1.0, lambda texts: said.format(texts.step(node)[0]))
    if size == 1.0 or not size or not np.isfinite(size):
        return

    def factor(said: str) -> Callable[[StepTexts], str]:
        return lambda texts: f"{_factor(texts, number(size), node)} {said}"

    yield scaled(("factor",), OF_A_CONSTANT, 1 / size, factor("is missing"))
    yield scaled(("square",), OF_A_CONSTANT, size, factor("appears twice"))
    yield scaled(("root",), OF_A_CONSTANT, size**-0.5, factor(f"is {number(float(np.sqrt(size)))} in the candidate"))
    for n, right, wrong in _counts(partial, sizes):
        said = f"divides by {_counted(n, right)}; the candidate divides by {_counted(n, wrong)}"
        yield scaled(("count", n, wrong), OF_A_CONSTANT, right / wrong, factor(said))


def _factor(texts: StepTexts, factor: str, node: TraceNode) -> str:
    return f"the factor {factor} of the chain rule, the derivative of {texts.step(node)[0]},"


def _of_partial(trace: Trace, node: TraceNode, position: int) -> Iterator[Mistake]:
    """The mistakes about a partial that is a formula."""
    rule: Elementwise = node.rule
    tree = _slope(node, position)
    if tree is None or rule.selects:
        return
    school = AT_SCHOOL.get((rule.name, position)) if node.sources.count(node.sources[position]) == 1 else None
    right = _parsed(school) if school else tree

    def missing(texts: StepTexts, said: str = "is missing") -> str:
        return f"{_factor(texts, texts.formula(right, node)[0], node)} {said}"

    def twice(texts: StepTexts) -> str:
        return missing(texts, "appears twice")

    yield _by_formula(("factor",), missing, _parsed("1"))
    yield Mistake(("square",), OF_A_PARTIAL, twice, lambda passed: _times(passed, _value(passed.node, tree) ** 2))
    for text in _others(rule, position):
        yield _by_formula(("partial", text), _instead(node, right, _parsed(text)), _parsed(text))
    for base in OTHER_BASES.get(rule.name, ()):
        wrong = elementwise_rule(base).slopes.trees[0]
        assert wrong is not None
        yield _by_formula(("base", base), _instead(node, right, wrong, f", that of {base}"), wrong)
    for place, index in enumerate(node.sources):
        if index != CONSTANT and (bare := _without_constant(trace.nodes[index])):
            yield _bare(node, tree, right, place, *bare)


def _slope(node: TraceNode, position: int) -> Syntax | None:
    """The partial of an elementwise step by one argument: a sum for `x` in `x * x`, which stands at two positions."""
    pairs = zip(node.slopes.trees, node.sources, strict=True)
    trees = [_by_first_name(node, tree) for tree, source in pairs if source == node.sources[position] and tree]
    if len(trees) == 2 and trees[0] == trees[1]:
        return Apply("mul", (Number(2.0), trees[0]))
    return reduce(lambda total, tree: Apply("add", (total, tree)), trees) if trees else None


def _by_first_name(node: TraceNode, tree: Syntax) -> Syntax:
    """A partial that is one of the arguments, by the name of the first argument that is the same."""
    parameters = node.rule.parameters
    if not isinstance(tree, Name) or tree.id not in parameters:
        return tree
    source = node.sources[parameters.index(tree.id)]
    return tree if source == CONSTANT else Name(parameters[node.sources.index(source)])


def _others(rule: Elementwise, position: int) -> Iterator[str]:
    """Formulas that could be mistaken for the partial."""
    if partials := PARTIALS.get(rule.name):
        yield from partials[position]
    if not (rule.is_product or rule.is_quotient):
        yield "v"
    yield from rule.parameters


def _by_formula(kind: tuple[Any, ...], says: Callable[[StepTexts], str], tree: Syntax) -> Mistake:
    return Mistake(kind, OF_A_PARTIAL, says, lambda passed: _times(passed, _value(passed.node, tree)))


def _instead(node: TraceNode, right: Syntax, wrong: Syntax, added: str = "") -> Callable[[StepTexts], str]:
    """The description of a wrong formula in place of the right one, with their values if these are numbers."""

    def says(texts: StepTexts) -> str:
        shown = [_with_number(texts.formula(tree, node)[0], _value(node, tree)) for tree in (right, wrong)]
        return f"the derivative of {texts.step(node)[0]} is {shown[0]}; the candidate has {shown[1]}{added}"

    return says


def _with_number(text: str, value: Any) -> str:
    shown = f"{float(value):.6g}" if np.ndim(value) == 0 else ""
    return f"{text} = {shown}" if shown and text != shown else text


def _value(node: TraceNode, tree: Syntax) -> Any:
    return value_of_formula(tree, {**dict(zip(node.rule.parameters, node.operands, strict=True)), "v": node.value})


def _times_partial(passed: ArgumentContribution, tree: Syntax) -> Any:
    """The contribution before it is summed over the axes of a broadcast."""
    return passed.cotangent * _value(passed.node, tree)


def _times(passed: ArgumentContribution, partial: Any) -> Any:
    return fit(passed.cotangent * partial, passed.operand)


def _without_constant(node: TraceNode) -> tuple[Any, float] | None:
    """For a sum with a constant: the other term and the constant. None for other steps."""
    if node.rule is None or not node.rule.adds or len(node.positions) != 1:
        return None
    kept = node.positions[0]
    value, constant = node.operands[kept], node.operands[1 - kept]
    if np.ndim(constant) or np.iscomplexobj(constant):
        return None
    return value * _constant_partial(node, kept), float(constant)


def _bare(node: TraceNode, tree: Syntax, right: Syntax, place: int, value: Any, constant: float) -> Mistake:
    """The mistake of omitting the constant in an argument of the partial."""
    rule: Elementwise = node.rule

    def passes(passed: ArgumentContribution) -> Any:
        arguments = [*passed.node.operands]
        arguments[place] = value
        names = {**dict(zip(rule.parameters, arguments, strict=True)), "v": rule.on_arrays(*arguments)}
        return _times(passed, value_of_formula(tree, names))

    def says(texts: StepTexts) -> str:
        name, formula = texts.operands(node)[place][0], texts.formula(right, node)[0]
        return (
            f"in {formula}, the derivative of {texts.step(node)[0]}, the constant {constant:.6g} of {name} is missing"
        )

    return Mistake(("bare", place), OF_AN_ARGUMENT, says, passes)


def of_other_variables(
    trace: Trace, node: TraceNode, position: int, variables: Sequence[TraceNode]
) -> Iterator[Mistake]:
    """The mistakes of another variable in the place of one in the derivative of an elementwise step."""
    tree = _slope(node, position)
    if tree is None or _constant_partial(node, position) is not None:
        return
    for place, (source, operand) in enumerate(node.arguments()):
        negated = source != CONSTANT and _is_negated(trace.nodes[source])
        for other in variables:
            if other.index not in {node.index, *node.sources} and np.shape(other.value) == np.shape(operand):
                yield _with_variable(node, tree, position, place, other, -1.0 if negated else 1.0)


def _is_negated(node: TraceNode) -> bool:
    return node.rule is not None and len(node.operands) == 1 and _constant_partial(node, 0) == -1.0


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


def of_function(node: TraceNode, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes about the value that a step computes."""
    rule = node.rule
    if isinstance(rule, Elementwise):
        texts = list(FUNCTIONS.get(rule.name, ()))
        for place, index in enumerate(node.sources):
            if index == CONSTANT and np.ndim(node.operands[place]) == 0:
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
            said = f"the candidate is the gradient with axis={other} in place of axis={axis} in"
            yield _with_static(node, ("axis", other), said, axis=other)
            if node.static.get("keepdims") is False:
                yield _with_static(node, ("axis", other, "kept"), said, axis=other, keepdims=True)


def _of_indices(node: TraceNode) -> Iterator[Mistake]:
    """The mistakes of an index that is off by one."""
    key = node.static.get("key")
    for step in (1, -1) if key is not None else ():
        shifted = _shifted(key, step)
        if shifted is not None:
            said = f"the candidate is the gradient with an index off by one, {'+' if step > 0 else '-'}1, in"
            yield _with_static(node, ("index", step), said, key=shifted)


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


def _with_static(node: TraceNode, kind: Key, said: str, **static: Any) -> Mistake:
    """The mistake of another keyword argument."""
    return Mistake(
        ("function", *kind),
        OF_THE_FUNCTION,
        _said_of(node, said),
        computes=lambda *arguments: node.rule(*arguments, **{**node.static, **static}),
    )


def _says_pattern(node: TraceNode, pattern: str) -> Callable[[StepTexts], str]:
    def says(texts: StepTexts) -> str:
        wrong = pattern.format(*(text for text, _ in texts.operands(node)))
        return f"the candidate is the gradient with {wrong} in place of {texts.step(node)[0]}"

    return says


def _of_counts(node: TraceNode, sizes: Set[int]) -> Iterator[Mistake]:
    """The mistakes of dividing by the number of terms less one, or the reverse."""
    partial = _constant_partial(node, node.positions[0]) if len(node.positions) == 1 else None
    for n, right, wrong in _counts(partial, sizes) if partial else ():
        said = f"the candidate is the gradient with {_counted(n, wrong)} in place of {_counted(n, right)} in"
        yield Mistake(
            ("function", "count", n, wrong),
            OF_THE_FUNCTION,
            _said_of(node, said),
            computes=lambda *arguments, by=right / wrong: node.rule(*arguments, **node.static) * by,
        )


def _said_of(node: TraceNode, said: str) -> Callable[[StepTexts], str]:
    return lambda texts: f"{said} {texts.step(node)[0]}"


def _counts(partial: float, sizes: Set[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the number of terms, the right divisor and the wrong one, where one is less than the other by 1."""
    for n in sorted(sizes):
        for right, wrong in ((n, n - 1), (n - 1, n)):
            if min(right, wrong) > 1 and any(abs(abs(partial) * right - k) < 1e-12 for k in (0.5, 1, 2)):
                yield n, right, wrong


def _counted(n: int, divisor: int) -> str:
    return f"n = {n}" if n == divisor else f"n - 1 = {divisor}"


def _in_place(node: TraceNode, text: str) -> Mistake:
    tree, rule = _parsed(text), node.rule

    def computes(*arguments: Any) -> Any:
        names = {**CONSTANTS, **dict(zip(rule.parameters, arguments, strict=True))}
        return evaluate(tree, names, GENERIC_FUNCTIONS)

    def says(texts: StepTexts) -> str:
        wrong, right = texts.formula(tree, node)[0], texts.step(node)[0]
        return f"the candidate is the gradient with {wrong} in place of {right}"

    return Mistake(("function", text), OF_THE_FUNCTION, says, computes=computes)

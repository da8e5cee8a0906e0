"""The mistakes that may be made at one step of a recorded program, from the tables of `mistake_table`.

A mistake in the derivative changes what the step contributes to the cotangent of one argument; a mistake in the
function changes the value that the step computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial, reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.checks.culprit import mistake_table as table
from gradcli.answers.checks.culprit.discrepancy import Key
from gradcli.answers.checks.culprit.mistake_table import OF_A_PARTIAL, OF_AN_ARGUMENT, WrongPartial
from gradcli.answers.checks.culprit.numbers_in_words import number
from gradcli.answers.checks.culprit.step_texts import StepText, StepTexts, description
from gradcli.engine.tape.accumulation import fit
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics import language
from gradcli.mathematics.language import Name, Syntax
from gradcli.mathematics.language.evaluation import evaluate
from gradcli.mathematics.language.syntax import Apply, Number, walk
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS, GENERIC_FUNCTIONS
from gradcli.mathematics.rules.linalg.matrix_helpers import transposed
from gradcli.mathematics.rules.rule_types import Elementwise

SHIFTS = (1, -1, 2, -2)  # distances of an element that is taken for another, as `x[i - 1]` for `x[i + 1]`
LARGEST_MATRIX = 200  # rows of the largest matrix that is inverted to find a missing inverse
ONE_TRIANGLE = (
    "it reads one triangle of {x} alone, as {step}, and the candidate is the derivative where both triangles change "
    "together; see `gradcli help conventions`"
)
OF_VALUE = "the candidate is the gradient with {instead} in place of {step}"
OF_AXIS = "the candidate is the gradient with axis={other} in place of axis={axis} in {step}"
MATRICES: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("{derivative} has {matrix}.T in place of {matrix}: a matrix is transposed", transposed),
    ("{derivative} has the inverse of {matrix} in place of {matrix}", np.linalg.inv),
)


@dataclass(frozen=True)
class ArgumentContribution:
    """What one step passes back to one of its arguments.

    Attributes:
        node, position: the step, and the position of the argument.
        cotangent: the sensitivity of the result to the step's value.
        pulled: the contribution to the argument's cotangent.
    """

    node: TraceNode
    position: int
    cotangent: Any
    pulled: Any

    def by(self, partial_: Any) -> Any:
        """The contribution with another partial."""
        return fit(self.cotangent * partial_, self.node.operands[self.position])


class Change(NamedTuple):
    """A mistake: what identifies it at any step, its implausibility, its words, and the wrong contribution or value."""

    kind: Key
    implausibility: int
    wording: StepText
    computes: Callable[..., Any]


def of_term(term: str, node: TraceNode, position: int, more: int = 0) -> list[Change]:
    """The mistakes about everything that comes through one argument of a step; `term` describes it."""
    return [
        Change(
            ("term", row.text),
            row.implausibility + more,
            description(row.words.replace("{term}", term), node, position),
            partial(_of_pulled, _parsed(row.text)),
        )
        for row in table.TERMS
    ]


def _of_pulled(tree: Syntax, passed: ArgumentContribution) -> Any:
    return _value(tree, {"d": passed.pulled})


def of_derivative(
    trace: Trace, node: TraceNode, position: int, sizes: Set[int], variables: Sequence[TraceNode]
) -> Iterator[Change]:
    """The mistakes in a step's contribution to one argument.

    Args:
        trace: the program.
        node, position: the step, and the position of the argument.
        sizes: possible numbers of terms in a mean.
        variables: the values that may stand in place of an argument.
    """
    constant = _constant_partial(node, position)
    if constant is not None:
        yield from _of_constant(node, position, constant, sizes)
    elif isinstance(node.rule, Elementwise):
        yield from _of_formula(trace, node, position, variables)
    elif isinstance(node.rule, ArrayRule):
        yield from _of_matrices(trace, node, position)


def _of_constant(node: TraceNode, position: int, constant: float, sizes: Set[int]) -> Iterator[Change]:
    if abs(constant) == 1.0 or not constant or not np.isfinite(constant):
        return
    right = number(abs(constant))

    def change(row: WrongPartial, kind: Key, names: dict[str, float], **texts: str) -> Change:
        ratio = float(_value(_parsed(row.text), {"d": constant, **names})) / constant
        wording = description(row.words, node, position, right=right, **texts)
        return Change(kind, row.implausibility, wording, lambda passed: ratio * passed.pulled)

    yield from (change(row, ("constant", row.text), {}) for row in table.OF_CONSTANTS)
    for n, k in product(sorted(sizes), (0, 1)):
        if min(n - k, n - 1 + k) > 1 and any(abs(abs(constant) * (n - k) - m) < 1e-12 for m in (0.5, 1, 2)):
            texts = [f"n = {n}", f"n - 1 = {n - 1}"]
            yield change(table.OF_COUNTS, ("count", n, k), {"n": n, "k": k}, divisor=texts[k], other=texts[1 - k])


def _of_formula(trace: Trace, node: TraceNode, position: int, variables: Sequence[TraceNode]) -> Iterator[Change]:
    rule, tree = node.rule, _partial(node, position)
    if rule.selects:
        yield from (_by_text(node, position, row) for row in table.OF_SELECTIONS)
    if tree is None or rule.selects:
        return
    school = table.AT_SCHOOL.get((rule.name, position)) if node.sources.count(node.sources[position]) == 1 else None
    right = _parsed(school) if school else tree
    others = [*table.PARTIALS.get(rule.name, [()] * len(rule.parameters))[position]]
    others += [*(["v"] if not (rule.is_product or rule.is_quotient) else []), *rule.parameters]
    for row in (*table.OF_FORMULAS, *(WrongPartial(text, table.INSTEAD) for text in others)):
        yield _by_text(node, position, row, tree, right)
    for place, source in enumerate(node.sources):
        if source == CONSTANT:
            continue
        for other in _other_arguments(trace.nodes[source], variables):
            if np.shape(other.value) == np.shape(node.operands[place]):
                shown = {"right": partial(_formula, right, node), "argument": partial(_operand, node, place)}
                wording = description(other.words, node, position, **shown, **other.texts)
                computes = partial(_with_argument, tree, place, other.value)
                yield Change((*other.kind, place), OF_AN_ARGUMENT + other.more, wording, computes)


def _by_text(
    node: TraceNode, position: int, row: WrongPartial, tree: Syntax | None = None, right: Syntax | None = None
) -> Change:
    """The mistake of a text in place of a partial, whose tree is given, and the form in which it is shown."""
    wrong = _parsed(row.text)
    shown = {"right": partial(_formula, right, node)} if right else {}
    if right and row.words == table.INSTEAD:
        shown = {"right": partial(_with_number, right, node), "wrong": partial(_with_number, wrong, node)}

    def computes(passed: ArgumentContribution) -> Any:
        return passed.by(_value_at(passed.node, wrong, tree))

    return Change(("partial", row.text), row.implausibility, description(row.words, node, position, **shown), computes)


def _formula(tree: Syntax, node: TraceNode, texts: StepTexts) -> str:
    return texts.formula(tree, node)


def _with_number(tree: Syntax, node: TraceNode, texts: StepTexts) -> str:
    """The text of a formula, with its value if that is one number."""
    text, value = texts.formula(tree, node), _value_at(node, tree)
    number_text = text if np.ndim(value) else f"{float(value):.6g}"
    return text if number_text == text else f"{text} = {number_text}"


class OtherArgument(NamedTuple):
    """What may stand in place of an argument.

    Attributes:
        kind: as in `Change`.
        words: the description, with the names of `texts`.
        texts: make texts for it, by name.
        value: what stands there.
        more: what is added to its implausibility.
    """

    kind: Key
    words: str
    texts: Mapping[str, StepText]
    value: Any
    more: int = 1


IN_PLACE = "{derivative} has {other} in place of {argument}"


def _other_arguments(inner: TraceNode, variables: Sequence[TraceNode]) -> Iterator[OtherArgument]:
    """What may stand in place of an argument, which the step `inner` computes.

    Values are computed as arrays: at arguments of another operation, Python's numbers may raise.
    """
    yield from _with_wrong_term(inner)
    for shift, key in _moved_keys(inner):
        with suppress(IndexError):
            element = inner.rule(inner.operands[0], **{**inner.static, "key": key})
            yield OtherArgument(("element", *shift), IN_PLACE, {"other": partial(_element, inner, key)}, element)
    for other in variables:
        name = {"other": partial(_name, other)}
        if other.index != inner.index:
            yield OtherArgument(("variable", other.index), IN_PLACE, name, other.value)
        for at, operand in enumerate(inner.operands if isinstance(inner.rule, Elementwise) else ()):
            if inner.sources[at] not in {CONSTANT, other.index} and np.shape(operand) == np.shape(other.value):
                operands = [np.asarray(other.value if n == at else x) for n, x in enumerate(inner.operands)]
                words, texts = (
                    "{derivative} has {other} in place of {inner} in {argument}",
                    partial(_operand, inner, at),
                )
                value = inner.rule.on_arrays(*operands)
                yield OtherArgument(("inside", at, other.index), words, {**name, "inner": texts}, value)


def _with_wrong_term(inner: TraceNode) -> Iterator[OtherArgument]:
    """A sum or a product of two without its constant, and a sum with the wrong sign of its second term."""
    rule, operands = inner.rule, inner.operands
    if rule is None or not (rule.adds or rule.is_product) or len(operands) != 2 or np.iscomplexobj(inner.value):
        return
    for term, kept in enumerate(operands[::-1]):
        if np.shape(kept) != np.shape(inner.value):
            continue
        value = kept * (_constant_partial(inner, 1 - term) or 1.0) if rule.adds else kept
        texts = {"other": partial(_operand, inner, term), "inner": partial(_name, inner)}
        if term not in inner.positions:
            words = "in {right}, {derivative}, the constant {other} of {inner} is missing"
            yield OtherArgument(("missing", term), words, texts, value, 0)
        if rule.adds and term:
            words = "in {right}, {derivative}, the term {other} of {inner} has the wrong sign"
            yield OtherArgument(("sign", term), words, texts, 2 * value - inner.value, 0)


def _element(inner: TraceNode, key: Any, texts: StepTexts) -> str:
    return texts.element(inner, key)


def _name(node: TraceNode, texts: StepTexts) -> str:
    return texts.names[node.index][0]


def _operand(node: TraceNode, at: int, texts: StepTexts) -> str:
    return texts.operands(node)[at][0]


def _with_argument(tree: Syntax, place: int, value: Any, passed: ArgumentContribution) -> Any:
    """The contribution by a partial with another value in place of an argument."""
    rule, arguments = passed.node.rule, [*map(np.asarray, passed.node.operands)]
    arguments[place] = np.asarray(value)
    names = {**dict(zip(rule.parameters, arguments, strict=True)), "v": rule.on_arrays(*arguments)}
    return passed.by(_value(tree, names))


def _moved_keys(node: TraceNode) -> Iterator[tuple[tuple[int, int], Any]]:
    """The subscripts that may be taken for the one that a step reads: the axis and the distance, and the subscript."""
    key = node.static.get("key")
    reads = key is not None and node.rule is not None and len(node.operands) == 1  # a write has two
    parts = (key if isinstance(key, tuple) else (key,)) if reads else ()
    for (axis, part), shift in product(enumerate(parts), SHIFTS):
        whole = isinstance(part, (int, np.integer)) and not isinstance(part, bool)
        if (whole and (part >= 0) == (part + shift >= 0)) or (
            isinstance(part, np.ndarray) and part.dtype.kind == "i" and np.all((part >= 0) == (part + shift >= 0))
        ):
            moved = (*parts[:axis], part + shift, *parts[axis + 1 :])
            yield (axis, shift), moved if isinstance(key, tuple) else moved[0]


def _of_matrices(trace: Trace, node: TraceNode, position: int) -> Iterator[Change]:
    """The mistakes about a matrix in an array rule's product for one argument."""
    if position not in node.positions:
        return
    for place, source in enumerate(node.sources):
        inner = trace.nodes[source] if source != CONSTANT and place != position else node
        for at, value in enumerate(inner.operands if inner is not node and isinstance(inner.rule, ArrayRule) else ()):
            if _is_square(value):  # of a form that is taken for symmetric
                wording = description(MATRICES[0][0], node, position, matrix=partial(_operand, inner, at))
                computes = partial(_with_matrix, place + 1, partial(_turned_inside, inner, at))
                yield Change(("inner matrix", place, at), OF_A_PARTIAL, wording, computes)
    for place, value in enumerate((node.value, *node.operands)):
        if _is_square(value):
            matrix = partial(_operand, node, place - 1) if place else partial(_name, node)
            for words, wrong in MATRICES:
                wording = description(words, node, position, matrix=matrix)
                yield Change(("matrix", words, place), OF_A_PARTIAL, wording, partial(_with_matrix, place, wrong))
    if np.shape(node.value) == np.shape(node.operands[position]):
        words = ONE_TRIANGLE if node.rule.name == "hermitian" else "{derivative} is missing"
        yield Change(("factor",), OF_A_PARTIAL, description(words, node, position), lambda passed: passed.cotangent)
    if _is_square(node.operands[position]):
        turned = description("{derivative} is transposed", node, position)
        yield Change(("turned",), OF_A_PARTIAL, turned, lambda passed: transposed(passed.pulled))


def _is_square(value: Any) -> bool:
    shape = np.shape(value)
    return len(shape) == 2 and 1 < shape[0] == shape[1] <= LARGEST_MATRIX and value.dtype.kind == "f"


def _turned_inside(inner: TraceNode, at: int, _: Any) -> Any:
    """The value of a step with one matrix transposed."""
    return inner.rule.forward(*(transposed(x) if n == at else x for n, x in enumerate(inner.operands)), **inner.static)


def _with_matrix(place: int, wrong: Callable[[Any], Any], passed: ArgumentContribution) -> Any:
    node = passed.node
    values = [node.value, *node.operands]
    values[place] = wrong(values[place])
    pulled = node.rule.vjp(passed.position, passed.cotangent, values[0], tuple(values[1:]), node.static)
    return fit(pulled, node.operands[passed.position])


def of_function(node: TraceNode) -> Iterator[Change]:
    """The mistakes about the value that a step computes; the rest is differentiated correctly."""
    rule = node.rule
    if isinstance(rule, Elementwise):
        constant = [place for place, index in enumerate(node.sources) if index == CONSTANT]
        texts = [text for place in constant for text in table.WITH_CONSTANT.get((rule.name, place), ())]
        for text in (*table.FUNCTIONS.get(rule.name, ()), *texts):
            wording = description(OF_VALUE, node, 0, instead=partial(_formula, _parsed(text), node))
            yield Change((text,), table.OF_THE_FUNCTION, wording, partial(_computed, rule.parameters, _parsed(text)))
    axis: Any = node.static.get("axis")
    count = np.ndim(node.operands[0])
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    for other in range(count) if isinstance(axis, int) and count > 1 else ():
        if other != axis % count:
            wording = description(OF_AXIS, node, 0, other=str(other), axis=str(axis))
            along = partial(rule, **{**node.static, "axis": other})
            yield Change(("axis", other), table.OF_THE_FUNCTION, wording, along)


def _computed(parameters: Sequence[str], tree: Syntax, *arguments: Any) -> Any:
    return evaluate(tree, {**CONSTANTS, **dict(zip(parameters, arguments, strict=True))}, GENERIC_FUNCTIONS)


def _constant_partial(node: TraceNode, position: int) -> float | None:
    """The partial if it is the same number at every point, else None."""
    rule = node.rule
    if rule.averages:
        return float(np.size(node.value) / np.size(node.operands[0]))
    tree = node.slopes.trees[position] if node.slopes else None
    if tree is None:
        return None
    arguments = zip(rule.parameters, node.sources, node.operands, strict=True)
    known = {name: x for name, index, x in arguments if index == CONSTANT and np.ndim(x) == 0}
    used = {part.id for part in walk(tree) if isinstance(part, Name)} - CONSTANTS.keys()
    return float(_value(tree, known)) if used <= known.keys() else None


def _partial(node: TraceNode, position: int) -> Syntax | None:
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


@cache
def _parsed(text: str) -> Syntax:
    return language.parse(text)


def _value(tree: Syntax, names: dict[str, Any]) -> Any:
    return evaluate(tree, {**CONSTANTS, **names}, ARRAY_FUNCTIONS)


def _value_at(node: TraceNode, tree: Syntax, right: Syntax | None = None) -> Any:
    """The value of a formula in the arguments and the result of a step, and in `d`, the right partial."""
    names = {**dict(zip(node.rule.parameters, node.operands, strict=True)), "v": node.value}
    return _value(tree, names if right is None else {**names, "d": _value(right, names)})

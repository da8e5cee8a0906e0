"""The mistakes that may be made at one step of a recorded program, from the tables of `mistake_table`.

A mistake in the derivative changes what the step contributes to the cotangent of one argument; a mistake in the
function changes the value that the step computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
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
from gradcli.answers.checks.culprit.step_texts import StepTexts
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

Says = Callable[[StepTexts], str]

SHIFTS = (1, -1, 2, -2)  # distances of an element that is taken for another, as `x[i - 1]` for `x[i + 1]`
LARGEST_MATRIX = 200  # rows of the largest matrix that is inverted to find a missing inverse
ONE_TRIANGLE = (
    "it reads one triangle of {x} alone, as {step}, and the candidate is the derivative where both triangles change "
    "together; see `gradcli help conventions`"
)
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
    says: Says
    computes: Callable[..., Any]


def of_term(term: str, node: TraceNode, position: int, more: int = 0) -> list[Change]:
    """The mistakes about everything that comes through one argument of a step; `term` describes it."""
    return [
        Change(
            ("term", row.text),
            row.implausibility + more,
            _description(row.words.replace("{term}", term), node, position),
            partial(_of_pulled, row.text),
        )
        for row in table.TERMS
    ]


def _of_pulled(text: str, passed: ArgumentContribution) -> Any:
    return _value(_parsed(text), {"d": passed.pulled})


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
        says = _description(row.words, node, position, right=right, **texts)
        return Change(kind, row.implausibility, says, lambda passed: ratio * passed.pulled)

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
                says = partial(_of_argument, other, node, (position, place), right)
                computes = partial(_with_argument, tree, place, other.value)
                yield Change((*other.kind, place), OF_AN_ARGUMENT + other.more, says, computes)


def _by_text(
    node: TraceNode, position: int, row: WrongPartial, tree: Syntax | None = None, right: Syntax | None = None
) -> Change:
    """The mistake of a text in place of a partial, whose tree is given, and the form in which it is shown."""
    wrong = _parsed(row.text)

    def computes(passed: ArgumentContribution) -> Any:
        return passed.by(_value_at(passed.node, wrong, tree))

    def says(texts: StepTexts) -> str:
        numbered = row.words == table.INSTEAD
        shown = {
            name: _shown(texts, formula, node, numbered=numbered)
            for name, formula in (("right", right), ("wrong", wrong if numbered else None))
            if formula is not None
        }
        return _description(row.words, node, position, **shown)(texts)

    return Change(("partial", row.text), row.implausibility, says, computes)


def _shown(texts: StepTexts, tree: Syntax, node: TraceNode, *, numbered: bool) -> str:
    """The text of a formula, with its value if that is one number."""
    text, value = texts.formula(tree, node), _value_at(node, tree)
    shown = f"{float(value):.6g}" if numbered and np.ndim(value) == 0 else text
    return text if shown == text else f"{text} = {shown}"


class OtherArgument(NamedTuple):
    """What may stand in place of an argument.

    Attributes:
        kind: as in `Change`.
        words: the description, with {} for `texts`.
        texts: makes texts for it.
        value: what stands there.
        more: what is added to its implausibility.
    """

    kind: Key
    words: str
    texts: Callable[[StepTexts], list[str]]
    value: Any
    more: int = 1


IN_PLACE = "{derivative} has {} in place of {argument}"


def _other_arguments(inner: TraceNode, variables: Sequence[TraceNode]) -> Iterator[OtherArgument]:
    """What may stand in place of an argument, which the step `inner` computes.

    Values are computed as arrays: at arguments of another operation, Python's numbers may raise.
    """
    yield from _with_wrong_term(inner)
    for shift, key in _moved_keys(inner):
        with suppress(IndexError):
            element = inner.rule(inner.operands[0], **{**inner.static, "key": key})
            yield OtherArgument(("element", *shift), IN_PLACE, partial(_element, inner, key), element)
    for other in variables:
        if other.index != inner.index:
            yield OtherArgument(("variable", other.index), IN_PLACE, partial(_name, other), other.value)
        for at, operand in enumerate(inner.operands if isinstance(inner.rule, Elementwise) else ()):
            if inner.sources[at] not in {CONSTANT, other.index} and np.shape(operand) == np.shape(other.value):
                operands = [np.asarray(other.value if n == at else x) for n, x in enumerate(inner.operands)]
                words, texts = "{derivative} has {} in place of {} in {argument}", partial(_names, other, inner, at)
                yield OtherArgument(("inside", at, other.index), words, texts, inner.rule.on_arrays(*operands))


def _with_wrong_term(inner: TraceNode) -> Iterator[OtherArgument]:
    """A sum or a product of two without its constant, and a sum with the wrong sign of its second term."""
    rule, operands = inner.rule, inner.operands
    if rule is None or not (rule.adds or rule.is_product) or len(operands) != 2 or np.iscomplexobj(inner.value):
        return
    for term, kept in enumerate(operands[::-1]):
        if np.shape(kept) != np.shape(inner.value):
            continue
        value = kept * (_constant_partial(inner, 1 - term) or 1.0) if rule.adds else kept
        texts = partial(_term_and_step, inner, term)
        if term not in inner.positions:
            words = "in {right}, {derivative}, the constant {} of {} is missing"
            yield OtherArgument(("missing", term), words, texts, value, 0)
        if rule.adds and term:
            words = "in {right}, {derivative}, the term {} of {} has the wrong sign"
            yield OtherArgument(("sign", term), words, texts, 2 * value - inner.value, 0)


def _term_and_step(inner: TraceNode, term: int, texts: StepTexts) -> list[str]:
    return [texts.operands(inner)[term][0], texts.names[inner.index][0]]


def _element(inner: TraceNode, key: Any, texts: StepTexts) -> list[str]:
    return [texts.element(inner, key)]


def _name(other: TraceNode, texts: StepTexts) -> list[str]:
    return [texts.names[other.index][0]]


def _names(other: TraceNode, inner: TraceNode, at: int, texts: StepTexts) -> list[str]:
    return [texts.names[other.index][0], texts.operands(inner)[at][0]]


def _of_argument(
    other: OtherArgument, node: TraceNode, places: tuple[int, int], right: Syntax, texts: StepTexts
) -> str:
    position, place = places
    shown = {"right": texts.formula(right, node), "argument": texts.operands(node)[place][0]}
    return other.words.format(*other.texts(texts), derivative=_derivative(texts, node, position), **shown)


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
                says = partial(_of_matrix, MATRICES[0][0], node, position, (inner, at + 1))
                computes = partial(_with_matrix, place + 1, partial(_turned_inside, inner, at))
                yield Change(("inner matrix", place, at), OF_A_PARTIAL, says, computes)
    for place, value in enumerate((node.value, *node.operands)):
        if _is_square(value):
            for words, wrong in MATRICES:
                says = partial(_of_matrix, words, node, position, (node, place))
                yield Change(("matrix", words, place), OF_A_PARTIAL, says, partial(_with_matrix, place, wrong))
    if np.shape(node.value) == np.shape(node.operands[position]):
        words = ONE_TRIANGLE if node.rule.name == "hermitian" else "{derivative} is missing"
        yield Change(("factor",), OF_A_PARTIAL, _description(words, node, position), lambda passed: passed.cotangent)
    if _is_square(node.operands[position]):
        turned = _description("{derivative} is transposed", node, position)
        yield Change(("turned",), OF_A_PARTIAL, turned, lambda passed: transposed(passed.pulled))


def _is_square(value: Any) -> bool:
    shape = np.shape(value)
    return len(shape) == 2 and 1 < shape[0] == shape[1] <= LARGEST_MATRIX and value.dtype.kind == "f"


def _of_matrix(words: str, node: TraceNode, position: int, at: tuple[TraceNode, int], texts: StepTexts) -> str:
    """A description with the value of a step, at place 0, or an argument of it in place of {matrix}."""
    step, place = at
    matrix = (texts.names[step.index], *texts.operands(step))[place][0]
    return words.format(derivative=_derivative(texts, node, position), matrix=matrix)


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
            says = partial(_of_value, node, _parsed(text))
            yield Change((text,), table.OF_THE_FUNCTION, says, partial(_computed, rule.parameters, _parsed(text)))
    axis: Any = node.static.get("axis")
    count = np.ndim(node.operands[0])
    axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis
    for other in range(count) if isinstance(axis, int) and count > 1 else ():
        if other != axis % count:
            words = f"the candidate is the gradient with axis={other} in place of axis={axis} in {{step}}"
            static = {**node.static, "axis": other}
            yield Change(
                ("axis", other), table.OF_THE_FUNCTION, _description(words, node, 0), partial(_along, rule, static)
            )


def _of_value(node: TraceNode, tree: Syntax, texts: StepTexts) -> str:
    return f"the candidate is the gradient with {texts.formula(tree, node)} in place of {texts.step(node)[0]}"


def _computed(parameters: Sequence[str], tree: Syntax, *arguments: Any) -> Any:
    return evaluate(tree, {**CONSTANTS, **dict(zip(parameters, arguments, strict=True))}, GENERIC_FUNCTIONS)


def _along(rule: ArrayRule, static: dict[str, Any], *arguments: Any) -> Any:
    return rule(*arguments, **static)


def _description(template: str, node: TraceNode, position: int, **more: str) -> Says:
    """A description with the texts of a step in place of {step}, {derivative}, and of an argument in place of {x}."""

    def says(texts: StepTexts) -> str:
        names = {"step": texts.step(node)[0], "x": texts.operands(node)[position][0]}
        return template.format(derivative=_derivative(texts, node, position), **names, **more)

    return says


def _derivative(texts: StepTexts, node: TraceNode, position: int) -> str:
    """Phrase for the derivative of a step, by an argument if it has several."""
    by = f" by {texts.operands(node)[position][0]}" if len(node.positions) > 1 else ""
    return f"the derivative of {texts.step(node)[0]}{by}"


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

"""The steps of a recorded program as statements, with the derivatives from their rules.

If a program was recorded several times, with other numbers and sizes, its constants must fit all runs: a number that is
the same in all runs, or the shape, the size or a length of an earlier step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.answers.derivation.intermediate.array_function_derivatives import array_function, joined
from gradcli.answers.derivation.intermediate.copied_rule_functions import forward, rule_function, without_source
from gradcli.answers.derivation.intermediate.guard_texts import (
    bracketed,
    guard_condition,
    key_text,
    outcome_text,
)
from gradcli.answers.derivation.intermediate.operation_derivatives import (
    ActiveOperation,
    ByPartials,
    ByTemplate,
    ElementRead,
    Identity,
    constant_of,
    total,
)
from gradcli.answers.derivation.intermediate.python_formulas import python_formula
from gradcli.answers.derivation.intermediate.statements import Assignment, Store
from gradcli.answers.derivation.reading.value_kind import (
    NUMBER,
    STATIC,
    Fit,
    ValueKind,
    fit_of,
    fit_of_run,
    kind_of,
    shape_of,
)
from gradcli.answers.derivation.syntax_trees import expression, name
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.indexing import reads_once
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.mathematics.rules.shape import unbroadcast

LINALG = frozenset(("solve", "cholesky", "inv", "det", "norm"))


class ByRule(ActiveOperation, eq=False):
    """An operation on whole arrays, differentiated by the Jacobian products of its rule.

    Args:
        is_exact: for each operand, whether its sensitivity already has its shape.
    """

    rule: ArrayRule
    static: Mapping[str, ast.expr]
    is_exact: tuple[bool, ...]

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        product = self.rule.vjps[0 if self.rule.variadic else place]
        if product is None:
            return None
        static = {**self.static, "position": ast.Constant(place)} if self.rule.variadic else self.static
        called = rule_function(product, f"{self.rule.name}_vjp")
        if self.kind.name == "number":
            ct = expression("np.float64(_ct)", _ct=ct)
        call: ast.expr = ast.Call(name(called), [ct, value, *self.operands], _keywords(static))
        if self.is_exact[place]:
            return call
        return expression(f"{rule_function(unbroadcast)}(_ct, np.shape(_x))", _ct=call, _x=self.operands[place])

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        if self.rule.linear:
            return self._forward([tangents.get(n, _zeros(operand)) for n, operand in enumerate(self.operands)])
        if self.rule.bilinear:
            return total([self._forward([t if k == n else x for k, x in enumerate(self.operands)])
                          for n, t in tangents.items()])  # fmt: skip
        if self.rule.jvp is None:
            return total([term for n, t in tangents.items() if (term := self.pull(n, t, value)) is not None])
        made = ast.Dict([ast.Constant(n) for n in tangents], list(tangents.values()))
        called = rule_function(self.rule.jvp, f"{self.rule.name}_jvp")
        return ast.Call(name(called), [made, value, *self.operands], _keywords(self.static))

    def _forward(self, arguments: list[ast.expr]) -> ast.expr:
        return forward(self.rule, arguments, dict(self.static))


def _keywords(static: Mapping[str, ast.expr]) -> list[ast.keyword]:
    return [ast.keyword(keyword, value) for keyword, value in static.items()]


def _zeros(operand: ast.expr) -> ast.expr:
    return expression("np.zeros_like(_x)", _x=operand)


class RecordedSteps:
    """One program, recorded once or several times.

    Args:
        runs: the traces, of programs with the same skeleton.

    Attributes:
        names: the name of the value of each step; outcomes are numbered after the steps.
    """

    def __init__(self, runs: Sequence[Trace]) -> None:
        self.runs = runs
        self.nodes = list(zip(*(run.nodes for run in runs), strict=False))
        self.names: dict[int, str] = {}

    @property
    def program(self) -> Any:
        """The program of the first run."""
        return self.runs[0].program

    def kind(self, index: int) -> ValueKind:
        """The kind of the value of a step."""
        return kind_of(self.nodes[index][0].value)

    def step(self, index: int) -> tuple[ast.expr, ActiveOperation | None]:
        """The expression of a step, and its operation; None for a constant.

        Raises:
            UnsupportedError: the step has no source form.
        """
        node, operation = self.nodes[index][0], self._operation(index)
        if operation.rule is not None and operation.rule.folds:
            raise UnsupportedError(f"derive does not know the derivative of {operation.name}, which is its own")
        atoms = self.operands(index)
        if node.is_constant:
            return atoms[0], None
        count = len(operation.names)
        choices = {choice: self._choice(index, n) for n, (choice, _) in enumerate(operation.choices)}
        static = {**choices, **dict(zip(operation.names, atoms[len(atoms) - count :], strict=True))}
        return self._by_rule(index, atoms[: len(atoms) - count], static)

    def _by_rule(
        self, index: int, atoms: list[ast.expr], static: dict[str, ast.expr]
    ) -> tuple[ast.expr, ActiveOperation]:
        node, kind = self.nodes[index][0], self.kind(index)
        kinds = tuple(map(kind_of, node.operands))
        rule, operands = node.rule, tuple(atoms)
        if kind.name not in ("number", "array"):
            raise UnsupportedError(f"{node.operation} gives a {kind}")
        if node.is_alias or (rule is not None and kind == kinds[0] and (rule.casts or _moves_a_number(rule, kinds))):
            return atoms[0], Identity(operands, kinds, kind)
        if isinstance(rule, Elementwise):
            names = dict(zip(rule.parameters, atoms, strict=True))
            by = ByPartials(operands, kinds, kind, self._fits(index), rule)
            for n in node.positions:
                by.pull(n, name("ct"), name("v"))
            return python_formula(rule.value_tree, names, kind.name == "array"), by
        if rule is not None and rule.reads and kinds[0] == NUMBER:
            shape = (1,) * kind.rank
            given = expression(f"np.full({shape}, _x)", _x=atoms[0])
            return given, ByTemplate(operands, kinds, kind, ("ct.item()",), (f"np.full({shape}, t)",))
        if rule is not None and rule.reads:
            place = bracketed(ast.Subscript(atoms[0], static["key"], ast.Load()))
            return place, ElementRead(operands, kinds, kind, place, scatters=not reads_once(node.static["key"]))
        if not isinstance(rule, ArrayRule):
            raise without_source(node.operation)
        by_template = _by_template(node, atoms, kinds, kind, static)
        if by_template is not None:
            return by_template
        by_rule = ByRule(operands, kinds, kind, rule, static, self._exact(index))
        try:
            for n in node.positions:
                by_rule.pull(n, name("ct"), name("v"))
            return forward(rule, atoms, static), by_rule
        except UnsupportedError:  # which names a function of the rule
            raise without_source(node.operation) from None

    def written(self, index: int, target: str, line: int) -> tuple[Assignment, Store]:
        """A copy of an array under a name, and the write of a value into it."""
        nodes, (*atoms, key) = self.nodes[index], self.operands(index)
        kinds = tuple(map(kind_of, nodes[0].operands))
        copied = expression("_x.copy()", _x=atoms[0])
        place = bracketed(ast.Subscript(name(target), key, ast.Load()))
        wholes = [node.value[node.static["key"]] for node in nodes]
        shapes = [(np.shape(whole), shape_of(node.operands[1])) for whole, node in zip(wholes, nodes, strict=True)]
        stored = Identity((atoms[1],), kinds[1:], kind_of(wholes[0]), self._fit(shapes))
        return (
            Assignment(target, copied, Identity((atoms[0],), kinds[:1], kinds[0]), line),
            Store(target, place, atoms[1], 0, stored.kind, stored, line),
        )

    def in_order(self) -> Iterator[tuple[TraceNode | None, int]]:
        """In their order, the nodes that are no inputs with their index, and None with the number of each outcome."""
        outcomes, number = self.program.outcomes, 0
        for node in self.runs[0].nodes:
            while number < len(outcomes) and outcomes[number].before <= node.index:
                yield None, number
                number += 1
            if not node.is_input:
                yield node, node.index
        yield from ((None, rest) for rest in range(number, len(outcomes)))

    def outcome(self, number: int) -> ast.expr:
        """The expression of an outcome that is passed on, or the condition for one that Python code received.

        Raises:
            UnsupportedError: the outcome has no source form.
        """
        outcome = self.program.outcomes[number]
        if outcome.guard is not None:
            return guard_condition(outcome, self.outcome_operands(number))
        return outcome_text(outcome.name, outcome.function, self.outcome_operands(number))

    def outcome_operands(self, number: int) -> list[ast.expr]:
        """The operands of an outcome."""
        outcome = self.program.outcomes[number]
        places = range(len(outcome.arguments))
        return [self._referred(n, outcome.before, lambda run: run.program.outcomes[number].arguments) for n in places]

    def operands(self, index: int) -> list[ast.expr]:
        """The operands of a step, with arguments by name, such as an index, last."""
        return [self._atom(index, n) for n in range(len(self.program.steps[index].arguments))]

    def _operation(self, index: int) -> Any:
        return self.program.operations[self.program.steps[index].operation]

    def _atom(self, index: int, place: int) -> ast.expr:
        return self._referred(place, index, lambda run: run.program.steps[index].arguments)

    def _referred(self, place: int, before: int, arguments: Any) -> ast.expr:
        """The expression for an argument: a step, an outcome, or a constant of all runs."""
        argument = arguments(self.runs[0])[place]
        if argument in self.names:
            return name(self.names[argument])
        if argument >= 0:  # an outcome that Python code received, which is asserted
            number = argument - len(self.runs[0].nodes)
            return self.constant([run.program.outcomes[number].guard.value for run in self.runs], before)
        values = [run.program.constants[-1 - arguments(run)[place]].value for run in self.runs]
        return self.constant(values, before)

    def _choice(self, index: int, number: int) -> ast.expr:
        programs = [run.program for run in self.runs]
        choices = [program.operations[program.steps[index].operation].choices for program in programs]
        return self.constant([choice[number][1].value for choice in choices], index)

    def constant(self, values: Sequence[Any], before: int) -> ast.expr:
        """The expression for a constant of all runs."""
        texts = {key_text(value) for value in values}
        if len(texts) == 1:
            return expression(texts.pop())
        for index, nodes in enumerate(self.nodes[:before]):
            for text, numbers in _of_shapes([shape_of(node.value) for node in nodes]):
                text_of_shape = _by_shape(text, numbers, values)
                if text_of_shape:
                    return expression(text_of_shape, _x=name(self.names[index]))
        if isinstance(values[0], tuple) and len({len(value) for value in values}) == 1:
            parts = [self.constant(part, before) for part in zip(*values, strict=True)]
            return ast.Tuple(parts, ast.Load())
        raise UnsupportedError(f"a constant of it is {values[0]!r} or {values[1]!r} by the size of an array")

    def _fits(self, index: int) -> tuple[Fit, ...]:
        nodes = self.nodes[index]
        wholes = [shape_of(node.value) for node in nodes]
        if not any(wholes):
            return tuple("" for _ in nodes[0].operands)
        parts = list(zip(*([shape_of(operand) for operand in node.operands] for node in nodes), strict=True))
        return tuple(self._fit(list(zip(wholes, part, strict=True))) for part in parts)

    def _fit(self, shapes: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> Fit:
        return fit_of_run(*shapes[0]) if len(self.runs) == 1 else fit_of(shapes)

    def _exact(self, index: int) -> tuple[bool, ...]:
        """For each argument, whether its sensitivity has its shape; of several arguments, one may be broadcast."""
        count = len(self.nodes[index][0].operands)
        exact = [count == 1] * count
        for node in self.nodes[index]:
            for n in node.positions:
                ct = np.ones_like(node.value)
                product = node.rule.vjp(n, ct, node.value, node.operands, node.static)
                exact[n] &= np.shape(product) == np.shape(node.operands[n])
        return tuple(exact)


def _moves_a_number(rule: Any, kinds: tuple[ValueKind, ...]) -> bool:
    """Whether a rule such as reshape has one number as its argument, and returns it unchanged."""
    return kinds == (NUMBER,) and rule.moves and not rule.reads


def _by_template(
    node: TraceNode, atoms: list[ast.expr], kinds: tuple[ValueKind, ...], kind: ValueKind, static: dict[str, ast.expr]
) -> tuple[ast.expr, ActiveOperation] | None:
    """A frequent operation, whose products are written inline; None for others."""
    keywords = {k: v for k, v in static.items() if not _is_default(v)}
    if node.operation == "transpose" and list(node.static["axes"] or ()) == [*range(kind.rank)]:
        return atoms[0], Identity(tuple(atoms), kinds, kind)
    axis = constant_of(keywords["axis"]) if "axis" in keywords else None
    if node.operation in ("concatenate", "stack") and isinstance(axis, int):
        along = joined(node.operation, atoms, kinds, kind, axis % kind.rank)
        display = ast.Call(expression(f"np.{node.operation}"), [ast.List(atoms, ast.Load())], _keywords(keywords))
        return (display, along) if along is not None else None
    if len(atoms) == 1 and set(keywords) == {"shape"}:
        atoms, keywords, kinds = [*atoms, keywords["shape"]], {}, (*kinds, STATIC)
    lowered = array_function(node.operation, atoms, kinds, kind, keywords)
    if lowered is None:
        return None
    home = "np.linalg" if node.operation in LINALG else "np"
    call = ast.Call(expression(f"{home}.{node.operation}"), atoms, _keywords(keywords))
    return call, lowered


def _is_default(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and (value.value is None or value.value is False or value.value == "C")


def program_structure(run: Trace) -> Any:
    """The properties shared by programs that differ in constants only."""
    program = run.program
    operations = [
        (operation.name, id(operation.rule), operation.positions, operation.names, [n for n, _ in operation.choices])
        for operation in program.operations
    ]
    steps = [(operations[step.operation], [max(n, -1) for n in step.arguments]) for step in program.steps]
    outcomes = [
        (outcome.name, outcome.guard is None, [max(n, -1) for n in outcome.arguments]) for outcome in program.outcomes
    ]
    kinds = [kind_of(node.value) for node in run.nodes]
    return steps, outcomes, kinds, program.result


def _by_shape(text: str, numbers: Sequence[Any], values: Sequence[Any]) -> str:
    """The text of a constant that equals, in all runs, a property of a shape plus a fixed number; empty otherwise."""
    if not all(isinstance(value, (int, float, tuple)) for value in values):
        return ""
    if isinstance(values[0], tuple) or isinstance(numbers[0], tuple):
        return text if list(map(key_text, numbers)) == list(map(key_text, values)) else ""
    less = {a - b for a, b in zip(numbers, values, strict=True) if type(b) in (int, float)}
    if len(less) != 1 or not float(next(iter(less))).is_integer():
        return ""
    by = int(less.pop())
    return text if by == 0 else f"{text} - {by}" if by > 0 else f"{text} + {-by}"


def _of_shapes(shapes: list[tuple[int, ...]]) -> list[tuple[str, list[Any]]]:
    """The texts for the shape, size and lengths of an array, each with its values in all runs."""
    ranks = {len(shape) for shape in shapes}
    lengths = [(f"np.shape(_x)[{n}]", [shape[n] for shape in shapes]) for n in range(min(ranks))]
    return [("np.shape(_x)", list(shapes)), ("np.size(_x)", [int(np.prod(shape)) for shape in shapes]), *lengths]

"""Programs of plain numbers as straight-line Python source, with their gradients.

In this number system a number is a name, and computing writes a statement. The text gives the same numbers as the run
and its sweep, bit for bit, on the recorded path; it does not check outcomes. The value raises where the run would; the
derivatives follow IEEE 754.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from gradcli.errors import UnsupportedError
from gradcli.frozen_record import Frozen
from gradcli.language.formula_text import ATOM, CALLS, PLAIN, Piece, call, literal
from gradcli.language.syntax import Apply, Name, Number, Syntax, fold, is_zero, times
from gradcli.pytree import leaves
from gradcli.rules.compiled_formulas import IEEE_FUNCTIONS, PLAIN_FUNCTIONS, scope_of
from gradcli.rules.rule_types import Elementwise
from gradcli.traces.node import TraceNode
from gradcli.traces.number_systems import Pull, ReverseSystem
from gradcli.traces.straight_line_program import Operation
from gradcli.traces.trace import Trace
from gradcli.traces.trace_replay import Traversal

FACTOR = "_ct"


class _ByIeee(dict[str, str]):
    """Names of the IEEE 754 functions, which differ from the names of Python's."""

    def get(self, name: str, _: Any = None) -> str:
        return f"ieee_{name}"


SLOPES = CALLS.changed(names=_ByIeee())
NAME = re.compile(r"\b[cv]\d+\b")


class _Statement(Frozen):
    """An assignment: a name and its formula."""

    name: str
    text: str

    def line(self) -> str:
        """The statement as Python source."""
        return f"    {self.name} = {self.text}"


class SourceText(ReverseSystem):
    """The number system of names.

    Attributes:
        statements: the statements written so far, in order.
        scope: the functions that the text calls.
    """

    def __init__(self) -> None:
        self.statements: list[_Statement] = []
        self.scope: dict[str, Any] = {"inf": math.inf, "nan": math.nan}

    def constant(self, value: Any) -> Piece:
        """The literal of a constant.

        Raises:
            UnsupportedError: the value is not a plain number.
        """
        if type(value) not in (float, int, bool):
            raise UnsupportedError(
                f"a constant of type {type(value).__name__} is not written out", hint="Only plain numbers are."
            )
        return literal(value)

    def function(self, operation: Operation) -> Callable[..., Piece]:
        """The formula of the rule."""
        return partial(self._value, _elementwise(operation))

    def pull(self, operation: Operation) -> Pull:
        """The formulas of the rule's partials."""
        return partial(self._pull, operation)

    def add(self, present: Piece | None, contribution: Piece, source: TraceNode) -> Piece:
        """The sum of two formulas, as a new name."""
        if present is not None:
            contribution = PLAIN.inline["add"].write([present, contribution])
        elif NAME.fullmatch(contribution[0]):
            return contribution
        return self.written("c", contribution[0])

    def written(self, kind: str, text: str) -> Piece:
        """Assign a formula to a new name."""
        name = f"{kind}{len(self.statements)}"
        self.statements.append(_Statement(name, text))
        return name, ATOM

    def _value(self, rule: Elementwise, *arguments: Piece) -> Piece:
        tree, names = rule.value_tree, dict(zip(rule.parameters, arguments, strict=True))
        is_primitive = bool(rule.special) or (isinstance(tree, Apply) and tree.function == rule.name)
        if is_primitive and rule.name not in PLAIN.inline:
            function = rule.name.replace(".", "_")
            self.scope[function] = rule.plain
            return self.written("v", call(function, [*arguments])[0])
        if is_primitive:
            return self.written("v", self._formula(tree, names)[0])
        product = PLAIN.inline["mul"].write([literal(1.0), self._formula(tree, names)])
        return self.written("v", product[0])

    def _pull(self, operation: Operation, ct: Piece, value: Piece, *arguments: Piece) -> Iterator[tuple[int, Piece]]:
        rule = _elementwise(operation)
        names = {**dict(zip(rule.parameters, arguments, strict=True)), "v": value, FACTOR: ct}
        for place in operation.positions:
            tree = operation.slopes.trees[place]
            if tree is None or is_zero(tree):
                continue
            if rule.selects:
                slope = self.written("c", self._slope(tree, names)[0])
                product = PLAIN.inline["mul"].write([ct, slope])[0]
                yield place, (f"({product} if {slope[0]} else 0.0)", ATOM)
            else:
                yield place, self._slope(times(FACTOR, tree), names)

    def _formula(self, tree: Syntax, names: Mapping[str, Piece]) -> Piece:
        self.scope.update(scope_of(tree, PLAIN_FUNCTIONS))
        return fold(tree, partial(_leaf, names), PLAIN.apply)

    def _slope(self, tree: Syntax, names: Mapping[str, Piece]) -> Piece:
        functions = scope_of(tree, IEEE_FUNCTIONS)
        self.scope.update({f"ieee_{name}": function for name, function in functions.items() if callable(function)})
        self.scope.update({name: x for name, x in functions.items() if not callable(x)})
        return fold(tree, partial(_leaf, names), SLOPES.apply)


def _leaf(names: Mapping[str, Piece], leaf: Number | Name) -> Piece:
    return literal(leaf.value) if isinstance(leaf, Number) else names.get(leaf.id, (leaf.id, ATOM))


def _elementwise(operation: Operation) -> Elementwise:
    if operation.is_of_arrays or not isinstance(operation.rule, Elementwise):
        raise UnsupportedError(
            f"the operation {operation.name} of arrays is not written out", hint="Only programs of plain numbers are."
        )
    return operation.rule


def gradient_source(trace: Trace, name: str = "value_and_gradient") -> tuple[str, dict[str, Any]]:
    """The value and the gradient of a recorded program as Python source.

    Args:
        trace: the run, whose result is one number.
        name: the name of the function.

    Returns:
        The source of a function of the inputs, in order, that returns the value and a tuple of derivatives; and the
        functions that it calls, by name.

    Raises:
        UnsupportedError: the program computes with arrays or with complex numbers.
        ResultError: its result is not one number.
    """
    last, system, inputs = trace.result_index(), SourceText(), leaves(trace.inputs)
    if trace.has_complex:
        raise UnsupportedError("complex numbers are not written out", hint="Only programs of real numbers are.")
    if last is None:
        value, slopes = literal(float(trace.value))[0], ["0.0"] * len(inputs)
    else:
        traversal = Traversal(trace, system, last)
        given = {index: (f"x{place}", ATOM) for place, index in enumerate(inputs)}
        values = traversal.values(given, asks_again=False)
        cotangents = traversal.cotangents(values, last, literal(1.0))
        value = values[last][0]
        slopes = [f"{cotangents[index][0]} + 0.0" if index in cotangents else "0.0" for index in inputs]
    returned = f"    return {value}, ({', '.join(slopes)},)"
    lines = [statement.line() for statement in _needed(system.statements, returned)]
    parameters = ", ".join(f"x{place}" for place in range(len(inputs)))
    return "\n".join([f"def {name}({parameters}):", *lines, returned, ""]), system.scope


def _needed(statements: Sequence[_Statement], returned: str) -> list[_Statement]:
    """The statements on which the returned expression depends."""
    wanted = set(NAME.findall(returned))
    found = []
    for statement in reversed(statements):
        if statement.name in wanted:
            wanted.update(NAME.findall(statement.text))
            found.append(statement)
    return found[::-1]

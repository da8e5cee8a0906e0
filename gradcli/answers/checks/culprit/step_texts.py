"""Steps of a recorded program as text in the user's names, and numbers as a user would type them."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.answers.explain.array_operation_text import subscripted
from gradcli.answers.explain.node_formulas import emitter, formula_of_operands
from gradcli.answers.explain.numpy_names_and_constants import Writer, name_text
from gradcli.answers.explain.statement_contexts import StatementContexts
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import ATOM, SIGN, Piece
from gradcli.mathematics.language.syntax import Apply, Name, Number, Syntax, fold
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS
from gradcli.shared.float_errors import ignored_float_errors

LONGEST = 60  # characters of a formula that stands for an unnamed step
_BOUND_AGAIN = re.compile(r"#\d+(?:\.\d+)*[a-z]*")
_TWICE_NEGATED = re.compile(r"(?:(?<=[(,\[])|^)--(?=[\w(])")
_DIGITS = re.compile(r"\d+\.\d{7,}(e[-+]?\d+)?")
_UNNAMED = re.compile(r"%\w+")  # an array without a name


class StepTexts:
    """The texts of the steps of one recorded program."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._writer = Writer(trace.names.values(), trace.arrays)
        self._contexts = StatementContexts(trace, self._writer, self._operand_of_outcome)

    @cached_property
    def names(self) -> list[Piece]:
        """For each step, the user's name for it, or else a short formula, or the line that computes it."""
        given, pieces = self.trace.names, list[Piece]()
        for index, node in enumerate(self.trace.nodes):
            text, binding = name_text(given[index]) if index in given else (self._line(node), ATOM)
            if index not in given and node.positions:
                text, binding = formula_of_operands(self._writer, node, self._operands(node, pieces))
            pieces.append((tidied(text), binding) if len(text) <= LONGEST else (self._line(node), ATOM))
        return pieces

    def operands(self, node: TraceNode) -> list[Piece]:
        """The texts of a step's arguments."""
        return self._operands(node, self.names)

    def step(self, node: TraceNode) -> Piece:
        """The text of the operation of a step."""
        if not node.positions:
            return self.names[node.index]
        text, binding = formula_of_operands(self._writer, node, self.operands(node))
        return tidied(text), binding

    def element(self, node: TraceNode, key: Any) -> str:
        """The text of an element of the array that a step reads from, at another subscript."""
        return subscripted(self.names[node.sources[0]], self._writer.key(key))[0]

    def formula(self, tree: Syntax, node: TraceNode) -> str:
        """The text of a formula in the arguments of an elementwise step and in `v`, its result; constants computed."""
        parameters = node.rule.parameters
        texts = dict(zip(parameters, self.operands(node), strict=True)) | {"v": self.step(node)}
        arguments = zip(parameters, node.sources, node.operands, strict=True)
        constants = {name: x for name, index, x in arguments if index == CONSTANT and np.ndim(x) == 0}
        target = emitter(self._writer)

        def leaf(part: Number | Name) -> tuple[Piece, Any]:
            if isinstance(part, Number):
                return number_piece(part.value), part.value
            return texts.get(part.id, (part.id, ATOM)), constants.get(part.id)

        def apply(part: Apply, pieces: list[tuple[Piece, Any]]) -> tuple[Piece, Any]:
            values = [value for _, value in pieces]
            if None not in values and part.function != "log":
                value = ARRAY_FUNCTIONS[part.function](*values)
                return number_piece(value), value
            if part.function in ("pow", "mul") and values[1] == 1:
                return pieces[0]
            return target.apply(part, [text for text, _ in pieces]), None

        with ignored_float_errors():
            return tidied(fold(tree, leaf, apply)[0][0])

    def _operands(self, node: TraceNode, names: list[Piece]) -> list[Piece]:
        self._writer.context = self._contexts.of(node.index)
        return [self._constant(x) if index == CONSTANT else names[index] for index, x in node.arguments()]

    def _constant(self, value: Any) -> Piece:
        if (written := self._writer.as_written(value)) is not None:
            return written
        if np.ndim(value) == 0:
            return number_piece(value)
        text, binding = self._writer.constant(value)
        return ("array", ATOM) if text.startswith("%") else (text, binding)

    def _operand_of_outcome(self, index: int, value: Any) -> Piece:
        return self._writer.constant(value) if index == CONSTANT else name_text(self.trace.names.get(index, "array"))

    def _line(self, node: TraceNode) -> str:
        return f"the value of line {node.line}" if node.line else "a value without a name"


StepText = Callable[[StepTexts], str]


def description(template: str, node: TraceNode, position: int, **more: str | StepText) -> StepText:
    """A description with the texts of a step in place of {step}, {derivative}, and of an argument in place of {x}.

    `more` are further texts by name, or make them.
    """

    def wording(texts: StepTexts) -> str:
        (step, _), (x, _) = texts.step(node), texts.operands(node)[position]
        derivative = f"the derivative of {step} by {x}" if len(node.positions) > 1 else f"the derivative of {step}"
        shown = {name: text if isinstance(text, str) else text(texts) for name, text in more.items()}
        return template.format(derivative=derivative, step=step, x=x, **shown)

    return wording


def number_piece(value: Any) -> Piece:
    """The text of a number with six digits."""
    text = str(value) if np.iscomplexobj(value) else f"{float(value):.6g}"
    return text, SIGN if text.startswith("-") else ATOM


def tidied(text: str) -> str:
    """A text with long decimals shortened, and without double signs and the numbers of steps and of arrays."""
    plain = _UNNAMED.sub("array", _BOUND_AGAIN.sub("", _TWICE_NEGATED.sub("", text)))
    return _DIGITS.sub(lambda digits: f"{float(digits[0]):.6g}", plain)

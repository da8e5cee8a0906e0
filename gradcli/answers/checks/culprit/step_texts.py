"""Steps of a recorded program as text in the user's names, and numbers as a user would type them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.answers.explain.node_formulas import LONGEST, emitter, formula_of_operands
from gradcli.answers.explain.numpy_names_and_constants import Writer, name_text
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import ATOM, SIGN, Emitter, Piece
from gradcli.mathematics.language.syntax import Apply, Name, Number, Syntax, fold
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.float_errors import ignored_float_errors

LONGEST_DEFINITION = 100  # characters of a formula that a letter stands for
LETTERS = "uvwabc"
MOST_LETTERS = 2  # most letters in one text
_BOUND_AGAIN = re.compile(r"#\d+")
_TWICE_NEGATED = re.compile(r"(?:(?<=[(,\[])|^)--(?=[\w(])")
_DIGITS = re.compile(r"\d+\.\d{7,}(e[-+]?\d+)?")
_HELD = re.compile(r"%\w+")  # an array without a name
_LONG = re.compile(r"<(\d+)>")  # a step whose formula is long


class StepTexts:
    """The texts of the steps of one recorded program."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def names(self) -> list[Piece]:
        """For each step, the user's name for it, or else a short formula, or a mark that `finished` replaces."""
        return self._names(LONGEST, lambda index: f"<{index}>")

    @cached_property
    def _definitions(self) -> list[Piece]:
        """For each step a longer formula, or the line that computes it."""
        return self._names(LONGEST_DEFINITION, self._line)

    def _line(self, index: int) -> str:
        line = self.trace.nodes[index].line
        return f"the value of line {line}" if line else "a value without a name"

    def _names(self, longest: int, long: Callable[[int], str]) -> list[Piece]:
        given = self.trace.names
        pieces: list[Piece] = []
        for index, node in enumerate(self.trace.nodes):
            text, binding = name_text(given[index]) if index in given else (long(index), ATOM)
            if index not in given and node.positions:
                text, binding = formula_of_operands(self._writer, node, self._texts(node, pieces))
            pieces.append((tidied(text), binding) if len(text) <= longest else (long(index), ATOM))
        return pieces

    def finished(self, text: str) -> str:
        """The text with letters in place of long formulas, which it explains at the end."""
        marks = list(dict.fromkeys(_LONG.findall(text)))
        taken = set(self.trace.names.values())
        letters = [letter for letter in LETTERS if letter not in taken]
        if not 0 < len(marks) <= min(MOST_LETTERS, len(letters)):
            return _LONG.sub(lambda mark: self._line(int(mark[1])), text)
        named = dict(zip(marks, letters, strict=False))
        where = " and ".join(f"{named[mark]} is {self._definitions[int(mark)][0]}" for mark in marks)
        return f"{_LONG.sub(lambda mark: named[mark[1]], text)}, where {where}"

    def operands(self, node: TraceNode) -> list[Piece]:
        """The texts of a step's arguments."""
        return self._texts(node, self.names)

    def _texts(self, node: TraceNode, names: Sequence[Piece]) -> list[Piece]:
        pairs = node.arguments()
        return [self._constant(value) if index == CONSTANT else names[index] for index, value in pairs]

    def _constant(self, value: Any) -> Piece:
        if np.ndim(value) == 0:
            return _number(value)
        text, binding = self._writer.constant(value)
        return ("array", ATOM) if text.startswith("%") else (text, binding)

    @cached_property
    def _writer(self) -> Writer:
        return Writer(self.trace.names.values(), self.trace.arrays)

    def step(self, node: TraceNode) -> Piece:
        """The text of the operation of a step."""
        if not node.positions:
            return str(node.operation), ATOM
        text, binding = formula_of_operands(self._writer, node, self.operands(node))
        return tidied(text), binding

    def formula(self, tree: Syntax, node: TraceNode) -> Piece:
        """The text of a formula in the arguments of an elementwise step and in `v`, its result."""
        rule: Elementwise = node.rule
        texts = dict(zip(rule.parameters, self.operands(node), strict=True)) | {"v": self.step(node)}
        constants = {
            name: x
            for name, index, x in zip(rule.parameters, node.sources, node.operands, strict=True)
            if index == CONSTANT and np.ndim(x) == 0
        }
        text, binding = in_names(tree, texts, constants, emitter(self._writer))
        return tidied(text), binding


def in_names(tree: Syntax, texts: Mapping[str, Piece], constants: Mapping[str, Any], target: Emitter) -> Piece:
    """Write a formula with texts in place of its names; constant parts are computed."""

    def leaf(node: Number | Name) -> tuple[Piece, Any]:
        if isinstance(node, Number):
            return _number(node.value), node.value
        return texts.get(node.id, (node.id, ATOM)), constants.get(node.id)

    def apply(node: Apply, parts: list[tuple[Piece, Any]]) -> tuple[Piece, Any]:
        values = [value for _, value in parts]
        if None not in values and node.function != "log":
            value = ARRAY_FUNCTIONS[node.function](*values)
            return _number(value), value
        if node.function in ("pow", "mul") and values[1] == 1:
            return parts[0]
        return target.apply(node, [text for text, _ in parts]), None

    with ignored_float_errors():
        return fold(tree, leaf, apply)[0]


def _number(value: Any) -> Piece:
    text = str(value) if np.iscomplexobj(value) else f"{float(value):.6g}"
    return text, SIGN if text.startswith("-") else ATOM


def tidied(text: str) -> str:
    """A text with long decimals shortened, and without double signs and the numbers of steps and of arrays."""
    plain = _HELD.sub("array", _BOUND_AGAIN.sub("", _TWICE_NEGATED.sub("", text)))
    return _DIGITS.sub(lambda digits: f"{float(digits[0]):.6g}", plain)

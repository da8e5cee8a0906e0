"""Steps of a recorded program as text in the user's names, and numbers as a user would type them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.explain.node_formulas import LONGEST, emitter, formula_of_operands
from gradcli.explain.numpy_names_and_constants import Writer, name_text
from gradcli.float_errors import ignored_float_errors
from gradcli.language.formula_text import ATOM, SIGN, Emitter, Piece
from gradcli.language.syntax import Apply, Name, Number, Syntax, fold
from gradcli.rules.compiled_formulas import ARRAY_FUNCTIONS
from gradcli.rules.rule_types import Elementwise
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace

ELLIPSIS: Piece = ("…", ATOM)
LARGEST_DENOMINATOR = 1000
LARGEST_SQUARE = 100
_BOUND_AGAIN = re.compile(r"#\d+")
_DIGITS = re.compile(r"\d+\.\d{7,}(e[-+]?\d+)?")


class StepTexts:
    """The texts of the steps of one recorded program."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def names(self) -> list[Piece]:
        """For each step, the user's name for it, or else a short formula."""
        given = self.trace.names
        found: list[Piece] = []
        for index, node in enumerate(self.trace.nodes):
            text, binding = name_text(given[index]) if index in given else ELLIPSIS
            if index not in given and node.positions:
                text, binding = formula_of_operands(self._writer, node, self._texts(node, found))
            found.append((tidied(text), binding) if len(text) <= LONGEST else ELLIPSIS)
        return found

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
        return ELLIPSIS if text.startswith("%") else (text, binding)

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
    """A text with long decimals shortened and the numbers of steps removed."""
    return _DIGITS.sub(lambda digits: f"{float(digits[0]):.6g}", _BOUND_AGAIN.sub("", text))


def number(x: float) -> str:
    """A factor as a user would write it: `3`, `1/2`, `pi/180`, `sqrt(3)`, `0.317`."""
    if not math.isfinite(x):
        return str(x)
    sign, size = ("-" if x < 0 else ""), abs(float(x))
    for text, value in (("pi", math.pi), ("pi/180", math.pi / 180), ("180/pi", 180 / math.pi)):
        if same(size, value):
            return sign + text
    if (ratio := Fraction(size).limit_denominator(LARGEST_DENOMINATOR)).numerator == 1 and same(size, float(ratio)):
        return f"{sign}{ratio}"
    if size**2 <= LARGEST_SQUARE and not same(size, round(size)) and same(size**2, round(size**2)):
        return f"{sign}sqrt({round(size**2)})"
    return f"{x:.6g}"


def in_common(first: str, last: str) -> str:
    """The words that two texts share, with … for words that differ."""
    words, others = (re.split(r"(\W)", text) for text in (first, last))
    if len(words) != len(others):
        return first
    return "".join(word if word == other else "…" for word, other in zip(words, others, strict=True))


def same(x: float, y: float) -> bool:
    """Whether two numbers are equal up to rounding."""
    return abs(x - y) <= 1e-14 * abs(y)

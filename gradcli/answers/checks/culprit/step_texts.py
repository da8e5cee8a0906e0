"""Steps of a recorded program as text in the user's names, and numbers as a user would type them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import permutations, product
from typing import Any

import numpy as np

from gradcli.answers.explain.array_operation_text import transposed
from gradcli.answers.explain.elementwise_terms import ArgumentUse
from gradcli.answers.explain.node_formulas import LONGEST, emitter, formula_of_operands
from gradcli.answers.explain.numpy_names_and_constants import Writer, name_text
from gradcli.answers.explain.shaped_terms import Term
from gradcli.answers.explain.statement_contexts import StatementContexts
from gradcli.answers.explain.vjp_text import argument_contribution
from gradcli.engine.code.statements_by_line import source_lines
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import ATOM, SIGN, Emitter, Piece
from gradcli.mathematics.language.syntax import Apply, Name, Number, Syntax, fold
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.float_errors import ignored_float_errors

MOST_ELEMENTS = 5
STEPS = (1, -1, 2, -2)  # distances of an element that is taken for another, as `x[i - 1]` for `x[i + 1]`
NO_SUBSCRIPTS: tuple[dict[str, str], dict[str, int]] = ({}, {})
_ASSIGNED = re.compile(r"[\w\s,.\[\]+-]*(?<![=<>!])=(?!=)")
_SUBSCRIPT = re.compile(r"(?<![\w.])([^\W\d]\w*)\[([^][]+(?:\]\[[^][]+)*)\]")
_INDEX = re.compile(r"\s*(?P<name>[^\W\d]\w*(?=\s*(?:[+-]|$)))?\s*(?P<offset>[+-]?\s*\d+)?\s*")

Indices = tuple[tuple[str, int], ...]  # for each, a name, or none, and a number that is added to it


@lru_cache(maxsize=256)
def subscripts(text: str) -> dict[str, tuple[str, Indices]]:
    """The subscripts of names in a text whose indices are numbers, or names plus numbers: array and indices by text."""
    read = {}
    for match in _SUBSCRIPT.finditer(text):
        parts = [_INDEX.fullmatch(part) for part in re.split(r",|\]\[", match[2])]
        indices = [(part["name"] or "", int((part["offset"] or "0").replace(" ", ""))) for part in parts if part]
        if len(indices) == len(parts):
            read[match[0]] = match[1], tuple(indices)
    return read


def as_in_source(statement: str, elements: Sequence[str], *, in_order: bool) -> tuple[dict[str, str], dict[str, int]]:
    """The text in a statement of each element that a visit to it reads, and the values of the names in its indices.

    Both are empty if the subscripts of the statement read these elements in several ways, or in none. If the elements
    are `in_order` of their reading, the first way counts.
    """
    known = {text: part for element in elements for text, part in subscripts(element).items()}
    arrays = {array for array, _ in known.values()}
    read = subscripts(_ASSIGNED.sub("", statement, count=1))
    wanted = {text: part for text, part in read.items() if part[0] in arrays}
    if len(wanted) != len(known) or len(known) > MOST_ELEMENTS:
        return NO_SUBSCRIPTS
    ways = [*_ways(wanted, known)]
    return ways[0] if len(ways) == 1 or (ways and in_order) else NO_SUBSCRIPTS


def _ways(
    wanted: dict[str, tuple[str, Indices]], known: dict[str, tuple[str, Indices]]
) -> Iterator[tuple[dict[str, str], dict[str, int]]]:
    for order in permutations(known):
        values: dict[str, int] = {"": 0}
        pairs = [(wanted[text], known[element]) for text, element in zip(wanted, order, strict=True)]
        if all(
            array == other
            and len(indices) == len(numbers)
            and all(values.setdefault(x, n - d) == n - d for (x, d), (_, n) in zip(indices, numbers, strict=True))
            for (array, indices), (other, numbers) in pairs
        ):
            yield dict(zip(order, wanted, strict=True)), {x: n for x, n in values.items() if x}


def moved_subscript(text: str, axis: int, step: int) -> str:
    """The text of an element with one index moved: `u[i-1]` for `u[i+1]`; in words where the text has no such index."""
    if text not in (read := subscripts(text)):
        return f"the element {step:+d} from it"
    array, indices = read[text]
    moved = [(name, offset + step * (n == axis)) for n, (name, offset) in enumerate(indices)]
    texts = [f"{name}{offset:+d}" if name and offset else name or str(offset) for name, offset in moved]
    return f"{array}[{', '.join(texts)}]"


def moved_elements(node: TraceNode) -> Iterator[tuple[int, int, Callable[[Any], Any]]]:
    """The elements that may be taken for the one that a step reads: an axis, a step along it, and the reading."""
    key = node.static.get("key")
    axes = len(key) if isinstance(key, tuple) else 1
    reads = key is not None and node.rule is not None and len(node.operands) == 1  # a write has two
    for axis, step in product(range(axes), STEPS) if reads else ():
        if (shifted := _shifted(key, axis, step)) is not None:
            yield axis, step, partial(node.rule, **{**node.static, "key": shifted})


def _shifted(key: Any, axis: int, step: int) -> Any:
    """An index moved along an axis; None where that is not possible. A small index may move to the end, as in code."""
    if isinstance(key, tuple):
        part = _shifted(key[axis], 0, step)
        return None if part is None else (*key[:axis], part, *key[axis + 1 :])
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and (key >= 0 or key + step < 0):
        return int(key) + step
    if isinstance(key, np.ndarray) and key.dtype.kind == "i" and np.all((key >= 0) == (key + step >= 0)):
        return key + step
    return None


LONGEST_DEFINITION = 100  # characters of a formula that a letter stands for
LETTERS = "uvwabc"
MOST_LETTERS = 2  # most letters in one text
_BOUND_AGAIN = re.compile(r"#\d+(?:\.\d+)*[a-z]*")
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
            name = given.get(index) or self._listed(node)
            text, binding = name_text(name) if name else (long(index), ATOM)
            if not name and node.positions:
                text, binding = formula_of_operands(self._writer, node, self._texts(node, pieces))
            pieces.append((tidied(text), binding) if len(text) <= longest else (long(index), ATOM))
        return pieces

    def _listed(self, node: TraceNode) -> str:
        """The name of a list that a step makes an array of; empty for other steps."""
        parts = [self.trace.nodes[index] for index in node.inputs] if node.operation == "stack" else []
        names = [self.trace.names.get(part.sources[0] if part.positions else part.index, "") for part in parts]
        array = names[0].removesuffix("[0]") if names else ""
        return array if names == [f"{array}[{n}]" for n in range(len(names))] else ""

    def finished(self, text: str) -> str:
        """The text with letters in place of long formulas, which it explains at the end."""
        marks = list(dict.fromkeys(_LONG.findall(text)))
        letters = [letter for letter in LETTERS if letter not in self._given]
        if not 0 < len(marks) <= min(MOST_LETTERS, len(letters)):
            return _LONG.sub(lambda mark: self._line(int(mark[1])), text)
        named = dict(zip(marks, letters, strict=False))
        where = " and ".join(f"{named[mark]} is {self._definitions[int(mark)][0]}" for mark in marks)
        return f"{_LONG.sub(lambda mark: named[mark[1]], text)}, where {where}"

    def operands(self, node: TraceNode) -> list[Piece]:
        """The texts of a step's arguments."""
        return self._texts(node, self.names)

    def _texts(self, node: TraceNode, names: Sequence[Piece]) -> list[Piece]:
        read, _ = self._read.get(self.trace.visit(node.index), NO_SUBSCRIPTS)
        self._writer.context = self._contexts.of(node.index)
        texts = [self._constant(node, x) if index == CONSTANT else names[index] for index, x in node.arguments()]
        return [
            (read[element], ATOM) if (element := self._element(index)) in read else text
            for index, text in zip(node.sources, texts, strict=True)
        ]

    def iteration(self, index: int, text: str) -> str:
        """Where a text on a step holds: ` at i=1`, by the names in its subscripts, or ` at one value of t`."""
        read, values = self._read.get(self.trace.visit(index), NO_SUBSCRIPTS)
        shown = ", ".join(f"{name}={value}" for name, value in values.items())
        # As an integrand, a lambda gets numbers that no step names.
        typed = set(re.findall(r"\blambda (\w+):", self._statement(self.trace.nodes[index]))) - self._given
        variable = min(typed) if len(typed) == 1 and self.trace.scopes.function_of_row(index) == "<lambda>" else ""
        where = f" at one value of {variable}" if variable else ""
        return f" at {shown}" if shown and any(source in text for source in read.values()) else where

    def _element(self, index: int) -> str:
        """A number of a list of the point, or an element of a named array: `u[2]`; empty for another step."""
        node = self.trace.nodes[index] if index != CONSTANT else None
        array = self.trace.names.get(node.sources[0]) if node and node.positions and "key" in node.static else None
        if node is None or index in self.trace.names or array is None:
            return self.trace.names.get(index, "")
        return formula_of_operands(self._writer, node, [name_text(array)])[0]

    @cached_property
    def _read(self) -> dict[int, tuple[dict[str, str], dict[str, int]]]:
        """For each visit to a line, the elements that it reads as in its source, and the names in their indices."""
        statements: dict[int, str] = {}
        elements: dict[int, dict[str, int]] = {}
        for node in self.trace.nodes:
            if node.positions and node.place:
                visit = self.trace.visit(node.index)
                statements[visit] = self._statement(node)
                for index in (*node.sources, node.index):
                    if "[" in (name := self._element(index)):
                        elements.setdefault(visit, {}).setdefault(name, index)
        in_order = {visit: {self._made(n) for n in names.values()} == {visit} for visit, names in elements.items()}
        return {n: as_in_source(statements[n], [*names], in_order=in_order[n]) for n, names in elements.items()}

    def _made(self, index: int) -> int | None:
        """The visit that computed a step; None for an input."""
        return self.trace.visit(index) if self.trace.nodes[index].positions else None

    def _constant(self, node: TraceNode, value: Any) -> Piece:
        if (written := self._writer.as_written(value)) is not None:
            return written
        read = [text for text, (name, _) in subscripts(self._statement(node)).items() if self._is_of(name, value)]
        if len(read) == 1 and (np.ndim(value) or abs(value) not in self._writer.context.literals):
            return read[0], ATOM
        if np.ndim(value) == 0:
            return _number(value)
        text, binding = self._writer.constant(value)
        return ("array", ATOM) if text.startswith("%") else (text, binding)

    def _is_of(self, name: str, value: Any) -> bool:
        """Whether a value is an element, or a row, of a plain array of the program's."""
        whole, ndim = np.asarray(self.trace.arrays.get(name)), np.ndim(value)
        if whole.ndim <= ndim or np.shape(whole)[whole.ndim - ndim :] != np.shape(value):
            return False
        return bool(np.any(np.all(whole == value, axis=tuple(range(-ndim, 0)))))

    def _statement(self, node: TraceNode) -> str:
        lines = source_lines(node.file) if node.file else None
        return lines.text(lines.first(node.line or 0)) if lines else ""

    @cached_property
    def _contexts(self) -> StatementContexts:
        return StatementContexts(self.trace, self._writer, self._asked_of)

    def _asked_of(self, index: int, value: Any) -> Piece:
        """An argument of the question behind an outcome."""
        return self._writer.constant(value) if index == CONSTANT else name_text(self.trace.names.get(index, "array"))

    @cached_property
    def _given(self) -> set[str]:
        """The user's names."""
        return {*self.trace.names.values(), *self.trace.arrays}

    @cached_property
    def _writer(self) -> Writer:
        return Writer(self.trace.names.values(), self.trace.arrays)

    def step(self, node: TraceNode) -> Piece:
        """The text of the operation of a step."""
        read, _ = self._read.get(self.trace.visit(node.index), NO_SUBSCRIPTS)
        if (element := self._element(node.index)) in read:
            return read[element], ATOM
        if not node.positions:
            return str(node.operation), ATOM
        text, binding = formula_of_operands(self._writer, node, self.operands(node))
        return tidied(text), binding

    def products(self, node: TraceNode, position: int, place: int) -> str:
        """The vector-Jacobian product of a step by one argument, and that with a matrix transposed.

        Place 0 is the step's value; its arguments follow.
        """
        step, operands = self.step(node)[0], self.operands(node)
        s = next(letter for letter in ("s", *LETTERS, "ct") if letter not in self._given)
        right = [self.names[node.index], *operands]
        wrong = [transposed(self._writer, piece, None, 2) if n == place else piece for n, piece in enumerate(right)]
        ct, ones = Term((s, ATOM), np.shape(node.value)), np.ones_like(node.value)
        texts = []
        for v, *arguments in (right, wrong):
            term = argument_contribution(self._writer, ArgumentUse(node, position, arguments, v), ct, ones)
            texts.append("0" if term is None else tidied(term.text[0]))
        product = f"the vector-Jacobian product of {step} by {operands[position][0]} is {texts[0]}"
        return f"{product}, where {s} is the sensitivity to {right[0][0]}; the candidate has {texts[1]}"

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

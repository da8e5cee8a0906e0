"""What the source of a statement calls the constants in it: variables, masks, and parts such as `h / 6` or `~m`."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.answers.explain.node_formulas import outcome_question
from gradcli.answers.explain.numpy_names_and_constants import WORD, ConstantText, StatementContext, Writer
from gradcli.engine.code.statements_by_line import source_lines
from gradcli.engine.traces.node import TraceOutcome
from gradcli.engine.traces.scopes import Site
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import ATOM, COMPARISON, POWER, PRODUCT, SIGN, SUM, Piece
from gradcli.shared.float_errors import ignored_float_errors

MODULES = {"np", "numpy", "math"}
OF_MODULE = re.compile(r"\b(?:np|numpy|math)\.(?=pi\b|e\b)")
COMBINED = re.compile(r"[&|~^]|\blogical_")
LARGEST = 100_000  # elements of an array that is computed to compare it with a constant
HIGHEST = 64  # the highest exponent between integers

_OPERATORS: dict[type[ast.AST], tuple[Callable[..., Any], int]] = {
    ast.Add: (operator.add, SUM),
    ast.Sub: (operator.sub, SUM),
    ast.Mult: (operator.mul, PRODUCT),
    ast.Div: (operator.truediv, PRODUCT),
    ast.Pow: (operator.pow, POWER),
    ast.USub: (operator.neg, SIGN),
    ast.Invert: (operator.invert, SIGN),
    ast.BitAnd: (operator.and_, COMPARISON),
    ast.BitOr: (operator.or_, COMPARISON),
    ast.Gt: (operator.gt, COMPARISON),
    ast.GtE: (operator.ge, COMPARISON),
    ast.Lt: (operator.lt, COMPARISON),
    ast.LtE: (operator.le, COMPARISON),
    ast.Eq: (operator.eq, COMPARISON),
    ast.NotEq: (operator.ne, COMPARISON),
}


class StatementContexts:
    """The contexts in which the statements of a run are written.

    Args:
        trace: the run, with names and lines.
        writer: writes the statements.
        operand: writes an argument of the question behind an outcome.
    """

    def __init__(self, trace: Trace, writer: Writer, operand: Callable[[int, Any], Piece]) -> None:
        self._trace, self._writer, self._operand = trace, writer, operand
        self._contexts: dict[Site, StatementContext] = {}
        self._sources: dict[tuple[str, int], StatementContext] = {}
        self._masks: dict[Site, list[TraceOutcome]] = {}
        for number, outcome in enumerate(trace.outcomes):
            if np.ndim(outcome.answer) and np.asarray(outcome.answer).dtype.kind == "b":
                self._masks.setdefault(trace.scopes.site_of_outcome(number), []).append(outcome)

    def of(self, index: int) -> StatementContext:
        """The context of the statement that computed a node."""
        site = self._trace.scopes.site_of_row(index)
        if site not in self._masks:
            return self._of_source(site.file or "", site.line or 0)
        if site not in self._contexts:
            file, line = site.file or "", site.line or 0
            self._contexts[site] = of_source = self._of_source(file, line)
            # A mask made of several has the value of one of them only by chance.
            masks = () if file and COMBINED.search(source_lines(file).text(line)) else self._masks[site]
            before, self._writer.context = self._writer.context, of_source
            asked = [
                ConstantText(outcome.answer, outcome_question(self._writer, outcome, self._operand))
                for outcome in masks
            ]
            self._writer.context = before
            self._contexts[site] = of_source._replace(constants=[*asked, *of_source.constants])
        return self._contexts[site]

    def _of_source(self, file: str, line: int) -> StatementContext:
        """What the text of a statement says, wherever it runs."""
        if (file, line) not in self._sources:
            text = source_lines(file).text(line) if file and line else ""
            plain = {**self._trace.numbers, **self._trace.arrays}
            known = {name: value for name, value in plain.items() if name not in self._writer.quantities}
            names = frozenset(WORD.findall(text))
            self._sources[file, line] = StatementContext(names, list(constant_parts(text, known)), literals(text))
        return self._sources[file, line]


def constant_parts(text: str, known: Mapping[str, Any]) -> Iterator[ConstantText]:
    """The parts of a statement that only consist of known variables, with their values.

    Variables come first, as a part has the value of one only by chance, then larger parts.
    """
    for node in sorted(ast.walk(parsed(text)), key=lambda node: not isinstance(node, ast.Name)):
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - MODULES
        is_part = isinstance(node, (ast.Name, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript))
        if not is_part or not names <= known.keys() or not (names or isinstance(node, ast.BinOp)):
            continue
        try:
            with ignored_float_errors():
                value = _value(node, known)
        except (ArithmeticError, ValueError, TypeError, IndexError, NotImplementedError):
            continue
        piece = OF_MODULE.sub("", ast.unparse(node)), _binding(node)
        yield ConstantText(value, piece, {name: known[name] for name in names})


def literals(text: str) -> frozenset[float]:
    """The numbers that a statement writes out."""
    constants = (node.value for node in ast.walk(parsed(text)) if isinstance(node, ast.Constant))
    return frozenset(float(value) for value in constants if isinstance(value, (int, float)))


@lru_cache(maxsize=256)
def parsed(text: str) -> ast.AST:
    """A statement, or the head of a compound one, as syntax; empty if it is neither."""
    for whole in (text, f"{text} pass", f"if 1: pass\n{text} pass"):
        try:
            return ast.parse(whole)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return ast.Module([], [])


def _value(node: ast.AST, known: Mapping[str, Any]) -> Any:
    """The value of a part.

    Raises:
        NotImplementedError: it is no arithmetic, or too large.
    """
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.Attribute) and OF_MODULE.match(ast.unparse(node)):
        return getattr(math, node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Constant, ast.Name, ast.UnaryOp)):
        return _value(node.value, known)[_value(node.slice, known)]
    if isinstance(node, ast.UnaryOp):
        return _applied(node.op, [_value(node.operand, known)])
    if isinstance(node, ast.BinOp):
        return _applied(node.op, [_value(node.left, known), _value(node.right, known)])
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return _applied(node.ops[0], [_value(node.left, known), _value(node.comparators[0], known)])
    raise NotImplementedError


def _applied(sign: ast.AST, operands: list[Any]) -> Any:
    is_high = isinstance(sign, ast.Pow) and all(type(x) is int for x in operands) and abs(operands[1]) > HIGHEST
    if type(sign) not in _OPERATORS or is_high or any(np.size(x) > LARGEST for x in operands):
        raise NotImplementedError
    return _OPERATORS[type(sign)][0](*operands)


def _binding(node: ast.AST) -> int:
    if isinstance(node, ast.Compare):
        return COMPARISON
    return _OPERATORS[type(node.op)][1] if isinstance(node, (ast.BinOp, ast.UnaryOp)) else ATOM

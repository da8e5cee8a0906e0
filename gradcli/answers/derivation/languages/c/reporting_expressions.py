"""Expressions in a form that reports the value of each part, and what their types and sizes depend on."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from gradcli.answers.derivation.languages.c.sizes import Sizes, Variables, grown_by
from gradcli.answers.derivation.languages.c.value_sizes import GrowingList, SizedNumber, Value
from gradcli.answers.derivation.syntax_trees import indices_of, is_dots, names_in


class ReportingExpression:
    """An expression of one function.

    Args:
        node: the expression.
        file: the file of the function.

    Attributes:
        code: its code, which calls a hook with each part.
        names: the names that it reads.
        values: its types and sizes by what they depend on.
    """

    def __init__(self, node: ast.expr, file: str) -> None:
        reporting = ast.Expression(_Reporter().visit(copy.deepcopy(node)))
        self.names = names_in(reporting)  # a stack that an item is taken off is not among them
        for part in ast.walk(reporting):
            part.lineno = part.end_lineno = 1  # type: ignore[attr-defined]
            part.col_offset = part.end_col_offset = 0  # type: ignore[attr-defined]
        self.code = compile(reporting, file, "eval")
        self.values: dict[Any, Value] = {}
        indices = list(_plain_indices(node))
        in_indices = [name for index in indices for name in names_in(index)]
        mentioned = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
        self._indices = [i for i in indices if all(in_indices.count(n) == mentioned.count(n) for n in names_in(i))]
        self._others = sorted(self.names - {name for index in self._indices for name in names_in(index)})
        self._is_kept = not any(grown_by(part) or isinstance(part, (ast.Is, ast.IsNot)) for part in ast.walk(node))

    def key(self, at: Variables, sizes: Sizes) -> Any:
        """What the types and sizes depend on: the variables, and of plain indices the sign; None if they are not kept.

        Several values of such an index must have been seen, as one alone would be taken for a constant. One that may
        lie outside of its axis is evaluated.
        """
        if not self._is_kept:
            return None
        others = [at.get(name) for name in self._others]
        if any(isinstance(value, GrowingList) for value in others):
            return None
        return (*others, *(_sign(index, at, sizes) for index in self._indices))


def _plain_indices(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the indices `i`, `i + 1` and `i - 1` in an expression."""
    for part in ast.walk(node):
        for index in indices_of(part) if isinstance(part, ast.Subscript) else ():
            if isinstance(index, ast.Name) or (isinstance(index, ast.BinOp) and _is_shift(index)):
                yield index


def _is_shift(index: ast.BinOp) -> bool:
    is_number = isinstance(index.right, ast.Constant) and type(index.right.value) is int
    return is_number and isinstance(index.left, ast.Name) and isinstance(index.op, (ast.Add, ast.Sub))


def _sign(index: Any, at: Variables, sizes: Sizes) -> Any:
    """Whether an index on its axis is negative, if it was seen to change; otherwise its variable."""
    name = index if isinstance(index, ast.Name) else index.left
    value = at.get(name.id)
    is_one = any(getattr(sizes.seen.get(id(part)), "known", 0) is not None for part in (index, name))
    if is_one or not isinstance(value, SizedNumber) or value.known is None:
        return value
    shift = 0 if index is name else index.right.value if isinstance(index.op, ast.Add) else -index.right.value
    place, length = value.known + shift, sizes.lengths.get(id(index), 0)
    return place < 0 if -length <= place < length else value


class _Reporter(ast.NodeTransformer):
    """Wraps each part of an expression in a report."""

    def visit(self, node: ast.AST) -> Any:
        number = ast.Constant(getattr(node, "number", None))
        if grown_by(node):
            return _hook("__popped__", number)
        if isinstance(node, ast.comprehension):
            node.iter = self.visit(node.iter)
            return node
        self.generic_visit(node)
        if isinstance(node, ast.Subscript):
            node.ctx = ast.Load()
            node.slice = _hook("__key__", number, node.slice) if _is_read(node.slice) else node.slice
        if isinstance(node, ast.IfExp):
            return _hook("__either__", number, node.test, _later(node.body), _later(node.orelse))
        if isinstance(node, ast.BoolOp):
            return _hook("__any__", number, *map(_later, node.values))
        if isinstance(node, ast.Call):
            return _hook("__called__", number, node.func, *node.args, keywords=node.keywords)
        return _hook("__saw__", number, node) if _is_read(node) else node  # type: ignore[arg-type]


def _is_read(node: ast.AST) -> bool:
    """Whether a part has a value of its own: no slice, no dots, and no tuple of them."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_read, node.elts))
    return isinstance(node, ast.expr) and not isinstance(node, (ast.Slice, ast.Starred)) and not is_dots(node)


def _hook(name: str, *arguments: ast.expr, keywords: Sequence[ast.keyword] = ()) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), list(keywords))


def _later(node: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[]), node)

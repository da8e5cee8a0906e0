"""Loops in the intermediate form: over values without a derivative as they are, over active sequences by index."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from gradcli.derivation.intermediate.calls import CallLowering
from gradcli.derivation.intermediate.statements import Assignment, Branch, Break, LoopStatement, Statement
from gradcli.derivation.intermediate.templates import expression, name
from gradcli.derivation.reading.value_kind import STATIC


class LoopLowering(CallLowering):
    """Lowers loops to statements."""

    def _while(self, node: ast.While) -> None:
        line = self.line
        body = self.block(node.body)
        self.out.append(LoopStatement(body, test=self.static(node.test), trips=self.fresh("trips"), line=line))

    def _for(self, node: ast.For) -> None:
        line, before = self.line, []
        items, target = node.iter, node.target
        if self.dependence.of(items) or self._is_of_active(items):
            index = self.index_name(node)
            length = self.length(items)
            before = self.elements(target, items, name(index))
            items, target = expression("range(_n)", _n=length), ast.Name(index, ast.Store())
            self.kinds[index] = STATIC
        else:
            items = self.static(items)
            target = copy.deepcopy(target)
        outer, self.out = self.out, []
        for part, value in before:
            self.assign(part, value, False)
        head, self.out = self.out, outer
        body = [*head, *self.block(node.body)]
        trips = self.fresh("trips") if _breaks(body) else ""
        if not _is_range(items):
            listed = self.made_name("items")
            self.kinds[listed] = STATIC
            self.out.append(Assignment(listed, expression("list(_x)", _x=items), None, line))
            items = name(listed)
        self.out.append(LoopStatement(body, target, items, trips=trips, line=line))

    def _is_of_active(self, items: ast.expr) -> bool:
        """Whether a loop iterates over active values together with inactive ones."""
        called = isinstance(items, ast.Call) and isinstance(items.func, ast.Name) and items.func.id
        return called in ("zip", "enumerate", "reversed") and any(
            self.dependence.of(each) or self._is_of_active(each)
            for each in items.args  # type: ignore[attr-defined]
        )

    def index_name(self, node: ast.For) -> str:
        """The name of the index of a loop over a sequence: the user's own name in `enumerate`, if it counts from 0."""
        if _called(node.iter) == "enumerate" and isinstance(node.target, ast.Tuple):
            first = node.target.elts[0]
            if isinstance(first, ast.Name) and len(node.iter.args) == 1 and not node.iter.keywords:  # type: ignore[attr-defined]
                return first.id
        return self.made_name("k")

    def length(self, items: ast.expr) -> ast.expr:
        """The number of items of a loop."""
        called, arguments = _called(items), getattr(items, "args", [])
        if called in ("enumerate", "reversed"):
            return self.length(arguments[0])
        if called == "zip":
            lengths = [self.length(each) for each in arguments]
            return ast.Call(name("min"), lengths, []) if len(lengths) > 1 else lengths[0]
        return expression("len(_x)", _x=self._source(items))

    def elements(self, target: ast.expr, items: ast.expr, index: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
        """The pairs of a target and an item that an iteration binds."""
        called, arguments = _called(items), getattr(items, "args", [])
        if called == "enumerate" and isinstance(target, ast.Tuple):
            start = arguments[1] if len(arguments) > 1 else next((k.value for k in items.keywords), None)  # type: ignore[attr-defined]
            count = index if start is None else expression("_k + _s", _k=index, _s=self.static(start))
            same = (
                isinstance(count, ast.Name) and isinstance(target.elts[0], ast.Name) and count.id == target.elts[0].id
            )
            counted = [] if same else [(target.elts[0], count)]
            return [*counted, *self.elements(target.elts[1], arguments[0], index)]
        if called == "zip" and isinstance(target, ast.Tuple):
            pairs = zip(target.elts, arguments, strict=True)
            return [pair for part, each in pairs for pair in self.elements(part, each, index)]
        if called == "reversed":
            last = expression("_n - 1 - _k", _n=self.length(arguments[0]), _k=index)
            return self.elements(target, arguments[0], last)
        source = self._source(items)
        item = ast.Subscript(source, index, ast.Load())
        return [(target, self.known(item, items, is_item=True))]

    def _source(self, items: ast.expr) -> ast.expr:
        """The iterated value, under a name."""
        if isinstance(items, ast.Name):
            return items
        stand_in = getattr(items, "stand_in", None)
        if stand_in is None:
            atom = self.atom(items) if self.dependence.of(items) else self.static_name(items)
            stand_in = items.stand_in = atom  # type: ignore[attr-defined]
        return stand_in


def _called(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _is_range(node: ast.expr) -> bool:
    return _called(node) == "range"


def _breaks(body: Sequence[Statement]) -> bool:
    """Whether the body of a loop contains a break of this loop."""
    return any(
        isinstance(each, Break) or (isinstance(each, Branch) and (_breaks(each.body) or _breaks(each.orelse)))
        for each in body
    )

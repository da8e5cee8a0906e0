"""Statements rewritten as simpler ones: assignments of one target, branches and loops."""

from __future__ import annotations

import ast
import functools
import operator
import warnings
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gradcli.answers.derivation.reading.match_branches import branches
from gradcli.answers.derivation.syntax_trees import (
    NamesInUse,
    argument_names,
    changed_names,
    filled,
    located,
    names_in,
    nodes_in,
)

OPERATORS = {operator.add: ast.Add(), operator.mul: ast.Mult(), operator.matmul: ast.MatMult()}
MUTED = (np.errstate, np.printoptions, warnings.catch_warnings)  # contexts that change no value
JOINED = {"hstack": np.r_, "column_stack": np.c_}
SETTINGS = (warnings.simplefilter, warnings.filterwarnings, np.seterr)
Blocks: TypeAlias = ast.stmt | list[ast.stmt]


class InPlaceChanges(NamedTuple):
    """The changes in place of a function, which are rewritten as assignments: `x += e` as `x = x + e`.

    Attributes:
        writes: these assignments, which bind a name to what it held before; with the names into which they write
            otherwise than by an augmented assignment.
        returning: the calls that return what they write into, so that they need no further rewriting.
    """

    writes: dict[ast.stmt, tuple[str, ...]]
    returning: set[ast.Call]


class PlainStatements(ast.NodeTransformer):
    """Rewrites the statements of a function.

    `x += e` becomes `x = x + e`, and `x: float = e` loses its annotation; a chained assignment, one with `out=` and one
    inside an expression become several; `match` becomes branches; `with` statements that only set how
    warnings are shown become the statements in them.

    Args:
        tree: the definition, which is modified.
        namespace: the values of its free names.
        changes: takes note of the changes in place.
    """

    def __init__(self, tree: ast.FunctionDef, namespace: Mapping[str, Any], changes: InPlaceChanges) -> None:
        self.namespace = namespace
        self.changes = changes
        self.fresh = NamesInUse({*names_in(tree), *argument_names(tree), *namespace}).fresh
        self.value_of = partial(value_of, namespace=namespace, bound=changed_names(tree) | argument_names(tree))
        stored = (part for part in nodes_in(tree) if isinstance(part, ast.Attribute))
        self.written = {part.attr for part in stored if isinstance(part.ctx, ast.Store)}
        self.own = _outside_comprehensions(tree, frozenset())
        self.generic_visit(tree)

    def visit_AugAssign(self, node: ast.AugAssign) -> Blocks:
        read = filled(node.target)
        read.ctx = ast.Load()
        value = ast.copy_location(ast.BinOp(read, node.op, node.value), node)
        made = ast.copy_location(ast.Assign([node.target], value), node)
        self.changes.writes[made] = ()
        return self._with_inner(made)

    def visit_Assign(self, node: ast.Assign) -> Blocks:
        place = self._output(node.value)
        if place is not None:
            return [
                *_as_list(self._stored(node.value, place)),
                *_as_list(self.visit(located(_assigned(node.targets, place), node))),
            ]
        if (owner := _popped_first(node.value)) is not None:
            item = ast.Subscript(owner, ast.Constant(0), ast.Load())
            others = ast.Subscript(owner, ast.Slice(ast.Constant(1)), ast.Load())
            return [located(_assigned(node.targets, item), node), located(self._rebound(owner, others), node)]
        if any(isinstance(part, ast.Starred) for part in getattr(node.targets[0], "elts", ())):
            return self._with_star(node, node.targets[0].elts)  # type: ignore[attr-defined]
        if len(node.targets) > 1 and not isinstance(node.targets[0], ast.Name):
            names = [target for target in node.targets if isinstance(target, ast.Name)]
            first = names[0] if names else ast.Name(self.fresh("value"), ast.Store())
            rest = [target for target in node.targets if target is not first]
            parts = [_assigned([first], node.value), *(_assigned([target], ast.Name(first.id)) for target in rest)]
            return [made for part in parts for made in _as_list(self.visit(located(part, node)))]
        return self._with_inner(node)

    def _with_star(self, node: ast.Assign, targets: list[ast.expr]) -> Blocks:
        """`a, *b = items` as an item and a slice of a list."""
        items = ast.Name(self.fresh("parts"), ast.Load())
        made = [_assigned([items], node.value)]
        place = next(n for n, target in enumerate(targets) if isinstance(target, ast.Starred))
        for n, target in enumerate(targets):
            if isinstance(target, ast.Starred):
                stop = ast.Constant(n + 1 - len(targets)) if n + 1 < len(targets) else None
                part = ast.Subscript(items, ast.Slice(ast.Constant(n), stop), ast.Load())
                made.append(_assigned([target.value], ast.Call(ast.Name("list", ast.Load()), [part], [])))
            else:
                at = ast.Constant(n if n < place else n - len(targets))
                made.append(_assigned([target], ast.Subscript(items, at, ast.Load())))
        return [done for part in made for done in _as_list(self.visit(located(part, node)))]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Blocks:
        made = ast.Pass() if node.value is None else _assigned([node.target], node.value)
        return self.visit(located(made, node))  # type: ignore[no-any-return]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call in other words: `dict(a=x)` is `{"a": x}`; `reduce(f, x)` becomes a name that is bound before."""
        self.generic_visit(node)
        if self.value_of(node.func) is functools.reduce and len(node.args) > 1:
            return located(ast.NamedExpr(ast.Name(self.fresh("reduced"), ast.Store()), node), node)  # type: ignore[no-any-return]
        if self.value_of(node.func) is divmod:
            signs, (one, other) = (ast.FloorDiv(), ast.Mod()), node.args
            parts: list[ast.expr] = [ast.BinOp(filled(one), sign, filled(other)) for sign in signs]
            return located(ast.Tuple(parts, ast.Load()), node)  # type: ignore[no-any-return]
        is_counted = any(keyword.arg == "count" for keyword in node.keywords)
        items = node.args[0] if node.args and self.value_of(node.func) is np.fromiter and not is_counted else None
        if isinstance(items, ast.GeneratorExp):
            node.func.attr = "array"  # type: ignore[attr-defined]
            node.args[0] = ast.copy_location(ast.ListComp(items.elt, items.generators), node)
            return node
        if node.args or not all(keyword.arg for keyword in node.keywords) or self.value_of(node.func) is not dict:
            return node
        keys: list[ast.expr | None] = [ast.copy_location(ast.Constant(keyword.arg), node) for keyword in node.keywords]
        return ast.copy_location(ast.Dict(keys, [keyword.value for keyword in node.keywords]), node)

    def visit_ListComp(self, node: Any) -> ast.expr:
        """A comprehension, whose variables get names of their own, as it becomes a loop."""
        for name in _of_comprehension(node) & self.own:
            fresh = self.fresh(name)
            for part in {*nodes_in(node)} - {*nodes_in(node.generators[0].iter)}:
                if isinstance(part, ast.Name) and part.id == name:
                    part.id = fresh
        self.generic_visit(node)
        return node  # type: ignore[no-any-return]

    visit_GeneratorExp = visit_ListComp

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`np.newaxis` as `None`, and a number or text that an object outside the function holds as a constant."""
        value = self._held(node)
        self.generic_visit(node)
        is_axis = node.attr == "newaxis" and self.value_of(node.value) is np
        is_held = type(value) in (bool, int, float, str) and isinstance(node.ctx, ast.Load)
        return ast.copy_location(ast.Constant(value), node) if is_axis or is_held else node

    def _held(self, node: ast.expr) -> Any:
        """What an attribute of an object outside the function holds, which the function does not write."""
        if not isinstance(node, ast.Attribute) or node.attr in self.written:
            return self.value_of(node)
        owner, own = self._held(node.value), getattr(np, node.attr, None)
        if owner is None or isinstance(owner, (ModuleType, type)):
            return None
        if isinstance(own, float) and getattr(owner, node.attr, None) is own:  # pi, handed out
            return own
        return getattr(owner, "__dict__", {}).get(node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """`np.r_[x, y]` as `np.hstack([x, y])`, and `np.c_` as `np.column_stack`."""
        self.generic_visit(node)
        object_ = self.value_of(node.value) if isinstance(node.value, ast.Attribute) else None
        joined = next((name for name, joining in JOINED.items() if object_ is joining), None)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if joined is None or any(isinstance(part, (ast.Slice, ast.Constant)) for part in parts):
            return node
        function = ast.Attribute(node.value.value, joined, ast.Load())  # type: ignore[attr-defined]
        made: ast.expr = located(ast.Call(function, [ast.List(parts, ast.Load())], []), node)
        return made

    def visit_Return(self, node: ast.Return) -> Blocks:
        return self._with_inner(node)

    def visit_Expr(self, node: ast.Expr) -> Blocks:
        if self._output(node.value) is not None:
            return self._stored(node.value, self._output(node.value))
        if isinstance(node.value, ast.Call) and self.value_of(node.value.func) in SETTINGS:
            return ast.copy_location(ast.Pass(), node)
        made = self._method(node.value)
        return self._with_inner(node) if made is None else [located(part, node) for part in _as_list(made)]

    def _method(self, call: ast.expr) -> Blocks | None:
        """A method as statements: `extend`, `reverse` and `insert` of a list, `update` of a dict by written keys."""
        called = call.func if isinstance(call, ast.Call) else None
        if not isinstance(called, ast.Attribute) or not isinstance(called.value, ast.Name):
            return None
        if called.attr == "extend" and len(call.args) == 1:  # type: ignore[attr-defined]
            item = ast.Name(self.fresh("each"), ast.Store())
            append = ast.Attribute(called.value, "append", ast.Load())
            added = ast.Expr(ast.Call(append, [ast.Name(item.id, ast.Load())], []))
            return ast.For(item, call.args[0], [added], [])  # type: ignore[attr-defined]
        if called.attr == "update" and (pairs := _written_pairs(call)):  # type: ignore[arg-type]
            places = [ast.Subscript(filled(called.value), key, ast.Store()) for key, _ in pairs]
            return [_assigned([place], value) for place, (_, value) in zip(places, pairs, strict=True)]
        if called.attr == "reverse" and not call.args:  # type: ignore[attr-defined]
            backwards = ast.Slice(step=ast.UnaryOp(ast.USub(), ast.Constant(1)))
            return self._rebound(called.value, ast.Subscript(filled(called.value), backwards, ast.Load()))
        if called.attr == "insert" and _is_zero(call.args):  # type: ignore[attr-defined]
            front = ast.List([call.args[1]], ast.Load())  # type: ignore[attr-defined]
            return self._rebound(called.value, ast.BinOp(front, ast.Add(), filled(called.value)))
        return None

    def visit_If(self, node: ast.If) -> Blocks:
        self.generic_visit(node)
        return self._with_inner(node, "test")

    def visit_While(self, node: ast.While) -> Blocks:
        self.generic_visit(node)
        inner = list(_inner_assignments(node.test))
        if not inner or node.orelse:
            return node
        leaves = ast.If(ast.UnaryOp(ast.Not(), node.test), [located(ast.Break(), node)], [])
        head = _as_list(self._with_inner(located(leaves, node), "test"))
        endless: ast.stmt = located(ast.While(ast.Constant(True), [*head, *node.body], []), node)
        return endless

    def visit_With(self, node: ast.With) -> Blocks:
        self.generic_visit(node)
        return node.body if all(map(self._is_muted, node.items)) else node

    def visit_Match(self, node: ast.Match) -> Blocks:
        self.generic_visit(node)
        subject, before = node.subject, list[ast.stmt]()
        if not isinstance(subject, ast.Name):
            subject = ast.copy_location(ast.Name(self.fresh("subject"), ast.Load()), node)
            before = [located(_assigned([subject], node.subject), node)]
        chain = branches(node, subject)
        return node if chain is None else [*before, *chain]

    def _rebound(self, owner: ast.Name, value: ast.expr) -> ast.Assign:
        """A list that is changed in place, as a name that is bound to another one."""
        made = _assigned([owner], value)
        self.changes.writes[made] = (owner.id,)
        return made

    def _output(self, node: ast.expr | None) -> Any:
        """The array or place to which a function or method of NumPy is told to write its result; None without one."""
        function = self.value_of(node.func) if isinstance(node, ast.Call) else None
        is_numpy = isinstance(function, np.ufunc) or (getattr(function, "__module__", None) or "").startswith("numpy")
        is_method = function is None and hasattr(np.ndarray, getattr(getattr(node, "func", None), "attr", ""))
        keywords = node.keywords if (is_numpy or is_method) and isinstance(node, ast.Call) else []
        place = next((keyword.value for keyword in keywords if keyword.arg == "out"), None)
        return filled(place) if isinstance(place, (ast.Name, ast.Subscript)) else None

    def _is_muted(self, item: ast.withitem) -> bool:
        call = item.context_expr
        if item.optional_vars is not None or not isinstance(call, ast.Call) or self.value_of(call.func) not in MUTED:
            return False
        return not any(getattr(keyword.value, "value", "") in ("raise", "call") for keyword in call.keywords)

    def _stored(self, call: Any, place: Any) -> Blocks:
        """`f(x, out=y)` as `y[:] = f(x)`."""
        call.keywords = [keyword for keyword in call.keywords if keyword.arg != "out"]
        target = place if isinstance(place, ast.Subscript) else ast.Subscript(place, ast.Slice())
        return self.visit_Assign(located(_assigned([target], call), call))

    def _bound(self, inner: ast.NamedExpr) -> list[ast.stmt]:
        """An assignment inside an expression as statements; for `reduce`, a first value and a loop."""
        call, target, before = inner.value, inner.target, list[ast.stmt]()
        if not isinstance(call, ast.Call) or self.value_of(call.func) is not functools.reduce:
            return [_assigned([target], call)]
        function, items, *first = call.args
        if not first:
            parts = ast.Name(self.fresh("parts"), ast.Load())
            before = [_assigned([parts], ast.Call(ast.Name("list", ast.Load()), [items], []))]
            first = [ast.Subscript(parts, ast.Constant(0), ast.Load())]
            items = ast.Subscript(parts, ast.Slice(ast.Constant(1)), ast.Load())
        item: ast.expr = ast.Name(self.fresh("item"), ast.Load())
        loop = ast.comprehension(item, items, [], 0)
        if isinstance(items, (ast.GeneratorExp, ast.ListComp)) and [len(made.ifs) for made in items.generators] == [0]:
            item, loop = items.elt, items.generators[0]
        body = _assigned([target], self._combined(function, ast.Name(target.id, ast.Load()), item))
        made = ast.For(_in_context(filled(loop.target), ast.Store()), loop.iter, [body], [])
        return [*before, _assigned([target], first[0]), made]

    def _combined(self, function: ast.expr, value: ast.expr, item: ast.expr) -> ast.expr:
        """A call of a function of two arguments, written out if it is a lambda or an operator."""
        if isinstance(function, ast.Lambda):
            return filled(
                function.body, dict(zip((part.arg for part in function.args.args), (value, item), strict=True))
            )
        sign = OPERATORS.get(self.value_of(function))
        return ast.BinOp(value, sign, item) if sign else ast.Call(function, [value, item], [])

    def _with_inner(self, node: ast.stmt, field: str = "value") -> Blocks:
        """A statement after the assignments inside its expression."""
        if getattr(node, field) is None:
            return node
        value = self.visit(getattr(node, field))
        inner = _inner_assignments(value)
        before = [located(statement, node) for part in inner for statement in self._bound(part)]
        setattr(node, field, _Unnamed().visit(value) if before else value)
        return [*before, node]


def value_of(node: ast.expr, namespace: Mapping[str, Any], bound: Collection[str]) -> Any:
    """What a name outside a function, or an attribute of it, stands for; None if that is not known."""
    if isinstance(node, ast.Attribute):
        owner = value_of(node.value, namespace, bound)
        is_method = isinstance(getattr(type(owner), node.attr, None), FunctionType)
        return getattr(owner, node.attr, None) if is_method or isinstance(owner, (ModuleType, type)) else None
    return namespace.get(node.id) if isinstance(node, ast.Name) and node.id not in bound else None


def _of_comprehension(node: ast.AST) -> set[str]:
    """The variables of a comprehension."""
    generators = node.generators if isinstance(node, (ast.ListComp, ast.GeneratorExp)) else []
    return names_in(*(part.target for part in generators))


def _outside_comprehensions(node: ast.AST, hidden: frozenset[str]) -> set[str]:
    """The names in a part of a function, without the variables of the comprehensions around them."""
    hidden |= _of_comprehension(node)
    if isinstance(node, ast.Name):
        return {node.id} - hidden
    return {name for child in ast.iter_child_nodes(node) for name in _outside_comprehensions(child, hidden)}


class _Unnamed(ast.NodeTransformer):
    """Replaces assignments inside an expression, which are made before, by their names."""

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        self.generic_visit(node)
        return ast.copy_location(ast.Name(node.target.id, ast.Load()), node)


def _inner_assignments(node: ast.expr | None) -> Iterator[ast.NamedExpr]:
    """The assignments inside an expression in order; none if one is made on a condition, or its name is read before."""
    inner = [part for part in nodes_in(node) if isinstance(part, ast.NamedExpr)] if node is not None else []
    if inner and node is not None:
        begins = {part.target.id: (part.lineno, part.col_offset) for part in inner}
        names = [part for part in nodes_in(node) if isinstance(part, ast.Name) and part.id in begins]
        is_read_before = any((part.lineno, part.col_offset) < begins[part.id] for part in names)
        if is_read_before or len(begins) < len(inner) or not set(map(id, inner)) <= set(certain_parts(node)):
            return
    yield from sorted(inner, key=lambda part: (part.end_lineno, part.end_col_offset))


def certain_parts(node: ast.AST) -> Iterator[int]:
    """The parts of an expression that are always evaluated, once."""
    yield id(node)
    if isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
        return
    parts: list[ast.AST] = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.BoolOp):
        parts = [node.values[0]]
    elif isinstance(node, ast.IfExp):
        parts = [node.test]
    elif isinstance(node, ast.Compare):
        parts = [node.left, node.comparators[0]]
    for part in parts:
        yield from certain_parts(part)


def _written_pairs(call: ast.Call) -> list[tuple[ast.expr, ast.expr]]:
    """The keys and values that `d.update({"a": x}, b=y)` stores; none if a key is not written."""
    given = [argument if isinstance(argument, ast.Dict) else ast.Dict([None], []) for argument in call.args]
    keys = [key for part in given for key in part.keys] + [k.arg and ast.Constant(k.arg) for k in call.keywords]
    values = [*(value for part in given for value in part.values), *(k.value for k in call.keywords)]
    return [(key, value) for key, value in zip(keys, values, strict=False) if key] if all(keys) else []


def _is_zero(arguments: list[ast.expr]) -> bool:
    return bool(arguments) and isinstance(arguments[0], ast.Constant) and arguments[0].value == 0


def _popped_first(node: ast.expr) -> ast.Name | None:
    """The list whose first item a call takes away; None for other expressions."""
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and called.attr == "pop" and _is_zero(node.args):  # type: ignore[attr-defined]
        return called.value if isinstance(called.value, ast.Name) else None
    return None


def _assigned(targets: list[Any], value: ast.expr) -> ast.Assign:
    stored = [_in_context(filled(target), ast.Store()) for target in targets]
    is_place = isinstance(value, (ast.Name, ast.Subscript))
    return ast.Assign(stored, _in_context(filled(value), ast.Load()) if is_place else value)


def _in_context(place: Any, context: ast.expr_context) -> Any:
    """A place as a target, or as a value."""
    place.ctx = context
    for part in getattr(place, "elts", []):
        _in_context(part, context)
    return place


def _as_list(blocks: Blocks) -> list[ast.stmt]:
    return blocks if isinstance(blocks, list) else [blocks]

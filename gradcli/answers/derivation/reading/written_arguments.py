"""Functions that write into their arguments, rewritten as functions that return what they wrote into.

`fill(x, out)` becomes `out = fill(x, out)`, `y = fill(x, out)` becomes `y, out = fill(x, out)`, and where there are two
values, `y, z = fill(x, out)` becomes `y, z, out = fill(x, out)`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from gradcli.answers.derivation.reading.dict_items import Place
from gradcli.answers.derivation.reading.plain_statements import Blocks, InPlaceChanges, certain_parts
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import (
    VIEW_CALLS,
    argument_names,
    assignment_target,
    changed_names,
    located,
    nodes_in,
    owner_of,
    root_of,
    written_into,
)


class Updated(Exception):
    """An argument that is updated as a whole, `x += e`, is an array or list, or the keys of a dict are known."""


class Effects(NamedTuple):
    """What a function writes into.

    Attributes:
        parameters: its parameters.
        written: those that it writes into.
        values: how many values it returns as well, which are written out if there are several.
        updated: those that it updates as a whole, and writes into if they are arrays or lists.
    """

    parameters: tuple[str, ...]
    written: tuple[str, ...]
    values: int
    updated: tuple[str, ...] = ()


class KnownEffects(NamedTuple):
    """What called functions write into, by function, and their updated parameters that are arrays or lists.

    `constants` are those of the objects whose methods they are, by name; `keys` those of the dicts that a run has
    iterated over, and the properties that it has read or written, by place.
    """

    effects: dict[Any, Effects | None]
    arrays: dict[Any, set[str]]
    constants: dict[str, Any]
    keys: dict[Place, Any]


def changed_parameters(effects: Effects, tree: ast.FunctionDef, changes: InPlaceChanges, arrays: set[str]) -> Effects:
    """The parameters that a function writes into, or updates as a whole, before it binds them to something else."""
    written: set[str] = set()
    updated: set[str] = set()
    rebound: set[str] = set()
    for statement in tree.body:
        for node in nodes_in(statement):
            names = changes.writes.get(node, ()) if isinstance(node, ast.Assign) else (written_into(node),)
            written |= set(names) - rebound
        updates = [
            node for node in nodes_in(statement) if isinstance(node, ast.Assign) and changes.writes.get(node) == ()
        ]
        updated |= {root_of(node.targets[0]) for node in updates if isinstance(node.targets[0], ast.Name)} - rebound
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            value = statement.value
            function = value.func if isinstance(value, ast.Call) else None
            called = function.attr if isinstance(function, ast.Attribute) else ""
            is_own = statement in changes.writes or isinstance(value, (ast.Name, ast.Subscript, ast.IfExp))
            if not is_own and called not in VIEW_CALLS:
                rebound.add(statement.targets[0].id)
    written |= updated & arrays
    names = effects.parameters
    return effects._replace(
        written=tuple(name for name in names if name in written),
        updated=tuple(name for name in names if name in updated),
    )


def number_of_values(tree: ast.FunctionDef) -> int:
    """The number of values that a function returns: of the items of its tuples, if all are written out."""
    returned = [node.value for node in nodes_in(tree) if isinstance(node, ast.Return)]
    counts = {len(value.elts) if isinstance(value, ast.Tuple) and not _has_star(value) else 1 for value in returned}
    return max(counts) if len(counts) == 1 and None not in returned else int(any(returned))


def returning_what_is_written(tree: ast.FunctionDef, effects: Effects) -> None:
    """Let a function return what it has written into, after its value if it has one; the definition is modified."""
    for node in nodes_in(tree):
        if isinstance(node, ast.Return):
            node.value = _returned(effects, node.value, node)
    if not isinstance(tree.body[-1], ast.Return):
        last = ast.copy_location(ast.Return(), tree.body[-1])
        last.value = _returned(effects, None, last)
        tree.body.append(last)


def _returned(effects: Effects, value: ast.expr | None, like: ast.stmt) -> ast.expr:
    first = value.elts if isinstance(value, ast.Tuple) and effects.values > 1 else [value or ast.Constant(None)]
    first = first if len(first) == effects.values else [ast.Constant(None)] * effects.values
    parts = [*first, *(ast.Name(parameter, ast.Load()) for parameter in effects.written)]
    made: ast.expr = located(parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load()), like)
    return made


class WrittenArguments(ast.NodeTransformer):
    """Rewrites the calls of functions that write into their arguments.

    Args:
        tree: the definition, which is modified.
        file: its file.
        value_of: what a name, or an attribute of it, stands for; None if that is not known.
        read: returns what a function of the user's writes into; None for other functions.
        changes: takes note of the changes in place.

    Raises:
        UnsupportedError: such a call is part of an expression, or has one array twice.
    """

    def __init__(
        self,
        tree: ast.FunctionDef,
        file: str,
        value_of: Callable[[ast.expr], Any],
        read: Callable[[Any], Effects | None],
        changes: InPlaceChanges,
    ) -> None:
        self.file = file
        self.parameters = argument_names(tree)
        self.own = changed_names(tree) | self.parameters
        self.value_of = value_of
        self.read = read
        self.changes = changes
        self._certain: set[int] = set()
        self._before: list[ast.stmt] = []
        self.generic_visit(tree)

    def visit_Expr(self, node: ast.Expr) -> Blocks:
        if (made := self._rewritten(node.value)) is None:
            return self._after_calls(node, node.value)
        call, places, values = made
        return self._assigned([*[None] * values, *places], call, node)

    def visit_Assign(self, node: ast.Assign) -> Blocks:
        made = self._rewritten(node.value) if len(node.targets) == 1 else None
        if made is None:
            return self._after_calls(node, node.value)
        call, places, values = made
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and len(target.elts) == values and not _has_star(target):
            return self._assigned([*target.elts, *places], call, node)
        if values < 2:
            return self._assigned([target, *places], call, node) if values else node
        names = _value_names(call, values)
        packed = located(ast.Assign([target], ast.Tuple(list(names), ast.Load())), node)
        return [self._assigned([*names, *places], call, node), packed]

    def visit_Return(self, node: ast.Return) -> Blocks:
        return self._after_calls(node, node.value)

    def visit_If(self, node: ast.If) -> Blocks:
        return self._after_calls(node, node.test)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if (known := self._known(node)) is None or not known.written:
            return node
        if id(node) not in self._certain:
            what = f"{ast.unparse(node)}, which writes into an argument, inside an expression"
            raise refusal_at(self.file, node, what, "Call it in a statement of its own.")
        call, places, values = self._rewritten(node)  # type: ignore[misc]
        names = _value_names(call, values)
        self._before.append(self._assigned([*names, *places], call, node))
        return names[0] if values < 2 else ast.copy_location(ast.Tuple(list(names), ast.Load()), node)

    def _after_calls(self, node: ast.stmt, value: ast.expr | None) -> Blocks:
        """A statement after the one call that writes into arguments, if its expression has one."""
        calls = [call for call in nodes_in(value) if isinstance(call, ast.Call)] if value is not None else []
        calls = [call for call in calls if (known := self._known(call)) is not None and known.written]
        outer = self._certain, self._before
        self._certain, self._before = set(), list[ast.stmt]()
        if value is not None and len(calls) == 1 and not self._roots(calls[0]) & _names_outside(value, calls[0]):
            self._certain = {id(calls[0])} & set(certain_parts(value))
        self.generic_visit(node)
        before, (self._certain, self._before) = self._before, outer
        return [*before, node] if before else node

    def _roots(self, call: ast.Call) -> set[str]:
        """The variables into which a call writes."""
        known = self._known(call)
        assert known is not None
        given = dict(zip(known.parameters, call.args, strict=False))
        given.update((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)
        return {owner_of(given[parameter]) for parameter in known.written if parameter in given} & self.own

    def _known(self, node: ast.Call) -> Effects | None:
        function = None if node in self.changes.returning else self.value_of(node.func)
        return self.read(function) if function is not None else None

    def _rewritten(self, node: ast.expr) -> tuple[ast.Call, list[ast.expr | None], int] | None:
        """A call, the places of the arguments that it writes into, and the number of its values; None for others."""
        known = self._known(node) if isinstance(node, ast.Call) else None
        if known is None or not known.written or not isinstance(node, ast.Call):
            return None
        self.changes.returning.add(node)
        parameters, written, values, _ = known
        given: dict[str, ast.expr] = dict(zip(parameters, node.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
        for argument in node.args:
            self.generic_visit(argument)
        places: list[ast.expr | None] = []
        for parameter in written:
            place = given.get(parameter)
            is_place = isinstance(place, (ast.Name, ast.Subscript, ast.Attribute)) and owner_of(place) in self.own
            places.append(place if is_place else None)
            others = [value for name, value in given.items() if name != parameter and not _is_fresh(value)]
            if is_place and place is not None and any(owner_of(place) in _shared_by(value) for value in others):
                what = f"{ast.unparse(node)}, which writes into {ast.unparse(place)} and reads it as well"
                raise refusal_at(self.file, node, what, "Give it a copy of what it reads.")
        return node, places, values

    def _assigned(self, places: list[ast.expr | None], call: ast.Call, like: ast.AST) -> ast.stmt:
        texts = [place and ast.unparse(place) for place in places]
        twice = [text is not None and text in texts[:n] for n, text in enumerate(texts)]  # as in y = f(y)
        if any(is_twice and text in self.parameters for is_twice, text in zip(twice, texts, strict=True)):
            what = f"{ast.unparse(like)}, which binds an argument that it writes into"
            raise refusal_at(self.file, like, what, "Give the value a name of its own.")
        targets = [
            assignment_target("_" if place is None or is_twice else place)
            for place, is_twice in zip(places, twice, strict=True)
        ]
        target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
        made: ast.Assign = located(ast.Assign([target], call), like)
        self.changes.writes[made] = tuple(owner_of(place) for place in places if place is not None)
        return made


def _value_names(call: ast.Call, values: int) -> list[ast.expr]:
    """Names for the values of a call."""
    stem = f"{ast.unparse(call.func).rpartition('.')[2]}_value"
    names = [stem] if values < 2 else [f"{stem}_{n}" for n in range(1, values + 1)]
    return [ast.copy_location(ast.Name(name, ast.Load()), call) for name in names]


def _has_star(display: ast.Tuple) -> bool:
    return any(isinstance(item, ast.Starred) for item in display.elts)


def _shared_by(value: ast.expr) -> set[str]:
    """The names of which the value of an expression may be a part; it is none of `x.shape`, `x.size` and `len(x)`."""
    if isinstance(value, ast.Attribute) and value.attr in ("shape", "ndim", "size", "dtype"):
        return set()
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "len":
        return set()
    own = {value.id} if isinstance(value, ast.Name) else set()
    return own.union(*(_shared_by(part) for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr)))


def _is_fresh(value: ast.expr) -> bool:
    """Whether the value of an expression is new, and no part of what it reads."""
    called = getattr(value.func, "attr", "asarray") if isinstance(value, ast.Call) else ""
    return isinstance(value, (ast.BinOp, ast.UnaryOp)) or (isinstance(value, ast.Call) and called not in VIEW_CALLS)


def _names_outside(whole: ast.expr, part: ast.expr) -> set[str]:
    inside = {id(inner) for inner in nodes_in(part)}
    return {inner.id for inner in nodes_in(whole) if isinstance(inner, ast.Name) and id(inner) not in inside}

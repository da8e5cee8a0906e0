"""Zeros that nothing reads again, and copies of arrays that nothing writes into again, left out of derived text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from gradcli.answers.derivation.intermediate.operation_derivatives import constant_of
from gradcli.answers.derivation.passes.bound_and_free_names import read_first
from gradcli.answers.derivation.passes.cleanup import (
    Statements,
    block_lists,
    target_name,
    without_copy,
    written_in_place,
)
from gradcli.answers.derivation.syntax_trees import indices_of, names_in, nodes_in, root_of, stored_names

Bounds = dict[str, int]  # of an index: what is added to a counter, to 0 ("") or to the length ("end")


class Level(NamedTuple):
    """What may run after a statement: the rest of its block, and the loop whose body runs again; None without one."""

    rest: Statements
    loop: ast.For | ast.While | None

    def least(self) -> tuple[str, int] | None:
        """The counter of a loop that counts down, and its least value; None for others."""
        match self.loop:
            case ast.For(ast.Name(counter), ast.Call(ast.Name("reversed"), [ast.Call(ast.Name("range"), limits)])):
                least = 0 if len(limits) == 1 else _whole(limits[0])
                is_steady = len(limits) < 3 and counter not in stored_names(*self.loop.body)
                return (counter, least) if is_steady and least is not None and least >= 0 else None
        return None


class LaterUses:
    """Leaves out zeros and copies, in place.

    Args:
        statements: the body of a function.
        names: those of sensitivities, which share no array with another name while one of the two is written into.
    """

    def __init__(self, statements: Statements, names: Collection[str]) -> None:
        self.own = (stored_names(*statements) & {*names}) - read_first(statements)
        self.written = _changed(statements)
        self.free = self.own - set(_kept_elsewhere(statements))
        self._block(statements, ())

    def _block(self, block: Statements, outer: tuple[Level, ...]) -> None:
        at = 0
        while at < len(block):
            statement, levels = block[at], (Level(block[at + 1 :], None), *outer)
            for inner in block_lists(statement):
                loop = statement if isinstance(statement, (ast.For, ast.While)) else None
                self._block(inner, (Level([], loop), *levels))
            if self._is_needless_zero(statement, levels):
                del block[at]
                continue
            if isinstance(statement, ast.Assign) and target_name(statement) in self.free - self.written:
                statement.value = self._shared(statement.value, levels)
            elif isinstance(statement, ast.Return):
                self._share_results(statement)
            at += 1

    def _is_needless_zero(self, statement: ast.stmt, levels: tuple[Level, ...]) -> bool:
        match statement:
            case ast.Assign([ast.Subscript(ast.Name(owner)) as place], ast.Constant(float(0.0))) if owner in self.own:
                known = dict(filter(None, (level.least() for level in levels)))
                return _ends(owner, levels, lambda other, again: _is_apart(owner, place, other, known, again))
        return False

    def _shared(self, value: ast.expr, levels: tuple[Level, ...]) -> ast.expr:
        """The array of which a value is a copy, if nothing writes into that later."""
        part = without_copy(value)
        owner = root_of(part)
        if part is value or owner not in self.free:
            return value
        return part if _ends(owner, levels, lambda other, _: owner not in _changed([other])) else value

    def _share_results(self, statement: ast.Return) -> None:
        """Return an array itself instead of its copy, if it is returned once."""
        mentions = [node.id for node in nodes_in(statement) if isinstance(node, ast.Name)]
        once = {name for name in mentions if mentions.count(name) == 1}
        if isinstance(statement.value, ast.Tuple):
            parts = statement.value.elts
            parts[:] = [self._shared(part, ()) if root_of(without_copy(part)) in once else part for part in parts]


def _changed(statements: Statements) -> set[str]:
    """The names whose arrays statements change."""
    sums = (node.target for node in nodes_in(*statements) if isinstance(node, ast.AugAssign))
    return written_in_place(statements) | {root_of(target) for target in sums}


def _kept_elsewhere(statements: Statements) -> Iterator[str]:
    """Yield the names whose arrays get another name, or go into a container."""
    for node in nodes_in(*statements):
        held: list[ast.expr | None] = []
        if isinstance(node, ast.Assign):
            held = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]  # type: ignore[assignment]
        elif isinstance(node, (ast.List, ast.Dict)):
            held = [*getattr(node, "elts", ()), *getattr(node, "values", ())]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            held = [part for given in node.args for part in getattr(given, "elts", [given])]
        yield from (part.id for part in held if isinstance(part, ast.Name))


def _ends(owner: str, levels: tuple[Level, ...], allows: Callable[[ast.stmt, set[str] | None], bool]) -> bool:
    """Whether all that mentions a name later, until it is bound anew, is allowed.

    `allows` is given a statement, and the counters that are less there; None where nothing is known of the counters.
    """
    less: set[str] | None = set()
    for rest, loop in levels:
        mentions, is_bound = _until_bound(rest, owner)
        is_allowed = all(allows(other, less) for other in mentions)
        if is_bound or not is_allowed:
            return is_allowed
        if loop is not None:
            counter = Level([], loop).least()
            own = None if less is None or counter is None else {counter[0]}
            if not all(allows(other, own) for other in _until_bound(loop.body, owner)[0]):
                return False
            less = None
    return True


def _until_bound(block: Statements, owner: str) -> tuple[Statements, bool]:
    """The statements of a block that mention a name before one binds it anew, and whether one does."""
    end = next((n for n, statement in enumerate(block) if _binds(statement, owner)), len(block))
    return [statement for statement in block[:end] if owner in names_in(statement)], end < len(block)


def _binds(statement: ast.stmt, owner: str) -> bool:
    is_bound = isinstance(statement, ast.Assign) and target_name(statement) == owner
    return is_bound and owner not in names_in(statement.value)  # type: ignore[attr-defined]


def _is_apart(owner: str, place: ast.Subscript, other: ast.stmt, known: Bounds, less: set[str] | None) -> bool:
    """Whether a statement leaves a place of an array alone, where some counters are less than they were."""
    places = [node for node in nodes_in(other) if isinstance(node, ast.Subscript) and root_of(node.value) == owner]
    places = [used for used in places if isinstance(used.value, ast.Name)]
    mentions = sum(isinstance(node, ast.Name) and node.id == owner for node in nodes_in(other))
    if mentions != len(places) or stored_names(other) & known.keys():
        return False
    mine = [_bounds(index, known) for index in indices_of(place)]
    for used in places:
        theirs = [_bounds(index, known, less) for index in indices_of(used)]
        pairs = [pair for pair in zip(mine, theirs) if None not in pair]  # noqa: B905
        is_whole = len(pairs) == min(len(mine), len(theirs))
        if not is_whole or not any(_is_below(a, b) or _is_below(b, a) for a, b in pairs):  # type: ignore[arg-type]
            return False
    return True


def _is_below(one: tuple[Bounds, Bounds], other: tuple[Bounds, Bounds]) -> bool:
    """Whether the last of some places is surely before the first of others."""
    return any(last < other[0][base] for base, last in one[1].items() if base in other[0])


def _bounds(index: ast.expr, known: Bounds, less: Collection[str] | None = ()) -> tuple[Bounds, Bounds] | None:
    """The first and the last place of an index, each by several bases; None if it is not known."""
    if isinstance(index, ast.Slice):
        first, last = _whole(index.lower or ast.Constant(0)), _whole(index.upper or ast.Constant(0))
        if index.step is not None or first is None or last is None or first < 0:
            return None
        ends = last < 0 or index.upper is None
        return {"": first}, {"end" if ends else "": last - 1}
    number = _whole(index)
    if number is not None:
        return ({"end" if number < 0 else "": number},) * 2
    counter, added = _counted(index)
    if less is None or counter not in known or known[counter] + added < 0:
        return None
    least = {"": known[counter] + added}
    return (least, {counter: added - 1}) if counter in less else (least | {counter: added}, {counter: added})


def _counted(index: ast.expr) -> tuple[str, int]:
    """A counter and what is added to it; an empty name for other indices."""
    match index:
        case ast.Name(counter):
            return counter, 0
        case ast.BinOp(ast.Name(counter), ast.Add() | ast.Sub() as sign, ast.Constant(int(added))):
            return counter, added if isinstance(sign, ast.Add) else -added
    return "", 0


def _whole(node: ast.expr) -> int | None:
    """A constant integer; None for other expressions."""
    number = constant_of(node)
    return number if isinstance(number, int) else None  # type: ignore[redundant-expr]  # an int is a float to mypy

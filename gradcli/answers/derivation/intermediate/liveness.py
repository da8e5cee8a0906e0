"""Names read and bound by statements, liveness, and the block to which each name belongs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gradcli.answers.derivation.intermediate.statements import (
    Append,
    Assignment,
    Branch,
    LoopStatement,
    PassiveStatement,
    Pop,
    Routine,
    RoutineCall,
    Statement,
    Store,
    Unpacking,
)
from gradcli.answers.derivation.syntax_trees import names_in

Block = Sequence[Statement]


def bound_names(statement: Statement) -> set[str]:
    """The names that a statement itself binds, without its blocks."""
    if isinstance(statement, Unpacking):
        return set(statement.targets)
    if isinstance(statement, (Assignment, Pop)) or (isinstance(statement, Store) and statement.rebinds):
        return {statement.target}
    if isinstance(statement, RoutineCall):
        return {statement.target, statement.kept}
    if isinstance(statement, LoopStatement):
        names = names_in(statement.target) if statement.target is not None else set()
        return names | ({statement.trips} if statement.trips else set())
    if isinstance(statement, PassiveStatement):
        return {alias.asname or alias.name for node in [statement.statement] for alias in getattr(node, "names", ())}
    return set()


def written_names(statement: Statement) -> set[str]:
    """The arrays and lists that a statement writes into."""
    if isinstance(statement, Append) or (isinstance(statement, Store) and not statement.rebinds):
        return {statement.target}
    if isinstance(statement, (Assignment, Store)) and statement.in_place:
        return {statement.target}
    return {statement.source} if isinstance(statement, Pop) else set()


def read_names(statement: Statement) -> set[str]:
    """The names that a statement itself reads."""
    if isinstance(statement, (Assignment, Append)):
        return names_in(statement.value) | (written_names(statement) if isinstance(statement, Append) else set())
    if isinstance(statement, Store):
        return names_in(statement.value) | names_in(statement.place)
    if isinstance(statement, Unpacking):
        return names_in(statement.source)
    if isinstance(statement, Pop):
        return {statement.source}
    if isinstance(statement, RoutineCall):
        return names_in(*statement.arguments)
    if isinstance(statement, Branch):
        return names_in(statement.test)
    if isinstance(statement, LoopStatement):
        return names_in(*(part for part in (statement.items, statement.test) if part is not None))
    return names_in(statement.statement)


def is_break(statement: Statement) -> bool:
    """Whether a statement leaves its loop."""
    return isinstance(statement, PassiveStatement) and isinstance(statement.statement, ast.Break)


def nested_blocks(statement: Statement) -> tuple[list[Statement], ...]:
    """The blocks inside a statement."""
    if isinstance(statement, Branch):
        return statement.body, statement.orelse
    return (statement.body,) if isinstance(statement, LoopStatement) else ()


def all_statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block, including nested ones."""
    for statement in block:
        yield statement
        for inner in nested_blocks(statement):
            yield from all_statements(inner)


def own_names(statement: Statement) -> set[str]:
    """The names that a statement itself reads, binds or writes into."""
    return read_names(statement) | bound_names(statement) | written_names(statement)


def all_bound(block: Block) -> set[str]:
    """The names that a block binds anywhere."""
    return {name for statement in all_statements(block) for name in bound_names(statement)}


def exposed_names(block: Block, assigned: frozenset[str] = frozenset()) -> tuple[set[str], set[str] | None]:
    """The names that a block may read before binding them, and those that it always binds, or None if it exits."""
    exposed: set[str] = set()
    sure = set(assigned)
    for statement in block:
        exposed |= read_names(statement) - sure
        if isinstance(statement, Branch):
            ends = []
            for inner in nested_blocks(statement):
                reads, binds = exposed_names(inner, frozenset(sure))
                exposed |= reads
                ends += [binds] if binds is not None else []
            if not ends:
                return exposed, None
            sure = set.intersection(*ends)
        elif isinstance(statement, LoopStatement):
            reads, _ = exposed_names(statement.body, frozenset(sure | bound_names(statement)))
            exposed |= reads
            sure |= {statement.trips} if statement.trips else set()
        elif isinstance(statement, PassiveStatement) and isinstance(statement.statement, (ast.Break, ast.Raise)):
            return exposed, None
        else:
            sure |= bound_names(statement)
    return exposed, sure


def varied_names(routine: Routine) -> set[str]:
    """The names that depend on an active parameter and affect the result."""
    varied = {routine.result}
    size = -1
    while size != len(varied):
        size = len(varied)
        for statement in all_statements(routine.body):
            targets = bound_names(statement) | written_names(statement)
            if targets & varied:
                varied |= _operands(statement)
    return {name for name in varied & routine.varied if routine.kinds.get(name) is None or routine.kinds[name].carries}


def _operands(statement: Statement) -> set[str]:
    if isinstance(statement, (Assignment, Store, Append)):
        operation = statement.operation
        names = names_in(*operation.operands) if operation is not None else set()
        return names | ({statement.target} if not isinstance(statement, Assignment) else set())
    if isinstance(statement, Unpacking):
        return names_in(statement.source)
    if isinstance(statement, Pop):
        return {statement.source, statement.target}
    return names_in(*statement.arguments) if isinstance(statement, RoutineCall) else set()


class NameBlocks:
    """The blocks to which each name belongs: the smallest that contain all its uses and need no value from outside.

    A name belongs to several blocks if each of them binds it before it reads it, unless it has to belong to one.

    Args:
        body: the statements, of the intermediate form or of Python.
        own_names: returns the names in a statement itself, without its blocks.
        blocks: returns the blocks in a statement.
        exposed: returns the names that a block may read before it binds them.
        outermost: the names that belong to the body in any case.
        to_one: whether a name belongs to one block, the smallest around all those.
    """

    def __init__(
        self,
        body: Sequence[Any],
        own_names: Callable[[Any], set[str]],
        blocks: Callable[[Any], Sequence[Any]],
        exposed: Callable[[Any], set[str]],
        outermost: Iterable[str] = (),
        *,
        to_one: bool = False,
    ) -> None:
        self.own_names, self.blocks, self.exposed, self.to_one = own_names, blocks, exposed, to_one
        self._names: dict[int, list[str]] = {}
        self._place(body, list(dict.fromkeys([*self._all_names(body), *outermost])), set(outermost))

    def _all_names(self, block: Sequence[Any]) -> list[str]:
        """The names in a block, in the order of their first use."""
        names: dict[str, None] = {}
        for statement in block:
            names.update(dict.fromkeys(sorted(self.own_names(statement))))
            for inner in self.blocks(statement):
                names.update(dict.fromkeys(self._all_names(inner)))
        return list(names)

    def _place(self, block: Sequence[Any], names: Sequence[str], kept: set[str]) -> None:
        """Find the blocks of some names, which belong to a block or to those in it."""
        inner = [part for statement in block for part in self.blocks(statement)]
        kept = kept.union(*map(self.own_names, block), *map(self.exposed, inner))
        if self.to_one:
            parts = Counter(name for part in inner for name in self._all_names(part))
            kept |= {name for name, count in parts.items() if count > 1}
        self._names[id(block)] = [name for name in names if name in kept]
        left = set(names) - kept
        for part in inner:
            self._place(part, [name for name in self._all_names(part) if name in left], set())

    def at(self, block: Sequence[Any]) -> list[str]:
        """The names that belong to a block, in a deterministic order."""
        return self._names.get(id(block), [])

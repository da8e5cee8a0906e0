"""Aliases of an array or list that is written into, which are refused because the derived program would copy it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradcli.answers.derivation.intermediate.liveness import all_statements, bound_names, read_names, written_names
from gradcli.answers.derivation.intermediate.operation_derivatives import ByTemplate, ElementRead, Identity, ListDisplay
from gradcli.answers.derivation.intermediate.statements import (
    Append,
    Assignment,
    Branch,
    LoopStatement,
    Pop,
    Routine,
    RoutineCall,
    Statement,
    Store,
    Unpacking,
)
from gradcli.answers.derivation.reading.value_kind import STATIC
from gradcli.answers.derivation.refusals import LineOf, refusal_at
from gradcli.answers.derivation.syntax_trees import copied, expression, is_field, names_in

SHARED = ("array", "list", "record")


def check_aliases(routine: Routine, file: str) -> None:
    """Refuse an alias of an array or list that is written into while both names are in use.

    A generated name is given a copy instead, because it is used up within the user's line, and so is a called function,
    because it keeps its arguments for its reverse pass.

    Raises:
        UnsupportedError: there is such an alias; the message names the line that creates it.
    """
    written = {name for statement in all_statements(routine.body) for name in written_names(statement)}
    _Check(routine, file).block(routine.body, set(), set(), written)


class _Check:
    """One backwards sweep over the names read later, and those written into before they are rebound."""

    def __init__(self, routine: Routine, file: str) -> None:
        self.routine = routine
        self.file = file
        self.refuses = True
        self.growing = _growing_lists(routine)
        assignments = (statement for statement in all_statements(routine.body) if isinstance(statement, Assignment))
        self.copies = {
            made.target for made in assignments if getattr(getattr(made.value, "func", None), "id", "") == "dict"
        }

    def block(
        self, block: Sequence[Statement], live: set[str], stored: set[str], written: set[str]
    ) -> tuple[set[str], set[str]]:
        """The names live, and the names written into, from the start of a block on."""
        for statement in reversed(block):
            if isinstance(statement, Branch):
                one = self.block(statement.body, set(live), set(stored), written)
                other = self.block(statement.orelse, set(live), set(stored), written)
                live, stored = one[0] | other[0] | read_names(statement), one[1] | other[1]
            elif isinstance(statement, LoopStatement):
                live, stored = self._loop(statement, live, stored, written)
            else:
                self._statement(statement, live, stored, written)
                live = (live - bound_names(statement)) | read_names(statement)
                stored = (stored - bound_names(statement)) | written_names(statement)
        return live, stored

    def _loop(
        self, statement: LoopStatement, live: set[str], stored: set[str], written: set[str]
    ) -> tuple[set[str], set[str]]:
        seen, refuses = (live | read_names(statement), set(stored)), self.refuses
        self.refuses = False
        while True:
            after = self.block(statement.body, set(seen[0]), set(seen[1]), written)
            if after[0] <= seen[0] and after[1] <= seen[1]:
                break
            seen = seen[0] | after[0], seen[1] | after[1]
        self.refuses = refuses
        self.block(statement.body, set(seen[0]), set(seen[1]), written)
        return seen

    def _statement(self, statement: Statement, live: set[str], stored: set[str], written: set[str]) -> None:
        if isinstance(statement, RoutineCall):
            kinds = [_kind(getattr(argument, "id", ""), self.routine) for argument in statement.arguments]
            written_later = [bool(names_in(argument) & stored) for argument in statement.arguments]
            statement.copied = {n: kind for n, kind in enumerate(kinds) if kind in SHARED and written_later[n]}
        for target, source in _shared(statement, self.routine):
            if target in self.routine.made and isinstance(statement, Assignment) and target not in stored:
                is_array = _kind(target, self.routine) == "array"
                if source in written and is_array and not isinstance(statement.value, ast.Call):
                    statement.value = expression("_x.copy()", _x=statement.value)
                continue
            if (
                source in self.copies and target in stored and isinstance(statement, Assignment)
            ):  # its shapes may change
                statement.value = copied(statement.value, "record")
            is_written = target in stored and not (isinstance(statement, Append) and target in self.growing)
            is_refused = (source in stored and target in live) or (is_written and source in live)
            if target in stored and isinstance(
                statement, (Assignment, Unpacking)
            ):  # what it is made of is written into
                stored.add(source)
            if self.refuses and is_refused:
                raise refusal_at(
                    self.file,
                    LineOf(statement.line),
                    f"{self._named(target)} as a second name of what {source} holds, one of which is written into",
                    hint="Copy it: x.copy() of an array, list(x) of a list.",
                )

    def _named(self, target: str) -> str:
        return "a list" if target in self.routine.made else target


def _growing_lists(routine: Routine) -> set[str]:
    """The lists that are only appended to and popped from, and of whose items none may be written into."""
    statements = [*all_statements(routine.body)]
    written: set[str] = set()
    pairs: list[tuple[str, str]] = []
    for statement in statements:
        if isinstance(statement, RoutineCall):
            written |= names_in(*statement.arguments)
        elif isinstance(statement, LoopStatement) and statement.items is not None and statement.target is not None:
            pairs += [(name, source) for name in names_in(statement.target) for source in names_in(statement.items)]
        elif isinstance(statement, Pop):
            pairs.append((statement.target, statement.source))
        elif not isinstance(statement, Append):
            written |= written_names(statement)
            pairs += _shared(statement, routine)
    while more := {name for pair in pairs if not written.isdisjoint(pair) for name in pair} - written:
        written |= more
    return {statement.target for statement in statements if isinstance(statement, Append)} - written


def _shared(statement: Statement, routine: Routine) -> list[tuple[str, str]]:
    """The pairs of names that may share an array or list after a statement."""
    if isinstance(statement, Assignment) and _is_shared(statement.target, routine):
        operation = statement.operation
        is_view = isinstance(operation, (Identity, ElementRead)) or isinstance(
            statement.value, (ast.Name, ast.Subscript)
        )
        if isinstance(operation, ByTemplate) and isinstance(statement.value, (ast.Attribute, ast.Call)):
            is_view = any(
                word in ast.unparse(statement.value) for word in (".T", "reshape", "ravel", "transpose", "asarray")
            )
        if isinstance(operation, Identity) and isinstance(statement.value, ast.Call):
            is_view = False
        if isinstance(operation, ListDisplay):
            held = [
                source for source, kind in zip(operation.operands, operation.kinds, strict=True) if kind.name in SHARED
            ]
            return [(statement.target, source) for source in sorted(names_in(*held)) if _is_shared(source, routine)]
        if is_view:
            return [
                (statement.target, source)
                for source in sorted(names_in(statement.value))
                if _is_shared(source, routine)
            ]
    value = getattr(statement, "value", None)
    is_whole = isinstance(statement, Store) and statement.kind.name == "array" and not is_field(statement.place)
    is_shared = isinstance(value, ast.Name) and _is_shared(value.id, routine)
    if isinstance(statement, (Append, Store)) and isinstance(value, ast.Name) and is_shared and not is_whole:
        return [(statement.target, value.id)]
    if isinstance(statement, Unpacking) and isinstance(statement.source, ast.Name):
        return [(target, statement.source.id) for target in statement.targets if _is_shared(target, routine)]
    return []


def _is_shared(name: str, routine: Routine) -> bool:
    return _kind(name, routine) in SHARED


def _kind(name: str, routine: Routine) -> str:
    return routine.kinds.get(name, STATIC).name

"""Aliases of an array or list that is written into, which are refused because the derived program would copy it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from gradcli.answers.derivation.intermediate.liveness import (
    all_bound,
    all_statements,
    bound_names,
    read_names,
    written_names,
)
from gradcli.answers.derivation.intermediate.operation_derivatives import ByTemplate, ElementRead, Identity, ListDisplay
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
from gradcli.answers.derivation.reading.value_kind import STATIC, ValueKind
from gradcli.answers.derivation.refusals import LineOf, refusal_at
from gradcli.answers.derivation.syntax_trees import (
    VIEW_CALLS,
    assign,
    copied,
    expression,
    indices_of,
    is_field,
    names_in,
    root_of,
    text_of,
)

SHARED = ("array", "list", "record")
DEEPEST = 5  # lists in lists into which a called function may write


class CalledFunction(NamedTuple):
    """What a call of a function shares and changes, by the places of its parameters.

    Attributes:
        returned: the parameters that it may return.
        written: those that it writes into.
        together: the places of two of its values that may share memory.
    """

    returned: Collection[int]
    written: Collection[int]
    together: Collection[tuple[int, int]]


def check_aliases(routine: Routine, file: str, called: Mapping[str, CalledFunction], held: Sequence[str]) -> None:
    """Refuse an alias of an array or list that is written into while both names are in use.

    A generated name is given a copy instead, because it is used up within the user's line, and so is a called function,
    because it keeps its arguments for its reverse pass.

    Args:
        routine: the function.
        file: the file of its source.
        called: the called functions, by their names in the file.
        held: its parameters that the caller may read afterwards.

    Raises:
        UnsupportedError: there is such an alias; the message names the line that creates it.
    """
    written = {name for statement in all_statements(routine.body) for name in written_names(statement)}
    _, stored = _Check(routine, file, called).block(routine.body, set(held), set(), written)
    stored = {name for name in stored.difference(routine.copied) if _is_shared(name, routine)}
    routine.copied += tuple(name for name in routine.parameters if name in stored)


class _Check:
    """One backwards sweep over the names read later, and those written into before they are rebound.

    Among those written into, `name[]` stands for the items of what a name holds, and `name[][]` for their items.
    """

    def __init__(self, routine: Routine, file: str, called: Mapping[str, CalledFunction]) -> None:
        self.routine = routine
        self.called = called
        self.file = file
        self.refuses = True
        assignments = [statement for statement in all_statements(routine.body) if isinstance(statement, Assignment)]
        self.parts = {
            made: _parts(made.value, routine) for made in assignments if not _is_fancy(made)
        }  # not the copies
        statements = [*all_statements(routine.body)]
        calls = {call.target: call.function for call in statements if isinstance(call, RoutineCall)}
        self.together = {target: called[name].together for target, name in calls.items() if name in called}
        self.results = set(calls)
        unpacked = [part for part in statements if isinstance(part, Unpacking) and root_of(part.source) in self.results]
        self.results.update(*(part.targets for part in unpacked))
        self.named: set[str] = set()  # generated names of what other names hold too
        self.held: set[str] = set()  # results in lists or records, where they are written into
        self.kept = routine.made | self.results  # what a reverse pass may need as it is
        self.copies = {
            made.target for made in assignments if getattr(getattr(made.value, "func", None), "id", "") == "dict"
        }

    def block(
        self, block: list[Statement], live: set[str], stored: set[str], written: set[str]
    ) -> tuple[set[str], set[str]]:
        """The names live, and the names written into, from the start of a block on."""
        for n, statement in reversed([*enumerate(block)]):
            if isinstance(statement, Branch):
                one = self.block(statement.body, set(live), set(stored), written)
                other = self.block(statement.orelse, set(live), set(stored), written)
                live, stored = one[0] | other[0] | read_names(statement), one[1] | other[1]
            elif isinstance(statement, LoopStatement):
                live, stored = self._loop(statement, live, stored, written)
            else:
                self._items(n, block, live, stored)
                if self.refuses:
                    block[n + 1 : n + 1] = self._copies(statement, stored)
                self._statement(statement, live, stored, written)
                live = (live - bound_names(statement)) | read_names(statement)
                bound = bound_names(statement)
                stored = {mark for mark in stored if mark.partition("[")[0] not in bound}
                stored |= written_names(statement) | _written_items(statement, self.routine)
                given = set(self._given(statement, "written")) - self.routine.made  # a part is stored back afterwards
                stored |= {_mark(name, depth) for name in given for depth in range(DEEPEST)}
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
            parts = self._given(statement, "returned")
            for source in sorted(part for part in parts if _is_shared(part, self.routine)):
                self._require(statement, statement.target, source, source in stored, statement.target in stored, live)
        if isinstance(statement, Unpacking) and root_of(statement.source) in self.together:
            for one, other in self.together[root_of(statement.source)]:
                target, source = statement.targets[one], statement.targets[other]
                self._require(statement, target, source, source in stored, target in stored, live)
            stored |= {root_of(statement.source)} if stored.intersection(statement.targets) else set()
            return
        depths = dict(self.parts.get(statement, ())) if isinstance(statement, Assignment) else {}
        for target, source in _shared(statement, self.routine):
            inside = _mark(source, depths.get(source, 0))  # an item is the same when the list gets another one
            is_used_up = target in self.routine.made and target not in self.named
            if source in self.routine.made and isinstance(statement, (Assignment, Unpacking)) and not is_used_up:
                self.named.add(source)
            if is_used_up and isinstance(statement, Assignment) and target not in stored:
                is_array = _kind(target, self.routine) == "array"
                if source in written and is_array and not isinstance(statement.value, ast.Call):
                    statement.value = expression("_x.copy()", _x=statement.value)
                continue
            if source in self.copies and target in stored and isinstance(statement, Assignment):
                statement.value = copied(statement.value, "record")  # its shapes may change
            self._require(statement, target, source, inside in stored, target in stored, live)
            if target in stored and isinstance(statement, (Assignment, Unpacking)):
                stored.add(inside)  # what it is made of is written into

    def _given(self, statement: Statement, what: str) -> list[str]:
        """The names in the arguments of a call that are returned, or written into."""
        if not isinstance(statement, RoutineCall) or statement.function not in self.called:
            return []
        places = getattr(self.called[statement.function], what)
        return [name for n in places if n < len(statement.arguments) for name in names_in(statement.arguments[n])]

    def _copies(self, statement: Statement, stored: set[str]) -> list[Statement]:
        """Copies of what a statement binds and is written into later, where a reverse pass needs it as it is."""
        source = getattr(statement, "source", getattr(statement, "value", None))
        is_part = isinstance(source, (ast.Name, ast.Subscript)) and root_of(source) in self.kept
        if not is_part and not isinstance(statement, RoutineCall):
            return []
        is_unpacked = isinstance(statement, Unpacking)
        own = set() if is_unpacked else self.routine.made - self.held
        targets = sorted((bound_names(statement) & (stored | self.held)) - own)
        kinds = [(name, _kind(name, self.routine)) for name in targets if _is_shared(name, self.routine)]
        copies = [assign(name, copied(ast.Name(name, ast.Load()), kind)) for name, kind in kinds]
        return [PassiveStatement(made, statement.line) for made in copies]

    def _items(self, n: int, block: Sequence[Statement], live: set[str], stored: set[str]) -> None:
        """Refuse items that share an array or list with another name or item, if its inside is written into."""
        statement, before, routine = block[n], block[:n], self.routine
        target = str(getattr(statement, "target", ""))
        if isinstance(statement, (Assignment, Pop)):
            marks = [mark.removeprefix(target) for mark in stored if mark.partition("[")[0] == target]
            parts = {(statement.source, 1)} if isinstance(statement, Pop) else self.parts.get(statement, ())
            for source, depth in parts:
                stored |= {_mark(source, depth) + mark for mark in marks if depth or mark}
        place = statement.place if isinstance(statement, Store) else None
        depth = 1 if place is None else _depth(place, routine)
        is_target = _mark(target, depth) in stored
        if _repeats(statement, routine):
            self._require(statement, target, target, is_target, is_target, live)
        parts = {part for item in _held(statement, routine) for part in self._origins(item, before)}
        held = statement.value if isinstance(statement, (Append, Store)) else None
        if is_target and isinstance(held, ast.Name) and held.id in self.results:  # written into as an item
            self.held.add(held.id)
        if isinstance(statement, Append) and isinstance(statement.value, ast.Name):
            parts |= {(statement.value.id, 0)} if _is_shared(statement.value.id, routine) else set()
        for source, inner in sorted(parts):
            if source == target and _is_moved(n, block):
                continue
            self._require(statement, target, source, _mark(source, inner) in stored, is_target, live)
            if is_target:  # what an item is made of is written into
                stored.add(_mark(source, inner))

    def _origins(self, item: ast.expr, before: Sequence[Statement]) -> set[tuple[str, int]]:
        """The names of which an item is a part, and how deep."""
        if not isinstance(item, ast.Name):
            return _parts(item, self.routine)
        latest = next((earlier for earlier in reversed(before) if item.id in all_bound([earlier])), None)
        statements = all_statements(self.routine.body if latest is None else [latest])
        made = [
            statement for statement in statements if isinstance(statement, Assignment) and statement.target == item.id
        ]
        origins = {part for assignment in made for part in self.parts.get(assignment, ())}
        while (
            more := {
                part
                for assignment in self.parts
                if assignment.target in self.routine.made and (assignment.target, 0) in origins
                for part in self.parts[assignment]
            }
            - origins
        ):
            origins |= more
        return origins

    def _require(
        self, statement: Statement, target: str, source: str, is_source: bool, is_target: bool, live: set[str]
    ) -> None:
        """Refuse an alias of which one name is written into while the other is in use."""
        is_refused = (is_source and target in live) or (is_target and source in live)
        of = "an item of " if target == source else ""
        if self.refuses and is_refused:
            raise refusal_at(
                self.file,
                LineOf(statement.line),
                f"{of}{self._named(target)} as a second name of what {self._named(source)} holds, "
                "one of which is written into",
                hint="Copy it: x.copy() of an array, list(x) of a list.",
            )

    def _named(self, target: str) -> str:
        return f"a {_kind(target, self.routine)}" if target in self.routine.made else target


def _shared(statement: Statement, routine: Routine) -> list[tuple[str, str]]:
    """The pairs of names that may share an array or list after a statement."""
    if isinstance(statement, Assignment) and _is_shared(statement.target, routine):
        operation = statement.operation
        is_view = isinstance(operation, (Identity, ElementRead)) or isinstance(
            statement.value, (ast.Name, ast.Subscript)
        )
        if isinstance(operation, ByTemplate) and isinstance(statement.value, (ast.Attribute, ast.Call)):
            called = getattr(statement.value, "func", statement.value)
            is_view = text_of(called).rpartition(".")[2] in {"T", *VIEW_CALLS}
        if isinstance(operation, Identity) and isinstance(statement.value, ast.Call):
            is_view = False
        if isinstance(operation, ListDisplay):
            held = [
                source for source, kind in zip(operation.operands, operation.kinds, strict=True) if kind.name in SHARED
            ]
            return [(statement.target, source) for source in sorted(names_in(*held)) if _is_shared(source, routine)]
        if is_view and not _is_new_list(statement.value, routine):
            return [
                (statement.target, source)
                for source in sorted(names_in(statement.value))
                if _is_shared(source, routine)
            ]
    if isinstance(statement, Store) and isinstance(statement.value, ast.Name):
        is_copied = statement.kind.name == "array" and not is_field(statement.place)
        is_shared = _is_shared(statement.value.id, routine) and not is_copied
        return [(statement.target, statement.value.id)] if is_shared else []
    if isinstance(statement, Unpacking) and isinstance(statement.source, ast.Name):
        return [(target, statement.source.id) for target in statement.targets if _is_shared(target, routine)]
    return []


def _parts(value: ast.expr, routine: Routine) -> set[tuple[str, int]]:
    """The array or list of which a value is a part, if it shares it, and how many lists or records deep."""
    name = root_of(value)
    return {(name, _depth(value, routine))} if name and _part_kind(value, routine).name in SHARED else set()


def _depth(place: ast.expr, routine: Routine) -> int:
    """The number of lists and records between a name and a part of it; a part of an array counts as the array."""
    depth = 0
    while isinstance(place, ast.Subscript):
        place = place.value
        depth += _part_kind(place, routine).name != "array"
    return depth


def _part_kind(node: ast.expr, routine: Routine) -> ValueKind:
    """The kind of a name or of a part of what it holds."""
    if not isinstance(node, ast.Subscript):
        return routine.kinds.get(node.id, STATIC) if isinstance(node, ast.Name) else STATIC
    whole, indices = _part_kind(node.value, routine), indices_of(node)
    if whole.name == "array":
        rank = whole.rank - sum(not isinstance(index, ast.Slice) for index in indices)
        return ValueKind("array", rank) if rank > 0 else STATIC
    if isinstance(node.slice, ast.Slice):
        return STATIC  # a new list
    return dict(whole.fields).get(getattr(node.slice, "value", None), whole.item or STATIC)  # type: ignore[arg-type]


def _mark(name: str, depth: int) -> str:
    return name + "[]" * depth


def _written_items(statement: Statement, routine: Routine) -> set[str]:
    """The marks of what a statement writes into inside of a name."""
    if not isinstance(statement, Store) or statement.rebinds or not isinstance(statement.place, ast.Subscript):
        return set()
    is_inside = _part_kind(statement.place.value, routine).name == "array"
    depth = _depth(statement.place, routine) + (
        is_inside or bool((statement.adds or statement.in_place) and statement.kind.name in SHARED)
    )
    return {_mark(statement.target, inner) for inner in range(1, depth)}


def _held(statement: Statement, routine: Routine) -> Sequence[ast.expr]:
    """The values that a statement puts into a list or record."""
    if isinstance(statement, Append):
        return [statement.value]
    if isinstance(statement, Store) and isinstance(statement.place, ast.Subscript):
        return [] if _part_kind(statement.place.value, routine).name == "array" else [statement.value]
    value = statement.value if isinstance(statement, Assignment) else None
    if isinstance(value, (ast.List, ast.Tuple)):
        return value.elts
    if isinstance(value, ast.ListComp) and ast.unparse(value.elt) == ast.unparse(value.generators[0].target):
        return [ast.Subscript(value.generators[0].iter, ast.Constant(0), ast.Load())]
    return value.values if isinstance(value, ast.Dict) else []


def _repeats(statement: Statement, routine: Routine) -> bool:
    """Whether a statement makes a list that holds an array or list twice."""
    if not isinstance(statement, Assignment):
        return False
    if isinstance(statement.value, ast.BinOp) and isinstance(statement.value.op, ast.Mult):
        item = routine.kinds.get(statement.target, STATIC).item
        return item is not None and item.name in SHARED
    held = [item for item in _held(statement, routine) if _parts(item, routine)]
    return len({ast.unparse(item) for item in held}) < len(held)


def _is_moved(n: int, block: Sequence[Statement]) -> bool:
    """Whether a store is one of `a[i], a[j] = a[j], a[i]`, by which the place of each item gets another one."""
    first = last = n
    while first and isinstance(block[first - 1], Store):
        first -= 1
    while last < len(block) and isinstance(block[last], Store):
        last += 1
    stores = [store for store in block[first:last] if isinstance(store, Store)]
    earlier = (statement for statement in block[:first] if isinstance(statement, Assignment))
    reads = {assignment.target: ast.unparse(assignment.value) for assignment in earlier}
    moved = [reads.get(getattr(store.value, "id", ""), "") for store in stores]
    return sorted(moved) == sorted(ast.unparse(store.place) for store in stores)


def _is_new_list(value: ast.expr, routine: Routine) -> bool:
    """Whether a value is a slice of a list of numbers, which shares nothing with the list."""
    if not (isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice)):
        return False
    whole = _part_kind(value.value, routine)
    return whole.name == "list" and (whole.item is None or whole.item.name in ("number", "static"))


def _is_fancy(statement: Assignment) -> bool:
    """Whether an array is read at places of its own choice, which copies it."""
    return isinstance(statement.operation, ElementRead) and statement.operation.scatters


def _is_shared(name: str, routine: Routine) -> bool:
    return _kind(name, routine) in SHARED


def _kind(name: str, routine: Routine) -> str:
    return routine.kinds.get(name, STATIC).name

"""Parts of arrays that the reverse pass of a loop reads again instead of having them kept.

A statement may read a part of an array under a generated name, `t = a[i, :j].copy()`. Where the reverse pass of one
statement alone needs it, that may read the part itself: the array then has to be as it was, and what is written into it
is restored. That is less than the parts are where single elements are written, or where fewer statements write into
the array than read parts of it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Sequence

from gradcli.answers.derivation.intermediate.liveness import (
    all_statements,
    bound_names,
    nested_blocks,
    read_names,
    written_names,
)
from gradcli.answers.derivation.intermediate.statements import Assignment, LoopStatement, Routine, Statement, Store
from gradcli.answers.derivation.passes.cleanup import Statements, block_lists, without_copy
from gradcli.answers.derivation.passes.reverse import StatementMark
from gradcli.answers.derivation.reading.value_kind import NUMBER
from gradcli.answers.derivation.syntax_trees import filled, names_in, nodes_in, root_of


def reading_again(routine: Routine, backward: Statements, spare: set[str]) -> Statements:
    """A reverse pass in which parts of arrays are read again.

    Args:
        routine: the function in the intermediate form.
        backward: its reverse pass, with marks.
        spare: the generated names.
    """
    parts = _suitable(list(_parts(routine, spare)), routine)
    mentions = Counter(node.id for node in nodes_in(*backward) if isinstance(node, ast.Name))
    values: dict[int, dict[str, ast.expr]] = {}
    for part, user in parts:
        chunk = [node for entry in _chunk(backward, user) for node in nodes_in(entry)]
        own = sum(isinstance(node, ast.Name) and node.id == part.target for node in chunk)
        if own == mentions[part.target]:
            values.setdefault(id(user), {})[part.target] = part.value
    return _with_values(backward, values)


def part_of(value: ast.expr) -> ast.Subscript | None:
    """The part of an array that a value is, or of which it is a copy; None for other values."""
    part = without_copy(value)
    return part if isinstance(part, ast.Subscript) and root_of(part) else None


def _parts(routine: Routine, spare: set[str]) -> Iterator[tuple[Assignment, Assignment]]:
    """Yield the statements that read a part of an array, each with the one that uses it."""
    statements = list(all_statements(routine.body))
    bound = Counter([*routine.parameters, *(name for statement in statements for name in bound_names(statement))])
    users = Counter(name for statement in statements for name in read_names(statement))
    for block in _blocks_in_loops(routine.body, is_in_loop=False):
        for at, statement in enumerate(block):
            if not isinstance(statement, Assignment) or statement.target not in spare:
                continue
            part, name = part_of(statement.value), statement.target
            if part is None or bound[name] != 1 or users[name] != 1 or any(bound[n] > 1 for n in names_in(part)):
                continue
            user = _user(block[at + 1 :], name, names_in(part))
            if user is not None and routine.kinds.get(root_of(part), NUMBER).name == "array":
                yield statement, user


def _blocks_in_loops(block: Sequence[Statement], *, is_in_loop: bool) -> Iterator[Sequence[Statement]]:
    """Yield the blocks in loops; what is kept outside of them is not kept again and again."""
    if is_in_loop:
        yield block
    for statement in block:
        for inner in nested_blocks(statement):
            yield from _blocks_in_loops(inner, is_in_loop=is_in_loop or isinstance(statement, LoopStatement))


def _user(block: Sequence[Statement], name: str, needed: set[str]) -> Assignment | None:
    """The assignment that reads a name, before anything that the name is computed from has changed."""
    for statement in block:
        if name in read_names(statement):
            return statement if isinstance(statement, Assignment) else None
        if nested_blocks(statement) or (bound_names(statement) | written_names(statement)) & needed:
            return None
    return None


def _suitable(
    parts: Sequence[tuple[Assignment, Assignment]], routine: Routine
) -> Iterator[tuple[Assignment, Assignment]]:
    """Yield the parts of arrays into which little is written."""
    roots = [root_of(part_of(part.value)) for part, _ in parts]  # type: ignore[arg-type]
    arrays = Counter(
        root for root, (part, _) in zip(roots, parts, strict=True) if routine.kinds[part.target].name == "array"
    )
    written: dict[str, list[Statement]] = {root: [] for root in roots}
    for statement in all_statements(routine.body):
        for name in written_names(statement) & written.keys():
            written[name].append(statement)
    for root, pair in zip(roots, parts, strict=True):
        stores = [statement for statement in written[root] if isinstance(statement, Store)]
        of_parts = sum(store.kind.name == "array" for store in stores)
        if len(stores) == len(written[root]) and of_parts < arrays[root]:
            yield pair


def _chunk(backward: Statements, user: Statement) -> Iterator[ast.stmt]:
    """Yield the statements of the reverse pass that belong to a statement."""
    is_own = False
    for entry in backward:
        if isinstance(entry, StatementMark):
            is_own = entry.statement is user
        elif is_own:
            yield entry
        for block in block_lists(entry):
            yield from _chunk(block, user)


def _with_values(backward: Statements, values: dict[int, dict[str, ast.expr]]) -> Statements:
    """A reverse pass with names replaced in the statements that belong to some statements."""
    own: dict[str, ast.expr] = {}
    made: Statements = []
    for entry in backward:
        if isinstance(entry, StatementMark):
            own = values.get(id(entry.statement), {})
        for block in block_lists(entry):
            block[:] = _with_values(block, values)
        made.append(filled(entry, own) if own and not block_lists(entry) else entry)
    return made

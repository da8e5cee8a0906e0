"""The forward pass with the values saved that the reverse pass needs, and the reverse pass that restores them.

A value is saved where its name loses it: before the name is rebound, or at the end of a loop body if the next iteration
rebinds it in any case. Inside loops it is pushed on a stack, elsewhere it gets a name of its own. The reverse pass at a
statement needs a set of names whose values at that place of the forward pass must be restored. The set grows forwards,
and a name in it that is rebound has to be saved. `#x` stands for the shape or length of x only.

A loop body is passed over several times, until the set no longer grows. Only the last pass `emits` statements; in the
others, a `pass` stands in the reverse pass for what would be restored.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gradcli.answers.derivation.intermediate.liveness import (
    all_bound,
    all_statements,
    bound_names,
    exposed_names,
    is_break,
    written_names,
)
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
from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.passes.needed_names import needs, wanted, without
from gradcli.answers.derivation.passes.reverse import StatementMark
from gradcli.answers.derivation.syntax_trees import (
    added_at,
    assign,
    copied,
    expression,
    is_field,
    name,
    names_in,
    tuple_of,
)


class BlockPasses(NamedTuple):
    """The two passes of a block, and the names that the reverse pass needs at its end."""

    needed: set[str]
    forward: Statements
    backward: Statements

    @property
    def has_content(self) -> bool:
        """Whether the reverse pass contains any statement."""
        return any(not isinstance(entry, StatementMark) for entry in self.backward)


class RoutinePasses:
    """The two passes of a routine.

    Args:
        routine: the function in the intermediate form.
        fresh: creates an unused name.
        stack: the name of the stack.

    Attributes:
        uses_stack: whether anything is pushed on the stack.
        undefined: names saved at the end of a loop body, which may be unbound there.
        kept: names saved before they are rebound.
        spare: generated names.
    """

    def __init__(self, routine: Routine, fresh: Callable[[str], str], stack: str) -> None:
        self.routine = routine
        self.fresh = fresh
        self.stack = stack
        self.uses_stack = False
        self.undefined: set[str] = set()
        self.kept: set[str] = set()
        self.spare: set[str] = set()
        self._depth = 0
        self._end: list[Statements] = []

    def passes(self, backward: Statements) -> BlockPasses:
        """Both passes of the whole routine, from its cleaned-up reverse pass."""
        return self._block(self.routine.body, backward, set(), emits=True)

    def _block(self, block: Sequence[Statement], backward: Statements, needed: set[str], emits: bool) -> BlockPasses:
        opening, chunks = _parts(backward)
        forward: Statements = []
        pieces: list[Statements] = []
        for statement in block:
            chunk = chunks.get(id(statement), [])
            if isinstance(statement, Branch):
                passes = self._branch(statement, chunk, needed, emits)
            elif isinstance(statement, LoopStatement):
                passes = self._loop(statement, chunk, needed, emits)
            else:
                passes = self._simple(statement, chunk, needed, emits)
            needed = passes.needed
            forward += passes.forward
            pieces.append(passes.backward)
        needed = needed | needs(opening)
        return BlockPasses(needed, forward, [*opening, *(entry for piece in reversed(pieces) for entry in piece)])

    def _simple(self, statement: Statement, chunk: Statements, needed: set[str], emits: bool) -> BlockPasses:
        of_old = [entry for entry in chunk if getattr(entry, "is_of_old", False)]
        chunk = [entry for entry in chunk if entry not in of_old]
        before, own = needed | needs(of_old), bound_names(statement)
        forward, restored = self._kept(wanted(own, before), emits)
        needed = without(before, own) | needs(chunk)
        owner = getattr(statement, "target", "")
        if isinstance(statement, Store) and owner in before and not statement.rebinds:
            more, back = self._kept_place(statement, emits)
            forward, restored = [*forward, *more], [*back, *restored]
            needed = needed | names_in(statement.place)
        elif isinstance(statement, Append) and wanted({owner}, before):
            restored = [ast.Expr(expression("_x.pop()", _x=name(owner))), *restored]
        elif isinstance(statement, Pop) and wanted({statement.source}, before):
            again = ast.Expr(expression("_x.append(_y)", _x=name(statement.source), _y=name(owner)))
            restored, needed = [again, *restored], needed | {owner}
        if is_break(statement):
            forward = [*(self._end[-1] if self._end else []), ast.Break()]
        elif emits:
            forward.append(primal(statement))
        mark: Statements = [StatementMark(statement)] if chunk or of_old else []
        return BlockPasses(needed, forward, [*mark, *chunk, *restored, *of_old])

    def _kept(self, names: Sequence[str], emits: bool) -> tuple[Statements, Statements]:
        """The statements that save names before they are rebound, and those that restore them."""
        if not names or not emits:
            return [], [ast.Pass()] if names else []
        self.kept |= set(names)
        if self._depth:
            self.uses_stack = True
            return [_pushed(self.stack, [*map(name, names)])], [_popped(self.stack, names)]
        forward: Statements = []
        backward: Statements = []
        for variable in names:
            copied = self.fresh(f"{variable}_1" if variable != "s" else "old_s")  # s_1 is the sensitivity to t_1
            self.spare.add(copied)
            forward.append(assign(copied, name(variable)))
            backward.append(assign(variable, name(copied)))
        return forward, backward

    def _kept_place(self, statement: Store, emits: bool) -> tuple[Statements, Statements]:
        """The statements that save and restore the element of an array or list that is written."""
        if not emits:
            return [], [ast.Pass()]
        old = expression("_p.copy()", _p=statement.place) if statement.kind.name == "array" else statement.place
        if isinstance(statement.place, ast.Subscript) and is_field(statement.place):  # a new key has no value yet
            old = expression("_x.get(_k)", _x=statement.place.value, _k=statement.place.slice)
        if self._depth:
            self.uses_stack = True
            push = ast.Expr(expression("_s.append(_x)", _s=name(self.stack), _x=old))
            return [push], [assign(statement.place, expression("_s.pop()", _s=name(self.stack)))]
        copied = self.fresh("old")
        return [assign(copied, old)], [assign(statement.place, name(copied))]

    def _branch(self, statement: Branch, chunk: Statements, needed: set[str], emits: bool) -> BlockPasses:
        branch = next((statement for statement in chunk if isinstance(statement, ast.If)), None)
        body = self._block(statement.body, branch.body if branch else [], set(needed), emits)
        orelse = self._block(statement.orelse, branch.orelse if branch else [], set(needed), emits)
        forward: Statements = [
            _at(ast.If(statement.test, body.forward or [ast.Pass()], orelse.forward), statement)
        ] if emits else []  # fmt: skip
        after = body.needed | orelse.needed
        if not (body.has_content or orelse.has_content):
            return BlockPasses(after, forward, [])
        made = ast.If(statement.test, body.backward, orelse.backward)
        return BlockPasses(after | needs(statement.test), forward, [StatementMark(statement), made])

    def _loop(self, statement: LoopStatement, chunk: Statements, needed: set[str], emits: bool) -> BlockPasses:
        loop = next((statement for statement in chunk if isinstance(statement, ast.For)), None)
        inner = loop.body if loop else []
        lost = wanted(bound_names(statement), needed)
        self._depth += 1
        needed, at_end, passes = self._trial(statement, inner, without(needed, set(lost)))
        has_content = passes.has_content or bool(at_end)
        if emits:
            passes = self._emitted(statement, inner, needed, at_end)
        self._depth -= 1
        forward, restored = self._kept(lost, emits)
        forward = [*forward, *(self._looped(statement, passes) if emits else [])]
        if not has_content:
            return BlockPasses(needed | set(lost), forward, restored)
        header = loop or ast.For(ast.Name("_", ast.Store()), ast.Constant(None), [], [])
        made = ast.For(header.target, header.iter, passes.backward, [])
        return BlockPasses(needed | needs(header.iter), forward, [StatementMark(statement), made, *restored])

    def _trial(
        self, statement: LoopStatement, inner: Statements, needed: set[str]
    ) -> tuple[set[str], list[str], BlockPasses]:
        """The names needed around a loop body, those to save at its end, and its passes with nothing emitted.

        What the reverse pass of an iteration needs at its beginning, the one before must leave, which may need more.
        """
        targets = names_in(statement.target) if statement.target is not None else set()
        ends = all_bound(statement.body) - exposed_names(statement.body, frozenset(targets))[0]
        ends -= set(wanted(ends, needed))
        while True:
            self._end.append([])
            passes = self._block(statement.body, inner, needed, emits=False)
            self._end.pop()
            at_end = wanted(ends, passes.needed)
            if (more := without(passes.needed, {*at_end, *targets})) <= needed:
                return needed, at_end, passes
            needed = needed | more

    def _emitted(self, statement: LoopStatement, inner: Statements, needed: set[str], at_end: list[str]) -> BlockPasses:
        """The passes of a loop body, with the values saved that its end loses."""
        end: Statements = []
        if at_end:
            self.uses_stack = True
            self.undefined |= set(at_end) - _surely_bound(statement)
            end = [_pushed(self.stack, [self._as_it_is(saved, statement) for saved in at_end])]
        self._end.append(end)
        passes = self._block(statement.body, inner, needed, emits=True)
        self._end.pop()
        pops: Statements = [StatementMark(), _popped(self.stack, at_end)] if at_end else []
        return BlockPasses(passes.needed, [*passes.forward, *end], [*pops, *passes.backward])

    def _as_it_is(self, saved: str, loop: LoopStatement) -> ast.expr:
        """What is saved at the end of a loop body; a copy of what is written into outside the loop."""
        inside = set(map(id, all_statements(loop.body)))
        others = (other for other in all_statements(self.routine.body) if id(other) not in inside)
        is_written = any(saved in written_names(other) for other in others)
        return copied(name(saved), self.routine.kinds[saved].name) if is_written else name(saved)

    def _looped(self, statement: LoopStatement, passes: BlockPasses) -> Statements:
        """The loop of the forward pass."""
        body = passes.forward or [ast.Pass()]
        counted: Statements = []
        if statement.trips:
            counted = [assign(statement.trips, ast.Constant(0))]
            body = [ast.AugAssign(ast.Name(statement.trips, ast.Store()), ast.Add(), ast.Constant(1)), *body]
        return [*counted, loop_of(statement, body)]


def loop_of(statement: LoopStatement, body: Statements) -> ast.stmt:
    """A loop of the function with another body."""
    if statement.items is not None and statement.target is not None:
        return _at(ast.For(statement.target, statement.items, body, []), statement)
    assert statement.test is not None
    return _at(ast.While(statement.test, body, []), statement)


def _parts(backward: Statements) -> tuple[Statements, dict[int, Statements]]:
    """The opening of a reverse block, and the reverse statements of each statement."""
    opening: Statements = []
    chunks: dict[int, Statements] = {}
    current = opening
    for entry in backward:
        if isinstance(entry, StatementMark):
            current = opening if entry.statement is None else chunks.setdefault(id(entry.statement), [])
        else:
            current.append(entry)
    return opening, chunks


def primal(statement: Statement) -> ast.stmt:
    """A statement as Python."""
    made: ast.stmt
    if isinstance(statement, Assignment):
        made = assign(statement.target, statement.value)
    elif isinstance(statement, Unpacking):
        targets: list[ast.expr] = [ast.Name(target, ast.Store()) for target in statement.targets]
        made = assign(ast.Tuple(targets, ast.Store()), statement.source)
    elif isinstance(statement, Store):
        made = _written(statement)
    elif isinstance(statement, Append):
        made = ast.Expr(expression("_x.append(_v)", _x=name(statement.target), _v=statement.value))
    elif isinstance(statement, Pop):
        made = assign(statement.target, expression("_x.pop()", _x=name(statement.source)))
    elif isinstance(statement, RoutineCall):
        arguments = list(statement.arguments)
        for n, kind in statement.copied.items():
            arguments[n] = copied(arguments[n], kind)
        target = tuple_of((statement.target, statement.kept), ast.Store())
        made = assign(target, ast.Call(name(f"forward_{statement.function}"), arguments, []))
    else:
        assert isinstance(statement, PassiveStatement)
        made = statement.statement
    return _at(made, statement)


def _written(statement: Store) -> ast.stmt:
    if statement.scatters:
        return added_at(statement.place, statement.value)
    made = assign(statement.place, statement.value)
    if not statement.adds:
        return made
    operator = ast.Add() if statement.adds > 0 else ast.Sub()
    if statement.rebinds and statement.kind.name != "number":  # not in place, because an array may have an alias
        return assign(statement.target, ast.BinOp(statement.place, operator, statement.value))
    return ast.AugAssign(made.targets[0], operator, statement.value)  # type: ignore[arg-type]


def _at(node: ast.stmt, statement: Statement) -> ast.stmt:
    node.lineno = statement.line
    return node


def _pushed(stack: str, values: Sequence[ast.expr]) -> ast.stmt:
    value = values[0] if len(values) == 1 else ast.Tuple([*values], ast.Load())
    return ast.Expr(expression("_s.append(_x)", _s=name(stack), _x=value))


def _popped(stack: str, names: Sequence[str]) -> ast.stmt:
    return assign(tuple_of(names, ast.Store()), expression("_s.pop()", _s=name(stack)))


def _surely_bound(loop: LoopStatement) -> set[str]:
    """The names that are bound whenever a loop body ends, by a break or at its end."""
    bound: set[str] = set()
    for statement in loop.body:
        if _leaves(statement):
            return bound
        if isinstance(statement, Branch):
            bound |= exposed_names([statement])[1] or set()
        else:
            bound |= bound_names(statement)
    return bound


def _leaves(statement: Statement) -> bool:
    if isinstance(statement, Branch):
        return any(map(_leaves, (*statement.body, *statement.orelse)))
    return is_break(statement)

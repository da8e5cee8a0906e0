"""The forward pass with tangents: each quantity has its derivative along a direction of the inputs.

The control flow is that of the function, and nothing is saved: each statement is followed by that of its tangent.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from gradcli.answers.derivation.intermediate.liveness import all_statements, varied_names, written_names
from gradcli.answers.derivation.intermediate.operation_derivatives import ActiveOperation
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
from gradcli.answers.derivation.passes.cleanup import VIEWS, Statements, simplified
from gradcli.answers.derivation.passes.inlined_temporaries import inlined, renamed
from gradcli.answers.derivation.passes.saved_values import loop_of, primal
from gradcli.answers.derivation.passes.unused_statements import pruned
from gradcli.answers.derivation.passes.zeros_and_sums import added, zero_of
from gradcli.answers.derivation.reading.value_kind import NUMBER, ValueKind
from gradcli.answers.derivation.syntax_trees import (
    added_at,
    assign,
    copied,
    expression,
    is_field,
    name,
    names_in,
    negative,
    root_of,
    text_of,
    tuple_of,
)
from gradcli.answers.explain.numpy_names_and_constants import Symbols


class Tangents:
    """A routine with tangents of its quantities.

    Args:
        routine: the function in the intermediate form.
        called: the parameters of a routine by its name, with an empty string for those without a derivative.
    """

    def __init__(self, routine: Routine, called: Callable[[str], tuple[str, ...]]) -> None:
        self.routine = routine
        self.called = called
        self.active = varied_names(routine) | set(routine.active)
        self.changed = {variable for part in all_statements(routine.body) for variable in written_names(part)}
        # An array may be written into under the name of a container that holds it
        self.changes_items = any(self._kind(variable).name in ("list", "record") for variable in self.changed)
        symbols = Symbols("d", sorted({*routine.kinds, *routine.parameters, *self.active}))
        self.symbols = {variable: symbols.of(variable) for variable in sorted(self.active)}
        # The statements for the tangents before and after a statement without blocks
        self.of_statement: dict[type, Callable[[Any], tuple[Statements, Statements]]] = {
            Append: self._append, Assignment: self._assignment, Pop: self._pop, Store: self._store,
            Unpacking: self._unpacking,
        }  # fmt: skip

    @property
    def parameters(self) -> list[str]:
        """The parameters, followed by the tangents of those that carry a derivative."""
        return [*self.routine.parameters, *(self.d(parameter) for parameter in self.routine.active)]

    def body(self, *, with_value: bool) -> Statements:
        """The body of the function, which returns the tangent of the result, or the value and the tangent."""
        routine = self.routine
        statements: Statements = []
        for parameter in routine.copied:
            for variable in (parameter, *([self.d(parameter)] if parameter in self.active else [])):
                statements.append(assign(variable, copied(name(variable), routine.kinds[parameter].name)))
        rebound = self.active - set(routine.active)  # to values that carry a derivative
        statements += [self._zero(parameter) for parameter in routine.parameters if parameter in rebound]
        statements += self._block(routine.body)
        is_active = routine.result in self.active
        tangent = name(self.d(routine.result)) if is_active else zero_of(routine.result_kind, name(routine.result))
        result = ast.Tuple([name(routine.result), tangent], ast.Load()) if with_value else tangent
        generated = {*routine.made, *(self.d(variable) for variable in routine.made if variable in self.active)}
        left = pruned([*statements, ast.Return(result)])
        tangents = {*self.symbols.values()}
        return pruned(simplified(inlined(renamed(left, generated), generated), sensitivities=tangents))

    def d(self, variable: str) -> str:
        """The name of the tangent of a variable."""
        return self.symbols[variable]

    def _zero(self, variable: str) -> ast.stmt:
        """The assignment of zero to the tangent of a variable."""
        return assign(self.d(variable), zero_of(self._kind(variable), name(variable)))

    def _kind(self, variable: str) -> ValueKind:
        return self.routine.kinds.get(variable, NUMBER)

    def _block(self, block: Sequence[Statement]) -> Statements:
        statements: Statements = []
        for statement in block:
            if isinstance(statement, Branch):
                made: ast.stmt = ast.If(
                    statement.test, self._block(statement.body) or [ast.Pass()], self._block(statement.orelse)
                )
                statements.append(ast.copy_location(made, ast.Pass(lineno=statement.line)))
            elif isinstance(statement, LoopStatement):
                statements.append(self._loop(statement))
            elif isinstance(statement, RoutineCall) and statement.target in self.active:
                statements.append(self._routine_call(statement))
            else:
                before, after = self.of_statement.get(type(statement), lambda _: ([], []))(statement)
                statements += [*before, primal(statement), *after]
        return statements

    def _loop(self, statement: LoopStatement) -> ast.stmt:
        names = names_in(statement.target) if statement.target is not None else set()
        zeros = map(self._zero, sorted(names & self.active))
        return loop_of(statement, [*zeros, *self._block(statement.body)] or [ast.Pass()])

    def _tangent(self, operand: ast.expr) -> ast.expr | None:
        """The tangent of an operand; None for zero."""
        root = root_of(operand)
        if root not in self.active:
            return None
        return name(self.d(root)) if isinstance(operand, ast.Name) else self._place(operand, root)

    def _place(self, place: ast.expr, owner: str) -> ast.expr:
        return expression(text_of(place), **{owner: name(self.d(owner))})

    def _pushed(self, operation: ActiveOperation | None, target: ast.expr) -> ast.expr | None:
        if operation is None:
            return None
        tangents = {n: t for n, operand in enumerate(operation.operands) if (t := self._tangent(operand)) is not None}
        return operation.push(tangents, target) if tangents else None

    def _assignment(self, statement: Assignment) -> tuple[Statements, Statements]:
        if statement.target not in self.active:
            return [], []
        tangent = self._pushed(statement.operation, name(statement.target))
        if isinstance(statement.value, ast.Constant) and statement.value.value is None:
            tangent = statement.value
        elif tangent is None:
            kind = self._kind(statement.target)
            if isinstance(statement.value, ast.Dict):  # other keys are stored later
                own = {key.value for key in statement.value.keys if isinstance(key, ast.Constant)}
                kind = kind.changed(fields=tuple(field for field in kind.fields if field[0] in own))
            tangent = zero_of(kind, name(statement.target))
        elif self._may_be_written_over(statement) and isinstance(tangent, VIEWS):
            tangent = copied(tangent, self._kind(statement.target).name)
        return [], [assign(self.d(statement.target), tangent)]

    def _may_be_written_over(self, statement: Assignment) -> bool:
        """Whether the target, or an array or list that it is a copy of, is written into."""
        if statement.target in self.changed:
            return True
        if self._kind(statement.target).name == NUMBER.name:
            return False
        if self.changes_items and not isinstance(statement.value, VIEWS):
            return True
        operands = statement.operation.operands if statement.operation else ()
        return any(root_of(operand) in self.changed for operand in operands)

    def _unpacking(self, statement: Unpacking) -> tuple[Statements, Statements]:
        wanted = [target for target in statement.targets if target in self.active]
        source = self._tangent(statement.source)
        if source is None:
            return [], [self._zero(variable) for variable in wanted]
        targets: list[ast.expr] = [
            ast.Name(self.d(target) if target in self.active else "_", ast.Store()) for target in statement.targets
        ]
        return [], [assign(ast.Tuple(targets, ast.Store()), source)] if wanted else []

    def _store(self, statement: Store) -> tuple[Statements, Statements]:
        if statement.target not in self.active:
            return [], []
        tangent = self._tangent(statement.value) if statement.operation is not None else None
        place = self._place(statement.place, statement.target)
        if statement.scatters:
            return ([added_at(place, tangent)] if tangent is not None else []), []
        if statement.adds:
            if tangent is None:
                return [], []
            signed = tangent if statement.adds > 0 else negative(tangent)
            return [added(place, signed, statement.kind, in_place=not statement.rebinds)], []
        zero = zero_of(statement.kind, statement.value) if is_field(statement.place) else ast.Constant(0.0)
        return [assign(place, tangent if tangent is not None else zero)], []

    def _append(self, statement: Append) -> tuple[Statements, Statements]:
        if statement.target not in self.active:
            return [], []
        tangent = self._tangent(statement.value) if statement.operation is not None else None
        given = tangent if tangent is not None else self._zero_of(statement.value)
        return [ast.Expr(expression("_s.append(_x)", _s=name(self.d(statement.target)), _x=given))], []

    def _zero_of(self, value: ast.expr) -> ast.expr:
        """A zero tangent for a value on a list; for a display, one of its structure, with the tangents of its items."""
        if isinstance(value, (ast.Tuple, ast.List)):
            return ast.List([self._tangent(item) or self._zero_of(item) for item in value.elts], ast.Load())
        kind = self._kind(value.id) if isinstance(value, ast.Name) else NUMBER
        return zero_of(kind, value) if kind.is_real else ast.Constant(0.0)

    def _pop(self, statement: Pop) -> tuple[Statements, Statements]:
        if statement.source not in self.active:
            return [], []
        target = self.d(statement.target) if statement.target in self.active else "_"
        return [], [assign(target, expression("_s.pop()", _s=name(self.d(statement.source))))]

    def _zero_tangent(self, argument: ast.expr) -> ast.expr:
        kind = self._kind_of(argument)
        if isinstance(argument, (ast.Tuple, ast.List)):
            return self._zero_of(argument)
        if isinstance(argument, ast.Constant) or kind.name in ("list", "record"):
            return zero_of(kind, argument)
        return expression("0.0 * _x", _x=argument)

    def _kind_of(self, argument: ast.expr) -> ValueKind:
        """The kind of a variable, or of a field of a record."""
        if isinstance(argument, ast.Subscript) and isinstance(argument.slice, ast.Constant):
            return dict(self._kind_of(argument.value).fields).get(argument.slice.value, NUMBER)  # type: ignore[arg-type]
        return self._kind(argument.id) if isinstance(argument, ast.Name) else NUMBER

    def _routine_call(self, statement: RoutineCall) -> ast.stmt:
        directions: list[ast.expr] = []
        for argument, parameter in zip(statement.arguments, self.called(statement.function), strict=True):
            if parameter:
                tangent = self._tangent(argument)
                directions.append(tangent if tangent is not None else self._zero_tangent(argument))
        call = ast.Call(name(f"jvp_{statement.function}"), [*statement.arguments, *directions], [])
        made = assign(tuple_of((statement.target, self.d(statement.target)), ast.Store()), call)
        made.lineno = statement.line
        return made

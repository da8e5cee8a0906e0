"""The reverse pass: for each statement, last to first, the terms that it adds to the sensitivities of its operands.

The pass is written naively: every sensitivity starts at zero and is added to; `cleanup` merges `s = 0.0` and `s += e`.
A mark before each part names the statement that it belongs to.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from gradcli.answers.derivation.intermediate.liveness import (
    NameBlocks,
    all_statements,
    bound_names,
    exposed_names,
    nested_blocks,
    own_names,
    read_names,
    varied_names,
    written_names,
)
from gradcli.answers.derivation.intermediate.operation_derivatives import ActiveOperation, ByTemplate, ElementRead
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
from gradcli.answers.derivation.passes.needed_names import SHAPES
from gradcli.answers.derivation.passes.uniform_sensitivities import UniformSensitivities, passes_on
from gradcli.answers.derivation.passes.zeros_and_sums import added, zero_of
from gradcli.answers.derivation.reading.value_kind import NUMBER, ValueKind
from gradcli.answers.derivation.syntax_trees import (
    accumulate,
    added_at,
    assign,
    expression,
    filled,
    is_field,
    name,
    names_in,
    nodes_in,
    replaced,
    root_of,
    text_of,
    tuple_of,
)
from gradcli.answers.explain.numpy_names_and_constants import Symbols

Fresh = Callable[[str], str]


class StatementMark(ast.stmt):
    """A mark before the reverse statements of a statement, or, without a statement, before the opening of a block."""

    def __init__(self, statement: Statement | None = None) -> None:
        super().__init__()
        self.statement = statement


def is_empty(block: Sequence[ast.stmt]) -> bool:
    """Whether a block does nothing."""
    return all(isinstance(statement, (StatementMark, ast.Pass)) for statement in block)


class ReversePass:
    """The reverse pass of a routine.

    Args:
        routine: the function in the intermediate form.
        fresh: creates an unused name.
        called: the parameters of a routine by its name, with an empty string for those without a derivative.

    Attributes:
        parts: the names of the results of backward functions.
    """

    def __init__(self, routine: Routine, fresh: Fresh, called: Callable[[str], tuple[str, ...]]) -> None:
        self.routine = routine
        self.fresh = fresh
        self.parts: set[str] = set()
        self.called = called
        self.active = varied_names(routine) | set(routine.active)
        symbols = Symbols("s", sorted({*routine.kinds, *routine.parameters, *self.active}))
        self.symbols = {variable: symbols.of(variable) for variable in sorted(self.active)}
        of_body = (*routine.parameters, routine.result)
        self.homes = NameBlocks(routine.body, own_names, nested_blocks, lambda block: exposed_names(block)[0], of_body)
        self.growing = {variable for variable in self.active if self._gets_keys(variable)}
        stores = [part for part in all_statements(routine.body) if isinstance(part, Store) and part not in routine.body]
        fields = [(store.target, store.place.slice) for store in stores if is_field(store.place)]  # type: ignore[attr-defined]
        self.conditional = {(target, key.value) for target, key in fields}
        self.rebound = Counter(name for part in all_statements(routine.body) for name in bound_names(part))
        self.uniform = UniformSensitivities(routine, self.active)
        self.of_statement: dict[type, Callable[[Any], list[ast.stmt]]] = {
            Append: self._append, Assignment: self._assignment, Branch: self._branch, LoopStatement: self._loop,
            Pop: self._pop, RoutineCall: self._routine_call, Store: self._store, Unpacking: self._unpacking,
        }  # fmt: skip

    def statements(self) -> list[ast.stmt]:
        """The whole pass, which expects the sensitivity of the result to be set."""
        return self._block(self.routine.body, outermost=True)

    def s(self, variable: str) -> str:
        """The name of the sensitivity to a variable."""
        return self.symbols[variable]

    def kind(self, variable: str) -> ValueKind:
        """The kind of a variable."""
        return self.routine.kinds.get(variable, NUMBER)

    def _gets_keys(self, variable: str) -> bool:
        """Whether a record is bound or stored into several times, and may have fewer keys in a callee or a copy."""
        kind, statements = self.kind(variable), list(all_statements(self.routine.body))
        is_flat = kind.name == "record" and all(field.name not in ("list", "record") for _, field in kind.fields)
        changes = sum(variable in written_names(statement) | bound_names(statement) for statement in statements)
        handed = [name for call in statements if isinstance(call, RoutineCall) for name in own_names(call)]
        is_handed = any(self.kind(name).name in ("record", "list") for name in handed)
        keys = {frozenset(dict(kind.fields)) for kind in self.routine.kinds.values() if kind.name == "record"}
        return is_flat and (is_handed or len(keys) > 1) and changes + (variable in self.routine.parameters) > 1

    def zero(self, variable: str) -> ast.expr:
        """A zero sensitivity for a variable."""
        kind = self._sensitivity_kind(variable)
        zero = zero_of(kind, name(variable))
        for n, (key, field) in enumerate(kind.fields):
            if field.name == "array" and (variable, key) in self.conditional and isinstance(zero, ast.Dict):
                zero.values[n] = expression("np.zeros_like(_x.get(_k, 0.0))", _x=name(variable), _k=ast.Constant(key))
        return zero

    def _sensitivity_kind(self, variable: str) -> ValueKind:
        return NUMBER if variable in self.uniform.names else self.kind(variable)

    def _block(self, block: Sequence[Statement], outermost: bool = False) -> list[ast.stmt]:
        statements: list[ast.stmt] = [StatementMark()]
        for variable in self.homes.at(block):
            if variable in self.active and (not outermost or variable != self.routine.result):
                statements.append(assign(self.s(variable), self.zero(variable)))
        for statement in reversed(block):
            if not isinstance(statement, PassiveStatement):
                statements += [StatementMark(statement), *self.of_statement[type(statement)](statement)]
        return statements

    def _added(self, operand: ast.expr, amount: ast.expr | None) -> list[ast.stmt]:
        """Statements that add an amount to the sensitivity to an operand."""
        if amount is None or not self._is_active(operand):
            return []
        if isinstance(operand, ast.Name) and operand.id in self.growing:
            text = "{key: each + _y.get(key, 0.0) for key, each in _x.items()}"
            return [assign(self.s(operand.id), expression(text, _x=name(self.s(operand.id)), _y=amount))]
        if isinstance(operand, ast.Name):
            return [added(self.s(operand.id), amount, self._sensitivity_kind(operand.id))]
        root = root_of(operand)
        return [accumulate(expression(text_of(operand), **{root: name(self.s(root))}), amount)]

    def _is_active(self, operand: ast.expr) -> bool:
        return not isinstance(operand, ast.Attribute) and root_of(operand) in self.active

    def _assignment(self, statement: Assignment) -> list[ast.stmt]:
        if statement.target not in self.active:
            return []
        ct, statements = name(self.s(statement.target)), list[ast.stmt]()
        if statement.operation is not None:
            operands = statement.operation.operands
            for place in sorted(range(len(operands)), key=lambda place: self.rebound[root_of(operands[place])]):
                operand = operands[place]
                if not self._is_active(operand):
                    continue
                if isinstance(statement.operation, ElementRead):
                    statements.append(self._read(statement.operation, ct))
                else:
                    statements += self._added(operand, self._term(statement.operation, place, statement.target))
            if "array" in {kind.name for kind in statement.operation.kinds}:
                statements = self._shared(statements)
        return [*statements, self._reset(statement.target)]

    def _shared(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The terms of a statement of arrays, with what they compute several times computed once, under a name."""
        shared: list[ast.stmt] = []
        while True:
            nodes = [node for node in nodes_in(*statements, *shared) if isinstance(node, ast.Call | ast.Compare)]
            counts = Counter(ast.dump(node) for node in nodes)
            again = next((node for node in nodes if counts[ast.dump(node)] > 1 and _computes(node)), None)
            if again is None:
                return [*shared, *statements]
            made = self.fresh(_stem(again))
            self.parts.add(made)
            shared = [replaced(statement, again, made) for statement in shared]
            statements = [replaced(statement, again, made) for statement in statements]
            before = (n for n, statement in enumerate(shared) if made in names_in(statement))
            shared.insert(next(before, len(shared)), assign(made, again))

    def _term(self, operation: ActiveOperation, place: int, target: str) -> ast.expr | None:
        """The term that a statement adds to the sensitivity to an operand."""
        operand, ct = operation.operands[place], name(self.s(target))
        is_uniform = isinstance(operand, ast.Name) and operand.id in self.uniform.names
        if is_uniform and isinstance(operation, ByTemplate):
            return operation.number(ct, name(self.uniform.like(root_of(operand))))
        if isinstance(operation, ByTemplate) and operation.uniform and isinstance(operand, ast.Name):
            operation = operation.changed(operands=(name(self.uniform.like(operand.id)),))
        term = operation.pull(place, ct, name(target))
        if term is not None and target in self.uniform.names and not is_uniform and passes_on(operation, place):
            return expression("np.full_like(_x, _ct)", _x=operand, _ct=term)
        return term

    def _reset(self, target: str) -> ast.stmt:
        """A zero sensitivity to the value that a variable had before; its shape may differ from that of the new one."""
        is_of_old = target in self.routine.reshaped
        value = self.zero(target)
        if is_of_old and self.kind(target).name == "list" and not self._is_bound_before(target):
            value = zero_of(self.kind(target).changed(is_optional=True), name(target))
        if is_of_old and target in self.growing:  # which may have had fewer keys
            value = expression("{key: np.zeros_like(each) for key, each in _x.items()}", _x=name(target))
        zero = assign(self.s(target), value)
        zero.is_of_old = is_of_old  # type: ignore[attr-defined]
        return zero

    def _is_bound_before(self, variable: str) -> bool:
        """Whether a variable is bound before any loop, in which it may have had no value."""
        return variable in self.routine.parameters or any(variable in bound_names(part) for part in self.routine.body)

    def _read(self, operation: ElementRead, ct: ast.expr) -> ast.stmt:
        owner = operation.operands[0]
        assert isinstance(owner, ast.Name)
        place = operation.at(self.s(owner.id))
        if operation.scatters:
            return added_at(place, ct)
        return added(place, ct, operation.kind, in_place=True)

    def _unpacking(self, statement: Unpacking) -> list[ast.stmt]:
        source = statement.source
        if not isinstance(source, ast.Name) or source.id not in self.active:
            return [self._reset(target) for target in statement.targets if target in self.active]
        if self._is_whole(statement, source.id):
            parts = [
                name(self.s(target)) if target in self.active else self.zero(target) for target in statement.targets
            ]
            made: ast.expr = ast.List(parts, ast.Load())
            if self.kind(source.id).name == "array":
                made = expression("np.array(_x)", _x=made)
            resets = [self._reset(target) for target in statement.targets if target in self.active]
            return [assign(self.s(source.id), made), *resets]
        statements: list[ast.stmt] = []
        for place, target in enumerate(statement.targets):
            if target in self.active:
                item = expression("_s[_n]", _s=name(self.s(source.id)), _n=ast.Constant(place))
                statements += [added(item, name(self.s(target)), self.kind(target), in_place=True), self._reset(target)]
        return statements

    def _is_whole(self, statement: Unpacking, source: str) -> bool:
        """Whether nothing else reads the unpacked list, so that its sensitivity is the list of its parts'."""
        if statement not in self.routine.body or self.rebound[source] > 1:
            return False
        others = (other for other in all_statements(self.routine.body) if other is not statement)
        return not any(source in read_names(other) | written_names(other) for other in others)

    def _store(self, statement: Store) -> list[ast.stmt]:
        if statement.target not in self.active:
            return []
        place = expression(text_of(statement.place), **{statement.target: name(self.s(statement.target))})
        statements: list[ast.stmt] = []
        if statement.operation is not None:
            is_part = statement.kind.name == "array" and not statement.rebinds
            ct = expression("_s.copy()", _s=place) if is_part else place
            amount = statement.operation.fitted(0, ct)
            statements += self._added(
                statement.value, amount if statement.adds >= 0 else ast.UnaryOp(ast.USub(), amount)
            )
        if not statement.adds:
            zero = assign(place, self._zero_of_place(statement, place))
            zero.is_of_old = self._has_shape_of_old(statement)  # type: ignore[attr-defined]
            statements.append(zero)
        return statements

    def _zero_of_place(self, statement: Store, place: ast.expr) -> ast.expr:
        """A zero sensitivity to the earlier value at a place."""
        if self._has_shape_of_old(statement):
            return zero_of(statement.kind, statement.place)
        return ast.Constant(0.0) if statement.kind.name in ("array", "number") else zero_of(statement.kind, place)

    def _has_shape_of_old(self, statement: Store) -> bool:
        """Whether an array takes the place of another one, in a record or a list, whose shape may be another."""
        if statement.kind.name != "array" or statement.rebinds:
            return False
        return is_field(statement.place) or self.kind(statement.target).name == "list"

    def _append(self, statement: Append) -> list[ast.stmt]:
        if statement.target not in self.active:
            return []
        popped = expression("_s.pop()", _s=name(self.s(statement.target)))
        if statement.operation is None or not self._is_active(statement.value):
            return [ast.Expr(popped)]
        if not statement.operation.kind.fields:
            return self._added(statement.value, popped)
        part = self.fresh("part")  # its fields are added one by one
        return [assign(part, popped), *self._added(statement.value, name(part))]

    def _pop(self, statement: Pop) -> list[ast.stmt]:
        if statement.source not in self.active:
            return []
        given = name(self.s(statement.target)) if statement.target in self.active else ast.Constant(0.0)
        back = ast.Expr(expression("_s.append(_ct)", _s=name(self.s(statement.source)), _ct=given))
        return [back, *([self._reset(statement.target)] if statement.target in self.active else [])]

    def _routine_call(self, statement: RoutineCall) -> list[ast.stmt]:
        if statement.target not in self.active:
            return []
        active = self.called(statement.function)
        wanted = {n for n in statement.active if self._is_active(statement.arguments[n])}
        if not wanted:
            return [self._reset(statement.target)]
        places = [n for n, is_active in enumerate(active) if is_active]
        parts = [self.fresh("part") if n in wanted else "_" for n in places]
        self.parts.update(parts)
        ct = name(self.s(statement.target))
        call = expression("f(_kept, _ct)", f=name(f"backward_{statement.function}"), _kept=name(statement.kept), _ct=ct)
        reset, added = self._reset(statement.target), list[ast.stmt]()
        for n, part in zip(places, parts, strict=True):
            if n in wanted:
                added += self._added(statement.arguments[n], name(part))
        for entry in added:  # the target may be one of the arguments
            entry.is_of_old = reset.is_of_old  # type: ignore[attr-defined]
        return [assign(tuple_of(parts, ast.Store()), call), reset, *added]

    def _branch(self, statement: Branch) -> list[ast.stmt]:
        body, orelse = self._block(statement.body), self._block(statement.orelse)
        return [ast.If(filled(statement.test), body, orelse)]

    def _loop(self, statement: LoopStatement) -> list[ast.stmt]:
        body = self._block(statement.body)
        if statement.items is None:
            return [ast.For(ast.Name("_", ast.Store()), expression("range(_n)", _n=name(statement.trips)), body, [])]
        assert statement.target is not None
        items = statement.items
        if statement.trips:
            items = expression("_i[:_n]", _i=items, _n=name(statement.trips))
        return [ast.For(filled(statement.target), expression("reversed(_i)", _i=items), body, [])]


def _computes(node: ast.Call | ast.Compare) -> bool:
    """Whether a call or a comparison costs more than a look at a shape."""
    return isinstance(node, ast.Compare) or ast.unparse(node.func) not in SHAPES


def _stem(node: ast.Call | ast.Compare) -> str:
    """What the name says of a value that is computed once."""
    if isinstance(node, ast.Compare):
        return "chosen"
    return {"np.linalg.solve": "solved", "np.where": "slope"}.get(ast.unparse(node.func), "common")

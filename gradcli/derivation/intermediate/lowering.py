"""Lowering of a function to the intermediate form: one operation per statement, normalised exits, indexed loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from gradcli.derivation.intermediate.exits import ExitNormalisation
from gradcli.derivation.intermediate.liveness import all_statements, bound_names, written_names
from gradcli.derivation.intermediate.operation_derivatives import ElementRead, Identity
from gradcli.derivation.intermediate.statements import (
    Accumulation,
    Assignment,
    Branch,
    Break,
    LoopStatement,
    PassiveStatement,
    Pop,
    Routine,
    RoutineCall,
    Statement,
    Store,
    Unpacking,
)
from gradcli.derivation.intermediate.templates import expression, name, names_in
from gradcli.derivation.intermediate.writes import WriteLowering
from gradcli.derivation.reading.activity_analysis import Dependence
from gradcli.derivation.reading.function_source import UserFunction
from gradcli.derivation.reading.observed_values import Observation
from gradcli.derivation.reading.value_kind import NUMBER, STATIC, ValueKind, merged
from gradcli.derivation.refusals import LIST, refusal_at

REFUSED = {
    ast.Try: "a try statement",
    ast.With: "a with statement",
    ast.Global: "a global statement",
    ast.Nonlocal: "a nonlocal statement",
    ast.FunctionDef: "a function inside a function",
    ast.ClassDef: "a class inside a function",
    ast.Match: "a match statement",
    ast.AsyncFor: "an async loop",
}
REFUSED_NAMES = frozenset(("locals", "globals", "vars", "eval", "exec", "setattr", "delattr", "iter", "next", "id"))
REFUSED_EXPRESSIONS = {
    ast.Yield: "a generator",
    ast.YieldFrom: "a generator",
    ast.Await: "await",
    ast.NamedExpr: "an assignment inside an expression",
    ast.Lambda: "a lambda that is passed to another function",
}
HINTS = {
    ast.Yield: LIST,
    ast.YieldFrom: LIST,
    ast.Lambda: "In place of map or reduce, write a loop or a comprehension.",
}


def refuse_constructs(user: UserFunction) -> None:
    """Refuse constructs that no derived function may contain.

    Raises:
        UnsupportedError: there is such a statement or expression.
    """
    for node in ast.walk(user.tree):
        if isinstance(node, ast.Name) and node.id in REFUSED_NAMES:
            raise refusal_at(user.file, node, f"{node.id}()")
        for kinds in (REFUSED, REFUSED_EXPRESSIONS):
            if node is not user.tree and type(node) in kinds:
                raise refusal_at(user.file, node, kinds[type(node)], HINTS.get(type(node), ""))


class Lowering(WriteLowering):
    """The lowering of one function.

    Args:
        user: the function.
        observation: the observed kinds of its expressions.
        active: the parameters that carry a derivative.
        registry: returns the name of each derived user function.
    """

    def __init__(self, user: UserFunction, observation: Observation, active: tuple[str, ...], registry: Any) -> None:
        refuse_constructs(user)
        super().__init__(user, observation, Dependence(user, observation, active), registry)
        self.active = active

    def routine(self) -> Routine:
        """The function in the intermediate form."""
        exits = ExitNormalisation(self.user.file, self.fresh)
        settled = exits.settled(self.user.tree)
        result = exits.result
        self.kinds.update(self._kinds())
        returned = [each.value for each in ast.walk(self.user.tree) if isinstance(each, ast.Return) and each.value]
        kind = self.joined_kind([each for each in returned if self.observation.of(each).kind], self.user.tree)
        self.kinds[result] = kind
        if any(map(self.dependence.of, returned)):
            self.dependence.names.add(result)
        body = self.block(settled)
        routine = Routine(self.user.name, self.user.parameters, self.active, result, kind, body)
        routine.kinds, routine.varied, routine.made = self.kinds, self.dependence.names, self.made
        for each in self._read_by_number(body):
            routine.kinds[each] = ValueKind("list", item=NUMBER)
        routine.copied = tuple(
            each for each in self.user.parameters if each in self.written and not _is_rebound(each, body)
        )
        return routine

    def _kinds(self) -> dict[str, ValueKind]:
        """The kinds of the user's variables, from all their observations."""
        seen: dict[str, list[ast.AST]] = {}
        for node in ast.walk(self.user.tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                seen.setdefault(node.id, []).append(node)
            elif isinstance(node, ast.arg):
                seen.setdefault(node.arg, []).append(node)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                seen.setdefault(node.targets[0].id, []).append(node.value)
        return {each: self.joined_kind(nodes, nodes[0]) for each, nodes in seen.items()}

    def _read_by_number(self, body: Sequence[Statement]) -> list[str]:
        """The vector parameters of which only single elements are read, so that a list is accepted as well."""
        found = {each for each in self.active if self.kinds.get(each) == ValueKind("array", 1)}
        for statement in all_statements(body):
            operation = getattr(statement, "operation", None)
            if isinstance(operation, ElementRead):
                if operation.kind.name != "number" or operation.scatters:
                    found -= names_in(operation.operands[0])
            elif operation is not None:
                found -= names_in(list(operation.operands))
            if isinstance(statement, RoutineCall):
                found -= names_in(list(statement.arguments))
            if isinstance(statement, Store) and statement.kind.name != "number":
                found.discard(statement.target)
        return sorted(found)

    def joined_kind(self, nodes: Sequence[ast.AST], where: ast.AST) -> ValueKind:
        """The kind of a name from the kinds of several expressions."""
        kind: ValueKind | None = None
        for node in nodes:
            found = self.observation.of(node).kind
            try:
                kind = kind if found is None else merged(kind, found)
            except ValueError as error:
                raise refusal_at(self.user.file, node, f"a name that is {error} by turns") from None
        return kind or STATIC

    # Statements

    def block(self, statements: Sequence[ast.stmt]) -> list[Statement]:
        """A block in the intermediate form."""
        outer, self.out = self.out, []
        for statement in statements:
            self.line = getattr(statement, "lineno", self.line)
            self._statement(statement)
        made, self.out = self.out, outer
        return made

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets[:1]:
                self.assign(target, node.value, getattr(node, "augmented", False))
            for target in node.targets[1:]:
                self.assign(target, self._assigned(node), False)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self.assign(node.target, node.value, False)
        elif isinstance(node, ast.If):
            self._branch(node)
        elif isinstance(node, ast.For):
            self._for(node)
        elif isinstance(node, ast.While):
            self._while(node)
        elif isinstance(node, ast.Break):
            self.out.append(Break(self.line))
        elif isinstance(node, ast.Expr):
            self._expression(node)
        elif isinstance(node, (ast.Assert, ast.Raise, ast.Import, ast.ImportFrom)):
            self.out.append(PassiveStatement(node, self.line))
        elif not (isinstance(node, ast.Pass) or _deletes_names(node)):
            raise refusal_at(self.user.file, node, f"the statement {type(node).__name__.lower()}")

    def _assigned(self, node: ast.Assign) -> ast.expr:
        """The value for the further targets of a chained assignment: the first target."""
        first = node.targets[0]
        if not isinstance(first, ast.Name):
            what = f"a chained assignment that begins with {ast.unparse(first)}"
            raise refusal_at(self.user.file, node, what, "Write one assignment a line.")
        return self.known(name(first.id), node.value)

    def assign(self, target: ast.expr, value: ast.expr, augmented: bool = False) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            self._assign_many(target.elts, value)
        elif isinstance(target, ast.Subscript):
            self._store(target, value, augmented)
        elif isinstance(target, ast.Name):
            self._let(target.id, value)
            last = self.out[-1] if self.out else None
            if (
                augmented
                and isinstance(last, (Assignment, Accumulation))
                and self.kinds.get(target.id, NUMBER).name != "number"
            ):
                last.in_place = True
        else:
            raise refusal_at(self.user.file, target, f"an assignment to {ast.unparse(target)}")

    def _let(self, target: str, value: ast.expr) -> None:
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "pop":
            owner = value.func.value
            stack = owner.id if isinstance(owner, ast.Name) and not value.args else ""
            if stack in self.dependence.names and stack not in self.user.parameters:
                self.out.append(Pop(target, stack, self.line))
                self.written.add(stack)
                return None
        if not self.dependence.of(value):
            return self.bind(target, self.static(value), None)
        if self._accumulates(target, value) or self._copies(target, value):
            return None
        made, operation = self.value(value)
        if target in names_in(made) and not isinstance(made, ast.Name):
            made = self.temporary(made, operation, self.kind(value))
            operation = self.move(made, self.kind(value))
        self.bind(target, made, operation)
        return None

    def _copies(self, target: str, value: ast.expr) -> bool:
        """Lower `x = x.copy()`, which changes no sensitivity; a parameter that is written into is copied anyway."""
        called = value.func if isinstance(value, ast.Call) else None
        callee = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        arguments = list(getattr(value, "args", []))
        if isinstance(called, ast.Attribute) and callee == "copy":
            arguments = arguments or [called.value]
        if callee not in ("copy", "list", "array") or len(arguments) != 1 or self.kind(value) != self.kinds.get(target):
            return False
        if not (isinstance(arguments[0], ast.Name) and arguments[0].id == target):
            return False
        if target in self.user.parameters:
            self.written.add(target)
        else:
            self.out.append(
                PassiveStatement(ast.Assign([ast.Name(target, ast.Store())], self.static(value)), self.line)
            )
        return True

    def _accumulates(self, target: str, value: ast.expr) -> bool:
        """Lower `target = target + e` as an accumulation, if the target is not broadcast."""
        if not (isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub))):
            return False
        left, right = value.left, value.right
        if isinstance(value.op, ast.Add) and isinstance(right, ast.Name) and right.id == target:
            left, right = right, left
        is_self = isinstance(left, ast.Name) and left.id == target and target not in names_in(right)
        kind = self.kind(value)
        if not is_self or kind.name == "list" or self.kinds.get(target) != kind:
            return False
        place = 0 if left is value.left else 1
        fits = self.fits(value, (value.left, value.right), kind)
        if fits[place]:
            return False
        atom = self.atom(right)
        operation = None
        if self.dependence.of(right):
            operation = Identity((atom,), (self.kind(right),), kind, fits[1 - place])
        sign = 1 if isinstance(value.op, ast.Add) else -1
        self.out.append(Accumulation(target, atom, sign, operation, self.line))
        return True

    def _assign_many(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        if any(isinstance(each, ast.Starred) for each in targets):
            self._assign_with_a_star(targets, value)
            return
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
            bound = {n for each in targets for n in names_in(each)}
            made = []
            for each in value.elts:
                is_active = self.dependence.of(each)
                atom = self.atom(each) if is_active else self.static(each)
                if names_in(atom) & bound:
                    kind = self.kind(each)
                    atom = self.temporary(atom, self.move(atom, kind) if is_active else None, kind)
                made.append(self.known(atom, each))
            for target, atom in zip(targets, made, strict=True):
                self.assign(target, atom, False)
            return
        if isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "pop" and self.dependence.of(value):
            popped = self.made_name()
            self.kinds[popped] = self.kind(value)
            self.dependence.names.add(popped)
            self._let(popped, value)
            value = self.known(name(popped), value)
        source = self.atom(value) if self.dependence.of(value) else self.static(value)
        is_active = self.dependence.of(value)
        names: list[str] = []
        later: list[tuple[ast.expr, str]] = []
        for each in targets:
            if isinstance(each, ast.Name) and each.id not in names_in(source):
                names.append(each.id)
            else:
                stand_in = self.made_name()
                self.kinds[stand_in] = self.item_kind(value)
                names.append(stand_in)
                later.append((each, stand_in))
        self.out.append(Unpacking(tuple(names), source, self.line))
        for bound_name in names:
            self.kinds.setdefault(bound_name, self.item_kind(value))
        for target, stand_in in later:
            if is_active:
                self.dependence.names.add(stand_in)
            self.assign(target, name(stand_in), False)

    def _assign_with_a_star(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        """Lower `a, *b, c = value` as reads of items and of a slice of a list."""
        kind = self.kind(value)
        if kind.name != "list" or isinstance(value, ast.GeneratorExp):
            raise refusal_at(self.user.file, targets[0], f"an unpacking with a star, of {kind} and no list")
        source = self.static_name(value) if not self.dependence.of(value) else self.atom(value)
        place = next(n for n, each in enumerate(targets) if isinstance(each, ast.Starred))
        after = len(targets) - place - 1
        item = self.item_kind(value)
        for n, each in enumerate(targets):
            if isinstance(each, ast.Starred):
                text = f"list(_x[{n}: len(_x) - {after}])" if after else f"list(_x[{n}:])"
                self._bind_part(each.value, expression(text, _x=source), source, ValueKind("list", item=item))
            else:
                place_of = f"_x[{n if n < place else n - len(targets)}]"
                self._bind_part(each, expression(place_of, _x=source), source, item)

    def _bind_part(self, target: ast.expr, part: ast.expr, source: ast.expr, kind: ValueKind) -> None:
        """Bind an item or a slice of a list that does not appear in the user's text."""
        is_active = self.dependence.of(source)
        made = self.made_name()
        self.kinds[made] = kind
        operation = None
        if is_active:
            place = part.args[0] if isinstance(part, ast.Call) else part
            operation = ElementRead((source,), (self.kind(source),), kind, place)
        self.bind(made, part, operation)
        self.assign(target, self.known(name(made), kind))

    def _branch(self, node: ast.If) -> None:
        test = self.static(node.test)
        body, orelse = self.block(node.body), self.block(node.orelse)
        self.out.append(Branch(test, body, orelse, node.lineno))


def _deletes_names(node: ast.stmt) -> bool:
    """Whether a statement only deletes names."""
    return isinstance(node, ast.Delete) and all(isinstance(each, ast.Name) for each in node.targets)


def _is_rebound(parameter: str, body: Sequence[Statement]) -> bool:
    """Whether a parameter is rebound before anything is written into it."""
    for statement in body:
        if parameter in bound_names(statement) and not isinstance(statement, LoopStatement):
            return not (isinstance(statement, Assignment) and isinstance(statement.value, (ast.Name, ast.Subscript)))
        if any(parameter in written_names(each) for each in all_statements([statement])):
            return False
    return False

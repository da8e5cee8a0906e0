"""The state of the lowering of one function, which every function that lowers a node is handed."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from gradcli.answers.derivation.intermediate.operation_derivatives import ActiveOperation
from gradcli.answers.derivation.intermediate.statements import Assignment, Statement
from gradcli.answers.derivation.reading.activity_analysis import Dependence
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.observed_values import Observation
from gradcli.answers.derivation.reading.value_kind import NUMBER, STATIC, ValueKind, kind_of, merged
from gradcli.answers.derivation.refusals import LineOf, refusal_at
from gradcli.answers.derivation.syntax_trees import NamesInUse, name, nodes_in
from gradcli.errors import UnsupportedError

Lowered = tuple[ast.expr, ActiveOperation | None]
"""An expression with its operands under names, and its operation; None if it carries no derivative."""


class LoweringContext:
    """The state of the lowering of one function.

    Args:
        user: the function.
        observation: the observed kinds of its expressions.
        dependence: the expressions that carry a derivative.
        registry: returns the name of each derived user function.
        tables: the functions that lower expressions and statements, by the type of their node.

    Attributes:
        out: the statements of the block that is being lowered.
        line: the user's line.
        kinds: the kind of each variable.
        made: the generated names.
        written: the names that are written into.
        steady: the parameters that are neither rebound nor written into.
        inlined: the functions around whose statements stand at their calls; None if calls remain.
        reshaped: their variables that are bound to arrays or lists of several sizes.
    """

    def __init__(
        self,
        user: UserFunction,
        observation: Observation,
        dependence: Dependence,
        registry: Any,
        tables: LoweringTables,
    ) -> None:
        self.user = user
        self.observation = observation
        self.dependence = dependence
        self.registry = registry
        self.tables = tables
        self.out: list[Statement] = []
        self.line = user.tree.lineno
        self.kinds: dict[str, ValueKind] = {}
        self.made: set[str] = set()
        self.written: set[str] = set()
        self.fresh = NamesInUse({*user.names, user.name}).fresh
        self.count = 0
        self.steady = set(user.parameters) - user.changed
        self.inlined: tuple[Any, ...] | None = None
        self.reshaped: set[str] = set()

    def inside(self, user: UserFunction, dependence: Dependence) -> LoweringContext:
        """The context of a called function whose statements stand at its call, and whose variables have own names."""
        inner = LoweringContext(user, self.observation, dependence, self.registry, self.tables)
        inner.fresh, inner.made, inner.kinds = self.fresh, self.made, self.kinds
        inner.written, inner.reshaped = self.written, self.reshaped
        inner.inlined = (*(self.inlined or ()), user.function)
        return inner

    def made_name(self, stem: str = "t") -> str:
        """A generated name: t_1, t_2, k, k_1."""
        if stem == "t":
            self.count += 1
            stem = f"t_{self.count}"
        fresh_name = self.fresh(stem)
        self.made.add(fresh_name)
        return fresh_name

    def variable(self, kind: ValueKind, stem: str = "t") -> str:
        """A generated variable that carries a derivative."""
        made = self.made_name(stem)
        self.kinds[made] = kind
        self.dependence.names.add(made)
        return made

    def bind(self, target: str, value: ast.expr, operation: ActiveOperation | None) -> None:
        """Add `target = value`, unless both are the same name."""
        if isinstance(value, ast.Name) and value.id == target:
            return
        if operation is not None:
            self.dependence.names.add(target)
        if isinstance(value, ast.Constant) and value.value is None:
            self.kinds[target] = merged(self.kinds.get(target), kind_of(None))
        self.out.append(Assignment(target, value, operation, self.line))

    def temporary(self, value: ast.expr, operation: ActiveOperation | None, kind: ValueKind) -> ast.expr:
        """A value under a generated name."""
        made = self.made_name()
        self.kinds[made] = kind
        self.bind(made, value, operation)
        return self.known(name(made), kind)

    def known(self, node: ast.expr, like: ast.expr | ValueKind) -> ast.expr:
        """A copy of a generated expression with a kind, or with that of another expression."""
        made = copy.copy(node)
        made.known_kind = like if isinstance(like, ValueKind) else self.kind(like)  # type: ignore[attr-defined]
        return made

    def item_kind(self, value: ast.expr, place: int = -1) -> ValueKind:
        """The kind of the items of a value that is unpacked or iterated over; of one at a place, which may differ."""
        kind = self.kind(value)
        if kind.name == "list" and place in dict(kind.fields):
            return dict(kind.fields)[place]
        if kind.name == "array":
            return ValueKind("array", kind.rank - 1) if kind.rank > 1 else NUMBER
        return kind.item or STATIC

    def kind(self, node: ast.expr) -> ValueKind:
        """The kind of an expression."""
        known: ValueKind | None = getattr(node, "known_kind", None)
        if known is not None:
            return known
        if isinstance(node, ast.Constant):
            return kind_of(node.value)
        if hasattr(node, "number"):
            seen = self.observation.of(node).kind
            if seen is not None:
                return seen
        return self.kinds.get(node.id, STATIC) if isinstance(node, ast.Name) else STATIC

    def refuse(self, node: ast.AST, what: str, hint: str = "", *, runs: bool = True) -> UnsupportedError:
        """The error for a construct in this function."""
        place = node if hasattr(node, "lineno") else LineOf(self.line)
        return refusal_at(self.user.file, place, what, hint, runs=runs)


class LoweringTables(NamedTuple):
    """The functions that lower the nodes of each type."""

    expressions: Mapping[type[ast.expr], Callable[[Any, LoweringContext], Lowered]]
    statements: Mapping[type[ast.stmt], Callable[[Any, LoweringContext], None]]


def lower_block(statements: Sequence[ast.stmt], context: LoweringContext) -> list[Statement]:
    """A block in the intermediate form."""
    outer, context.out = context.out, []
    for statement in statements:
        context.line = getattr(statement, "lineno", context.line)
        lowering = context.tables.statements.get(type(statement))
        if lowering is None:
            raise context.refuse(statement, f"the statement {type(statement).__name__.lower()}")
        lowering(statement, context)
    made, context.out = context.out, outer
    return made


def observed_kinds(context: LoweringContext) -> dict[str, ValueKind]:
    """The kinds of the user's variables, from all their observations."""
    seen: dict[str, list[ast.AST]] = {}
    for node in nodes_in(context.user.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            seen.setdefault(node.id, []).append(node)
        elif isinstance(node, ast.arg):
            seen.setdefault(node.arg, []).append(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            seen.setdefault(node.targets[0].id, []).append(node.value)
    return {variable: joined_kind(nodes, context) for variable, nodes in seen.items()}


def joined_kind(nodes: Sequence[ast.AST], context: LoweringContext) -> ValueKind:
    """The kind of a name from the kinds of several expressions."""
    kind: ValueKind | None = None
    for node in nodes:
        observed = context.observation.of(node).kind
        try:
            kind = kind if observed is None else merged(kind, observed)
        except ValueError as error:
            raise context.refuse(node, f"a name that is {error} by turns", "Give each a name of its own.") from None
    return kind or STATIC

"""Lowering of a function to the intermediate form: one operation per statement, normalised exits, indexed loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from gradcli.answers.derivation.intermediate.assignments import assign
from gradcli.answers.derivation.intermediate.calls import lower_call
from gradcli.answers.derivation.intermediate.context import (
    Lowered,
    LoweringContext,
    LoweringTables,
    joined_kind,
    lower_block,
    observed_kinds,
)
from gradcli.answers.derivation.intermediate.effects import lower_effect
from gradcli.answers.derivation.intermediate.exits import ExitNormalisation
from gradcli.answers.derivation.intermediate.expressions import (
    lower_attribute,
    lower_binop,
    lower_ifexp,
    lower_subscript,
    lower_unaryop,
)
from gradcli.answers.derivation.intermediate.lists_comprehensions import lower_dict, lower_display, lower_listcomp
from gradcli.answers.derivation.intermediate.liveness import all_statements, bound_names, written_names
from gradcli.answers.derivation.intermediate.loops import lower_for, lower_while
from gradcli.answers.derivation.intermediate.operands import static
from gradcli.answers.derivation.intermediate.operation_derivatives import ElementRead
from gradcli.answers.derivation.intermediate.statements import (
    Assignment,
    Branch,
    LoopStatement,
    PassiveStatement,
    Routine,
    RoutineCall,
    Statement,
    Store,
)
from gradcli.answers.derivation.reading.activity_analysis import Dependence
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.observed_values import Observation
from gradcli.answers.derivation.reading.one_kind_names import reshaped_names
from gradcli.answers.derivation.reading.value_kind import NUMBER, ValueKind
from gradcli.answers.derivation.refusals import LIST, refusal_at
from gradcli.answers.derivation.syntax_trees import name, names_in, nodes_in

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
    ast.Try: "A handler of it may run at some points, or `finally` after an exit: write the condition as an `if`.",
    ast.With: "Write its statements without it; only those that set how warnings are shown may stand.",
    ast.Yield: LIST,
    ast.YieldFrom: LIST,
    ast.Lambda: "In place of map or reduce, write a loop or a comprehension.",
}


def refuse_constructs(user: UserFunction) -> None:
    """Refuse constructs that no derived function may contain.

    Raises:
        UnsupportedError: there is such a statement or expression.
    """
    for node in nodes_in(user.tree):
        if isinstance(node, ast.Name) and node.id in REFUSED_NAMES:
            raise refusal_at(user.file, node, f"{node.id}()")
        for kinds in (REFUSED, REFUSED_EXPRESSIONS):
            if node is not user.tree and type(node) in kinds:
                raise refusal_at(user.file, node, kinds[type(node)], HINTS.get(type(node), ""))


def lowered(
    user: UserFunction, observation: Observation, active: tuple[str, ...], registry: Any, *, inlines: bool = False
) -> tuple[Routine, LoweringContext]:
    """A function in the intermediate form, and the context of its lowering.

    Args:
        user: the function.
        observation: the observed kinds of its expressions.
        active: the parameters that carry a derivative.
        registry: returns the name of each derived user function.
        inlines: whether the statements of called functions stand at their calls.
    """
    refuse_constructs(user)
    dependence = Dependence(user, observation, active)
    context = LoweringContext(user, observation, dependence, registry, LoweringTables(EXPRESSIONS, STATEMENTS))
    context.inlined = (user.function,) if inlines else None
    exits = ExitNormalisation(user.file, context.fresh)
    settled = exits.settled(user.tree)
    context.kinds.update(observed_kinds(context))
    returned = [node.value for node in nodes_in(user.tree) if isinstance(node, ast.Return) and node.value]
    kind = joined_kind([expression for expression in returned if observation.of(expression).kind], context)
    context.kinds[exits.result] = kind
    if any(map(dependence.of, returned)):
        dependence.names.add(exits.result)
    body = lower_block(settled, context)
    routine = Routine(user.name, observation.parameters(user), active, exits.result, kind, body)
    routine.kinds, routine.varied, routine.made = context.kinds, dependence.names, context.made
    optional = {variable for variable, kind in context.kinds.items() if kind.is_optional and kind.carries}
    routine.reshaped = reshaped_names(user, observation) | context.reshaped | optional
    for variable in read_by_number(body, routine) if user is observation.first else ():
        routine.kinds[variable] = ValueKind("list", item=NUMBER)
    routine.copied = tuple(
        parameter for parameter in user.parameters if parameter in context.written and not _is_rebound(parameter, body)
    )
    return routine, context


def read_by_number(body: Sequence[Statement], routine: Routine) -> list[str]:
    """The vectors of which only single elements are read, so that the derived function takes a list as well."""
    variables = {variable for variable in routine.active if routine.kinds.get(variable) == ValueKind("array", 1)}
    for statement in all_statements(body):
        operation = getattr(statement, "operation", None)
        if isinstance(operation, ElementRead):
            if operation.kind.name != "number" or operation.scatters:
                variables -= names_in(operation.operands[0])
        elif operation is not None:
            variables -= names_in(*operation.operands)
        if isinstance(statement, RoutineCall):
            variables -= names_in(*statement.arguments)
        if isinstance(statement, Store) and not statement.rebinds and statement.kind.name != "number":
            variables.discard(statement.target)
    return sorted(variables - {routine.result})


def _is_rebound(parameter: str, body: Sequence[Statement]) -> bool:
    """Whether a parameter is rebound before anything is written into it."""
    for statement in body:
        if parameter in bound_names(statement) and not isinstance(statement, LoopStatement):
            return not (isinstance(statement, Assignment) and isinstance(statement.value, (ast.Name, ast.Subscript)))
        if any(parameter in written_names(inner) for inner in all_statements([statement])):
            return False
    return False


def lower_assign(node: ast.Assign, context: LoweringContext) -> None:
    """`a = b = value`: the further targets get the first."""
    first = node.targets[0]
    assign(first, node.value, context, node in context.user.changes.writes)
    for target in node.targets[1:]:  # behind a name
        assert isinstance(first, ast.Name)
        assign(target, context.known(name(first.id), node.value), context)


def lower_branch(node: ast.If, context: LoweringContext) -> None:
    """A branch, whose condition carries no derivative."""
    test = static(node.test, context)
    body, orelse = lower_block(node.body, context), lower_block(node.orelse, context)
    context.out.append(Branch(test, body, orelse, node.lineno))


def lower_delete(node: ast.Delete, context: LoweringContext) -> None:
    """`del x` of names that nothing reads below, which needs no statement."""
    if not all(isinstance(target, ast.Name) for target in node.targets):
        raise context.refuse(node, "the statement delete")
    below = (part for part in ast.walk(context.user.tree) if getattr(part, "lineno", 0) > node.lineno)
    read = {part.id for part in below if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    if deleted := sorted(read & {target.id for target in node.targets}):  # type: ignore[attr-defined]
        raise context.refuse(node, f"del {deleted[0]}, which is read below", "Leave out del, or use another name.")


def keep_statement(node: ast.stmt, context: LoweringContext) -> None:
    """A statement without a derivative, unchanged."""
    context.out.append(PassiveStatement(node, context.line))


EXPRESSIONS: dict[type[ast.expr], Callable[[Any, LoweringContext], Lowered]] = {
    ast.Attribute: lower_attribute,
    ast.BinOp: lower_binop,
    ast.Call: lower_call,
    ast.Dict: lower_dict,
    ast.IfExp: lower_ifexp,
    ast.List: lower_display,
    ast.ListComp: lower_listcomp,
    ast.Subscript: lower_subscript,
    ast.Tuple: lower_display,
    ast.UnaryOp: lower_unaryop,
}
STATEMENTS: dict[type[ast.stmt], Callable[[Any, LoweringContext], None]] = {
    ast.Assert: keep_statement,
    ast.Assign: lower_assign,
    ast.Break: lambda node, context: context.out.append(PassiveStatement(ast.Break())),
    ast.Delete: lower_delete,
    ast.Expr: lower_effect,
    ast.For: lower_for,
    ast.If: lower_branch,
    ast.Import: keep_statement,
    ast.ImportFrom: keep_statement,
    ast.Pass: lambda node, context: None,
    ast.Raise: keep_statement,
    ast.While: lower_while,
}

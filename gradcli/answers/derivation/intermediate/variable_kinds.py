"""The kinds of variables, from the observations of a function."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradcli.answers.derivation.intermediate.context import LoweringContext
from gradcli.answers.derivation.reading.value_kind import STATIC, ValueKind, merged


def observed_kinds(context: LoweringContext) -> dict[str, ValueKind]:
    """The kinds of the user's variables, from all their observations."""
    seen: dict[str, list[ast.AST]] = {}
    for node in ast.walk(context.user.tree):
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
            raise context.refuse(node, f"a name that is {error} by turns") from None
    return kind or STATIC

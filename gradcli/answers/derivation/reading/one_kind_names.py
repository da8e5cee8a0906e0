"""Splitting of names that stand for values of several kinds, if every path rebinds them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.observed_values import Observation
from gradcli.answers.derivation.reading.value_kind import ValueKind, merged
from gradcli.answers.derivation.syntax_trees import nodes_in


def split_names(user: UserFunction, observation: Observation, *, by_size: bool = False) -> None:
    """Give names of several kinds, or of several sizes, a new name at each outermost assignment."""
    nodes = defaultdict[str | None, list[ast.AST]](list)
    for node in nodes_in(user.tree):
        nodes[getattr(node, "id", getattr(node, "arg", None))].append(node)
    reshaped = reshaped_names(user, observation) if by_size else set()
    for name in sorted(user.names):
        if name in reshaped or _are_of_several_kinds(nodes[name], observation):
            _split(user, name)


def reshaped_names(user: UserFunction, observation: Observation) -> set[str]:
    """The variables that were seen to be bound to arrays or lists of several sizes."""
    names: set[str] = set()
    for node in nodes_in(user.tree):
        if isinstance(node, (ast.Name, ast.arg)) and observation.of(node).changes_shape:
            names.add(node.id if isinstance(node, ast.Name) else node.arg)
        elif isinstance(node, ast.Assign) and observation.of(node.value).changes_shape:
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _are_of_several_kinds(nodes: list[ast.AST], observation: Observation) -> bool:
    kind: ValueKind | None = None
    for node in nodes:
        observed = observation.of(node).kind
        try:
            kind = kind if observed is None else merged(kind, observed)
        except ValueError:
            return True
    return False


def _split(user: UserFunction, name: str) -> None:
    current, count = name, 0
    for statement in user.tree.body:
        if isinstance(statement, ast.Assign) and statement not in user.changes.writes:
            _rename([statement.value], name, current)
            if any(isinstance(part, ast.Name) and part.id == name for part in _bound(statement.targets)):
                count += 1
                while (current := f"{name}_{count}") in user.names:
                    count += 1
                user.names.add(current)
            _rename(statement.targets, name, current)
        else:
            _rename([statement], name, current)


def _bound(targets: Sequence[ast.expr]) -> list[ast.expr]:
    values = []
    for target in targets:
        values += _bound(target.elts) if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return values


def _rename(nodes: Sequence[ast.AST], name: str, new: str) -> None:
    for node in nodes:
        for part in nodes_in(node):
            if isinstance(part, ast.Name) and part.id == name:
                part.id = new

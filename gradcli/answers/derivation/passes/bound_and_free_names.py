"""The names that statements bind, and those that they read before or without binding them."""

from __future__ import annotations

import ast

from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.syntax_trees import argument_names, names_in, nodes_in, stored_names


def read_first(statements: Statements) -> set[str]:
    """The names that statements may read before they bind them."""
    return _read_first(statements, set())[0]


def _read_first(statements: Statements, given: set[str]) -> tuple[set[str], set[str]]:
    """The names read before they are bound, given names already bound; and all names bound at the end."""
    names: set[str] = set()
    bound = set(given)
    for statement in statements:
        if isinstance(statement, (ast.If, ast.For, ast.While)):
            names |= names_in(statement.iter if isinstance(statement, ast.For) else statement.test) - bound
            target = names_in(statement.target) if isinstance(statement, ast.For) else set()
            parts = [_read_first(block, bound | target) for block in (statement.body, statement.orelse)]
            names |= parts[0][0] | parts[1][0]
            if isinstance(statement, ast.If):
                bound = parts[0][1] & parts[1][1]
            continue
        nodes = [n for n in nodes_in(statement) if isinstance(n, ast.Name)]
        loads = {n.id for n in nodes if isinstance(n.ctx, ast.Load)}
        if isinstance(statement, ast.AugAssign):
            loads |= names_in(statement.target)
        names |= loads - bound
        bound |= {n.id for n in nodes if isinstance(n.ctx, ast.Store)}
    return names, bound


def free_names(statements: Statements) -> set[str]:
    """The names that statements read and do not bind."""
    return names_in(*statements) - stored_names(*statements) - set().union(*map(argument_names, statements))


def always_bound(statements: Statements) -> set[str]:
    """The names that statements bind outside of loops and branches."""
    return stored_names(
        *(statement for statement in statements if not isinstance(statement, (ast.If, ast.For, ast.While)))
    )

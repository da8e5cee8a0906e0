"""The names that statements bind, and those that they read before or without binding them."""

from __future__ import annotations

import ast

from gradcli.derivation.intermediate.templates import names_in, stored_names
from gradcli.derivation.passes.cleanup import Statements


def read_first(statements: Statements) -> set[str]:
    """The names that statements may read before they bind them."""
    return _read_first(statements, set())[0]


def _read_first(statements: Statements, given: set[str]) -> tuple[set[str], set[str]]:
    """The names read before they are bound, given names already bound; and all names bound at the end."""
    found: set[str] = set()
    bound = set(given)
    for each in statements:
        if isinstance(each, (ast.If, ast.For, ast.While)):
            found |= names_in(each.iter if isinstance(each, ast.For) else each.test) - bound
            target = names_in(each.target) if isinstance(each, ast.For) else set()
            parts = [_read_first(block, bound | target) for block in (each.body, each.orelse)]
            found |= parts[0][0] | parts[1][0]
            if isinstance(each, ast.If):
                bound = parts[0][1] & parts[1][1]
            continue
        nodes = [n for n in ast.walk(each) if isinstance(n, ast.Name)]
        loads = {n.id for n in nodes if isinstance(n.ctx, ast.Load)}
        if isinstance(each, ast.AugAssign):
            loads |= names_in(each.target)
        found |= loads - bound
        bound |= {n.id for n in nodes if isinstance(n.ctx, ast.Store)}
    return found, bound


def free_names(statements: Statements) -> set[str]:
    """The names that statements read and do not bind."""
    taken = {n.arg for top in statements for n in ast.walk(top) if isinstance(n, ast.arg)}  # the parameters of lambdas
    return names_in(statements) - stored_names(*statements) - taken


def always_bound(statements: Statements) -> set[str]:
    """The names that statements bind outside of loops and branches."""
    return stored_names(*(each for each in statements if not isinstance(each, (ast.If, ast.For, ast.While))))

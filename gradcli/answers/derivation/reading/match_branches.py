"""`match` statements as branches."""

from __future__ import annotations

import ast

from gradcli.answers.derivation.syntax_trees import filled, located


def branches(node: ast.Match, subject: ast.Name) -> list[ast.stmt] | None:
    """The branches of a `match` of a name by values; None for other patterns."""
    chain: list[ast.stmt] = []
    for case in reversed(node.cases):
        test, bound = _condition(case.pattern, subject), _capture(case.pattern, subject)
        if test is None or (bound is not None and case.guard is not None):
            return None
        tests = [condition for condition in (test, case.guard) if condition is not None]
        body = [*([located(bound, node)] if bound is not None else []), *case.body]
        whole = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        is_last = isinstance(test, ast.Constant) and case.guard is None
        chain = body if is_last else [located(ast.If(whole, body, chain), case.body[0])]
    return chain


def _condition(pattern: ast.pattern, subject: ast.expr) -> ast.expr | None:
    """The condition under which a pattern of values matches; None for other patterns."""
    subject = filled(subject)
    if isinstance(pattern, ast.MatchValue):
        return ast.Compare(subject, [ast.Eq()], [pattern.value])
    if isinstance(pattern, ast.MatchSingleton):
        return ast.Compare(subject, [ast.Is()], [ast.Constant(pattern.value)])
    if isinstance(pattern, ast.MatchOr):
        tests = [_condition(inner, subject) for inner in pattern.patterns]
        return None if None in tests else ast.BoolOp(ast.Or(), [test for test in tests if test is not None])
    return ast.Constant(True) if isinstance(pattern, ast.MatchAs) and pattern.pattern is None else None


def _capture(pattern: ast.pattern, subject: ast.expr) -> ast.stmt | None:
    name = pattern.name if isinstance(pattern, ast.MatchAs) else None
    return ast.Assign([ast.Name(name, ast.Store())], filled(subject)) if name is not None else None

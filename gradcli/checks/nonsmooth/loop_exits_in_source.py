"""Whether an answer leaves a loop, according to the source: the test of a `while`, or of an `if` that leaves a loop."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from functools import lru_cache

LOOPS = (ast.While, ast.For, ast.AsyncFor)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
WAYS_OUT = (ast.Break, ast.Return, ast.Raise)


def leaves_loop(file: str, line: int, told: bool) -> bool | None:
    """Whether the answer `told` to a comparison on a line leaves a loop; None if the source does not show it.

    Each comparison on a line is taken for the whole test.
    """
    tree = _parsed("".join(linecache.getlines(file)))
    if tree is None:
        return None
    asked = list(_questions(tree, line, in_loop=False))
    branches = [(node, in_loop) for node, in_loop in asked if not isinstance(node, ast.Compare)]
    if asked and not branches:
        return None
    return any(_leaves(node, told, in_loop) for node, in_loop in branches)


@lru_cache(maxsize=8)
def _parsed(source: str) -> ast.AST | None:
    try:
        return ast.parse(source) if source else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _questions(node: ast.AST, line: int, in_loop: bool) -> Iterator[tuple[ast.AST, bool]]:
    """The comparisons on a line and the branches that test them, and whether each is in a loop of its function."""
    for child in ast.iter_child_nodes(node):
        if line not in range(getattr(child, "lineno", line), (getattr(child, "end_lineno", None) or line) + 1):
            continue
        branches = isinstance(child, (ast.While, ast.If, ast.IfExp)) and _spans(child.test, line)
        if branches or isinstance(child, (ast.Compare, ast.comprehension)):
            yield child, in_loop
        inside = isinstance(child, LOOPS) or (in_loop and not isinstance(child, SCOPES))
        yield from _questions(child, line, inside)


def _spans(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _leaves(node: ast.AST, told: bool, in_loop: bool) -> bool:
    if isinstance(node, ast.While):
        return not _answer(node.test, told)
    if not isinstance(node, ast.If) or not in_loop:
        return False
    return _goes_out(node.body if _answer(node.test, told) else node.orelse)


def _answer(test: ast.expr, told: bool) -> bool:
    """The value of the whole test."""
    return not told if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else told


def _goes_out(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], WAYS_OUT)

"""The expression that a frame evaluates, found in the source by its instruction."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import cache
from types import CodeType

LONGEST = 60  # the most characters of a call that is shown in full


@cache
def expression_at(
    code: CodeType, lasti: int
) -> tuple[str, tuple[tuple[int, int, str], ...], tuple[tuple[int, int], ...]]:
    """The text of the expression at an instruction, on one line, and the places of its names and of its arguments.

    Empty without source.
    """
    first, last, start, end = [*code.co_positions()][lasti // 2]
    if first is None or last is None or start is None or end is None:
        return "", (), ()
    lines = [line.encode() for line in linecache.getlines(code.co_filename)[first - 1 : last]]
    if not lines:
        return "", (), ()
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode(errors="replace")
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return "", (), ()
    text = ast.unparse(tree) if "\n" in text or "#" in text else text
    if len(text) > LONGEST and isinstance(tree, ast.Call):
        return f"{ast.unparse(tree.func)}(…)", (), ()
    tree = ast.parse(text, mode="eval").body
    return text, tuple(sorted(_names(tree))), tuple(_arguments(tree)) if text.isascii() else ()


def _names(tree: ast.AST) -> Iterator[tuple[int, int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.end_col_offset is not None and node.id.isascii():
            yield node.col_offset, node.end_col_offset, node.id


def _arguments(tree: ast.AST) -> Iterator[tuple[int, int]]:
    for node in tree.args if isinstance(tree, ast.Call) else ():
        if isinstance(node, ast.Starred) or node.end_col_offset is None:
            return
        yield node.col_offset, node.end_col_offset

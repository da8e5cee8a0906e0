"""Where an array that the user's code writes into was created: the assignment to its name, found in the source."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import cache
from types import FrameType
from typing import Any, NamedTuple

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Origin(NamedTuple):
    """The name of an array, its value, and the line that bound the name, if known.

    `inside` is True if the writing function created the array itself.
    """

    name: str
    value: Any
    file: str
    line: int | None
    inside: bool

    def clause(self) -> str:
        """The origin as a clause for messages, such as `B was created in line 3, `B = np.zeros(4)``."""
        if self.line is None:
            return f"{self.name} was created outside the function, with plain numbers"
        source = linecache.getline(self.file, self.line).strip()
        return f"{self.name} was created in line {self.line}, `{source}`"


def written_into(frame: FrameType, line: int) -> Origin | None:
    """The array that a line of a frame writes into; None if the source is not available."""
    file = frame.f_code.co_filename
    tree = parsed(file, "".join(linecache.getlines(file)))
    name = next(_written(tree, line), None) if tree else None
    if tree is None or name is None:
        return None
    names = {**frame.f_globals, **frame.f_locals}
    made = _line(tree, name, line, frame)
    return Origin(name, names.get(name), file, made, made is not None and name in frame.f_code.co_varnames)


@cache
def parsed(file: str, source: str) -> ast.Module | None:
    """The syntax tree of a file; None if it has none."""
    try:
        return ast.parse(source) if source else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _written(tree: ast.Module, line: int) -> Iterator[str]:
    """Yield the names that a line writes into: `B` in `B[0] = x`, `B.T[0] += x`, `B *= x` and `f(x, out=B)`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)) and node.lineno <= line <= (node.end_lineno or line):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Subscript) or isinstance(node, ast.AugAssign):
                    yield from _owner(target)
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "out" and node.lineno <= line <= (node.end_lineno or line):
            yield from _owner(node.value)


def _owner(node: ast.AST) -> Iterator[str]:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def _line(tree: ast.Module, name: str, line: int, frame: FrameType) -> int | None:
    """The last line up to `line` that binds the name in the scope where the frame finds it."""
    code = frame.f_code
    inside = [node for node in ast.walk(tree) if isinstance(node, _SCOPES) and _spans(node, line)]
    own = max(inside, key=lambda node: node.lineno, default=None)
    if name in code.co_varnames:
        bindings = _bindings(own, name) if own else []
        return max((at for at in bindings if at <= line), default=None)
    if name in code.co_freevars:
        return max((at for node in inside if node is not own for at in _bindings(node, name)), default=None)
    return max(_bindings(tree, name), default=None)


def _spans(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", line), getattr(node, "end_lineno", line)
    return bool(first <= line <= last)


def _bindings(scope: ast.AST, name: str) -> list[int]:
    """The lines that bind a name in a scope, nested scopes excluded. In-place changes do not count."""
    waiting, lines = list(ast.iter_child_nodes(scope)), []
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == name:
            lines.append(node.lineno)
        if not isinstance(node, (*_SCOPES, ast.ClassDef, ast.AugAssign)):
            waiting.extend(ast.iter_child_nodes(node))
    return lines

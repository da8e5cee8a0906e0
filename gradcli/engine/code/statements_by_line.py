"""The statements and loops of a source file by line. A statement may take several lines."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class LoopLines(NamedTuple):
    """The lines of a loop.

    Attributes:
        first: the line of its head.
        body: the first line of its body; equal to `first` if the loop is one line.
        last: the last line of its body.
        is_endless: whether its head tests nothing: `while True:`.
    """

    first: int
    body: int
    last: int
    is_endless: bool


class SourceLines:
    """The statements and loops of a file.

    Attributes:
        loops: the loops by their first line.
    """

    def __init__(self, lines: list[str], tree: ast.Module | None) -> None:
        self._lines = lines
        self._spans: dict[int, tuple[int, int]] = {}
        self.loops: dict[int, LoopLines] = {}
        self._functions: list[tuple[int, int]] = []
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, _LOOPS):
                self.loops[node.lineno] = _loop(node)
            if isinstance(node, _FUNCTIONS):
                self._functions.append((node.lineno, node.end_lineno or node.lineno))
            if isinstance(node, ast.stmt):
                span = node.lineno, _end(node)
                self._spans |= dict.fromkeys(range(span[0], span[1] + 1), span)

    def first(self, line: int) -> int:
        """The first line of the statement that contains a line."""
        return self._spans.get(line, (line, line))[0]

    def text(self, line: int) -> str:
        """The statement that starts at a line, joined into one line; for a compound statement, its head."""
        first, last = self._spans.get(line, (line, line))
        parts = [part.strip() for part in self._lines[first - 1 : last]]
        text = " ".join(part for part in parts if part)
        return re.sub(r",?\s+([)\]}])", r"\1", re.sub(r"([(\[{])\s+", r"\1", text)) if last > first else text

    def function(self, line: int) -> tuple[int, int]:
        """The first and the last line of the outermost function around a line, or of the statement outside of any."""
        around = [span for span in self._functions if span[0] <= line <= span[1]]
        return min(around) if around else self._spans.get(line, (line, line))

    def lines(self, first: int, last: int) -> tuple[str, ...]:
        """Some lines as they are written, without what ends them."""
        return tuple(line.rstrip("\r\n") for line in self._lines[first - 1 : last])

    def around(self, line: int) -> Iterator[LoopLines]:
        """Yield the loops that contain a line, outermost first. A loop contains its head."""
        for first in sorted(self.loops):
            if first <= line <= self.loops[first].last:
                yield self.loops[first]


def _loop(node: ast.For | ast.AsyncFor | ast.While) -> LoopLines:
    endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    last = node.body[-1]
    return LoopLines(node.lineno, node.body[0].lineno, last.end_lineno or last.lineno, endless)


def _end(node: ast.stmt) -> int:
    """The last line of a statement; for a compound statement, of its head."""
    body: list[ast.stmt] | None = getattr(node, "body", None)
    if body:
        return max(node.lineno, body[0].lineno - 1)
    return node.end_lineno or node.lineno


@cache
def parsed(file: str, source: str) -> ast.Module | None:
    """The syntax tree of a file; None if it has none."""
    try:
        return ast.parse(source) if source else None
    except (SyntaxError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=256)
def source_lines(file: str) -> SourceLines:
    """The statements and loops of a file; empty if its source is not available."""
    lines = linecache.getlines(file)
    return SourceLines(lines, parsed(file, "".join(lines)))

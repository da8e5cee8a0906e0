"""The statements and the loops of a file by line: a statement may take several lines, and a loop holds statements."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from gradcli.code.written_array_origins import parsed

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


class LoopLines(NamedTuple):
    """Where a loop stands.

    Attributes:
        first: its first line.
        body: the first line of its body; the same as `first` where all of it is one line.
        last: the last line of its body.
        is_endless: whether nothing is asked at its head: `while True:`.
    """

    first: int
    body: int
    last: int
    is_endless: bool


class SourceLines:
    """What the lines of a file hold.

    Attributes:
        loops: the loops by their first line.
    """

    def __init__(self, lines: list[str], tree: ast.Module | None) -> None:
        self._lines = lines
        self._spans: dict[int, tuple[int, int]] = {}
        self.loops: dict[int, LoopLines] = {}
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, _LOOPS):
                self.loops[node.lineno] = _loop(node)
            if isinstance(node, ast.stmt):
                span = node.lineno, _end(node)
                self._spans |= dict.fromkeys(range(span[0], span[1] + 1), span)

    def first(self, line: int) -> int:
        """The first line of the statement that a line belongs to."""
        return self._spans.get(line, (line, line))[0]

    def text(self, line: int) -> str:
        """The statement that begins at a line in one line, or the head of one that holds others."""
        first, last = self._spans.get(line, (line, line))
        parts = [part.strip() for part in self._lines[first - 1 : last]]
        text = " ".join(part for part in parts if part)
        return re.sub(r",?\s+([)\]}])", r"\1", re.sub(r"([(\[{])\s+", r"\1", text)) if last > first else text

    def around(self, line: int) -> Iterator[LoopLines]:
        """The loops around a line, the outermost first; a head belongs to its loop."""
        for first in sorted(self.loops):
            if first <= line <= self.loops[first].last:
                yield self.loops[first]


def _loop(node: ast.For | ast.AsyncFor | ast.While) -> LoopLines:
    endless = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    last = node.body[-1]
    return LoopLines(node.lineno, node.body[0].lineno, last.end_lineno or last.lineno, endless)


def _end(node: ast.stmt) -> int:
    """The last line of a statement, or of the head of one that holds others."""
    body: list[ast.stmt] | None = getattr(node, "body", None)
    if body:
        return max(node.lineno, body[0].lineno - 1)
    return node.end_lineno or node.lineno


@lru_cache(maxsize=256)
def source_lines(file: str) -> SourceLines:
    """What the lines of a file hold; nothing where its source is not at hand."""
    lines = linecache.getlines(file)
    return SourceLines(lines, parsed(file, "".join(lines)))

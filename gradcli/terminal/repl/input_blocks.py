"""Splitting of input into blocks: single lines, bracketed expressions and Python functions."""

from __future__ import annotations

import ast
import os
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import accumulate

from gradcli.queries.session_workspace import is_function
from gradcli.shared.regular_files import regular_file
from gradcli.terminal.repl.input_lines import bare, depth_after, opened, typed, without_comment
from gradcli.terminal.repl.written_files import unreadable

_DEF = re.compile(r"\s*(?:async\s+)?def\s")
_IMPORT = re.compile(r"\s*(?:import|from)\s")
_LAST = re.compile(r"\b(?:return|raise|def)\b")  # of a function
_CLOSES = re.compile(r"[)\]}]|\"\"\"|'''")
_ENDS_BLOCK = re.compile(r"\s*(?:return|raise|break|continue|pass)\b")
_BEFORE = re.compile(r"\s*(?:@|#|(?:import|from)\s|\Z)")


INDENT = "    "
MOST_BEFORE = 100  # imports, decorators and comments before a function


class ScriptLine(str):
    """A block of a script, with the file and the line where it begins."""

    __slots__ = ("file", "line")

    def __new__(cls, text: str, file: str, line: int) -> ScriptLine:
        """A block that behaves like its text."""
        block = super().__new__(cls, text)
        block.file, block.line = file, line
        return block

    file: str
    line: int


def whole_lines(text: str) -> list[str]:
    """The blocks in a text, each to be run as one line of a session; a bracket or a function spans several lines."""
    return [block for _, block in _numbered_blocks(text)]


def _numbered_blocks(text: str) -> Iterator[tuple[int, str]]:
    """The blocks in a text, each with the index of its first line."""
    lines = typed(text)
    at, ends = 0, bracket_ends(lines)
    while at < len(lines):
        if end := function_end(lines, at):
            yield at, textwrap.dedent("\n".join(lines[at:end]))
        else:  # an unclosed bracket is an error of its own line only
            end = ends[at] or at + 1
            yield at, "\n".join(lines[at:end])
        at = end


def entered(text: str) -> list[str]:
    """The blocks of a text that was typed at a prompt; the lines from a bracket that is never closed are one block."""
    blocks = [block for block in whole_lines(text) if block.strip()]
    tails = ("\n".join(blocks[place:]) for place in range(len(blocks)))
    place = next(
        (place for place, tail in enumerate(tails) if is_unfinished(blocks[place]) and is_unfinished(tail)), len(blocks)
    )
    return blocks[:place] + ["\n".join(blocks[place:])] * (place < len(blocks))


def is_unfinished(block: str) -> bool:
    """Whether a bracket in a block is never closed."""
    return not may_begin(block) and _opened(typed(block))


def _opened(lines: Iterable[str]) -> bool:
    return reduce(depth_after, map(bare, lines), 0) > 0


def is_open(text: str) -> bool:
    """Whether a bracket is open or a function may continue.

    An empty line ends a complete function and an open bracket.
    """
    lines, at, begin, end = typed(text.rstrip()), 0, 0, 0
    after_empty = "\n" in text[len(text.rstrip()) :]
    while at < len(lines):
        if after := function_end(lines, at):
            begin, end = at, after
        at = after or at + 1
    if end and end == len(lines):
        function = lines[begin:]
        is_whole = after_empty or is_finished(function) or _function(function) is None
        return is_incomplete(function) or not is_whole
    return not after_empty and _opened(lines[end:])


def as_they_come(lines: Iterable[str]) -> Iterator[str]:
    """The blocks in a stream of lines, each as soon as it is certain to be complete."""
    waiting, depth = "", 0
    for line in lines:
        if waiting and may_begin(waiting) and not _belongs(waiting, line):
            yield from filter(None, whole_lines(waiting))
            waiting, depth = "", 0
        waiting, depth = waiting + line, depth_after(depth, bare(line))
        if _LAST.search(line) and is_finished(typed(waiting)) if may_begin(waiting) else not depth:
            yield from filter(None, whole_lines(waiting)) if waiting.count("\n") > 1 else [waiting.rstrip("\n")]
            waiting, depth = "", 0
    if waiting:
        yield from filter(None, whole_lines(waiting))


def may_begin(text: str) -> bool:
    """Whether a text may be the start of a function, or of the imports before one."""
    return is_function(text) or _IMPORT.match(text) is not None


def _belongs(waiting: str, line: str) -> bool:
    """Whether a line continues the function, or the imports before a function, in the waiting text."""
    if _BEFORE.match(line) and (not is_function(waiting) or not line.strip()):
        return True
    lines = typed(waiting + line)
    return function_end(lines, 0) == len(lines)


def bracket_ends(lines: Sequence[str]) -> list[int]:
    """For each line, the number of the line that closes all brackets opened by it; 0 if they stay open."""
    depths = list(accumulate(map(without_comment, lines), depth_after, initial=0))
    ends, waiting = [0] * len(lines), list[int]()
    for number in range(len(lines)):
        waiting.append(number)
        while waiting and depths[number + 1] <= depths[waiting[-1]]:
            ends[waiting.pop()] = number + 1
    return ends


def function_end(lines: Sequence[str], at: int) -> int:
    """The end of the function, with its imports, that begins at a line; 0 if no function begins there."""
    if not lines[at].strip() or lines[at].lstrip().startswith("#") or not _begins(lines, at):
        return 0
    head = next((number for number in range(at, len(lines)) if _DEF.match(lines[number])), len(lines) - 1)
    margin, end = indent(lines[head]), head + 1
    closes = True  # whether anything was closed since the last incomplete state
    for number in range(head + 1, len(lines)):
        line, closes = lines[number], closes or _CLOSES.search(lines[number - 1]) is not None
        if not line.strip() or (indent(line) <= margin and line.lstrip().startswith("#")):
            continue
        if indent(line) <= margin and closes:
            if not is_incomplete(lines[at:number]):
                break
            closes = False
        end = number + 1
    return end


def _begins(lines: Sequence[str], at: int) -> bool:
    """Whether a function, or the imports and decorators before one, begins at a line."""
    for number in range(at, min(at + MOST_BEFORE, len(lines))):
        if not _BEFORE.match(lines[number]):
            return _DEF.match(lines[number]) is not None and is_function("\n".join(lines[at : number + 1]))
    return lines[at].lstrip().startswith("@") and is_function(lines[at])


def is_finished(lines: Sequence[str]) -> bool:
    """Whether a function is complete: it has a single line, or ends with a `return` or `raise` at its own level."""
    function = _function(lines)
    if function is None:
        return False
    first, last = function.body[0], function.body[-1]
    stands_alone = not textwrap.dedent("\n".join(lines)).split("\n")[first.lineno - 1][: first.col_offset].strip()
    return not stands_alone or isinstance(last, (ast.Return, ast.Raise))


def _function(lines: Sequence[str]) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    try:
        last = ast.parse(textwrap.dedent("\n".join(lines))).body[-1]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return last if isinstance(last, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def is_incomplete(lines: Sequence[str]) -> bool:
    """Whether Python lines are incomplete: after a colon, inside a bracket or inside a multi-line string."""
    import codeop

    try:
        return codeop.compile_command(textwrap.dedent("\n".join(lines)), symbol="exec") is None
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False


def margin_after(text: str) -> str:
    """The indentation of the line after an unfinished function.

    It is that of the last line, deeper after a colon or an open bracket, and shallower after the end of a block.
    """
    *before, last = text.split("\n")
    bare_line, margin = without_comment(last), last[: indent(last)]
    if "".join((*before, last)).count('"""') % 2 or not may_begin(text):
        return margin if may_begin(text) and before else ""
    if opened(bare_line) > 0 or (bare_line.endswith(":") and opened(text) <= 0):
        return margin + INDENT
    return margin[: -len(INDENT)] if _ENDS_BLOCK.match(bare_line) and opened(text) <= 0 else margin


def indent(line: str) -> int:
    """The indentation of a line, in characters."""
    return len(line) - len(line.lstrip())


def read_lines(path: str) -> list[ScriptLine]:
    """The blocks in a script file.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        with open(os.path.expanduser(path), encoding="utf-8", opener=regular_file) as file:
            return [ScriptLine(block, path, place + 1) for place, block in _numbered_blocks(file.read())]
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None

"""Where one thing that was typed ends and the next begins: lines, what is within brackets, Python functions."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from gradcli.queries.session_names import is_function
from gradcli.repl.input_lines import bare, is_prompted, opened, typed, without_comment

_DEF = re.compile(r"\s*(?:async\s+)?def\s")
_IMPORT = re.compile(r"\s*(?:import|from)\s")
_LAST = re.compile(r"\b(?:return|raise|def)\b")
_CLOSES = re.compile(r"[)\]}]|\"\"\"|'''")
_ENDS_BLOCK = re.compile(r"\s*(?:return|raise|break|continue|pass)\b")
_BEFORE = re.compile(r"\s*(?:@|#|(?:import|from)\s|\Z)")

INDENT = "    "
MOST_BEFORE = 100  # imports, decorators and comments before a function


def whole_lines(text: str) -> list[str]:
    """What was typed of a text as lines for a session: brackets and functions go on in the next line."""
    lines, found, at = typed(text), list[str](), 0
    ends, prompted = bracket_ends(lines), any(map(is_prompted, lines))
    while at < len(lines):
        if end := function_end(lines, at):
            found.append(textwrap.dedent("\n".join(lines[at:end])))
        elif end := ends[at]:
            found.append("\n".join(lines[at:end]))
        else:  # a bracket that is never closed is the fault of its own line alone
            found.append(lines[at])
            end = at + 1
            if prompted:  # by lines that seemed to be within it
                lines, end = typed("\n".join(lines[end:])), 0
                ends, prompted = bracket_ends(lines), any(map(is_prompted, lines))
        at = end
    return found


def holds_several(text: str) -> bool:
    """Whether a text holds more than one line for a session."""
    return sum(1 for line in whole_lines(text) if line.strip()) > 1


def is_open(text: str) -> bool:
    """Whether a bracket waits to be closed, or a function may go on: an empty line ends one that is whole."""
    lines, at, begin, end = typed(text.rstrip()), 0, 0, 0
    while at < len(lines):
        if after := function_end(lines, at):
            begin, end = at, after
        at = after or at + 1
    if end and end == len(lines):
        return may_go_on(lines[begin:], after_empty="\n" in text[len(text.rstrip()) :])
    return opened(bare("\n".join(lines[end:]))) > 0


def as_they_come(lines: Iterable[str]) -> Iterator[str]:
    """What a stream of lines holds, each as soon as it is certain that nothing more belongs to it."""
    waiting = ""
    for line in lines:
        if waiting and may_begin(waiting) and not _belongs(waiting, line):
            yield from filter(None, whole_lines(waiting))
            waiting = ""
        waiting += line
        if _is_last(line) and is_finished(typed(waiting)) if may_begin(waiting) else not is_open(waiting):
            yield waiting.rstrip("\n")
            waiting = ""
    if waiting:
        yield from filter(None, whole_lines(waiting)) if may_begin(waiting) else [waiting.rstrip("\n")]


def _is_last(line: str) -> bool:
    """Whether a line may be the last one of a function."""
    return _LAST.search(line) is not None


def may_begin(text: str) -> bool:
    """Whether a text may be the beginning of a function: one, or the imports before it."""
    return is_function(text) or _IMPORT.match(text) is not None


def _belongs(waiting: str, line: str) -> bool:
    """Whether a line goes on with the function, or the imports before one, that a text holds."""
    if _BEFORE.match(line) and (not is_function(waiting) or not line.strip()):
        return True
    lines = typed(waiting + line)
    return function_end(lines, 0) == len(lines)


def may_come(text: str) -> bool:
    """Whether more of a function may come after a text, even after an empty line or the imports before it."""
    *_, last = typed(text.rstrip()) or [""]
    return is_open(text.rstrip()) or (may_begin(text) and _IMPORT.match(last) is not None)


def bracket_ends(lines: Sequence[str]) -> list[int]:
    """For each line, after which line all brackets are closed that it opens; 0 where they never are."""
    depths = list(accumulate((opened(without_comment(line)) for line in lines), initial=0))
    ends, waiting = [0] * len(lines), list[int]()
    for number in range(len(lines)):
        waiting.append(number)
        while waiting and depths[number + 1] <= depths[waiting[-1]]:
            ends[waiting.pop()] = number + 1
    return ends


def function_end(lines: Sequence[str], at: int) -> int:
    """After which line the function ends that begins at one, the imports before it too; 0 where none begins there."""
    if not lines[at].strip() or lines[at].lstrip().startswith("#") or not _begins(lines, at):
        return 0
    head = next((number for number in range(at, len(lines)) if _DEF.match(lines[number])), len(lines) - 1)
    margin, end = indent(lines[head]), head + 1
    closes = True  # whether something was closed since it was last known to be open
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
    """Whether a function begins at a line, or with the imports and decorators that begin there."""
    for number in range(at, min(at + MOST_BEFORE, len(lines))):
        if not _BEFORE.match(lines[number]):
            return _DEF.match(lines[number]) is not None and is_function("\n".join(lines[at : number + 1]))
    return lines[at].lstrip().startswith("@") and is_function(lines[at])


def may_go_on(lines: Sequence[str], after_empty: bool) -> bool:
    """Whether a function may have more lines, rather than being finished, ended by an empty line, or at fault."""
    return is_incomplete(lines) or not (after_empty or is_finished(lines) or _function(lines) is None)


def is_finished(lines: Sequence[str]) -> bool:
    """Whether nothing can follow in a function: it is one of a single line, or has come to a `return` of its own."""
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
    """Whether Python lines end where more has to come: after a colon, within a bracket or a text of several lines."""
    import codeop

    try:
        return codeop.compile_command(textwrap.dedent("\n".join(lines)), symbol="exec") is None
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
        return False


def margin_after(text: str) -> str:
    """The spaces before the line that follows a text which is being typed, where it is one of a function.

    As those of its last line; more after a colon or an open bracket, fewer after a line that ends its block.
    """
    *before, last = text.split("\n")
    bare_line, margin = without_comment(last), last[: indent(last)]
    if "".join((*before, last)).count('"""') % 2 or not may_begin(text):
        return margin if may_begin(text) and before else ""
    if opened(bare_line) > 0 or (bare_line.endswith(":") and opened(text) <= 0):
        return margin + INDENT
    return margin[: -len(INDENT)] if _ENDS_BLOCK.match(bare_line) and opened(text) <= 0 else margin


def indent(line: str) -> int:
    """How far a line is from the margin."""
    return len(line) - len(line.lstrip())

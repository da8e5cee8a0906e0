"""The calls that the user's code makes of functions of libraries, seen while a run is watched.

What a library computes is the work of the line that calls it: a call is known by the rows that were recorded meanwhile,
those of the user's functions that it called among them.  A library that records nothing of its own, such as a cache
around a function of the user's, is no such call.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

from gradcli.code.stack_frames import public_name

LONGEST = 60  # characters of a call that is shown whole


class RunLength(NamedTuple):
    """How many rows, outcomes and visits a run has had."""

    rows: int
    outcomes: int
    visits: int


class QuantityName(NamedTuple):
    """A name within a call, of the quantity that a row has made."""

    text: str
    row: int


CallText = tuple[str | QuantityName, ...]


class LibraryCall(NamedTuple):
    """One call of a library's function from the user's code.

    Attributes:
        before, after: how far the run was when it began, and when it returned.
        text: the call in the user's words, in parts.
    """

    before: RunLength
    after: RunLength
    text: CallText


class _OpenCall:
    """A call that goes on; `since` is the row from which on what is recorded is its own, None in the user's code."""

    def __init__(self, before: RunLength, text: CallText) -> None:
        self.before, self.text = before, text
        self.since: int | None = before.rows
        self.own = 0
        self.depth = 0


class LibraryCalls:
    """The calls of a run so far, outermost ones only, in order.

    Args:
        length: says how far the run is.
    """

    def __init__(self, length: Callable[[], RunLength]) -> None:
        self.found: list[LibraryCall] = []
        self._length = length
        self._open: list[_OpenCall] = []

    @property
    def is_inside(self) -> bool:
        """Whether the code of a library runs, and none of the user's that it has called."""
        return bool(self._open) and self._open[-1].since is not None

    def enter(self, frame: FrameType, caller: FrameType | None, index: Callable[[Any], int | None]) -> None:
        """The user's code calls a library's; `index` gives the row of a recorded value."""
        text = (f"{public_name(frame)}(…)",) if caller is None else call_text(caller, frame, index)
        self._open.append(_OpenCall(self._length(), text))

    def leave(self) -> None:
        """The library's function returns; calls within are a part of it."""
        call = self._open.pop()
        after = self._length()
        if call.since is not None:
            call.own += after.rows - call.since
        if call.own:
            while self.found and self.found[-1].before.rows >= call.before.rows:
                self.found.pop()
            self.found.append(LibraryCall(call.before, after, call.text))

    def enter_users(self) -> None:
        """The library calls a function of the user's."""
        if self._open:
            call = self._open[-1]
            call.depth += 1
            if call.since is not None:
                call.own += self._length().rows - call.since
                call.since = None

    def leave_users(self) -> None:
        """A function of the user's returns."""
        if self._open:
            call = self._open[-1]
            call.depth -= 1
            if not call.depth:
                call.since = self._length().rows


def call_text(caller: FrameType, frame: FrameType, index: Callable[[Any], int | None]) -> CallText:
    """The expression that a frame of the user's is at, with rows in place of the names of recorded values."""
    segment, names = _segment(caller.f_code, caller.f_lasti)
    if not segment:
        return (f"{public_name(frame)}(…)",)
    parts: list[str | QuantityName] = []
    at = 0
    for start, end, name in names:
        row = index(caller.f_locals.get(name))
        if row is not None:
            parts += [segment[at:start], QuantityName(name, row)]
            at = end
    return (*parts, segment[at:])


@cache
def _segment(code: CodeType, lasti: int) -> tuple[str, tuple[tuple[int, int, str], ...]]:
    """The text of the expression at an instruction, on one line, and where its names stand; empty without a source."""
    first, last, start, end = [*code.co_positions()][lasti // 2]
    if first is None or last is None or start is None or end is None:
        return "", ()
    lines = [line.encode() for line in linecache.getlines(code.co_filename)[first - 1 : last]]
    if not lines:
        return "", ()
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    text = b"".join(lines).decode(errors="replace")
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return "", ()
    text = ast.unparse(tree) if "\n" in text or "#" in text else text
    if len(text) > LONGEST and isinstance(tree, ast.Call):
        return f"{ast.unparse(tree.func)}(…)", ()
    return text, tuple(sorted(_names(ast.parse(text, mode="eval"))))


def _names(tree: ast.AST) -> Iterator[tuple[int, int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.end_col_offset is not None and node.id.isascii():
            yield node.col_offset, node.end_col_offset, node.id

"""Calls from the user's code to library functions, observed while a run is watched.

The work of a library belongs to the line that calls it. A call is identified by the rows recorded during it, including
those of user functions that the library calls. A library that records nothing itself, such as a cache around a user's
function, does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NamedTuple

from gradcli.engine.code.source_expressions import expression_at
from gradcli.engine.code.stack_frames import NUMPY_CODES, public_name


class RunLength(NamedTuple):
    """The numbers of rows, outcomes and visits of a run so far."""

    rows: int
    outcomes: int
    visits: int


Length = Callable[[], RunLength]


class QuantityName(NamedTuple):
    """A name within a call, and the row of the quantity it refers to."""

    text: str
    row: int


CallText = tuple[str | QuantityName, ...]


class LibraryCall(NamedTuple):
    """One call of a library function from the user's code.

    Attributes:
        before, after: the length of the run when the call started and when it returned.
        text: the call in the user's words, in parts.
        results: the rows of the elements of the result, if it is a tuple; None for a plain one.
        numpys: the function if it is NumPy's, such as `linalg.solve`; else empty.
    """

    before: RunLength
    after: RunLength
    text: CallText
    results: tuple[int | None, ...] = ()
    numpys: str = ""


class _OpenCall:
    """A call in progress; `since` is the row from which the library itself records, None while the user's code runs."""

    def __init__(self, before: RunLength, text: CallText, numpys: str) -> None:
        self.before, self.text, self.numpys = before, text, numpys
        self.since: int | None = before.rows
        self.own = 0
        self.depth = 0


class LibraryCalls:
    """The outermost library calls of a run so far, in order.

    Each method takes `length`, which returns the length of the run. It is not stored: it would refer back to the owner.
    """

    def __init__(self) -> None:
        self.calls: list[LibraryCall] = []
        self._open: list[_OpenCall] = []

    @property
    def is_inside(self) -> bool:
        """Whether library code is running, and not a user function called by it."""
        return bool(self._open) and self._open[-1].since is not None

    def enter(
        self, frame: FrameType, caller: FrameType | None, index: Callable[[Any], int | None], length: Length
    ) -> None:
        """Note that the user's code calls a library function; `index` returns the row of a recorded value."""
        numpys, arguments = "", ()
        if frame.f_code in NUMPY_CODES:
            function, arguments = frame.f_locals["function"], frame.f_locals["args"]
            numpys = f"{function.__module__}.{function.__name__}".removeprefix("numpy.")
        name = f"np.{numpys}" if numpys else public_name(frame)
        text = (f"{name}(…)",) if caller is None else call_text(caller, name, index, arguments)
        self._open.append(_OpenCall(length(), text, numpys))

    def leave(self, result: Any, index: Callable[[Any], int | None], length: Length) -> None:
        """Note that the library function returns. Calls within it become part of it.

        A function of NumPy's without a result writes into an array, as a statement of the program does.
        """
        call = self._open.pop()
        after = length()
        if call.numpys and result is None:
            return
        if call.since is not None:
            call.own += after.rows - call.since
        results = tuple(map(index, result)) if isinstance(result, tuple) else ()
        if call.own:
            while self.calls and self.calls[-1].before.rows >= call.before.rows:
                self.calls.pop()
            self.calls.append(LibraryCall(call.before, after, call.text, results, call.numpys))

    def enter_users(self, length: Length) -> None:
        """Note that the library calls a user function."""
        if self._open:
            call = self._open[-1]
            call.depth += 1
            if call.since is not None:
                call.own += length().rows - call.since
                call.since = None

    def leave_users(self, length: Length) -> None:
        """Note that a user function returns."""
        if self._open:
            call = self._open[-1]
            call.depth -= 1
            if not call.depth:
                call.since = length().rows


def call_text(
    caller: FrameType, name: str, index: Callable[[Any], int | None], arguments: Sequence[Any] = ()
) -> CallText:
    """The expression that a user's frame is evaluating, with rows in place of its recorded arguments and names.

    `name` stands for the function if there is no source; `arguments` are its positional arguments, as far as known.
    """
    segment, names, spans = expression_at(caller.f_code, caller.f_lasti)
    if not segment:
        return (f"{name}(…)",)
    known = (
        [(*span, index(x)) for span, x in zip(spans, arguments, strict=True)] if len(spans) == len(arguments) else []
    )
    known += [(start, end, index(caller.f_locals.get(name))) for start, end, name in names]
    parts: list[str | QuantityName] = []
    at = 0
    for start, end, row in sorted(known, key=lambda part: (part[0], -part[1])):
        if row is not None and start >= at:
            parts += [segment[at:start], QuantityName(segment[start:end], row)]
            at = end
    return (*parts, segment[at:])

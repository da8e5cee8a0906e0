"""What happens where a recorded value reaches code that would take its bare number: the run is given up, by name."""

from __future__ import annotations

import opcode
import sys
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Never

from gradcli.code.stack_frames import numpys_function, place_to_show, scipys_function, show_place
from gradcli.errors import DetachedError, UnsupportedError
from gradcli.rules.function_registry import FUNCTIONS, unsupported
from gradcli.rules.nondifferentiable import NUMPY
from gradcli.tape import active_runs
from gradcli.tape.tape import Tape, finished

_BINARY_OP = opcode.opmap["BINARY_OP"]
_STORE_ITEM = {opcode.opmap.get(name) for name in ("STORE_SUBSCR", "STORE_SLICE")}  # the second since Python 3.12
_TAKEN = "reaches code that takes its bare number ({})"
WRITTEN = "is written into an array of plain numbers"
NO_ARRAY = "__array__ method not producing an array"  # what NumPy says of an object that holds a recorded one
_REMAINDERS = (6, 19)  # `%` and `%=` among the arguments of BINARY_OP


class Leak(BaseException):
    """A recorded value was asked for its bare number; not an Exception, so that no user code catches it by accident.

    `asked` says how, `frames` are those of the run, innermost first, with their lines, and `refused` is the error of
    one that nothing answers, where it is another than usual.
    """

    def __init__(self, asked: str, frames: list[tuple[FrameType, int]], refused: DetachedError | None = None) -> None:
        super().__init__(asked)
        self.asked = asked
        self.frames = frames
        self.refused = refused

    def refusal(self) -> DetachedError | UnsupportedError:
        """The error of a derivative that would be lost, at the user's line."""
        if self.refused is not None:
            return self.refused
        refused: DetachedError | UnsupportedError
        if name := scipys_function(self.frames) or self._without_a_rule(numpys_function(self.frames)):
            refused = unsupported(name)
        else:
            origin = self._origin(*place_to_show(self.frames))
            made = f": {origin.told()}" if origin else ""
            refused = DetachedError(
                f"a recorded value {self.asked}, so its derivative would be lost{made}",
                hint=f"{self._way_out(origin)} `gradcli help G402` says more.",
            )
        show_place(refused, self.frames)
        return refused

    def _origin(self, file: str | None, line: int | None) -> Any:
        """The other line: that of the array that is written into; None where it is not known."""
        frame = next((frame for frame, at in self.frames if (frame.f_code.co_filename, at) == (file, line)), None)
        if self.asked != WRITTEN or frame is None or line is None:
            return None
        from gradcli.code.written_array_origins import written_into

        return written_into(frame, line)

    @staticmethod
    def _without_a_rule(name: str | None) -> str | None:
        """A function of NumPy's, unless it is one that would have followed the value under its own name."""
        inner = (name or "").removeprefix("numpy.")
        return None if inner in FUNCTIONS or inner in NUMPY else name

    def _way_out(self, origin: Any) -> str:
        if origin and origin.inside:
            floats = ", dtype=float" if getattr(getattr(origin.value, "dtype", None), "kind", "f") in "biu" else ""
            made = f"`{origin.name} = np.array(...{floats})`"
            return f"Write {made} around what line {origin.line} makes, or keep a list."
        if self.asked == WRITTEN:
            return "Make that array in the function, with `np.zeros(n)` or `a = np.array(a)`, or keep a list."
        from gradcli.tape import method_hints

        told = method_hints.way_out(self.frames[0][0]) if self.frames else None
        return (
            told or "Use the function of `math` or `numpy` by its own name, or `gradcli.stop_gradient(x)` to mean it."
        )


def leak(value: Any, asked: str) -> Never:
    """Give the run up at the frame that called the caller of this function.

    Raises:
        Leak: inside the run; the tape remembers it, in case that C code makes another error of it, or none.
        DetachedError: where no run goes on that could be repeated.
        ForeignTapeError: the value's run is over.
    """
    tape: Tape = value.tape
    if tape.closed:
        finished()
    frame = sys._getframe(2)
    how = WRITTEN if asked is WRITTEN or writes_item(frame) else _TAKEN.format(asked)
    if active_runs.tape() is not tape:
        raise Leak(how, list(_outwards(frame))).refusal()
    frames = [(each, each.f_lineno) for each in active_runs.frames(frame)]
    value.tape.lost = Leak(how, frames)  # by no name of our own: its traceback holds this frame
    _hold_back()
    raise value.tape.lost


def _outwards(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back


# What Python prints of an error that nobody catches, held back for a leak until its run knows of it: code in C, such as
# MINPACK's, prints what the user's function raises before it gives up itself.
_before: list[Any] = []


def _hold_back() -> None:
    if sys.excepthook is not _print_others:
        _before[:] = [sys.excepthook]
        sys.excepthook = _print_others


def _print_others(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if not issubclass(kind, Leak):
        _before[0](kind, error, traceback)


def heard() -> None:
    """Errors that nobody catches are printed as before: the run that was given up knows it."""
    if sys.excepthook is _print_others:
        sys.excepthook = _before[0]


def asked_for_text(frame: FrameType) -> bool:
    """Whether the number is wanted by `"%g" % x`, which makes text."""
    code = frame.f_code.co_code
    at = frame.f_lasti
    return code[at] == _BINARY_OP and code[at + 1] in _REMAINDERS


def is_operator(frame: FrameType) -> bool:
    """Whether the frame is at an operator between two values."""
    return frame.f_code.co_code[frame.f_lasti] == _BINARY_OP


def writes_item(frame: FrameType) -> bool:
    """Whether the frame is at `a[i] = x`."""
    return frame.f_code.co_code[frame.f_lasti] in _STORE_ITEM

"""Errors for recorded values in code that needs their bare number, such as compiled code: the run is aborted."""

from __future__ import annotations

import opcode
import sys
from collections.abc import Iterator
from types import FrameType, TracebackType
from typing import Any, Never

from gradcli import run_stack
from gradcli.engine.code.stack_frames import is_ours, numpys_function, place_to_show, scipys_function, show_place
from gradcli.engine.tape.tape import Tape, active_tape, raise_finished
from gradcli.errors import DetachedError, UnsupportedError
from gradcli.mathematics.rules.function_registry import FUNCTIONS, unsupported
from gradcli.mathematics.rules.nondifferentiable import NUMPY

_BINARY_OP = opcode.opmap["BINARY_OP"]
_STORE_ITEM = {opcode.opmap.get(name) for name in ("STORE_SUBSCR", "STORE_SLICE")}  # the second one since Python 3.12
_TAKEN = "is converted to a plain number ({})"
WRITTEN = "is written into an array of plain numbers"
NO_ARRAY = "__array__ method not producing an array"  # NumPy's error for an object that contains a recorded value
_REMAINDERS = (6, 19)  # the arguments of BINARY_OP for `%` and `%=`


class Leak(BaseException):
    """The bare number of a recorded value was requested. Not an Exception, so that user code does not catch it by
    accident.

    `asked` says how the number was requested. `frames` are the frames of the run with their lines, innermost first.
    `refused` replaces the default error of a run that cannot be repeated.
    """

    def __init__(self, asked: str, frames: list[tuple[FrameType, int]], refused: DetachedError | None = None) -> None:
        super().__init__(asked)
        self.asked = asked
        self.frames = frames
        self.refused = refused

    def refusal(self) -> DetachedError | UnsupportedError:
        """The error to show the user, at the user's line: the derivative would be lost."""
        if self.refused is not None:
            return self.refused
        refused: DetachedError | UnsupportedError
        if name := scipys_function(self.frames) or self._without_a_rule(numpys_function(self.frames)):
            refused = unsupported(name)
        else:
            refused = DetachedError(
                f"a recorded value {self.asked}, so its derivative would be lost",
                hint=f"{self._way_out()} `gradcli help G402` says more.",
            )
        show_place(refused, self.frames)
        return refused

    @staticmethod
    def _without_a_rule(name: str | None) -> str | None:
        """The name of a NumPy function, unless that function is supported when called by its own name."""
        inner = (name or "").removeprefix("numpy.")
        return None if inner in FUNCTIONS or inner in NUMPY else name

    def _way_out(self) -> str:
        from gradcli.engine.tape import concretization_hints

        if self.asked != WRITTEN:
            return concretization_hints.hint(frame for frame, _ in self.frames)
        users = next((frame for frame, _ in self.frames if not is_ours(frame)), None)
        is_call = users is not None and bool(concretization_hints.called_names(users))  # as with `out=`
        create = "Write into the items, `a[...] = x`, or create" if is_call else "Create"
        return (
            f"{create} that array inside the function, with `np.zeros(n)` or `a = np.array(a, dtype=float)`, or use a "
            "list."
        )


def note_error(text: str, frame: FrameType) -> None:
    """Note on the tape of the active run an error that plain numbers may not raise, as the program may catch it."""
    tape = active_tape()
    if tape is not None and not tape.closed and tape.run.raised is None:
        place = place_to_show([(outer, outer.f_lineno) for outer in run_stack.frames(frame)])
        tape.run.raised = (text, *place)


def refuse_hash(value: Any) -> int:
    """The hash of a recorded value, which it does not have. Nor does a plain array.

    Raises:
        TypeError: always, as Python does. The tape notes the place, as the program may catch the error.
    """
    text = f"unhashable type: '{type(value).__name__}'"
    if type(value._value).__hash__ is not None and active_tape() is value.tape:
        note_error(f"TypeError: {text}", sys._getframe(1))
    raise TypeError(text)


def leak(value: Any, asked: str) -> Never:
    """Abort the run at the frame that called the caller of this function.

    Raises:
        Leak: inside the run. The tape stores it too, as C code may replace or discard the exception.
        DetachedError: outside a run that could be repeated.
        ForeignTapeError: the run of the value is over.
    """
    tape: Tape = value.tape
    if tape.closed:
        raise_finished()
    frame = sys._getframe(2)
    how = WRITTEN if asked is WRITTEN or frame.f_code.co_code[frame.f_lasti] in _STORE_ITEM else _TAKEN.format(asked)
    if active_tape() is not tape:
        raise Leak(how, list(_outwards(frame))).refusal()
    frames = [(outer, outer.f_lineno) for outer in run_stack.frames(frame)]
    value.tape.run.lost = Leak(how, frames)  # not in a local variable: the traceback refers to this frame
    _hold_back()
    raise value.tape.run.lost


def _outwards(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back


# Python's report of an uncaught exception is suppressed for a Leak until its run has seen it: C code such as MINPACK
# prints the exception of the user's function before it gives up.
hook_before: list[Any] = []


def _hold_back() -> None:
    if sys.excepthook is not print_others:
        hook_before[:] = [sys.excepthook]
        sys.excepthook = print_others


def print_others(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """Report an uncaught exception as before, unless it is a Leak. The run replaces this hook at its end."""
    if not issubclass(kind, Leak):
        hook_before[0](kind, error, traceback)


def asked_for_text(frame: FrameType) -> bool:
    """Whether a frame requests the number for `"%g" % x`, which produces text."""
    code = frame.f_code.co_code
    at = frame.f_lasti
    return code[at] == _BINARY_OP and code[at + 1] in _REMAINDERS


def is_operator(frame: FrameType) -> bool:
    """Whether a frame is at a binary operator."""
    return frame.f_code.co_code[frame.f_lasti] == _BINARY_OP

"""The errors that gradcli raises, each with its exit code.

GradcliError
├── UsageError                the input cannot be understood                          exit 2
│   ├── ExpressionError       an invalid typed expression, with its position
│   ├── TargetError           no such file, module or function; a file that does not parse
│   ├── PointError            a point that does not fit the target or is not numeric
│   ├── DeviceError           no such device
│   │   └── NoDeviceError     G704: no device at all, or no library to drive it
│   ├── ResultError           the function's result is not a number
│   └── RuleError             a malformed or wrong rule of the user's
├── NotFiniteError            the point is NaN or infinite                            exit 4
├── UserCodeError             the user's code raised                                  exit 5
│   ├── EndedProcessError     it ended its process, or crashed the interpreter
│   ├── DeviceMemoryError     the memory of a device ran out
│   └── TapeError             the user's code cannot be followed
│       ├── DetachedError     G402: a recorded value was converted to a plain number
│       │   └── TraceOnlyError    G906: the program runs on plain numbers only
│       ├── UnsupportedError  G404: an operation without a rule
│       │   └── OverwrittenError  G406: an array that the tape had read was written into
│       ├── LongTapeError     G909: the program takes more steps than the memory holds
│       ├── MixedDevicesError G703: a host array met a device array
│       └── ForeignTapeError  a recorded value of a finished or another gradient
├── InconclusiveError         nothing could be compared                               exit 3
├── OutOfTimeError            the work did not end in the time allowed                exit 7
└── InternalError             a bug in gradcli                                        exit 70

The facts are fields; the text is built when the error is displayed.
"""

from __future__ import annotations

import os
from enum import IntEnum
from typing import ClassVar


class Exit(IntEnum):
    """The exit codes of the command line, in the order in which `gradcli help exit-codes` prints them."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    INCONCLUSIVE = 3
    NOT_FINITE = 4
    USER_CODE = 5
    UNCHECKED = 6
    OUT_OF_TIME = 7
    INTERNAL = 70
    INTERRUPTED = 130


EXIT_MEANINGS: dict[Exit, str] = {
    Exit.PASS: "success; for `check`, the gradient is right",
    Exit.FAIL: "the gradient is wrong",
    Exit.USAGE: "invalid usage: an argument is malformed, not found or does not fit",
    Exit.INCONCLUSIVE: "inconclusive: no reference could decide",
    Exit.NOT_FINITE: "the point, the value or a derivative is not finite",
    Exit.USER_CODE: "your code raised an exception, ended its process, or cannot be traced",
    Exit.UNCHECKED: "nothing was checked",
    Exit.OUT_OF_TIME: "the time limit was reached",
    Exit.INTERNAL: "an internal error in gradcli",
    Exit.INTERRUPTED: "interrupted by Ctrl-C",
}


def with_article(noun: str) -> str:
    """A noun with "a" or "an" in front of it."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun}"


def is_cell(file: str) -> bool:
    """Whether a file stands for a cell of a notebook; its name is a number that means nothing to the user."""
    return f"{os.sep}ipykernel_" in file


def place(file: str, line: int | None = None) -> str:
    """A line of a file, without the folder: `hyperbox.py:6`, and `cell:6` in a notebook."""
    return ("cell" if is_cell(file) else os.path.basename(file)) + (f":{line}" if line else "")


def origin(file: str, line: int | None = None) -> str:
    """Where a function is from: the line of its file, or the prompt, at which `def f` was typed."""
    return "typed at the prompt" if file.startswith("def ") else place(file, line)


def path_and_line(file: str, line: int) -> str:
    """A line of a file, with the folder; `cell:6` in a notebook."""
    return place(file, line) if is_cell(file) else f"{file}:{line}"


class GradcliError(Exception):
    """The base class of gradcli's errors.

    Args:
        message: what was given and what was needed, in a sentence or two.
        hint: what to type instead, if anything.
        file, line: the position in the user's source, if there is one.
    """

    exit: ClassVar[Exit] = Exit.INTERNAL
    kind: ClassVar[str] = "error"
    code: ClassVar[str | None] = None

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.file = file
        self.line = line

    def excerpt(self) -> list[str]:
        """Lines that show the position of the error: the user's text with a caret, or nothing if the position is
        unknown.
        """
        if self.file is None or self.line is None:
            return []
        import linecache

        text = linecache.getline(self.file, self.line).rstrip()
        where = path_and_line(self.file, self.line)
        return [f"{where}: {text.strip()}"] if text else [where]

    def __str__(self) -> str:
        parts = [self.message, *("  " + line for line in self.excerpt())]
        if self.hint:
            parts.append(self.hint)
        return "\n".join(parts)


class UsageError(GradcliError, ValueError):
    """The input cannot be understood."""

    exit = Exit.USAGE
    kind = "usage"


class ExpressionError(UsageError):
    """A typed expression is not in the formula language; `start` and `end` are columns of `text`, counted from 0."""

    kind = "expression"

    def __init__(
        self, message: str, text: str, start: int = 0, end: int | None = None, *, hint: str | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.text = text
        self.start = start
        self.end = start + 1 if end is None else max(end, start + 1)

    def excerpt(self) -> list[str]:
        """The typed expression, or the part around the error, with carets under the error."""
        line_start = self.text.rfind("\n", 0, self.start) + 1
        line_end = self.text.find("\n", line_start)
        line_end = len(self.text) if line_end < 0 else line_end
        left, right = max(line_start, self.start - 50), min(line_end, self.start + 50)
        head, tail = ("…" if left > line_start else ""), ("…" if right < line_end else "")
        shown = "".join(c if c.isprintable() else " " for c in self.text[left:right])
        carets = "^" * max(1, min(self.end, right) - self.start)
        return [f"{head}{shown}{tail}", " " * (len(head) + self.start - left) + carets]


class TargetError(UsageError):
    """A target cannot be found, imported or parsed."""

    kind = "target"


class PointError(UsageError):
    """A point does not fit the target, or is not made of numbers."""

    kind = "point"


class DeviceError(UsageError):
    """The requested device does not exist."""

    kind = "device"


class NoDeviceError(DeviceError):
    """There is no device at all, or no library that can drive it is installed."""

    code = "G704"


class ResultError(UsageError, TypeError):
    """The result of a function is not the number that was needed."""

    kind = "result"
    code = "G415"


class NestedError(UsageError, RecursionError):
    """A structure of numbers holds itself, or is nested too deeply."""


class RuleError(UsageError):
    """A user's rule is malformed, or its partials are not the derivatives of its value."""

    kind = "rule"


class NotFiniteError(GradcliError, ValueError):
    """A point is NaN or infinite."""

    exit = Exit.NOT_FINITE
    kind = "nonfinite"
    code = "G110"


class UserCodeError(GradcliError):
    """The user's code raised an exception; `frames` are the user's own frames, outermost first."""

    exit = Exit.USER_CODE
    kind = "raised"
    code: ClassVar[str | None] = "G905"

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        file: str | None = None,
        line: int | None = None,
        frames: tuple[tuple[str, int, str], ...] = (),
    ) -> None:
        super().__init__(message, hint=hint, file=file, line=line)
        self.frames = frames

    def excerpt(self) -> list[str]:
        """One line for each of the user's frames: file, line, function and the source text."""
        import linecache

        if not self.frames:
            return super().excerpt()
        return [
            f"{path_and_line(file, line)} in {name}: {linecache.getline(file, line).strip()}"
            for file, line, name in self.frames
        ]


class EndedProcessError(UserCodeError):
    """The user's code ended the process that runs it, or crashed the interpreter."""

    kind = "ended"


class TapeError(UserCodeError):
    """The user's code runs, but the tape cannot follow it.

    The active run notices each such error, because the user's code may catch it and then take a different path than it
    would on plain numbers.
    """

    kind = "untraceable"
    code: ClassVar[str | None] = None

    def __init__(
        self, message: str, *, hint: str | None = None, file: str | None = None, line: int | None = None
    ) -> None:
        super().__init__(message, hint=hint, file=file, line=line)
        from gradcli.run_stack import notice

        notice(self)


class DetachedError(TapeError, TypeError):
    """A recorded value reached code that needs its plain number, so the derivative would be lost silently."""

    kind = "detached"
    code = "G402"


class TraceOnlyError(DetachedError):
    """The program runs on plain numbers but raises on recorded values."""

    code = "G906"


class UnsupportedError(TapeError, TypeError):
    """An operation has no rule."""

    kind = "unsupported"
    code = "G404"


class MixedDevicesError(TapeError, TypeError):
    """One operation combines a host array and a device array."""

    kind = "mixed"
    code = "G703"


class LongTapeError(TapeError):
    """The program takes so many steps that its tape fills the memory."""

    kind = "long"
    code = "G909"


class DeviceMemoryError(UserCodeError, MemoryError):
    """A device ran out of memory."""

    kind = "memory"


class OverwrittenError(UnsupportedError):
    """The program wrote into a large plain array that the tape had read."""

    kind = "overwritten"
    code = "G406"


class ForeignTapeError(TapeError):
    """A recorded value met one of another gradient, or was used after its own gradient had finished."""

    kind = "foreign"


class InconclusiveError(GradcliError):
    """The result could not be compared with anything, so it is withheld."""

    exit = Exit.INCONCLUSIVE
    kind = "inconclusive"


class OutOfTimeError(GradcliError):
    """The work did not end in the time allowed."""

    exit = Exit.OUT_OF_TIME
    kind = "timeout"
    code = "G908"

    @classmethod
    def of_check(cls, seconds: float, file: str | None = None, line: int | None = None) -> OutOfTimeError:
        """The error for a check with a time limit, and for the line of a call that did not return in time."""
        return cls(
            f"The time limit of {seconds:g} s (--max-seconds) was reached before any component was decided.",
            hint="Allow more time, or check fewer inputs with --wrt. `gradcli help G908` says more.",
            file=file,
            line=line,
        )


class InterruptedByUserError(GradcliError):
    """Ctrl-C."""

    exit = Exit.INTERRUPTED
    kind = "interrupted"


class InternalError(GradcliError):
    """A bug in gradcli."""

    exit = Exit.INTERNAL
    kind = "internal"


class FindingWarning(UserWarning):
    """A finding of a function that returns plain numbers, shown once per line and code."""

"""The errors for Python files that are not there or do not parse, imported where there is one."""

from __future__ import annotations

import linecache
import os

from gradcli.errors import TargetError
from gradcli.shared.message_wording import did_you_mean, list_text, quoted, sentence


class SourceError(TargetError):
    """A file does not parse; `column` counts from 1."""

    def __init__(self, message: str, file: str, line: int, column: int) -> None:
        super().__init__(message, file=file, line=line)
        self.column = column

    def excerpt(self) -> list[str]:
        """The line with its file and number, and a caret under the error."""
        text = linecache.getline(str(self.file), self.line or 0).rstrip()
        if not text.strip():
            return super().excerpt()
        place = f"{self.file}:{self.line}: "
        indent = len(text) - len(text.lstrip())
        return [place + text.strip(), " " * (len(place) + max(0, self.column - 1 - indent)) + "^"]


def no_file(typed: str, path: str) -> TargetError:
    """The error for a path at which there is no file."""
    folder, file = os.path.split(path)
    if not os.path.isdir(folder):
        hint = "A target is file.py:function, with a path relative to the current folder."
        return TargetError(f"There is no file {quoted(typed)}: no folder {quoted(folder)}.", hint=hint)
    there = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    listing = f"The Python files there are {list_text(there)}." if there else "There is no Python file in that folder."
    stems = (name.removesuffix(".py") for name in there)  # without the ending, which makes all short names alike
    near = did_you_mean(file.removesuffix(".py"), stems, typed.removesuffix(file), ".py")
    return TargetError(f"There is no file {quoted(typed)}.", hint=near or listing)


def unparsable(error: Exception, data: bytes, typed: str, path: str) -> TargetError:
    """The error for a file whose text is no program."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return SourceError(sentence(f"{typed} does not parse: {error.msg}"), path, error.lineno, error.offset or 1)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        message = f"{typed} is not UTF-8 text: byte 0x{data[wrong.start]:02x} in line {line}."
        return TargetError(message, hint="Save it as UTF-8.")
    from gradcli.answers.targets.tracebacks import exception_message

    reason = "it is nested too deeply" if isinstance(error, (RecursionError, MemoryError)) else exception_message(error)
    return TargetError(f"{typed} does not parse: {reason}.")

"""TOML files: their content as a table, and errors with the file, the line and a caret."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

from gradcli.errors import UsageError

_DEEP = re.compile(r"(?:[\w\"'-]+[ \t]*\.[ \t]*){100}")  # a key of a hundred parts
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)


def read_toml(path: str) -> tuple[dict[str, Any], str]:
    """The content of a TOML file as a table and as text.

    Raises:
        UsageError: the file cannot be read, or is not valid TOML.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise UsageError(f"The configuration {path!r} cannot be read: {error.strerror}.") from None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        raise _invalid(path, before, f"byte 0x{data[error.start]:02x} is not UTF-8") from None
    if text.startswith("\ufeff"):
        raise _invalid(path, "", "it begins with a byte order mark; save it as UTF-8 without one")
    try:
        if _DEEP.search(text):  # `tomllib` takes minutes
            raise RecursionError
        return tomllib.loads(text), text
    except RecursionError:
        message = f"{os.path.relpath(path)} is not valid TOML: it is nested too deeply."
        raise UsageError(message, file=os.path.abspath(path)) from None
    except ValueError as error:  # a number of thousands of digits is not a TOMLDecodeError
        raise _misread(path, text, str(error)) from None


def _misread(path: str, text: str, message: str) -> UsageError:
    """The error for what `tomllib` says of a text, with the place that its message ends with."""
    match = _PLACE.fullmatch(message)
    if match is None:
        return UsageError(f"{os.path.relpath(path)} is not valid TOML: {message}.")
    reason, line, column = match[1][:1].lower() + match[1][1:], match[2], match[3]
    if line is None:
        return _invalid(path, text.rstrip(), f"{reason}, at the end of the file")
    lines = text.replace("\r\n", "\n").split("\n")[: int(line)]
    return _invalid(path, "\n".join([*lines[:-1], lines[-1][: int(column) - 1]]), reason)


def _invalid(path: str, before: str, reason: str) -> UsageError:
    """The error for a file that is valid up to the end of the text `before`."""
    from gradcli.targets.python_files import SourceError

    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return SourceError(f"{os.path.relpath(path)} is not valid TOML: {reason}.", os.path.abspath(path), line, column)

"""The files of `save` and `--out`, which never overwrite files of the user, and the scripts of `run`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count

from gradcli.errors import UsageError
from gradcli.shared.file_replacement import is_ours, replace_file
from gradcli.shared.message_wording import nearest_file
from gradcli.shared.regular_files import read_file, special_kind


def save_script(path: str, text: str) -> tuple[str, ...]:
    """Write a script, or replace one; a script with other lines is kept as `file~`.

    Args:
        path: the path of the file.
        text: the content; its first line marks the file as one of gradcli's.

    Returns:
        A note on the previous file, if it was kept.

    Raises:
        UsageError: the existing file was not written by gradcli, or the file cannot be written.
    """
    place, data = os.path.expanduser(path), text.encode("utf-8", "backslashreplace")
    if os.path.isfile(place) and not is_ours(place):
        hint = f"Type save {free_path(path)}, or another name that is free."
        raise UsageError(f"{path!r} exists and was not written by gradcli, so it was not replaced.", hint=hint)
    with writable(path):
        before = read_file(place) if os.path.isfile(place) else b""
        is_other = before not in (b"", data)
        if is_other:
            replace_file(f"{place}~", before)
        replace_file(place, data)
    return (f"the previous file is kept as {path}~",) if is_other else ()


@contextmanager
def writable(path: str) -> Iterator[None]:
    """Convert a system error to one that says why a file cannot be written.

    Raises:
        UsageError: a system error was raised inside.
    """
    try:
        yield
    except (OSError, ValueError) as error:
        raise unwritable(path, error) from None


def unwritable(path: str, error: OSError | ValueError) -> UsageError:
    """The error for a file that cannot be written, with a hint."""
    folder, name = os.path.split(path)
    if not isinstance(error, OSError):
        return UsageError(f"{path!r} cannot be written: that is no name of a file.", hint="Name another file.")
    if os.path.isdir(os.path.expanduser(path)):
        return UsageError(f"{path!r} is a folder.", hint=f"Name a file in it: {os.path.join(path, name or 'file')}")
    if folder and not os.path.isdir(os.path.expanduser(folder)):
        hint = f"Make it with mkdir -p {folder}, or type {name} alone."
        return UsageError(f"{path!r} cannot be written: there is no folder {folder!r}.", hint=hint)
    return UsageError(f"{path!r} cannot be written: {error.strerror}.", hint="Name another file.")


def unreadable(path: str, error: OSError | ValueError) -> UsageError:
    """The error for a script that cannot be read, with a hint."""
    if isinstance(error, UnicodeDecodeError):
        line = error.object[: error.start].count(b"\n") + 1
        what = f"byte 0x{error.object[error.start]:02x} in line {line}"
        return UsageError(f"{path!r} is not UTF-8 text: {what}.", hint="Save it as UTF-8.")
    if not isinstance(error, OSError):
        return UsageError(f"{path!r} cannot be read: that is no name of a file.", hint="Type run session.gradcli")
    if isinstance(error, FileNotFoundError) or not path:
        return UsageError(f"There is no file {path!r}.", hint=_script_like(path))
    if isinstance(error, IsADirectoryError):
        return UsageError(f"{path!r} is a folder.", hint=f"Name a file in it: {os.path.join(path, 'session.gradcli')}")
    if kind := special_kind(path):
        what = f"{path!r} is {kind}, not a regular file."
        return UsageError(what, hint=f"To answer the lines of a pipe, type gradcli repl < {path}")
    hint = f"Allow it: chmod u+r {path}" if isinstance(error, PermissionError) else None
    return UsageError(f"{path!r} cannot be read: {error.strerror}.", hint=hint)


def _script_like(path: str) -> str:
    """The hint for a missing script: a similar file name, or how to create a script."""
    folder, name = os.path.split(path)
    with suppress(OSError):
        if near := nearest_file(name, os.listdir(os.path.expanduser(folder) or ".")):
            return f"Did you mean {os.path.join(folder, near)}?"
    return "`save session.gradcli` at the prompt writes a script that run reads."


def free_path(path: str) -> str:
    """A similar path that is free."""
    stem, end = os.path.splitext(path)
    return next(name for number in count(2) if not os.path.lexists(os.path.expanduser(name := f"{stem}_{number}{end}")))

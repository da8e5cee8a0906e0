"""Files written by a session, which never overwrite files of the user."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count

from gradcli.errors import UsageError
from gradcli.shared.file_replacement import begins_with, replace_file
from gradcli.shared.message_wording import nearest_file
from gradcli.shared.regular_files import read_file, special_kind


class WrittenFiles:
    """The files written by a session and their contents, so that later edits by others are kept as backups."""

    def __init__(self) -> None:
        self._bytes: dict[str, bytes] = {}

    def write(self, command: str, path: str, text: str, loaded: Iterable[str]) -> tuple[str, ...]:
        """Write a new file, or replace one written by the same command.

        If the existing content is neither this session's nor the new text, it is kept as a backup.

        Args:
            command: the command that writes the file, for the hint of an error.
            path: the path of the file.
            text: the content; its first line marks the file as gradcli's.
            loaded: the files whose functions the session uses.

        Returns:
            A note on the backup, if there is one.

        Raises:
            UsageError: the existing file is not from this command, or the file cannot be written.
        """
        place, data = os.path.expanduser(path), text.encode("utf-8", "backslashreplace")
        head = data[: data.index(b"\n") + 1]
        if os.path.isfile(place) and (is_one_of(place, loaded) or not begins_with(place, head)):
            hint = f"Type {command} {free_path(path)}, or another name that is free."
            raise UsageError(f"{path!r} exists and is not from {command}, so it was not written over.", hint=hint)
        with writable(path):
            kept = keep(path, known={b"", data, self._bytes.get(os.path.realpath(place), b"")})
            replace_file(place, data)
            self._bytes[os.path.realpath(place)] = data
        return (f"the previous file is kept as {kept}",) if kept else ()


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


def keep(path: str, known: Collection[bytes]) -> str:
    """Make a backup of a file unless its content is known; returns the path of the backup, or "".

    Earlier backups are not overwritten.

    Raises:
        OSError: the file cannot be read, or the backup cannot be written.
    """
    place = os.path.expanduser(path)
    if not os.path.isfile(place):
        return ""
    content = read_file(place)
    if content in known:
        return ""
    copy = next(name for number in count(1) if is_free(name := f"{path}~{number if number > 1 else ''}", content))
    replace_file(copy, content)
    return copy


def is_free(path: str, data: bytes) -> bool:
    """Whether a path is free, or holds a file with exactly this content."""
    place = os.path.expanduser(path)
    return not os.path.lexists(place) or (os.path.isfile(place) and read_file(place) == data)


def is_one_of(place: str, paths: Iterable[str]) -> bool:
    """Whether a file is one of several, given by any spelling of their paths."""
    return os.path.realpath(place) in {os.path.realpath(os.path.expanduser(path)) for path in paths}


def free_path(path: str) -> str:
    """A similar path that is free."""
    stem, end = os.path.splitext(path)
    return next(name for number in count(2) if not os.path.lexists(os.path.expanduser(name := f"{stem}_{number}{end}")))

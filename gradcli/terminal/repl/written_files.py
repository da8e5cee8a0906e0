"""The files of `save` and `--out`, which never overwrite files of the user, and the scripts of `run`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from gradcli.errors import UsageError
from gradcli.shared.file_replacement import refuse_to_replace, replace_file
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
    refuse_to_replace(path, "save ")
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
        folder, file = os.path.split(path)
        if isinstance(error, FileNotFoundError) and folder and not os.path.isdir(folder):
            hint = f"Make it with mkdir -p {folder}, or type {file} alone."
            raise UsageError(f"{path!r} cannot be written: there is no folder {folder!r}.", hint=hint) from None
        raise UsageError(f"{path!r} cannot be written: {reason(error)}.", hint="Name another file.") from None


def unreadable(path: str, error: OSError | ValueError) -> UsageError:
    """The error for a script that cannot be read."""
    hint = "`save session.gradcli` at the prompt writes a script that run reads."
    return UsageError(f"{path!r} cannot be read: {special_kind(path) or reason(error)}.", hint=hint)


def reason(error: OSError | ValueError) -> str:
    """Why a file cannot be read or written."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte 0x{error.object[error.start]:02x} is not UTF-8"
    return str(error.strerror) if isinstance(error, OSError) else "that is no name of a file"

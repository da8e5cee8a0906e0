"""Atomic replacement of files: a failure, such as a full disk, leaves the old file intact."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import count

from gradcli.errors import UsageError


def replace_file(path: str, data: bytes) -> None:
    """Replace a file: write `data` to a new file beside `path`, then rename it.

    A symbolic link stays a link, and a file keeps its permissions. A pipe or device is written directly.

    Args:
        path: the file to replace; `~` is the home folder.
        data: the whole content of the file.

    Raises:
        OSError: the file cannot be written; the old file is unchanged.
        ValueError: the path is not a valid file name.
    """
    place = os.path.realpath(os.path.expanduser(path))
    mode = _mode(place)
    if mode is not None and not stat.S_ISREG(mode):
        flags = os.O_WRONLY | getattr(os, "O_NONBLOCK", 0)  # a pipe that no process reads is not waited for
        with os.fdopen(os.open(place, flags), "wb"), open(place, "wb") as device:
            device.write(data)
        return
    handle, temporary = _opened_beside(place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
            temporary = temporary or _named_beside(place, handle)
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, place)
    except BaseException:
        with suppress(OSError, TypeError):  # it has no name yet
            os.unlink(temporary)  # type: ignore[arg-type]
        raise


MARKS = (
    b"Written by gradcli", b"Drawn by gradcli", b"Derived by gradcli", b'content="gradcli"',
    b"# Lines of a gradcli session", b'"schema": "gradcli/', b"gradcli verify: ", b'<testsuites name="gradcli"',
    b'"check_name": "gradcli/', b'"name": "gradcli"',
)  # fmt: skip
"""What the files that gradcli writes have within their first kilobyte."""


def is_ours(place: str) -> bool:
    """Whether gradcli wrote a file, as a mark says, or it says nothing; False for a file that cannot be read."""
    try:
        with open(place, "rb") as file:
            head = file.read(1024)
    except OSError:
        return False
    return head.strip() in (b"", b"[]") or any(mark in head for mark in MARKS)


def refuse_to_replace(path: str, typed: str = "", *heads: bytes) -> None:
    """Refuse to replace a file that gradcli did not write, unless it is empty.

    Args:
        path: the file; `~` is the home folder.
        typed: what to type before the name of another file, such as `--out `; empty for no hint.
        heads: for files without a mark, what those of gradcli begin with.

    Raises:
        UsageError: there is such a file.
    """
    place = os.path.expanduser(path)
    if os.path.isfile(place) and not (begins_with(place, *heads) if heads else is_ours(place)):
        hint = f"Type {typed}{free_path(path)}, or another name that is free." if typed else None
        raise UsageError(f"{path!r} exists and was not written by gradcli, so it was not replaced.", hint=hint)


def free_path(path: str) -> str:
    """A similar path that is free."""
    stem, end = os.path.splitext(path)
    return next(name for number in count(2) if not os.path.lexists(os.path.expanduser(name := f"{stem}_{number}{end}")))


def begins_with(place: str, *heads: bytes) -> bool:
    """Whether a file is empty or begins with one of `heads`; False for a file that cannot be read.

    Line endings may be those of Windows.
    """
    try:
        with open(place, "rb") as file:
            data = file.read(2 * max(map(len, heads)))
    except OSError:
        return False
    return not data or data.replace(b"\r\n", b"\n").startswith(heads)


def _mode(place: str) -> int | None:
    try:
        return os.stat(place).st_mode
    except FileNotFoundError:
        return None


def _opened_beside(place: str) -> tuple[int, str | None]:
    """Create a new file in the same folder, so that it can be renamed; return its open handle and its name.

    On Linux it has no name, so that nothing is left of it if the process is killed.
    """
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not every file system has files without a name
            return os.open(os.path.dirname(place), os.O_WRONLY | os.O_TMPFILE, 0o666), None
    for temporary in _names_beside(place):
        with suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            return os.open(temporary, flags, 0o666), temporary
    raise AssertionError("there is always a free name")


def _named_beside(place: str, handle: int) -> str:
    """Give a file without a name a free one in the same folder."""
    for temporary in _names_beside(place):
        with suppress(FileExistsError):
            os.link(f"/proc/self/fd/{handle}", temporary, src_dir_fd=handle)  # without a folder, Linux links the link
            return temporary
    raise AssertionError("there is always a free name")


def _names_beside(place: str) -> Iterator[str]:
    return (f"{place}.{os.getpid()}-{number}.tmp" for number in count(1))

"""Reading of regular files: a pipe would be waited for, and a device may never end."""

from __future__ import annotations

import errno
import os
import stat

SPECIAL = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def special_kind(path: str | os.PathLike[str]) -> str | None:
    """The kind of a file that is not regular, such as `a named pipe`; None for other paths."""
    try:
        return SPECIAL.get(stat.S_IFMT(os.stat(path).st_mode))
    except (OSError, ValueError):
        return None


def regular_file(path: str, flags: int) -> int:
    """Open a regular file; an `opener` for `open`.

    Raises:
        OSError: the file is not regular, or cannot be opened.
    """
    if (kind := special_kind(path)) is not None:
        raise OSError(errno.EINVAL, f"it is {kind}, not a regular file", path)
    return os.open(path, flags)


def read_file(path: str | os.PathLike[str]) -> bytes:
    """The content of a regular file.

    Raises:
        OSError: the file is not regular, or cannot be read.
    """
    with open(path, "rb", opener=regular_file) as file:
        return file.read()

"""Writing a file so that a failure, such as a full disk, leaves the earlier one whole; and whose a file is."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from itertools import count


def replace_file(path: str, data: bytes) -> None:
    """Write `data` into a new file beside `path`, and give it that name once it is complete.

    A link keeps its place, and a file its permissions. A pipe or a device is written as it is.

    Args:
        path: where; `~` is the home folder.
        data: the whole of the file.

    Raises:
        OSError: the file cannot be written; what was there before is unchanged.
        ValueError: the path is no name of a file.
    """
    place = os.path.realpath(os.path.expanduser(path))
    mode = _mode(place)
    if mode is not None and not stat.S_ISREG(mode):
        with open(place, "wb") as device:
            device.write(data)
        return
    beside, handle = _opened_beside(place)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, place)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise


def begins(place: str, *heads: bytes) -> bool:
    """Whether a file begins in one of the ways, or holds nothing that could be lost; one that cannot be read does not.

    The ends of lines may be those of Windows.
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


def _opened_beside(place: str) -> tuple[str, int]:
    """A new file in the same folder, so that it can be renamed: its name and its open handle."""
    for number in count(1):
        with suppress(FileExistsError):
            beside = f"{place}.{os.getpid()}-{number}.tmp"
            return beside, os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    raise AssertionError("there is always a free name")

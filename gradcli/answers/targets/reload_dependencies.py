"""The modules that loaded files imported from their own folders: a change to one reloads its importers."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping

Stamp = tuple[int, int]  # time of the last write in ns, and length in bytes

_FOUND: dict[str, str] = {}  # the file of each such module
_NOT_ITS_OWN = ("site-packages", "dist-packages")


def file_stamp(path: str) -> Stamp | None:
    """A value that changes when the file is saved; None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def note_dependencies(before: Collection[str], folder: str) -> dict[str, Stamp | None]:
    """Note newly imported modules, and return the stamps of the files below `folder` that loaded files depend on.

    Args:
        before: the names of the modules that existed before a file of the folder was loaded.
        folder: the folder.
    """
    inside = os.path.join(folder, "")
    for name in set(sys.modules) - set(before):
        file = getattr(sys.modules[name], "__file__", None) or ""
        own = file.startswith(inside) and not any(part in file for part in _NOT_ITS_OWN)
        if own and name.partition(".")[0] != "gradcli" and not name.startswith("gradcli_target_"):
            _FOUND[name] = file
    return {file: file_stamp(file) for file in _FOUND.values() if file.startswith(inside)}


def differ(stamps: Mapping[str, Stamp | None]) -> bool:
    """Whether a file has changed. A missing file does not count, because an editor may be about to write it."""
    return any((now := file_stamp(file)) is not None and now != then for file, then in stamps.items())


def forget(files: Collection[str]) -> None:
    """Remove the modules of some files, so that they are imported again."""
    for name in [name for name, file in _FOUND.items() if file in files]:
        sys.modules.pop(name, None)
        del _FOUND[name]

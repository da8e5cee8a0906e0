"""The modules that loaded files imported from their own folders: when one changes, its importers are loaded anew."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping

Stamp = tuple[int, int]  # when a file was written, and how long it is

_FOUND: dict[str, str] = {}  # every such module that was imported while a file was loaded, with its file
_NOT_ITS_OWN = ("site-packages", "dist-packages")


def stamp(path: str) -> Stamp | None:
    """What changes when a file is saved; None where there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def noted(before: Collection[str], folder: str) -> dict[str, Stamp | None]:
    """The files below a folder that loaded files rest on, each with its stamp; new modules are noted first.

    Args:
        before: the names of the modules that were there before a file of the folder was loaded.
        folder: that folder.
    """
    inside = os.path.join(folder, "")
    for name in set(sys.modules) - set(before):
        file = getattr(sys.modules[name], "__file__", None) or ""
        own = file.startswith(inside) and not any(part in file for part in _NOT_ITS_OWN)
        if own and name.partition(".")[0] != "gradcli" and not name.startswith("gradcli_target_"):
            _FOUND[name] = file
    return {file: stamp(file) for file in _FOUND.values() if file.startswith(inside)}


def differ(stamps: Mapping[str, Stamp | None]) -> bool:
    """Whether one of the files is another one now; a file that is away is about to be written."""
    return any((now := stamp(file)) is not None and now != then for file, then in stamps.items())


def forget(files: Collection[str]) -> None:
    """Let go of the modules of some files, so that they are imported anew."""
    for name in [name for name, file in _FOUND.items() if file in files]:
        sys.modules.pop(name, None)
        del _FOUND[name]

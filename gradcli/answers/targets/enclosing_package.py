"""The package of a Python file, found by the `__init__.py` files beside and above it."""

from __future__ import annotations

import os
from typing import Any

from gradcli.shared.frozen_record import Frozen


class Package(Frozen):
    """The position of a module in its package.

    Attributes:
        module: the dotted name of the module.
        root: the folder that contains the topmost package and has to be on `sys.path`.
        folder: the folder of the topmost package.
    """

    module: str
    root: str
    folder: str


def holding(path: str) -> Package | None:
    """The package of the file at an absolute path; None if it belongs to none, or if its name is not an identifier."""
    folder, file = os.path.split(path)
    stem = os.path.splitext(file)[0]
    parts = [] if stem == "__init__" else [stem]
    top = folder
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        top = folder
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    if folder == os.path.dirname(path) or not all(part.isidentifier() for part in parts):
        return None
    return Package(".".join(parts), folder, top)


def is_from(module: Any, path: str) -> bool:
    """Whether a module was imported from the file at `path`, or is not imported yet."""
    if module is None:
        return True
    file = getattr(module, "__file__", None)
    return file is not None and os.path.realpath(file) == os.path.realpath(path)

"""C code that accepts numbers of Python's own types only. Its errors are noted, as the program may catch them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from gradcli.engine.patching.patch_points import PLAIN_ONLY
from gradcli.engine.patching.shims.python_types import PYTHON_TYPES, ShimMeta
from gradcli.engine.tape.concretization_errors import note_error


def attribute(original: ModuleType, name: str) -> Any:
    """The replacement of an attribute of a module, if it is one that accepts plain numbers only; else the original."""
    value = getattr(original, name)
    if name not in PLAIN_ONLY[original.__name__]:
        return value
    return _noting_type(value) if isinstance(value, type) else functools.wraps(value)(_noting(value))


def _noting(original: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, whose errors are noted on the tape of the active run."""

    def function(*arguments: Any, **options: Any) -> Any:
        try:
            return original(*arguments, **options)
        except (TypeError, ValueError) as error:
            note_error(f"{type(error).__name__}: {error}", sys._getframe(1))
            raise

    return function


def _nothing(_: Any) -> bool:
    return False


def _noting_type(original: Any) -> type:
    """The replacement of a type, with its constructors."""
    body = {"original": original, "accepts": staticmethod(_nothing), "plain": staticmethod(_noting(original))}
    if constructor := getattr(original, "from_float", None):
        body["from_float"] = staticmethod(noting := _noting(constructor))
        noting.__module__ = original.__module__  # by which a hint is chosen
    shim = ShimMeta(original.__name__, (original,), body)
    shim.__qualname__, shim.__module__ = original.__qualname__, original.__module__
    PYTHON_TYPES[original] = shim
    return shim

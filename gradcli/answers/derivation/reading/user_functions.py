"""Which functions are the user's, and what other objects stand for them."""

from __future__ import annotations

import sysconfig
from types import FunctionType, MethodType
from typing import Any

LIBRARIES = ("numpy", "scipy", "math", "cmath", "statistics", "gradcli", "builtins", "functools", "itertools")


def underlying(function: Any) -> Any:
    """The Python function that another object stands for: one that caches it, or its compiled form."""
    if isinstance(function, (FunctionType, MethodType, type)):
        return function
    inner = getattr(function, "py_func", getattr(function, "__wrapped__", None))
    return inner if isinstance(inner, FunctionType) else function


def is_users(function: Any) -> bool:
    """Whether a function belongs to the user and not to a library, so that its source is derived."""
    function = underlying(getattr(function, "__func__", function))
    if not isinstance(function, (FunctionType, type)) and type(function).__hash__ is not None:
        function = getattr(type(function), "__call__", function)  # noqa: B004 - of an object that can be called
    if not isinstance(function, FunctionType) or function.__module__ is None:
        return False
    library = sysconfig.get_paths()["stdlib"]
    is_standard = function.__code__.co_filename.startswith(library) and "site-packages" not in (
        function.__code__.co_filename
    )
    return function.__module__.split(".")[0] not in LIBRARIES and not is_standard

"""Which functions are the user's, and what other objects stand for them: closures, what caches them, records."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import lru_cache
from types import FunctionType, MethodType, SimpleNamespace
from typing import Any

INTERCEPTED = frozenset(("__getattr__", "__getattribute__", "__new__", "__setattr__", "__slots__"))
LIBRARIES = ("numpy", "scipy", "math", "cmath", "statistics", "gradcli", "builtins", "functools", "itertools")
CLOSURE = "__closure__"  # the name of the class in the copies of functions
STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]


def underlying(function: Any) -> Any:
    """The Python function that another object stands for: one that caches it, or its compiled form."""
    if isinstance(function, (FunctionType, MethodType, type)):
        return function
    inner = getattr(function, "py_func", getattr(function, "__wrapped__", None))
    return inner if isinstance(inner, FunctionType) else function


@lru_cache(maxsize=256)
def is_record_class(made: type) -> bool:
    """Whether the objects of a class are only their fields: of a namespace, a dataclass, or a class of the user's."""
    if made is SimpleNamespace or (is_dataclass(made) and _is_generated(maker_of(made))):
        return not hasattr(made, "__post_init__")
    return is_users(maker_of(made)) and not any(INTERCEPTED & vars(part).keys() for part in made.__mro__[:-1])


def is_users(function: Any) -> bool:
    """Whether a function, or that which makes a record, is the user's and not a library's, so that it is derived."""
    function = underlying(getattr(function, "__func__", function))
    if isinstance(function, type) and is_record_class(function) and not _is_generated(maker_of(function)):
        function = maker_of(function)
    if not isinstance(function, (FunctionType, type)) and type(function).__hash__ is not None:
        function = getattr(type(function), "__call__", function)  # noqa: B004 - of an object that can be called
    if not isinstance(function, FunctionType) or function.__module__ is None:
        return False
    is_standard = function.__code__.co_filename.startswith(STANDARD_LIBRARY) and "site-packages" not in (
        function.__code__.co_filename
    )
    return function.__module__.split(".")[0] not in LIBRARIES and not is_standard


def maker_of(made: Any) -> Any:
    """The `__init__` of a class."""
    return made.__init__


def _is_generated(function: Any) -> bool:
    """Whether a function was made from a text, as the `__init__` of a dataclass is."""
    return bool(getattr(function, "__code__", _is_generated.__code__).co_filename == "<string>")


class Closure:
    """A function whose first arguments are given.

    Args:
        function: the function, taken out of the one around it.
        captured: the values of the variables that it reads of that.
    """

    def __init__(self, function: Callable[..., Any], *captured: Any) -> None:
        self.function = function
        self.captured = captured

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.function(*self.captured, *arguments, **keywords)

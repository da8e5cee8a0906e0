"""What a function holds besides its code, and the function inside decorators and partial applications."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from gradcli.engine.code.bytecode_names import names_in


def content(cell: types.CellType) -> tuple[Any, ...]:
    """The content of a cell as a tuple of one; an empty tuple for an empty cell."""
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def enclosed_values(function: Any) -> list[Any]:
    """The values that a function encloses."""
    cells = getattr(function, "__closure__", None)
    return [item for cell in cells for item in content(cell)] if isinstance(cells, tuple) else []


def held_values(function: Any) -> list[Any]:
    """The values that a function encloses, and the default values of its parameters."""
    by_name = getattr(function, "__kwdefaults__", None) or {}
    return [*enclosed_values(function), *(getattr(function, "__defaults__", None) or ()), *by_name.values()]


def module_values(holder: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The values of names in a module. A copy, as another thread may bind or unbind names at any time."""
    return {name: item for name in names if (item := holder.get(name, _MISSING)) is not _MISSING}


_MISSING = object()


def wrapped(function: Any) -> Any:
    """What a partial application or a decorated function calls; None for any other."""
    if type(function) is functools.partial:
        return function.func
    return getattr(function, "__dict__", {}).get("__wrapped__")


def under(function: Any) -> Any:
    """The user's function inside partial applications, decorators and gradcli's wrappers."""
    while True:
        inner = wrapped(function) or getattr(function, "__func__", None)
        if inner is None and isinstance(function, FunctionType) and (function.__module__ or "").startswith("gradcli."):
            inner = next(filter(callable, enclosed_values(function)), None)
        if inner is None:
            return function
        function = inner


def reads(function: Callable[..., Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield what a function reads besides its inputs: kind (global, enclosed or default), name and value."""
    own = under(function)
    if not isinstance(own, FunctionType):
        return
    code = own.__code__
    names = module_values(own.__globals__, sorted(names_in(code).read))
    yield from (("global", name, item) for name, item in names.items())
    for name, cell in zip(code.co_freevars, own.__closure__ or (), strict=False):
        yield from (("enclosed", name, item) for item in content(cell))
    defaults = own.__defaults__ or ()
    names_of_defaults = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    by_name = own.__kwdefaults__ or {}
    yield from (("default", *pair) for pair in (*zip(names_of_defaults, defaults, strict=True), *by_name.items()))

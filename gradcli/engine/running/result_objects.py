"""Objects of other libraries that a function returns: what holds numbers gives them, what means more is refused.

The libraries are never imported. An array-like object has `__array__`, and its numbers in an attribute: `data` in
xarray, `values` in pandas. A value with a unit (pint, astropy, unyt) or with a mask means more than its numbers.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import numpy as np

from gradcli.engine.code.function_contents import under
from gradcli.engine.code.reachable_objects import slots_of
from gradcli.engine.running.bound_call import name_of
from gradcli.engine.tape.value import is_plain, is_recorded
from gradcli.errors import ResultError, with_article
from gradcli.shared import devices
from gradcli.shared.pytree import is_structure

DEEPEST = 3  # attributes of attributes that are searched for recorded values


def unwrapped_leaf(function: Callable[..., Any], leaf: Any, deepest: int = DEEPEST) -> Any:
    """A part of a result: its numbers, if it is an object that holds them.

    Raises:
        ResultError: it has a unit or a mask, or holds recorded values that it does not give.
    """
    kind = type(leaf)
    if is_plain(leaf) or devices.on_device(leaf) or hasattr(kind, "numpy"):  # tensors: `scalar_results` refuses them
        return leaf
    _refuse_unit_or_mask(function, leaf)
    if isinstance(leaf, np.ndarray):
        return _of_objects(function, leaf) if leaf.dtype == object else np.asarray(leaf)
    numbers = _numbers_of(leaf) if hasattr(kind, "__array__") and deepest else None
    if numbers is not None:
        return unwrapped_leaf(function, numbers, deepest - 1)
    if (path := _path_to_recorded(leaf)) is not None:
        raise ResultError(
            f"{name_of(function)} returned {with_article(kind.__name__)} that holds a recorded value",
            hint=f"Return the number itself, such as result{path}.",
            **_place(function),
        )
    return _array_of(leaf) if hasattr(kind, "__array__") else leaf


def _numbers_of(leaf: Any) -> Any:
    """The numbers that an array-like object holds; None if it does not show them."""
    for name in ("data", "values"):
        held = getattr(leaf, name, None)
        if not (held is None or callable(held) or isinstance(held, memoryview) or is_structure(held)):
            return held
    return None


def _array_of(leaf: Any) -> Any:
    try:
        return np.asarray(leaf)
    except Exception:  # code of another library
        return leaf


def _of_objects(function: Callable[..., Any], array: Any) -> Any:
    """An array of Python objects as one of numbers, recorded if any of them is; unchanged if some are no numbers."""
    parts = [unwrapped_leaf(function, part) for part in array.ravel()]
    if not all(is_recorded(part) or isinstance(part, (float, int, complex, np.number)) for part in parts):
        return array
    if array.ndim == 0:
        return parts[0]
    return (
        np.reshape(np.stack(parts), array.shape)
        if any(map(is_recorded, parts))
        else np.array(parts).reshape(array.shape)
    )


def _refuse_unit_or_mask(function: Callable[..., Any], leaf: Any) -> None:
    kind = type(leaf)
    came = f"{name_of(function)} returned {with_article(kind.__name__)}"
    if hasattr(kind, "filled") and hasattr(kind, "mask"):
        hint = "Return the filled array, result.filled(0.0), or the numbers that are not masked, result.compressed()."
        raise ResultError(f"{came}, whose mask has no derivative", hint=hint, **_place(function))
    if (unit := next((name for name in ("units", "unit") if hasattr(kind, name)), None)) is None:
        return
    if not (ways := [way for way in ("magnitude", "to_value", "value") if hasattr(kind, way)]):
        return
    named = str(getattr(leaf, unit)) or "dimensionless"
    taken = f"result.to({named!r}).magnitude" if ways[0] == "magnitude" else f"result.{ways[0]}({named!r})"
    raise ResultError(
        f"{came} with the unit {named}; a derivative is taken of numbers",
        hint=f"Return the number in a named unit: {taken}.",
        **_place(function),
    )


def _path_to_recorded(leaf: Any, deepest: int = DEEPEST) -> str | None:
    """The attributes and items that lead from an object to a recorded value, as typed; None if there are none."""
    for step, part in _parts(leaf):
        if is_recorded(part):
            return step
        if deepest and (is_structure(part) or hasattr(part, "__dict__")) and not isinstance(part, type):
            path = _path_to_recorded(part, deepest - 1)
            if path is not None:
                return step + path
    return None


def _parts(holder: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(holder, dict):
        yield from ((f"[{key!r}]", part) for key, part in holder.items())
    elif isinstance(holder, (list, tuple)):
        yield from ((f"[{n}]", part) for n, part in enumerate(holder))
    else:
        yield from ((f".{name}", part) for name, part in getattr(holder, "__dict__", {}).items())
        names = slots_of(type(holder))
        yield from ((f".{name}", getattr(holder, name)) for name in names if hasattr(holder, name))


def _place(function: Callable[..., Any]) -> dict[str, Any]:
    """The line where a function returns, if there is only one; else the function's first line."""
    code = getattr(under(function), "__code__", None)
    if not isinstance(code, CodeType):
        return {}
    lines = {
        get_instruction.positions.lineno
        for get_instruction in dis.get_instructions(code)
        if get_instruction.opname == "RETURN_VALUE" and get_instruction.positions
    }
    return {"file": code.co_filename, "line": lines.pop() if len(lines) == 1 else code.co_firstlineno}

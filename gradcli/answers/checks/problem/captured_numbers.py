"""The numbers that a function reads besides its inputs, and whether they change when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.code.function_contents import reads

LARGEST = 10_000  # most elements of a container that is examined


def snapshot(function: Callable[..., Any]) -> dict[str, Any]:
    """The values that the function reads, in a form that can be compared after it has run."""
    return {name: print_of(value) for _, name, value in reads(function)}


def print_of(value: Any) -> Any:
    """A value that equals another one's only if nothing has changed; None if the original is too large."""
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes() if value.size <= LARGEST and value.dtype != object else None
    if isinstance(value, (list, tuple, dict, set, frozenset)) and len(value) <= LARGEST:
        try:
            return repr(value)
        except Exception:
            return None
    if type(value).__module__.startswith("gradcli."):  # `math` and `numpy` as patched
        return None
    if hasattr(value, "__dict__") and not callable(value) and type(value).__module__ not in ("builtins", "module"):
        return tuple((key, print_of(item)) for key, item in vars(value).items() if not hasattr(item, "__dict__"))
    return None


def constants(function: Callable[..., Any]) -> list[tuple[str, str, Any]]:
    """The numbers and arrays that a function reads besides its inputs, with their kinds and names."""
    return [(kind, name, value) for kind, name, value in reads(function) if _is_number(value)]


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind in "fiu")
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)

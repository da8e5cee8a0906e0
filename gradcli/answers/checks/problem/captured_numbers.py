"""The numbers that a function reads besides its inputs, and whether they change when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.code.function_contents import reads

LARGEST = 10_000  # most elements of a container that is examined


def snapshot(function: Callable[..., Any]) -> dict[str, Any]:
    """The values that the function reads, in a form that can be compared after it has run."""
    return {name: fingerprint(value) for _, name, value in reads(function)}


def fingerprint(value: Any) -> Any:
    """What equals that of another value only if nothing has changed; None if that is not known, as of large containers.

    Of an array of more than `LARGEST` numbers it is the shape alone. Objects within objects are left out.
    """
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return repr(value)
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes() if value.size <= LARGEST and value.dtype != object else None
    if isinstance(value, (list, tuple, dict, set, frozenset)) and len(value) <= LARGEST:
        try:
            return repr(value)
        except Exception:
            return None
    is_object = hasattr(value, "__dict__") and not callable(value)
    if is_object and not type(value).__module__.startswith(("builtins", "gradcli.")):  # modules, plain or patched
        return tuple((key, fingerprint(item)) for key, item in vars(value).items() if not hasattr(item, "__dict__"))
    return None


def constants(function: Callable[..., Any]) -> list[tuple[str, str, Any]]:
    """The numbers and arrays that a function reads besides its inputs, with their kinds and names."""
    return [(kind, name, value) for kind, name, value in reads(function) if _is_number(value)]


def _is_number(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return bool(value.dtype.kind in "fiu")
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)

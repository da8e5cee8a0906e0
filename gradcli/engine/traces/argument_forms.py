"""Whether other arguments fit a recorded run: their structure, and their types and shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.shared import devices
from gradcli.shared.pytree import map_leaves


def structure_of(arguments: Any) -> Any:
    """The nested lists, tuples, dicts and dataclasses of the arguments, without the numbers in them."""
    return map_leaves(lambda _: 0, arguments)


def form_of(x: Any) -> Any:
    """The properties of a number or array that a program can read without an outcome: type and shape."""
    return float if type(x) is float else (type(x), x.dtype, np.shape(x))


def converted_like(x: Any, value: Any) -> Any:
    """An argument converted to the type of the recorded one, and to its device."""
    if type(x) is type(value) is float:
        return x
    if devices.on_device(value):
        return devices.array_on_device_of(x, value)
    if hasattr(x, "dtype"):
        return x
    return np.complex128(x) if isinstance(x, complex) else float(x)

"""The attributes of NumPy's arrays that recorded arrays have no method for: facts, outcomes and refusals.

Each is a descriptor. With a `__getattr__` in the class, Python would look up every attribute of a recorded array the
slow way, its tape and its value included.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine.tape.concretization_errors import leak
from gradcli.engine.tape.tape import TEXT
from gradcli.engine.tape.value import outcome


class Attribute:
    """An attribute of recorded arrays whose plain value has it.

    Args:
        name: the name of the attribute.
        read: computes the attribute from its name and a recorded array.
    """

    def __init__(self, name: str, read: Callable[[str, Any], Any]) -> None:
        self.name = name
        self.read = read

    def __get__(self, array: Any, kind: type) -> Any:
        if array is None:
            raise AttributeError(f"type object {kind.__name__!r} has no attribute {self.name!r}")
        if not hasattr(array._value, self.name):
            return getattr(array._value, self.name)  # NumPy's own error
        return self.read(self.name, array)


def install(kind: type) -> None:
    """Add the attributes of NumPy's arrays and scalars that a class of recorded arrays lacks."""
    named = {name for class_ in (*np.ndarray.__mro__, *np.float64.__mro__) for name in vars(class_)} | _OF_DEVICES
    for name in named:
        if not name.startswith("__") and not hasattr(kind, name):
            setattr(kind, name, Attribute(name, _READ.get(name, _refused)))


def _layout(name: str, array: Any) -> Any:
    """An attribute of the memory layout, which records nothing."""
    if array.tape.run.data is not None:
        array.tape.run.data.tell_shape(array)
    return getattr(array._value, name)


def _flags(name: str, array: Any) -> Any:
    from gradcli.engine.tape.values.flat_and_in_place_methods import Flags

    return Flags(array._value.flags)


def _refused(name: str, array: Any) -> Any:
    from gradcli.mathematics.rules.function_registry import unsupported

    raise unsupported(f"numpy.ndarray.{name}")


_OF_DEVICES = frozenset(("get", "set"))  # methods of CuPy's arrays that NumPy's lack

_READ: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("device", "itemsize", "nbytes", "strides"), _layout),
    # Compiled code and `statistics` ask for these.
    **dict.fromkeys(("as_integer_ratio", "base", "ctypes", "data"), lambda name, array: leak(array, f".{name}")),
    "flags": _flags,
    "hex": lambda name, array: partial(outcome, TEXT, float.hex, array),
    "is_integer": lambda name, array: partial(outcome, name, type(array._value).is_integer, array),
}

"""The attributes of NumPy's arrays and numbers that a recorded one answers alike, whatever its class has no method for.

They are descriptors, one a name.  A `__getattr__` of the class would do, but Python then looks up every attribute of
every recorded array the slow way, its tape and its value among them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.rules.function_registry import unsupported
from gradcli.tape.concretization import leak
from gradcli.tape.value import outcome
from gradcli.tape.values.mutating_methods import Flags


class Attribute:
    """One attribute of a class of recorded arrays, where NumPy's value has it.

    Args:
        name: what it is called.
        read: gives it of a recorded array.
    """

    def __init__(self, name: str, read: Callable[[str, Any], Any]) -> None:
        self.name = name
        self.read = read

    def __get__(self, array: Any, kind: type) -> Any:
        value = kind if array is None else array._value
        if array is None or not hasattr(value, self.name):
            raise AttributeError(f"{type(value).__name__!r} object has no attribute {self.name!r}")
        return self.read(self.name, array)


def install(kind: type) -> None:
    """Give a class of recorded arrays all attributes of NumPy's that it has not."""
    named = {name for each in (np.ndarray, np.float64) for name in dir(each)} | _OF_DEVICES
    for name in named - set(dir(kind)):
        if not name.startswith("__"):
            setattr(kind, name, Attribute(name, _READ.get(name, _refused)))


def _layout(name: str, array: Any) -> Any:
    """A fact of the layout: it records nothing."""
    if array.tape.data is not None:
        array.tape.data.tell_shape(array)
    return getattr(array._value, name)


def _flags(name: str, array: Any) -> Flags:
    return Flags(array._value.flags)


def _is_integer(name: str, array: Any) -> Callable[[], Any]:
    return partial(outcome, name, type(array._value).is_integer, array)


def _memory(name: str, array: Any) -> Any:
    """What compiled code and that of `statistics` asks for."""
    leak(array, f".{name}")


def _refused(name: str, array: Any) -> Any:
    raise unsupported(f"numpy.ndarray.{name}")


_OF_DEVICES = frozenset(("get", "set"))  # what CuPy's arrays have beside NumPy's

_READ: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("device", "itemsize", "nbytes", "strides"), _layout),
    **dict.fromkeys(("as_integer_ratio", "base", "ctypes", "data"), _memory),
    "flags": _flags,
    "is_integer": _is_integer,
}

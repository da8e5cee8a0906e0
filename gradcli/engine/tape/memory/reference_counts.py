"""Arrays that nothing else refers to, which can be overwritten unnoticed.

References are counted by Python. A view refers to the array whose memory it shares, so an array with a view is never
alone.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from sys import getrefcount
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli.shared import devices


def _counted(held: Any, index: int) -> int:
    x = held[index]
    return getrefcount(x)


# The count that a function sees of an object that a container and a variable of the function refer to, and no other.
# It is measured, because it differs between versions of Python.
HELD_ONCE = _counted([object()], 0)
_HELD_AND_NAMED = HELD_ONCE + 1


def referrers(held: Sequence[Any] | dict[int, Any], index: int) -> int:
    """The number of references to an object besides the one in `held`."""
    x = held[index]
    return getrefcount(x) - HELD_ONCE


def is_alone(held: Any, index: int) -> bool:
    """Whether only `held` and one variable or attribute refer to an array, and it is not a view.

    Other objects, such as numbers, are never alone.
    """
    x = held[index]
    return getrefcount(x) <= _HELD_AND_NAMED and (type(x) is ndarray or devices.on_device(x)) and x.base is None


def owned_copy(array: Any) -> Any:
    """A new array with the same numbers. A NumPy scalar becomes a writable array."""
    return array.copy() if devices.on_device(array) else np.array(array)


class WeakList:
    """Objects as long as something else refers to them.

    Unlike `weakref.WeakSet` it runs no code where one is freed, in which an interrupt would be lost.
    """

    def __init__(self) -> None:
        self._references: list[Any] = []

    def add(self, x: Any) -> None:
        """Add an object, once."""
        others = (reference for reference in self._references if reference() is not None and reference() is not x)
        self._references = [*others, weakref.ref(x)]

    def __iter__(self) -> Iterator[Any]:
        return (x for x in [reference() for reference in self._references] if x is not None)


# What of ours refers to arrays of the program while it runs; `array_ids` are their identities, once for each time.
holding = WeakList()

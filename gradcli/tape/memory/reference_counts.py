"""Arrays that nothing else refers to, which can be overwritten unnoticed.

References are counted by Python. A view refers to the array whose memory it shares, so an array with a view is never
alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli import devices


def _counted(held: Any, index: int) -> int:
    x = held[index]
    return sys.getrefcount(x)


_COUNTED = _counted([object()], 0)  # measured, because the count that a call sees differs between versions of Python


def referrers(held: Sequence[Any], index: int) -> int:
    """The number of references to an object besides the one in `held`."""
    x = held[index]
    return sys.getrefcount(x) - _COUNTED


def is_alone(held: Any, index: int) -> bool:
    """Whether only `held` and one variable or attribute refer to an array, and it is not a view.

    Other objects, such as numbers, are never alone.
    """
    x = held[index]
    return sys.getrefcount(x) <= _COUNTED + 1 and (type(x) is ndarray or devices.on_device(x)) and x.base is None


def owned_copy(array: Any) -> Any:
    """A new array with the same numbers. A NumPy scalar becomes a writable array."""
    return array.copy() if devices.on_device(array) else np.array(array)

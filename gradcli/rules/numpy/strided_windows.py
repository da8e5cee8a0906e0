"""NumPy's `sliding_window_view` and `as_strided`, whose results are copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli import devices
from gradcli.rules.function_registry import numeric, plain_value, serves, unsupported
from gradcli.rules.indexing import STRIDED
from gradcli.rules.numpy.rearranging_helpers import rearranged


@serves("sliding_window_view")
def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """`numpy.lib.stride_tricks.sliding_window_view`, which copies the windows here."""
    if writeable:
        raise unsupported("numpy.lib.stride_tricks.sliding_window_view with writeable=")
    return rearranged(lambda places: np.lib.stride_tricks.sliding_window_view(places, window_shape, axis), x)


@serves("as_strided")
def as_strided(x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True) -> Any:
    """`numpy.lib.stride_tricks.as_strided`, limited to elements of the array. Its result is a copy in memory."""
    x = numeric(x)
    own = plain_value(x)
    offsets = _offsets(own.shape, own.strides)
    wanted = _offsets(own.shape if shape is None else shape, own.strides if strides is None else strides)
    order = np.argsort(offsets.ravel(), kind="stable")
    places = np.minimum(np.searchsorted(offsets.ravel()[order], wanted), own.size - 1)
    if not np.array_equal(offsets.ravel()[order][places], wanted):
        raise unsupported("numpy.lib.stride_tricks.as_strided with memory outside the elements of the array")
    return STRIDED(x, places=devices.array_on_device_of(order[places], own))


def _offsets(shape: Any, strides: Any) -> Any:
    """The offset of each element in bytes from the first one."""
    places = np.indices(tuple(map(int, np.atleast_1d(shape))), sparse=False)
    return np.tensordot(np.array(np.atleast_1d(strides), dtype=int), places, axes=1)

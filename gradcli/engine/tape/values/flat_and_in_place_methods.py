"""Methods that write into a recorded array, and `x.flat`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError


class Flat:
    """The elements of a recorded array in C order, like `numpy.flatiter`."""

    __slots__ = ("base", "index")

    def __init__(self, base: Any) -> None:
        self.base = base
        self.index = 0

    def __len__(self) -> int:
        return int(self.base.size)

    def __iter__(self) -> Flat:
        return self

    def __next__(self) -> Any:
        if self.index >= len(self):
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    def __getitem__(self, key: Any) -> Any:
        return self.copy()[key]

    def __setitem__(self, key: Any, item: Any) -> None:
        np.put(self.base, np.arange(len(self))[key], item)

    def copy(self) -> Any:
        """The elements as a new array."""
        return self.base.flatten()

    def __array_function__(self, function: Callable[..., Any], _: Any, args: Any, options: Any) -> Any:
        return function(*map(_copied, args), **{name: _copied(x) for name, x in options.items()})

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(_copied, inputs), **options)


def _copied(x: Any) -> Any:
    return x.copy() if type(x) is Flat else x


def fill(array: Any, value: Any) -> None:
    """`numpy.ndarray.fill`."""
    array[...] = value


def sort(array: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> None:
    """`numpy.ndarray.sort`."""
    array[...] = np.sort(array, axis, kind, order, stable=stable)


def partition(array: Any, kth: Any, axis: int = -1, kind: Any = "introselect", order: Any = None) -> None:
    """`numpy.ndarray.partition`."""
    array[...] = np.partition(array, kth, axis, kind, order)


def set_shape(array: Any, shape: Any) -> None:
    """`array.shape = shape`, refused if the shape changes, as the views of the array would have to change."""
    if np.empty(array.shape).reshape(shape).shape == array.shape:
        return
    raise UnsupportedError(
        f"a recorded array of shape {array.shape} is reshaped in place",
        hint=f"Type x = x.reshape({shape}); `gradcli help G404` says more.",
    )


class Flags:
    """The memory layout flags of an array. A recorded array is writeable, although its numbers are stored read-only."""

    def __init__(self, plain: Any) -> None:
        self._plain = plain

    def __getattr__(self, name: str) -> Any:
        return True if name == "writeable" else getattr(self._plain, name)

    def __getitem__(self, name: str) -> Any:
        return True if name in ("W", "WRITEABLE") else self._plain[name]

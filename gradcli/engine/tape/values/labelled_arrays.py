"""Arrays with labels: Series and DataFrame of pandas, DataArray of xarray. Their libraries are never imported for them.

A program is recorded on their numbers, and receives them under their labels.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.errors import NestedError
from gradcli.shared.pytree import leaves, map_leaves

_KINDS = {"pandas": ("Series", "DataFrame"), "xarray": ("DataArray",)}


def has_labels(arguments: tuple[Any, ...]) -> bool:
    """Whether an array with labels is among the arguments, or within them."""
    try:
        return ("pandas" in sys.modules or "xarray" in sys.modules) and any(map(_is_labelled, leaves(arguments)))
    except NestedError:  # an argument that holds itself is refused, by name, where it is entered
        return False


def first_labelled(operands: tuple[Any, ...]) -> Any:
    """The first array with labels among operands; None if there is none."""
    return next(filter(_is_labelled, operands), None)


def under_labels(numbers: Any, like: Any, ufunc: Any) -> Any:
    """The result of a ufunc under the labels of an operand, whose elements are combined with a recorded value."""
    return numbers if ufunc.signature or np.shape(numbers) != like.shape else _labelled(numbers, like)


def _is_labelled(x: Any) -> bool:
    kind = type(x)
    return kind.__name__ in _KINDS.get(kind.__module__.partition(".")[0], ())


def without_labels(structure: Any) -> Any:
    """The structure with the numbers of arrays with labels in their place."""
    return map_leaves(_numbers, structure)


def _numbers(x: Any) -> Any:
    if not _is_labelled(x):
        return x
    if len(getattr(x, "columns", ())):
        return np.stack([_numbers(x.iloc[:, place]) for place in range(x.shape[1])], axis=1)
    held = x.array if hasattr(x, "array") else x
    return held.data if hasattr(held, "data") else x.to_numpy()


def with_labels(structure: Any, like: Any) -> Any:
    """The structure with its arrays under the labels of those of `like`, which has the same structure."""
    parts = iter(leaves(structure))
    return map_leaves(lambda part: _labelled(next(parts), part), like)


def _labelled(numbers: Any, like: Any) -> Any:
    if not _is_labelled(like):
        return numbers
    if not hasattr(like, "array"):
        if not hasattr(like, "columns"):
            return like.copy(data=numbers)
        columns = {place: _column(numbers[:, place]) for place in range(like.shape[1])}
        return type(like)(columns, index=like.index).set_axis(like.columns, axis=1)
    return type(like)(_column(numbers), index=like.index, name=like.name)


def _column(numbers: Any) -> Any:
    if not is_recorded(numbers):
        return np.asarray(numbers)
    from gradcli.engine.tape.values.pandas_column import RecordedColumn

    return RecordedColumn(numbers)


def plain_part(x: Any) -> Any:
    """The plain value of a number or an array, recorded or not, under its labels."""
    return _labelled(plain_value(_numbers(x)), x)


def taking_numbers(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The function of the numbers of its arguments, which receives them under the labels of these ones."""

    @functools.wraps(function, updated=())
    def of_numbers(*numbers: Any) -> Any:
        return function(*with_labels(numbers, arguments))

    return of_numbers

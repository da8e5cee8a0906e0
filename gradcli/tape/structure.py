"""Nested numbers: lists, tuples and dicts of numbers and arrays, taken apart and put together again."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

CONTAINERS = (list, tuple, dict)


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """`structure` with `function` applied to each number or array in it."""
    kind = type(structure)
    if kind is list:
        return [map_leaves(function, item) if type(item) in _NESTED else function(item) for item in structure]
    if kind is dict:
        return {key: map_leaves(function, item) for key, item in structure.items()}
    if kind is tuple:
        return tuple(map_leaves(function, item) for item in structure)
    if isinstance(structure, tuple):  # a named tuple
        return kind(*(map_leaves(function, item) for item in structure))
    if issubclass(kind, dict):  # an ordered one, one with defaults: as it is, with other values
        mapped = copy.copy(structure)
        mapped.update({key: map_leaves(function, item) for key, item in structure.items()})
        return mapped
    return function(structure)


_NESTED = frozenset(CONTAINERS)


def leaves(structure: Any) -> list[Any]:
    """The numbers and arrays of `structure`, in order."""
    found: list[Any] = []
    map_leaves(found.append, structure)
    return found

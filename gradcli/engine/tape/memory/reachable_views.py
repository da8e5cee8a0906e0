"""The views of an array that a program can reach, since each view has a writeable flag of its own."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np

from gradcli.engine.code.reachable_objects import is_of_user

_DEPTH = 4  # levels of containers searched from a name
_MOST = 5000  # the most containers searched, and the most items of each

# The most frequent types that hold no array.
_PLAIN = frozenset((
    float, int, str, bool, type, type(None), types.FunctionType, types.BuiltinFunctionType, types.ModuleType,
))  # fmt: skip

# Module attributes that lead to Python's internals or a test runner's.
_OF_PYTHON = ("__builtins__", "__loader__", "__spec__")


def views(owner: Any, frames: Iterable[FrameType]) -> list[Any]:
    """The writeable views of `owner` reachable from the names of the user's frames."""
    writeable: list[Any] = []
    seen: set[int] = set()
    level: list[Any] = []
    for frame in frames:
        seen.update(id(frame.f_globals.get(name)) for name in _OF_PYTHON)
        level += (dict(frame.f_locals), frame.f_globals)  # `f_locals` is a proxy since Python 3.13
    for _ in range(_DEPTH):
        deeper: list[Any] = []
        for holder in level:
            if id(holder) not in seen and len(seen) < _MOST:
                seen.add(id(holder))
                for item in _items(holder):
                    kind = type(item)
                    if kind in _PLAIN:
                        continue
                    if issubclass(kind, np.ndarray):  # a recorded value passes `isinstance` as an array
                        writeable += views_among((item,), owner)
                    elif _holds(kind):  # type: ignore[arg-type]  # types are hashable
                        deeper.append(item)
        level = deeper
    return writeable


def views_among(items: Iterable[Any], owner: Any) -> list[Any]:
    """The writeable views of `owner` among some objects."""
    arrays = [item for item in items if issubclass(type(item), np.ndarray)]
    return [array for array in arrays if array.flags.writeable and any(base is owner for base in bases(array))]


def bases(x: Any) -> Iterator[Any]:
    """Yield the arrays that an array is a view of. NumPy keeps such chains short."""
    base = x.base
    while isinstance(base, np.ndarray):
        yield base
        base = base.base


@lru_cache(maxsize=512)
def _holds(kind: type) -> bool:
    """Whether a type is a container or a class of the user's."""
    return issubclass(kind, (dict, list, tuple)) or is_of_user(kind)


def _items(holder: Any) -> list[Any]:
    """The items of a container or attributes of an object, up to a limit; empty if all of them are plain."""
    if not isinstance(holder, (dict, list, tuple)):
        holder = getattr(holder, "__dict__", {})
    items = list(islice(holder.values() if isinstance(holder, dict) else holder, _MOST))
    return [] if _PLAIN.issuperset(map(type, items)) else items

"""The views of an array that a program can reach: each has leave of its own to write."""

from __future__ import annotations

import types
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from types import FrameType
from typing import Any

import numpy as np

from gradcli.code.reachable_code import is_of_user

_DEPTH = 4  # how far objects are followed from a name
_MOST = 5000  # how many objects are looked into, and how much of each

# What holds no array, and is met most.
_PLAIN = frozenset((
    float, int, str, bool, type, type(None), types.FunctionType, types.BuiltinFunctionType, types.ModuleType,
))  # fmt: skip

# What leads from a module to Python's own things, and a test runner's.
_OF_PYTHON = ("__builtins__", "__loader__", "__spec__")


def views(owner: Any, frames: Iterable[FrameType]) -> list[Any]:
    """The writeable views of `owner` that the names of the user's frames lead to."""
    found: list[Any] = []
    seen: set[int] = set()
    level: list[Any] = []
    for frame in frames:
        seen.update(id(frame.f_globals.get(name)) for name in _OF_PYTHON)
        level += (dict(frame.f_locals), frame.f_globals)  # a proxy since Python 3.13
    for _ in range(_DEPTH):
        deeper: list[Any] = []
        for holder in level:
            if id(holder) not in seen and len(seen) < _MOST:
                seen.add(id(holder))
                for item in _items(holder):
                    kind = type(item)
                    if kind in _PLAIN:
                        continue
                    if issubclass(kind, np.ndarray):  # a recorded value answers `isinstance` as its array would
                        found += views_among((item,), owner)
                    elif _holds(kind):  # type: ignore[arg-type]  # types are hashable
                        deeper.append(item)
        level = deeper
    return found


def views_among(items: Iterable[Any], owner: Any) -> list[Any]:
    """Those of some objects that are writeable views of `owner`."""
    arrays = [item for item in items if issubclass(type(item), np.ndarray)]
    return [each for each in arrays if each is not owner and each.flags.writeable and _shares(each, owner)]


def _shares(array: Any, owner: Any) -> bool:
    """Whether what an array is a view of is `owner`; a chain of views is short, for NumPy shortens it."""
    base = array.base
    while base is not None and base is not owner:
        base = getattr(base, "base", None)
    return base is owner


@lru_cache(maxsize=512)
def _holds(kind: type) -> bool:
    """Whether objects of a type are containers, or instances of a class of the user's."""
    return issubclass(kind, (dict, list, tuple)) or is_of_user(kind)


def _items(holder: Any) -> list[Any]:
    """What an object holds, as it is now, or the first of it; nothing where all of it is plain."""
    if not isinstance(holder, (dict, list, tuple)):
        holder = getattr(holder, "__dict__", {})
    items = list(islice(holder.values() if isinstance(holder, dict) else holder, _MOST))
    return [] if _PLAIN.issuperset(map(type, items)) else items

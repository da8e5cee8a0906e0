"""Arrays in modules of libraries, whose method `dot` would convert a recorded argument to plain numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.patching.patch_points import Place

_MULTIPLIED = ("T", "TI")  # of Radau's method: the transformation of its stages and the inverse


class Multiplying(np.ndarray):
    """A constant matrix whose method `dot` is NumPy's function, which has a rule."""

    def dot(self, other: Any, out: Any = None) -> Any:
        """The matrix product with `other`, plain or recorded."""
        return np.dot(np.asarray(self), other, out)


def places(names: dict[str, Any]) -> Iterator[Place]:
    """Yield the places of the constant matrices among the globals of a module."""
    for name, item in list(names.items()):
        if type(item) is np.ndarray and name in _MULTIPLIED:
            yield Place(names, name, item, _views.setdefault(id(item), item.view(Multiplying)))


_views: dict[int, Multiplying] = {}  # by the matrix, which its view keeps alive

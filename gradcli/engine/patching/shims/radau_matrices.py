"""Radau's method in SciPy multiplies by constant matrices, whose method `dot` would convert a recorded argument."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.engine.patching.patch_points import Place

_MODULE = "scipy.integrate._ivp.radau"
_MATRICES = ("T", "TI")  # the transformation of the stages and its inverse


class Multiplying(np.ndarray):
    """A constant matrix whose method `dot` is NumPy's function, which has a rule."""

    def dot(self, other: Any, out: Any = None) -> Any:
        """The matrix product with `other`, plain or recorded."""
        return np.dot(np.asarray(self), other, out)


def places() -> Iterator[Place]:
    """Yield the places of the matrices."""
    names = vars(sys.modules[_MODULE])
    for name in _MATRICES:
        if type(item := names.get(name)) is np.ndarray:
            yield Place(names, name, item, _views.setdefault(id(item), item.view(Multiplying)))


_views: dict[int, Multiplying] = {}  # by the matrix, which its view keeps alive

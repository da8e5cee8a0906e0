"""Products of SciPy's sparse matrices with recorded arrays, written as gather, multiply and scatter-add."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.patching.patch_points import Place
from gradcli.engine.tape.value import is_recorded
from gradcli.engine.tape.values.array_creation import owned_array

PACKAGE = "scipy.sparse."
_METHODS = ("_matmul_vector", "_matmul_multivector")  # the methods by which every format multiplies


def places() -> Iterator[Place]:
    """Yield the methods by which SciPy's sparse matrix classes multiply with vectors and dense matrices."""
    for kind in _classes(sys.modules[PACKAGE + "_base"]._spbase):
        own = vars(kind)
        yield from (Place(kind, name, own[name], _product(own[name])) for name in _METHODS if name in own)


def _classes(kind: Any) -> Iterator[type]:
    yield kind
    for inner in kind.__subclasses__():
        yield from _classes(inner)


def _product(method: Callable[..., Any]) -> Callable[..., Any]:
    """The product with a recorded array. With a plain array, the original's."""

    def multiply(matrix: Any, x: Any) -> Any:
        if not is_recorded(x):
            return method(matrix, x)
        entries = matrix.reshape(matrix._shape_as_2d).tocoo()
        numbers = entries.data.reshape(-1, *[1] * (x.ndim - 1))
        made = owned_array(np.zeros((entries.shape[0], *x.shape[1:]), np.result_type(numbers.dtype, x.dtype)))
        np.add.at(made, entries.row, numbers * x[entries.col])
        return made if matrix.ndim == 2 else made[0]

    return multiply

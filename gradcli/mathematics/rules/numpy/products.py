"""NumPy's products of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import is_python_number, numeric, serves
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.products import CONVOLVE, MATMUL
from gradcli.mathematics.rules.rule_table import RULES


@serves("dot")
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.dot`."""
    a, b = _with_dtype(a), _with_dtype(b)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return RULES["mul"](a, b)
    return MATMUL(a, b) if np.ndim(a) <= 2 and np.ndim(b) <= 2 else _dot_of_stacks(a, b)


def _with_dtype(x: Any) -> Any:
    """An operand; a plain Python number has the dtype of its own type, and does not adapt to the other operand."""
    return np.asarray(x)[()] if is_python_number(x) else numeric(x)


def _by_columns(a: Any, b: Any) -> Any:
    if np.ndim(b) <= 2:
        return MATMUL(a, b)
    columns = np.moveaxis(b, -2, 0)
    rest = np.shape(columns)[1:]
    flat = np.reshape(columns, (np.shape(columns)[0], int(np.prod(rest))))
    return np.reshape(MATMUL(a, flat), (*np.shape(a)[:-1], *rest))


_dot_of_stacks = with_value_of("dot", _by_columns)


@serves("inner", other_steps=True)
def inner(a: Any, b: Any, /) -> Any:
    """`numpy.inner`."""
    return dot(a, b) if np.ndim(a) == 0 or np.ndim(b) < 2 else dot(a, np.swapaxes(b, -1, -2))


@serves("vdot")
def vdot(a: Any, b: Any, /) -> Any:
    """`numpy.vdot`."""
    return MATMUL(np.conj(np.ravel(a)) if np.iscomplexobj(a) else np.ravel(a), np.ravel(b))


@serves("sinc")
def sinc(x: Any) -> Any:
    """`numpy.sinc`."""
    return RULES["sinc"](numeric(x))


def _conjugate(x: Any) -> Any:
    return np.conj(x) if np.iscomplexobj(x) else x


@serves("vecdot", other_steps=True)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """`numpy.vecdot`: inner products of stacked vectors, the first conjugated."""
    left, right = (np.moveaxis(numeric(x), axis, -1) for x in (x1, x2))
    return MATMUL(_conjugate(left)[..., None, :], right[..., :, None])[..., 0, 0]


@serves("matvec")
def matvec(x1: Any, x2: Any, /) -> Any:
    """`numpy.matvec`: products of stacked matrices and vectors."""
    return MATMUL(numeric(x1), numeric(x2)[..., :, None])[..., 0]


@serves("vecmat")
def vecmat(x1: Any, x2: Any, /) -> Any:
    """`numpy.vecmat`: products of stacked vectors, conjugated, and matrices."""
    return MATMUL(_conjugate(numeric(x1))[..., None, :], numeric(x2))[..., 0, :]


@serves("kron")
def kron(a: Any, b: Any) -> Any:
    """`numpy.kron`."""
    a, b = numeric(a), numeric(b)
    count = max(np.ndim(a), np.ndim(b))
    left, right = ((1,) * (count - np.ndim(x)) + np.shape(x) for x in (a, b))
    spread = np.reshape(a, tuple(part for n in left for part in (n, 1)))
    product = spread * np.reshape(b, tuple(part for n in right for part in (1, n)))
    return np.reshape(product, tuple(n * m for n, m in zip(left, right, strict=True)))


@serves("cross")
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """`numpy.cross`, for vectors of 3 elements, or of 2, whose third is zero."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = np.moveaxis(numeric(a), axisa, -1), np.moveaxis(numeric(b), axisb, -1)
    lengths = np.shape(a)[-1], np.shape(b)[-1]
    if not {2, 3}.issuperset(lengths):
        raise ValueError(f"incompatible dimensions for cross product\n(dimension must be 2 or 3, not {lengths})")
    third = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    if lengths == (2, 2):
        return third
    a2, b2 = (x[..., 2] if n == 3 else 0.0 for x, n in zip((a, b), lengths, strict=True))
    first, second = a[..., 1] * b2 - a2 * b[..., 1], a2 * b[..., 0] - a[..., 0] * b2
    return np.moveaxis(np.stack([first, second, third], axis=-1), -1, axisc)


@serves("convolve")
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """`numpy.convolve`."""
    a, v = np.atleast_1d(numeric(a)), np.atleast_1d(numeric(v))
    if np.size(a) < np.size(v):
        a, v = v, a
    whole = CONVOLVE(a, v)
    long, short = np.size(a), np.size(v)
    if mode == "full":
        return whole
    if mode not in ("same", "valid"):
        raise ValueError(f"mode must be one of 'full', 'same', 'valid', not {mode!r}")
    start, length = ((short - 1) // 2, long) if mode == "same" else (short - 1, long - short + 1)
    return whole[start : start + length]


@serves("correlate", other_steps=True)
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """`numpy.correlate`, which conjugates the second argument."""
    a, v = np.atleast_1d(numeric(a)), np.atleast_1d(numeric(v))
    if mode == "same" and np.size(a) < np.size(v) and np.size(a) % 2 == 0:
        return CONVOLVE(a, _conjugate(v)[::-1])[np.size(a) // 2 :][: np.size(v)]  # NumPy swaps and reverses the two
    return convolve(a, _conjugate(v)[::-1], mode)

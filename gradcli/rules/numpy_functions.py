"""NumPy's functions by name, each written with the rules: what `np.NAME` does when an argument is recorded.

A function here has NumPy's signature, at least as far as derivatives go, and calls rules or other NumPy functions.
Names with a dot are in a submodule of NumPy's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.errors import UsageError
from gradcli.rules.indexing import INDEX
from gradcli.rules.products import MATMUL
from gradcli.rules.reduction import MAX, MEAN, MIN, PROD, SUM, Axis
from gradcli.rules.shape import BROADCAST, CAST, CONCATENATE, RESHAPE, STACK, TRANSPOSE
from gradcli.rules.table import RULES

FUNCTIONS: dict[str, Callable[..., Any]] = {}

# The words of NumPy's ufuncs that differ from ours.
UFUNCS = {
    "absolute": "abs",
    "fabs": "abs",
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "remainder": "mod",
    "mod": "mod",
    "fmod": "fmod",
    "power": "pow",
    "float_power": "pow",
    "negative": "neg",
    "positive": "pos",
    "conjugate": "pos",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
    "deg2rad": "radians",
    "rad2deg": "degrees",
    "gammaln": "lgamma",
    "psi": "digamma",
}


def ufunc_rule(name: str) -> Any:
    """The rule behind a NumPy or SciPy ufunc, or None."""
    return RULES.get(UFUNCS.get(name, name))


def serves(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make the decorated function what NumPy's functions of these names do on recorded values."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            FUNCTIONS[name] = function
        return function

    return decorate


def _only_default(**options: Any) -> None:
    """Refuse options that would change the meaning and have no rule."""
    for name, value in options.items():
        if value is not None and value is not np._NoValue and value is not True:
            raise UsageError(f"the option {name}= of this function is not supported on recorded values")


@serves("sum")
def sum(a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # noqa: A001
    """`numpy.sum`."""
    _only_default(out=out, where=where, initial=initial)
    return SUM(_typed(a, dtype), axis=axis, keepdims=keepdims is True)


@serves("mean")
def mean(a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    """`numpy.mean`."""
    _only_default(out=out, where=where)
    return MEAN(_typed(a, dtype), axis=axis, keepdims=keepdims is True)


@serves("prod")
def prod(a: Any, axis: Axis = None, dtype: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    """`numpy.prod`."""
    _only_default(out=out, where=where, initial=initial)
    return PROD(_typed(a, dtype), axis=axis, keepdims=keepdims is True)


@serves("max", "amax")
def max(a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # noqa: A001
    """`numpy.max`; ties share equally."""
    _only_default(out=out, where=where, initial=initial)
    return MAX(a, axis=axis, keepdims=keepdims is True)


@serves("min", "amin")
def min(a: Any, axis: Axis = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:  # noqa: A001
    """`numpy.min`; ties share equally."""
    _only_default(out=out, where=where, initial=initial)
    return MIN(a, axis=axis, keepdims=keepdims is True)


def _typed(a: Any, dtype: Any) -> Any:
    return a if dtype is None or np.dtype(dtype) == getattr(a, "dtype", float) else CAST(a, dtype=np.dtype(dtype))


@serves("reshape")
def reshape(a: Any, /, shape: Any = None, order: str = "C", **_: Any) -> Any:
    """`numpy.reshape`."""
    shape = shape if isinstance(shape, tuple) else tuple(shape) if isinstance(shape, list) else (shape,)
    return RESHAPE(a, shape=shape, order=order)


@serves("ravel")
def ravel(a: Any, order: str = "C") -> Any:
    """`numpy.ravel`."""
    return RESHAPE(a, shape=(-1,), order=order)


@serves("transpose", "permute_dims")
def transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    """`numpy.transpose`."""
    return TRANSPOSE(a, axes=None if axes is None else tuple(axes))


@serves("swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """`numpy.swapaxes`."""
    axes = list(range(np.ndim(a)))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return TRANSPOSE(a, axes=tuple(axes))


@serves("expand_dims")
def expand_dims(a: Any, axis: int | tuple[int, ...]) -> Any:
    """`numpy.expand_dims`."""
    return RESHAPE(a, shape=np.shape(np.expand_dims(np.broadcast_to(0.0, np.shape(a)), axis)), order="C")


@serves("squeeze")
def squeeze(a: Any, axis: Axis = None) -> Any:
    """`numpy.squeeze`."""
    return RESHAPE(a, shape=np.shape(np.squeeze(np.broadcast_to(0.0, np.shape(a)), axis)), order="C")


@serves("broadcast_to")
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """`numpy.broadcast_to`."""
    return BROADCAST(array, shape=(shape,) if isinstance(shape, int) else tuple(shape))


@serves("concatenate", "concat")
def concatenate(arrays: Sequence[Any], /, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Any:
    """`numpy.concatenate`."""
    _only_default(out=out, dtype=dtype)
    if axis is None:
        return CONCATENATE(*(np.ravel(array) for array in arrays), axis=0)
    return CONCATENATE(*arrays, axis=axis)


@serves("stack")
def stack(arrays: Sequence[Any], axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Any:
    """`numpy.stack`."""
    _only_default(out=out, dtype=dtype)
    return STACK(*arrays, axis=axis)


@serves("dot")
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.dot`."""
    _only_default(out=out)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return RULES["mul"](a, b)
    if np.ndim(b) <= 2:  # noqa: PLR2004 - a matrix
        return MATMUL(a, b)
    columns = np.reshape(np.swapaxes(np.moveaxis(b, -2, 0), 0, 0), (np.shape(b)[-2], -1))
    return np.reshape(MATMUL(a, columns), (*np.shape(a)[:-1], *np.shape(b)[:-2], np.shape(b)[-1]))


@serves("inner")
def inner(a: Any, b: Any, /) -> Any:
    """`numpy.inner`."""
    return np.dot(a, b) if np.ndim(b) < 2 else np.dot(a, np.swapaxes(b, -1, -2))  # noqa: PLR2004 - a matrix


@serves("outer")
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.outer`."""
    _only_default(out=out)
    return RULES["mul"](np.ravel(a)[:, None], np.ravel(b)[None, :])


@serves("vdot")
def vdot(a: Any, b: Any, /) -> Any:
    """`numpy.vdot`."""
    return MATMUL(np.ravel(a), np.ravel(b))


@serves("moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """`numpy.moveaxis`."""
    shape = np.shape(a)
    order = np.moveaxis(np.broadcast_to(0, shape), source, destination)
    del order
    sources = [s % len(shape) for s in ((source,) if isinstance(source, int) else source)]
    places = [d % len(shape) for d in ((destination,) if isinstance(destination, int) else destination)]
    axes = [n for n in range(len(shape)) if n not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        axes.insert(place, axis)
    return TRANSPOSE(a, axes=tuple(axes))


@serves("where")
def where(condition: Any, *branches: Any) -> Any:
    """`numpy.where`."""
    if not branches:
        return np.nonzero(condition)
    return RULES["where"](condition, *branches)


@serves("clip")
def clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = None, max: Any = None, **_: Any) -> Any:  # noqa: A002
    """`numpy.clip`."""
    _only_default(out=out)
    low = a_min if min is None else min
    high = a_max if max is None else max
    if low is None or high is None:
        a = a if low is None else RULES["maximum"](a, low)
        return a if high is None else RULES["minimum"](a, high)
    return RULES["clip"](a, low, high)


@serves("sinc")
def sinc(x: Any) -> Any:
    """`numpy.sinc`."""
    return RULES["sinc"](x)


@serves("real", "real_if_close", "copy", "ascontiguousarray")
def itself(val: Any, *_: Any, **__: Any) -> Any:
    """Functions that give their argument back."""
    return val


@serves("take")
def take(a: Any, indices: Any, axis: int | None = None, **_: Any) -> Any:
    """`numpy.take`."""
    if axis is None:
        return INDEX(np.ravel(a), key=np.asarray(indices))
    return INDEX(a, key=(slice(None),) * (axis % np.ndim(a)) + (np.asarray(indices),))


@serves("diff")
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """`numpy.diff`."""
    before = (slice(None),) * (axis % np.ndim(a))
    for _ in range(n):
        a = a[(*before, slice(1, None))] - a[(*before, slice(None, -1))]
    return a


@serves("linalg.norm")
def norm(x: Any, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Any:  # noqa: A002
    """`numpy.linalg.norm` in its plain form, the Euclidean length."""
    _only_default(ord=ord)
    return np.sqrt(np.sum(np.square(x), axis=axis, keepdims=keepdims))


def size_of(shape: tuple[int, ...]) -> int:
    """How many numbers an array of `shape` holds."""
    return math.prod(shape)

"""Array rules that move elements without changing them: reshape, transpose, roll, broadcast, stack, concatenate."""

from __future__ import annotations

import math
import operator
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.shared import devices

FEW = 1 << 12  # elements; for smaller arrays, a repeating view costs ten times as much as writing the elements


def broadcast(x: Any, shape: tuple[int, ...]) -> Any:
    """An array broadcast to a shape."""
    if type(x) is not np.ndarray or math.prod(shape) > FEW:
        return np.broadcast_to(x, shape)
    written = np.empty(shape, x.dtype)
    written[...] = x
    return written


def unbroadcast(cotangent: Any, shape: tuple[int, ...]) -> Any:
    """The adjoint of broadcasting an array of `shape`: sums over repeated axes, and broadcasts over reduced ones."""
    extra = (cotangent.ndim if type(cotangent) is np.ndarray else np.ndim(cotangent)) - len(shape)
    # The case of a bias vector, without the overhead of `np.sum`.
    if extra == 1 and shape and type(cotangent) is np.ndarray:
        cotangent = np.add.reduce(cotangent)
        if cotangent.shape == shape:
            return cotangent
    elif extra > 0:
        cotangent = np.sum(cotangent, axis=tuple(range(extra)))
    elif extra < 0:
        cotangent = np.reshape(cotangent, (1,) * -extra + np.shape(cotangent))
    lengths = zip(np.shape(cotangent), shape, strict=True)
    several = tuple(axis for axis, (n, m) in enumerate(lengths) if m == 1 and n != 1)
    if several:
        cotangent = np.sum(cotangent, axis=several, keepdims=True)
    return cotangent if np.shape(cotangent) == shape else broadcast(cotangent, shape)


def inverse(axes: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """The inverse of a permutation of axes."""
    return None if axes is None else tuple(int(axis) for axis in np.argsort([a % len(axes) for a in axes]))


def _part(arrays: tuple[Any, ...], position: int, axis: int) -> slice:
    """The slice of one of the arrays along the axis along which they are joined."""
    start = sum(np.shape(array)[axis] for array in arrays[:position])
    return slice(start or None, start + np.shape(arrays[position])[axis])


def _concatenate_vjp(ct: Any, v: Any, *arrays: Any, position: int, axis: int) -> Any:
    axis %= np.ndim(v)
    return ct[(slice(None),) * axis + (_part(arrays, position, axis),)]


def _concatenate_parts(ct: Any, v: Any, arrays: tuple[Any, ...], *, axis: int) -> list[Any]:
    axis %= np.ndim(v)
    ends = [0, *accumulate(np.shape(array)[axis] for array in arrays)]
    return [ct[(slice(None),) * axis + (slice(*part),)] for part in pairwise(ends)]


def _concatenate_batched(cts: Any, v: Any, *arrays: Any, position: int, axis: int) -> Any:
    axis %= np.ndim(v)
    return cts[(slice(None),) * (1 + axis) + (_part(arrays, position, axis),)]


def _stack_parts(ct: Any, v: Any, arrays: tuple[Any, ...], *, axis: int) -> list[Any]:
    before = (slice(None),) * (axis % np.ndim(v))
    return [ct[(*before, position)] for position in range(len(arrays))]


def _rolled_back(ct: Any, v: Any, x: Any, *, shift: tuple[int, ...], axis: tuple[int, ...]) -> Any:
    return np.roll(ct, tuple(map(operator.neg, shift)), axis)


REAL_TYPE, COMPLEX_TYPE = np.dtype(float), np.dtype(complex)


def numpy_type(x: Any) -> Any:
    """The NumPy dtype of a Python number, recorded or not."""
    return COMPLEX_TYPE if isinstance(x, complex) else REAL_TYPE


def _cast_vjp(ct: Any, v: Any, x: Any, *, dtype: Any) -> Any:
    """The cotangent of a value cast to a Python number, as a NumPy number again, which an array's rule may index."""
    return CAST(ct, dtype=x.dtype) if hasattr(x, "dtype") and not hasattr(ct, "dtype") else ct


def _same(cts: Any, v: Any, x: Any, **choices: Any) -> Any:
    return cts


def _transpose_batched(cts: Any, v: Any, x: Any, *, axes: tuple[int, ...] | None) -> Any:
    back = inverse(axes) or tuple(range(np.ndim(x)))[::-1]
    return np.transpose(cts, (0, *(1 + axis for axis in back)))


def _cast(x: Any, *, dtype: Any) -> Any:
    """`x` as a Python float, as a 0-d array, or in another dtype, on the chosen device.

    Raises:
        UnsupportedError: a complex number would lose its imaginary part.
    """
    if getattr(x, "dtype", REAL_TYPE).kind == "c" and (dtype is float or np.dtype(dtype).kind == "f"):
        raise UnsupportedError(
            "a complex number is converted to a real one and would lose its imaginary part",
            hint="Write z.real, or abs(z), where a real number is meant.",
        )
    if dtype is float:
        return float(x)
    if dtype is np.ndarray:
        return x if devices.is_array(x) else devices.on_chosen_device(np.asarray(x))
    return devices.on_chosen_device(x.astype(dtype)[()] if hasattr(x, "astype") else dtype.type(x))


RESHAPE = array_rule(
    "reshape",
    "x, *, shape, order: np.reshape(x, shape, order=order)",
    lambda ct, v, x, *, shape, order: np.reshape(ct, np.shape(x), order=order),
    batched=(lambda cts, v, x, *, shape, order: cts.reshape(len(cts), *np.shape(x)) if order == "C" else None,),
    linear=True,
    moves=True,
)
TRANSPOSE = array_rule(
    "transpose",
    "x, *, axes: np.transpose(x, axes)",
    lambda ct, v, x, *, axes: np.transpose(ct, inverse(axes)),
    batched=(_transpose_batched,),
    linear=True,
    moves=True,
    permutes=True,
)
BROADCAST = array_rule(
    "broadcast_to",
    "x, *, shape: np.broadcast_to(x, shape)",
    lambda ct, v, x, *, shape: ct,
    batched=(_same,),
    linear=True,
    moves=True,
)
CONCATENATE = array_rule(
    "concatenate",
    "*arrays, axis: np.concatenate(arrays, axis=axis)",
    _concatenate_vjp,
    parts=_concatenate_parts,
    batched=(_concatenate_batched,),
    linear=True,
    variadic=True,
    moves=True,
)
STACK = array_rule(
    "stack",
    "*arrays, axis: np.stack(arrays, axis=axis)",
    lambda ct, v, *arrays, position, axis: ct[(slice(None),) * (axis % np.ndim(v)) + (position,)],
    parts=_stack_parts,
    batched=(lambda cts, v, *arrays, position, axis: cts[(slice(None),) * (1 + axis % np.ndim(v)) + (position,)],),
    linear=True,
    variadic=True,
    moves=True,
)
COPY = array_rule(
    "copy",
    "x, *, order: x.copy(order)",
    lambda ct, v, x, *, order: ct,
    batched=(_same,),
    linear=True,
    moves=True,
)
CAST: ArrayRule = array_rule(
    "cast",
    _cast,
    _cast_vjp,
    batched=(_same,),
    linear=True,
    moves=True,
    casts=True,
)
ROLL = array_rule(
    "roll",
    "x, *, shift, axis: np.roll(x, shift, axis)",
    _rolled_back,
    batched=(
        lambda cts, v, x, *, shift, axis: _rolled_back(
            cts, v, x, shift=shift, axis=tuple(1 + a % np.ndim(x) for a in axis)
        ),
    ),
    linear=True,
    moves=True,
)

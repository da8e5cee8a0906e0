"""SciPy's compiled interpolation of images, which the Python code of `scipy.ndimage` calls, by NumPy's functions.

The functions of `scipy.ndimage._nd_image` are implemented under their own names and signatures. `map_coordinates`,
`affine_transform`, `geometric_transform`, `rotate`, `shift`, `zoom` and `spline_filter` rely on them, in all orders and
modes. Source of the splines: M. Unser, Splines, a perfect fit for signal and image processing, 1999.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import FUNCTIONS, numeric, serves
from gradcli.mathematics.rules.numpy.sorting import plain_outcome

_IMAGE = "scipy.ndimage._nd_image"
_NEAREST, _WRAP, _REFLECT, _MIRROR, _CONSTANT, _GRID_WRAP, _GRID_CONSTANT = range(7)


@serves(f"{_IMAGE}.spline_filter1d", other_steps=True)
def spline_filter1d(input: Any, order: int, axis: int, output: Any, mode: int) -> None:
    """The coefficients of the spline through the elements along an axis, which are linear in the elements.

    The matrix is SciPy's result for the unit vectors, so a line of n elements costs n**2 operations.
    """
    from scipy.ndimage import _nd_image

    length = np.shape(input)[axis]
    matrix = np.empty((length, length))
    _nd_image.spline_filter1d(np.eye(length), order, 0, matrix, mode)
    lines = np.moveaxis(numeric(input), axis, 0)
    output[...] = np.moveaxis(np.tensordot(matrix, lines, 1), 0, axis)


@serves(f"{_IMAGE}.geometric_transform", other_steps=True)
def geometric_transform(  # noqa: PLR0913, PLR0917 - SciPy's signature
    input: Any, mapping: Any, coordinates: Any, matrix: Any, offset: Any, output: Any,
    order: int, mode: int, cval: Any, npad: int, extra: Any, options: Any,
) -> None:  # fmt: skip
    """The image at given coordinates, or at those that a function or a linear map gives for each position."""
    shape = np.shape(output)
    if mapping is not None:
        mapped = [np.stack(mapping(place, *(extra or ()), **(options or {}))) for place in np.ndindex(shape)]
        coordinates = np.reshape(np.stack(mapped, axis=-1), (-1, *shape))
        FUNCTIONS[f"{_IMAGE}.geometric_transform"](
            input, None, coordinates, None, None, output, order, mode, cval, npad, None, None
        )
        return
    if coordinates is None:
        places = np.reshape(np.indices(shape, dtype=float), (len(shape), -1))
        coordinates = np.reshape(np.matmul(matrix, places) + np.reshape(offset, (-1, 1)), (-1, *shape))
    output[...] = _sampled(numeric(input), list(coordinates), order, mode, cval, npad)


@serves(f"{_IMAGE}.zoom_shift", other_steps=True)
def zoom_shift(  # noqa: PLR0913, PLR0917 - SciPy's signature
    input: Any, zoom: Any, shift: Any, output: Any, order: int, mode: int, cval: Any, npad: int, grid_mode: bool
) -> None:
    """The image at positions shifted and scaled along each axis. With `grid_mode`, pixels have half-integer centres."""
    shape = np.shape(output)
    coordinates = []
    for axis, length in enumerate(shape):
        along: Any = np.arange(float(length))
        along = along if shift is None else along + shift[axis]
        middle = 0.5 if grid_mode else 0.0
        along = along if zoom is None else (along + middle) * zoom[axis] - middle
        coordinates.append(np.reshape(along, [-1 if n == axis else 1 for n, _ in enumerate(shape)]))
    output[...] = np.broadcast_to(_sampled(numeric(input), coordinates, order, mode, cval, npad), shape)


def _sampled(image: Any, coordinates: list[Any], order: int, mode: int, cval: Any, npad: int) -> Any:
    """The interpolated image: neighbours of each point with the weights of a B-spline."""
    axes = [_Axis(x, length, order, mode, npad) for x, length in zip(coordinates, np.shape(image), strict=True)]
    total: Any = 0.0
    for places in itertools.product(range(order + 1), repeat=len(axes)):
        key = tuple(axis.places[n] for axis, n in zip(axes, places, strict=True))
        read = image[tuple(np.maximum(at, 0) for at in key)]
        if mode == _GRID_CONSTANT:
            read = np.where(math.prod(at >= 0 for at in key), read, cval)
        total = total + read * math.prod(axis.weights[n] for axis, n in zip(axes, places, strict=True))
    outside = sum(axis.outside for axis in axes) > 0
    return np.where(outside, cval, total) if mode == _CONSTANT else total


def _stacked_inside(x: Any, length: int, mode: int) -> Any:
    return np.stack(_inside(x, length, mode))


def _first(x: Any, order: int) -> Any:
    return np.floor(x + (0.0 if order % 2 else 0.5))


class _Axis:
    """The neighbours of coordinates along one axis: their indices, -1 beyond the grid, and their weights."""

    def __init__(self, x: Any, length: int, order: int, mode: int, npad: int) -> None:
        x = numeric(x) + float(npad)
        slope, moved, self.outside = plain_outcome("coordinates", call_of(_stacked_inside, length, mode), x)
        x = slope * x + moved
        first = plain_outcome("floor", call_of(_first, order), x) - order // 2
        beyond = _MIRROR if mode in (_CONSTANT, _WRAP) else mode
        self.places = [_on_grid(first + n, length, beyond) for n in range(order + 1)]
        self.weights = [_spline(x - (first + n), order, n) for n in range(order + 1)]


def _on_grid(place: Any, length: int, mode: int) -> Any:
    """The grid index of a neighbour, or -1 where the constant is used."""
    if mode == _GRID_CONSTANT:
        return np.where((place < 0) | (place > length - 1), -1, place).astype(int)
    slope, moved, _ = _inside(place, length, mode)
    return np.rint(slope * place + moved).astype(int)


def _spline(x: Any, order: int, n: int) -> Any:
    """The B-spline of an order at distance `x` from neighbour `n`."""
    if order < 2:
        return np.ones_like(x) if order == 0 else 1.0 - x if n == 0 else 1.0 + x
    powers = (
        (-1) ** k * math.comb(order + 1, k) / math.factorial(order) * np.maximum(x + (order + 1) / 2 - k, 0.0) ** order
        for k in range(order + 1)
    )
    return sum(powers)


def _inside(x: Any, length: int, mode: int) -> tuple[Any, Any, Any]:
    """How SciPy maps coordinates into the image: slope and offset of a linear map, and a mask of those outside."""
    one, none = np.ones_like(x), np.zeros_like(x)
    if mode in (_CONSTANT, _GRID_CONSTANT):
        return one, none, 1.0 * ((x < 0) | (x > length - 1))
    if mode == _NEAREST or length == 1:
        inside = (x >= 0) & (x <= length - 1)
        return 1.0 * inside, np.where(inside, 0.0, np.where(x < 0, 0.0, length - 1.0)), none
    if mode in (_MIRROR, _REFLECT):
        return *_folded(x, length - 1.0 if mode == _MIRROR else float(length), 0.0 if mode == _MIRROR else 0.5), none
    turns = _TURNS[mode](x, length)
    return one, turns, none


def _folded(x: Any, half: float, edge: float) -> tuple[Any, Any]:
    """Reflection at both ends, which lie `edge` beyond the first and the last position."""
    turns = 2 * half * np.floor((x + edge) / (2 * half))
    back = x + edge - turns > half
    return np.where(back, -1.0, 1.0), np.where(back, 2 * half - 2 * edge + turns, -turns)


def _wrapped(x: Any, length: int) -> Any:
    """Wrapping with a period of `length - 1`: SciPy treats the last and the first element as the same position."""
    period = length - 1.0
    before = period * (np.trunc(-x / period) + 1)
    return np.where(x < 0, before, np.where(x > period, -period * np.trunc(x / period), 0.0))


def _wrapped_on_grid(x: Any, length: int) -> Any:
    """Wrapping with a period of `length`."""
    before = length * (np.trunc((-1 - x) / length) + 1)
    return np.where(x < 0, before, np.where(x > length - 1, -length * np.trunc((x + 1) / length), 0.0))


_TURNS: dict[int, Callable[[Any, int], Any]] = {_WRAP: _wrapped, _GRID_WRAP: _wrapped_on_grid}

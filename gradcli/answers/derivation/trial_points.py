"""Trial points for a derived program: other numbers and other sizes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

TRIES = 6


def points_around(arguments: list[Any]) -> list[list[Any]]:
    """The point, the point with other sizes, and points nearby."""
    generator = random.Random(0)
    points = [arguments]
    for step in (1, -1, 2):
        other = resized(arguments, step, generator)
        if other is not None:
            points.append(other)
    shrunk = resized(arguments, -10_000, generator)
    if shrunk is not None:
        points.append(shrunk)
        for n in range(len(arguments)):
            points.append([shrunk[n] if k == n else argument for k, argument in enumerate(arguments)])
    return [*points, *beside(arguments)]


def of_single_axes(arguments: list[Any]) -> Iterator[list[Any]]:
    """The point with one axis of one array at length 1, or at length 3 if it had length 1."""
    for n, array in enumerate(arguments):
        if isinstance(array, np.ndarray):
            for axis, length in enumerate(array.shape):
                indices = [0] if length > 1 else [0, 0, 0]
                changed = moved(np.take(array, indices, axis=axis), random.Random(axis), 0.2)
                yield [changed if k == n else argument for k, argument in enumerate(arguments)]


def beside(arguments: list[Any], seed: int = 0) -> Iterator[list[Any]]:
    """Points near a point, at several distances."""
    generator = random.Random(seed)
    for spread in (0.1, 0.1, 0.5, 0.5, 1.0, 2.0, 2.0, 4.0)[: TRIES + 2]:
        yield [moved(argument, generator, spread) for argument in arguments]


def moved(value: Any, generator: random.Random, spread: float) -> Any:
    """A value with each of its numbers moved at random."""
    if type(value) in (list, tuple):
        return type(value)([moved(element, generator, spread) for element in value])
    if type(value) is dict:
        return {key: moved(element, generator, spread) for key, element in value.items()}
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            return value
        flat = [moved(element, generator, spread) for element in value.ravel().tolist()]
        return np.array(flat, dtype=value.dtype).reshape(value.shape)
    if isinstance(value, float):
        return value + spread * generator.uniform(-1.0, 1.0) * max(1.0, abs(value))
    return value


def resized(arguments: list[Any], step: int, generator: random.Random) -> list[Any] | None:
    """The point with every length increased by a step, equal lengths kept equal; None if it has no lengths."""
    if not any(isinstance(argument, (list, tuple, dict, np.ndarray)) for argument in arguments):
        return None
    return [_resized(argument, step, generator) for argument in arguments]


def _resized(value: Any, step: int, generator: random.Random) -> Any:
    if type(value) in (list, tuple):
        items = list(value)
        items = [*items, *items[-1:] * step] if step > 0 else items[: max(1, len(items) + step)]
        return type(value)([moved(_resized(item, step, generator), generator, 0.2) for item in items])
    if type(value) is dict:
        return {key: _resized(item, step, generator) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.ndim:
        for axis, length in enumerate(value.shape):
            indices = [min(k, length - 1) for k in range(max(1, length + step))]
            value = np.take(value, indices, axis=axis)
        return moved(value, generator, 0.2)
    return value

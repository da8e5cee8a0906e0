"""Trial points for a derived program: other numbers and other sizes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import numpy as np

from gradcli.shared.pytree import leaves

MANY = 10_000  # numbers of a point; of a larger one, other sizes and most points nearby are tried with short axes
BLOCK = 1 << 14  # numbers that are moved at once
SHORT = 8  # elements along an axis, at least
SPREADS = (0.1, 0.1, 0.5, 0.5, 1.0, 2.0, 2.0, 4.0)


def points_around(arguments: list[Any]) -> list[list[Any]]:
    """The point, the point with other sizes, and points nearby."""
    generator = random.Random(0)
    lengths = sorted(set(lengths_in(arguments)))
    if sum(map(np.size, leaves(arguments))) > MANY:
        short = {length: min(length, SHORT + n) for n, length in enumerate(lengths)}
        resized = [_resized(argument, short, generator) for argument in arguments]
        return [arguments, *islice(nearby_points(arguments), 2), *points_around(resized)]
    points = [arguments]
    if lengths:
        for others in (*({n: max(1, n + step) for n in lengths} for step in (1, -1, 2)), dict.fromkeys(lengths, 1)):
            points.append(shrunk := [_resized(argument, others, generator) for argument in arguments])
        points += [[shrunk[n] if k == n else x for k, x in enumerate(arguments)] for n in range(len(arguments))]
    return [*points, *nearby_points(arguments)]


def of_single_axes(arguments: list[Any]) -> Iterator[list[Any]]:
    """The point with one axis of one array at length 1, or at length 3 if it had length 1."""
    for n, array in enumerate(arguments):
        if isinstance(array, np.ndarray):
            for axis, length in enumerate(array.shape):
                changed = moved(np.take(array, [0] * (1 if length > 1 else 3), axis=axis), random.Random(axis), 0.2)
                yield [changed if k == n else argument for k, argument in enumerate(arguments)]


def nearby_points(arguments: list[Any], seed: int = 0) -> Iterator[list[Any]]:
    """Points near a point, at several distances."""
    generator = random.Random(seed)
    for spread in SPREADS:
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
        return _moved_array(value, np.random.default_rng(generator.getrandbits(32)), spread)
    if isinstance(value, float):
        return value + spread * generator.uniform(-1.0, 1.0) * max(1.0, abs(value))
    return value


def _moved_array(value: Any, generator: np.random.Generator, spread: float) -> Any:
    """An array with each of its numbers moved, by blocks, which fit into caches and share their random numbers."""
    numbers, result = value.ravel(), np.empty(value.size, value.dtype)
    steps = spread * generator.uniform(-1.0, 1.0, min(value.size, BLOCK))
    for begin in range(0, value.size, BLOCK):
        block = numbers[begin : begin + BLOCK]
        result[begin : begin + BLOCK] = block + steps[: block.size] * np.maximum(1.0, np.abs(block))
    return result.reshape(value.shape)


def _resized(value: Any, others: Mapping[int, int], generator: random.Random) -> Any:
    """A value with another length of each list and axis, by length, and moved numbers in them."""
    if type(value) in (list, tuple):
        length = others[len(value)]
        items = [*value[:length], *value[-1:] * (length - len(value))]
        return type(value)([moved(_resized(item, others, generator), generator, 0.2) for item in items])
    if type(value) is dict:
        return {key: _resized(item, others, generator) for key, item in value.items()}
    if isinstance(value, np.ndarray) and value.ndim:
        for axis, length in enumerate(value.shape):
            value = np.take(value, np.minimum(np.arange(others[length]), length - 1), axis=axis)
        return moved(value, generator, 0.2)
    return value


def lengths_in(values: Iterable[Any]) -> Iterator[int]:
    """The lengths of the lists and axes among values."""
    for value in values:
        if isinstance(value, np.ndarray):
            yield from value.shape
        elif isinstance(value, (list, tuple, dict)):
            yield from () if isinstance(value, dict) else (len(value),)
            yield from lengths_in(value.values() if isinstance(value, dict) else value)

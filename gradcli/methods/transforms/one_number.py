"""One number made of a function's results, whose gradient is not finite, or zero, where another derivative of it is.

With these functions, what is known of gradients serves Jacobians and products too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.running.recorded_run import unwrapped
from gradcli.engine.tape.value import plain_value
from gradcli.shared.pytree import leaves, leaves_like, map_leaves

Function = Callable[..., Any]

GOLDEN = 0.6180339887498949  # its multiples are spread evenly, and no few of them add up to a whole number


def first_of_pair(f: Function) -> Function:
    """The result of a function that returns it with an aux."""

    @functools.wraps(f, updated=())
    def first(*inputs: Any) -> Any:
        return f(*inputs)[0]

    return first


def weighted_sum(f: Function) -> Function:
    """The sum of all numbers that a function returns, with weights between 1 and 2; one number as it is."""
    return _composed(f, _weighted)


def inner_product(f: Function, cotangent: Any) -> Function:
    """The real part of the inner product of a cotangent and a function's result."""
    return _composed(f, lambda result: _sum(leaves(result), leaves_like(result, cotangent) or ()))


def along(f: Function, tangents: tuple[Any, ...]) -> Function:
    """The weighted sum of a function's results, as a function of those numbers of its inputs that move."""

    def of_moving(*inputs: Any) -> Any:
        moving = iter(leaves(tangents))
        return f(*map_leaves(lambda leaf: _moving(leaf, next(moving)), inputs))

    return weighted_sum(functools.wraps(f, updated=())(of_moving))


def _moving(leaf: Any, tangent: Any) -> Any:
    """An input whose numbers without a tangent are constant."""
    moves = np.not_equal(tangent, 0)
    if np.all(moves):
        return leaf
    return np.where(moves, leaf, plain_value(leaf)) if np.any(moves) else plain_value(leaf)


def _composed(f: Function, number: Function) -> Function:
    @functools.wraps(f, updated=())
    def one_number(*inputs: Any) -> Any:
        return number(unwrapped(f, f(*inputs)))

    return one_number


def _weighted(result: Any) -> Any:
    parts = leaves(result)
    if len(parts) == 1 and np.size(plain_value(parts[0])) == 1 and not np.iscomplexobj(plain_value(parts[0])):
        return np.sum(parts[0]) if np.ndim(plain_value(parts[0])) else parts[0]
    return _sum(parts, _weights(map(plain_value, parts)))


def _weights(values: Iterable[Any]) -> Iterator[Any]:
    first = 1
    for value in values:
        size = np.size(value)
        weights = 1 + np.reshape(np.arange(first, first + size) * GOLDEN % 1, np.shape(value))
        first += size
        yield weights * (1 + GOLDEN * 1j) if np.iscomplexobj(value) else weights


def _sum(parts: Iterable[Any], weights: Iterable[Any]) -> Any:
    return sum(np.sum(np.real(np.conj(weight) * part)) for part, weight in zip(parts, weights, strict=True))

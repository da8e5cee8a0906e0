"""Discrete Fourier transforms in many digits: by the defining sum, halved while the length is even.

They accept object arrays of decimals, and of the traced numbers used to split an operation into scalar steps.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np

from gradcli.mathematics.rules.fourier import resized
from gradcli.methods.exact import decimals
from gradcli.methods.exact.complex_decimals import conjugate, real_part

SHORT = 4  # numbers that are summed directly


@lru_cache(maxsize=256)
def _roots(length: int, sign: int, count: int) -> Any:
    """exp(sign 2 pi i k / length) for each k, with `count` digits."""
    powers = (decimals.from_mpmath(mpmath.expjpi(mpmath.mpf(2 * sign * k) / length)) for k in range(length))
    return np.fromiter(powers, dtype=object, count=length)


def roots(length: int, sign: int) -> Any:
    """The roots of unity, in order, in the current precision."""
    return _roots(length, sign, decimals.count())


def transform(x: Any, sign: int) -> Any:
    """The sums of x[j] exp(sign 2 pi i j k / n) along the last axis."""
    length = x.shape[-1]
    if length > SHORT and length % 2 == 0:
        even, odd = transform(x[..., ::2], sign), transform(x[..., 1::2], sign)
        turned = roots(length, sign)[: length // 2] * odd
        return np.concatenate([even + turned, even - turned], axis=-1)
    places = np.arange(length)
    return np.dot(x, roots(length, sign)[np.outer(places, places) % max(length, 1)])


def _scale(length: int, norm: str, inverse: bool) -> Any:
    """The factor of a transform: 1/n in one direction, or its square root in both."""
    if norm == "ortho":
        return decimals.ONE / (decimals.ONE * length).sqrt()
    return decimals.ONE / length if (norm == "forward") != inverse else decimals.ONE


def _along(x: Any, length: int, axis: int, norm: str, inverse: bool) -> Any:
    moved = np.moveaxis(resized(x, length, axis), axis, -1)
    transformed = transform(moved, 1 if inverse else -1) * _scale(length, norm, inverse)
    return np.moveaxis(transformed, -1, axis)


def _over(inverse: bool) -> Callable[..., Any]:
    def forward(x: Any, *, lengths: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Any:
        for length, axis in zip(lengths, axes, strict=True):
            x = _along(x, length, axis, norm, inverse)
        return x

    return forward


def rfft(x: Any, *, length: int, axis: int, norm: str) -> Any:
    """The first half of the spectrum of real numbers."""
    return resized(_along(x, length, axis, norm, inverse=False), length // 2 + 1, axis)


def irfft(x: Any, *, length: int, axis: int, norm: str) -> Any:
    """The real numbers of half a spectrum; its ends, which equal their own conjugates, are taken as real."""
    half = np.moveaxis(resized(x, length // 2 + 1, axis), axis, -1)
    mirrored = conjugate(half[..., 1 : (length + 1) // 2][..., ::-1])
    whole = np.concatenate([half, mirrored], axis=-1)
    return real_part(np.moveaxis(_along(whole, length, -1, norm, inverse=True), -1, axis))


FORWARDS: dict[str, Callable[..., Any]] = {
    "fftn": _over(inverse=False),
    "ifftn": _over(inverse=True),
    "rfft": rfft,
    "irfft": irfft,
}
"""By the names of the rules whose forward computations they replace."""

"""Array rules for discrete Fourier transforms, which are linear with transforms as transposes.

The matrix of a complex transform is symmetric, so in the pairing Re(ct * t) it is its own transpose. A transform of
real numbers keeps half the spectrum; a factor of 2 accounts for the other half, its conjugate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import array_rule

# The normalization that gives the inverse transform the same factor.
OTHER: dict[str, Any] = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def resized(x: Any, length: int, axis: int) -> Any:
    """`x` truncated or zero-padded at the end of an axis."""
    present = np.shape(x)[axis]
    before = (slice(None),) * (axis % np.ndim(x))
    if present >= length:
        return x if present == length else x[(*before, slice(length))]
    shape = list(np.shape(x))
    shape[axis] = length - present
    return np.concatenate([x, np.zeros_like(x, shape=tuple(shape))], axis=axis)


def part_of_line(marks: Any, x: Any, lengths: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    """The mask of an argument whose first `lengths` elements all affect every element along the axes.

    The transpose of the transform cannot compute it: its factors have phases, and those of several marks cancel.
    """
    met = np.where(np.any(marks != 0, axis=axes, keepdims=True), 1.0, 0.0)
    for axis, length in zip(axes, lengths, strict=True):
        size = np.shape(x)[axis]
        line = [min(length, size) if n == axis % np.ndim(x) else count for n, count in enumerate(np.shape(met))]
        met = resized(np.broadcast_to(met, tuple(line)), size, axis)
    return met


def _of_complex(name: str) -> Any:
    transform = getattr(np.fft, name)

    def vjp(ct: Any, v: Any, x: Any, *, lengths: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Any:
        pulled = transform(ct, lengths, axes, norm)
        for axis in axes:
            pulled = resized(pulled, np.shape(x)[axis], axis)
        return pulled

    def reach(marks: Any, v: Any, x: Any, *, lengths: tuple[int, ...], axes: tuple[int, ...], norm: str) -> Any:
        return part_of_line(marks, x, lengths, axes)

    return array_rule(
        name, f"x, *, lengths, axes, norm: np.fft.{name}(x, lengths, axes, norm)", vjp, linear=True, reach=reach
    )


def _ends(half: Any, length: int, axis: int, inside: float) -> Any:
    """Factors for half a spectrum: 1 for frequencies that are their own conjugates, `inside` for all others."""
    count = length // 2 + 1
    factors = np.ones_like(half, shape=count).real * inside
    factors[0] = 1.0
    if length % 2 == 0:
        factors[-1] = 1.0
    return factors.reshape([count if n == axis % np.ndim(half) else 1 for n in range(np.ndim(half))])


def _rfft_vjp(ct: Any, v: Any, x: Any, *, length: int, axis: int, norm: str) -> Any:
    halved = np.conj(ct) * _ends(v, length, axis, 0.5)
    return resized(np.fft.irfft(halved, length, axis, OTHER[norm]), np.shape(x)[axis], axis)


def _irfft_vjp(ct: Any, v: Any, x: Any, *, length: int, axis: int, norm: str) -> Any:
    spectrum = np.conj(np.fft.rfft(ct, length, axis, OTHER[norm]))
    return resized(spectrum * _ends(v, length, axis, 2.0), np.shape(x)[axis], axis)


FFT = _of_complex("fftn")
IFFT = _of_complex("ifftn")
RFFT = array_rule(
    "rfft",
    "x, *, length, axis, norm: np.fft.rfft(x, length, axis, norm)",
    _rfft_vjp,
    linear=True,
    reach=lambda marks, v, x, *, length, axis, norm: part_of_line(marks, x, (length,), (axis,)),
)
IRFFT = array_rule(
    "irfft",
    "x, *, length, axis, norm: np.fft.irfft(x, length, axis, norm)",
    _irfft_vjp,
    linear=True,
    reach=lambda marks, v, x, *, length, axis, norm: part_of_line(marks, x, (length // 2 + 1,), (axis,)),
)

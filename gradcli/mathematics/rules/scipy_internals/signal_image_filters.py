"""SciPy's compiled filters, which the Python code of `scipy.signal` and `scipy.ndimage` calls, by rules and NumPy.

The functions of `scipy.signal._sigtools`, `scipy.signal._sosfilt` and `scipy.ndimage._nd_image` are implemented under
their own names and signatures. `lfilter`, `filtfilt`, `convolve2d`, `gaussian_filter`, `sobel` and others rely on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.mathematics.rules.function_registry import numeric, serves


def _correlation_vjp(ct: Any, v: Any, x: Any, kernel: Any) -> Any:
    """The correlation of the padded cotangent with the reversed kernel."""
    around = [(length - 1, length - 1) for length in np.shape(kernel)]
    return CORRELATION(np.pad(ct, around), np.flip(kernel))


# At all positions where the kernel lies within the array, without padding.
CORRELATION: ArrayRule = array_rule(
    "correlation",
    "x, kernel: np.tensordot(np.lib.stride_tricks.sliding_window_view(x, kernel.shape), kernel, kernel.ndim)",
    _correlation_vjp,
    lambda ct, v, x, kernel: CORRELATION(x, ct),
    bilinear=True,
)


def _recursion_transposed(ct: Any, a: Any) -> Any:
    """The solution with the transposed matrix, a triangular Toeplitz matrix: the same recursion, reversed in time."""
    return RECURSION(a, ct[..., ::-1])[..., ::-1]


def _recursion_vjp(ct: Any, v: Any, a: Any, x: Any) -> Any:
    """From a * dv = -da * v: minus the correlation of the transposed solution with the result."""
    return _recursion_batched(ct[None], v, a, x)[0]


def _recursion_batched(cts: Any, v: Any, a: Any, x: Any) -> Any:
    left, length, axes = _recursion_transposed(cts, a), np.shape(v)[-1], tuple(range(1, np.ndim(v) + 1))
    lags = range(np.shape(a)[0])
    sums = [np.sum(left[..., lag:] * v[..., : max(length - lag, 0)], axis=axes) for lag in lags]
    return -np.stack(sums, axis=-1)


def _recursion_jvp(tangents: dict[int, Any], v: Any, a: Any, x: Any) -> Any:
    """The solution for the right-hand side dx - da * v."""
    right = tangents.get(1, 0.0)
    for lag in range(np.shape(a)[0] if 0 in tangents else 0):
        right = right - tangents[0][lag] * _delayed(v, lag)
    return RECURSION(a, right)


def _delayed(x: Any, lag: int) -> Any:
    """`x` shifted along its last axis towards the end, with zeros before it."""
    length = np.shape(x)[-1]
    before = np.zeros_like(x, shape=(*np.shape(x)[:-1], min(lag, length)))
    return np.concatenate([before, x[..., : max(length - lag, 0)]], axis=-1)


# The solution v of a[0] v[n] + a[1] v[n - 1] + ... = x[n] along the last axis, with zeros before n = 0.
RECURSION: ArrayRule = array_rule(
    "recursion",
    "a, x: scipy.signal.lfilter(np.ones_like(a[:1]), a, x)",
    _recursion_vjp,
    lambda ct, v, a, x: _recursion_transposed(ct, a),
    jvp=_recursion_jvp,
    batched=(_recursion_batched, lambda cts, v, a, x: _recursion_transposed(cts, a)),
    complex=True,
)


_SIGNAL, _IMAGE = "scipy.signal._sigtools", "scipy.ndimage._nd_image"

# The extension of an array beyond its ends: C codes of the modes, with NumPy's names.
_BEYOND_IMAGES = {0: "edge", 1: "wrap", 2: "symmetric", 3: "reflect", 4: "constant"}
_BEYOND_SIGNALS = {0: "constant", 1: "symmetric", 2: "wrap"}
_VALID, _SAME = 0, 1


def _padded(x: Any, widths: Sequence[tuple[int, int]], mode: Any, value: Any) -> Any:
    return np.pad(x, widths, mode, constant_values=value) if mode == "constant" else np.pad(x, widths, mode)


# Signals


@serves(f"{_SIGNAL}._correlateND", other_steps=True)
def correlate_nd(in1: Any, in2: Any, out: Any, mode: int) -> Any:
    """The correlation. Except in "valid" mode, the first array is zero-padded to the length of the result."""
    kernel = np.conj(in2)
    if mode == _VALID:
        return CORRELATION(in1, kernel)
    lengths = [n - k + 1 for n, k in zip(np.shape(in1), np.shape(in2), strict=True)]
    whole = in1[tuple(map(slice, lengths))]
    correlation = CORRELATION(np.pad(whole, [(k - 1, k - 1) for k in np.shape(in2)]), kernel)
    return _middle(correlation, [(k - 1) // 2 for k in np.shape(kernel)], lengths) if mode == _SAME else correlation


def _middle(full: Any, starts: Sequence[int], lengths: Sequence[int]) -> Any:
    """The part of a full correlation with the lengths of the first array."""
    return full[tuple(slice(n, n + length) for n, length in zip(starts, lengths, strict=True))]


@serves(f"{_SIGNAL}._convolve2d", other_steps=True)
def convolve2d(in1: Any, in2: Any, flip: int, mode: int, boundary: int, fillvalue: Any) -> Any:
    """The convolution of two matrices, or with `flip=0` their correlation."""
    kernel = np.flip(in2) if flip else in2
    if mode == _VALID:
        return CORRELATION(in1, kernel)
    around = [(k - 1, k - 1) for k in np.shape(kernel)]
    padded = _padded(in1, around, _BEYOND_SIGNALS[boundary >> 2], fillvalue)
    correlation = CORRELATION(padded, kernel)
    starts = [(k - 1) // 2 if flip else k // 2 for k in np.shape(kernel)]
    return _middle(correlation, starts, np.shape(in1)) if mode == _SAME else correlation


@serves(f"{_SIGNAL}._linear_filter", other_steps=True)
def linear_filter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """A rational filter along an axis. With an initial state of its delays, the final state is returned too."""
    b, a = numeric(b) / a[0], numeric(a) / a[0]
    x = np.moveaxis(numeric(x), axis, -1)
    if zi is None:
        return np.moveaxis(_filtered(b, a, x), -1, axis)
    state = np.moveaxis(numeric(zi), axis, -1)
    y = _filtered(b, a, x, state)
    return np.moveaxis(y, -1, axis), np.moveaxis(_state(b, a, x, y, state), -1, axis)


def _filtered(b: Any, a: Any, x: Any, state: Any = None) -> Any:
    length = np.shape(x)[-1]
    moved = sum(b[lag] * _placed(x, lag, length) for lag in range(min(np.shape(b)[0], max(length, 1))))
    return RECURSION(a, moved if state is None else moved + _placed(state, 0, length))


def _placed(x: Any, start: int, length: int) -> Any:
    """Elements from position `start` along the last axis, zero-padded to the length of the result."""
    kept = x[..., : max(length - start, 0)]
    around = (length - np.shape(kept)[-1] - (after := max(length - start - np.shape(kept)[-1], 0)), after)
    return np.pad(kept, [*[(0, 0)] * (np.ndim(x) - 1), around])


def _state(b: Any, a: Any, x: Any, y: Any, state: Any) -> Any:
    """The final state of the delays: their contributions to the next outputs without further input."""
    length, count = np.shape(x)[-1], np.shape(state)[-1]
    delays = []
    for n in range(count):
        last = state[..., length + n] if length + n < count else np.zeros_like(state[..., 0])
        for lag in range(n + 1, min(count, length + n) + 1):
            at = length + n - lag
            last = last + (b[lag] * x[..., at] if lag < np.shape(b)[0] else 0.0)
            last = last - (a[lag] * y[..., at] if lag < np.shape(a)[0] else 0.0)
        delays.append(last)
    return np.stack(delays, axis=-1)


@serves("scipy.signal._sosfilt._sosfilt", other_steps=True)
def sosfilt(sos: Any, x: Any, zi: Any) -> None:
    """Second-order sections applied one after another, in place, with the state of each."""
    for section in range(np.shape(sos)[0]):
        b, a = sos[section, :3], sos[section, 3:]
        y, state = linear_filter(b, a, x, -1, zi[:, section])
        x[...] = y
        zi[:, section] = state


# Images


def _around(size: int, origin: int) -> tuple[int, int]:
    """The number of elements that a filter covers before and after its middle."""
    return size // 2 + origin, size - size // 2 - 1 - origin


def _along(ndim: int, axis: int, there: Any, other: Any) -> list[Any]:
    return [there if n == axis % ndim else other for n in range(ndim)]


@serves(f"{_IMAGE}.correlate1d", other_steps=True)
def correlate1d(  # noqa: PLR0913, PLR0917 - SciPy's signature
    input: Any, weights: Any, axis: int, output: Any, mode: int, cval: float, origin: int
) -> None:
    """The correlation with weights along an axis."""
    ndim, size = np.ndim(input), np.shape(weights)[0]
    padded = _padded(input, _along(ndim, axis, _around(size, origin), (0, 0)), _BEYOND_IMAGES[mode], cval)
    output[...] = CORRELATION(padded, np.reshape(weights, _along(ndim, axis, size, 1)))


@serves(f"{_IMAGE}.uniform_filter1d", other_steps=True)
def uniform_filter1d(  # noqa: PLR0913, PLR0917 - SciPy's signature
    input: Any, size: int, axis: int, output: Any, mode: int, cval: float, origin: int
) -> None:
    """The moving average along an axis."""
    correlate1d(input, np.full(size, 1.0 / size), axis, output, mode, cval, origin)


@serves(f"{_IMAGE}.correlate", other_steps=True)
def correlate(input: Any, weights: Any, output: Any, mode: int, cval: float, origins: Sequence[int]) -> None:
    """The correlation with weights along all axes."""
    around = [_around(size, origin) for size, origin in zip(np.shape(weights), origins, strict=True)]
    output[...] = CORRELATION(_padded(input, around, _BEYOND_IMAGES[mode], cval), weights)


@serves(f"{_IMAGE}.min_or_max_filter1d", other_steps=True)
def min_or_max_filter1d(  # noqa: PLR0913, PLR0917 - SciPy's signature
    input: Any, size: int, axis: int, output: Any, mode: int, cval: float, origin: int, minimum: int
) -> None:
    """The moving minimum or maximum along an axis; ties share equally."""
    padded = _padded(input, _along(np.ndim(input), axis, _around(size, origin), (0, 0)), _BEYOND_IMAGES[mode], cval)
    windows = np.lib.stride_tricks.sliding_window_view(padded, size, axis)
    output[...] = np.min(windows, axis=-1) if minimum else np.max(windows, axis=-1)


def _windows(input: Any, footprint: Any, mode: int, cval: float, origins: Sequence[int]) -> Any:
    """The elements around each position that the footprint covers, along a new last axis."""
    around = [_around(size, origin) for size, origin in zip(np.shape(footprint), origins, strict=True)]
    padded = _padded(input, around, _BEYOND_IMAGES[mode], cval)
    return np.lib.stride_tricks.sliding_window_view(padded, np.shape(footprint))[..., footprint]


@serves(f"{_IMAGE}.rank_filter", other_steps=True)
def rank_filter(  # noqa: PLR0913, PLR0917 - SciPy's signature
    input: Any, rank: int, footprint: Any, output: Any, mode: int, cval: float, origins: Sequence[int]
) -> None:
    """The element of a given rank among those around each position, such as the median."""
    output[...] = np.sort(_windows(input, footprint, mode, cval, origins), axis=-1)[..., rank]


@serves("scipy.ndimage._rank_filter_1d.rank_filter", other_steps=True)
def rank_filter_1d(  # noqa: PLR0913, PLR0917 - SciPy's signature
    input: Any, rank: int, size: int, output: Any, mode: int, cval: float, origin: int
) -> None:
    """The rank filter along a line, with full windows."""
    rank_filter(input, rank, np.ones(size, dtype=bool), output, mode, cval, [origin])


@serves(f"{_IMAGE}.min_or_max_filter", other_steps=True)
def min_or_max_filter(  # noqa: PLR0913, PLR0917 - SciPy's signature
    input: Any,
    footprint: Any,
    structure: Any,
    output: Any,
    mode: int,
    cval: float,
    origins: Sequence[int],
    minimum: int,
) -> None:
    """The minimum or maximum of the elements in the footprint; `structure` is subtracted or added first."""
    windows = _windows(input, footprint, mode, cval, origins)
    if structure is not None:
        windows = windows - structure[footprint] if minimum else windows + structure[footprint]
    output[...] = np.min(windows, axis=-1) if minimum else np.max(windows, axis=-1)

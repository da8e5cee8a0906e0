"""Array rules for filters: correlation of two n-dimensional arrays, and the recursion of an IIR filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.array_rule import ArrayRule, array_rule


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

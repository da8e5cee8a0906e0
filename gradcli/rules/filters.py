"""Array rules of filters: the correlation of two arrays of any number of axes, and the recursion of an IIR filter."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.array_rules import ArrayRule
from gradcli.rules.scipys import scipys
from gradcli.rules.table import array_rule


def _correlation(x: Any, kernel: Any) -> Any:
    windows = np.lib.stride_tricks.sliding_window_view(x, np.shape(kernel))
    return np.tensordot(windows, kernel, np.ndim(kernel))


def _correlation_vjp(ct: Any, v: Any, x: Any, kernel: Any) -> Any:
    """Every number of `x` is met by the numbers of the kernel in the other order."""
    around = [(length - 1, length - 1) for length in np.shape(kernel)]
    return CORRELATION(np.pad(ct, around), np.flip(kernel))


# Of all places where the kernel lies within the array, without padding.
CORRELATION: ArrayRule = array_rule(
    "correlation",
    _correlation,
    _correlation_vjp,
    lambda ct, v, x, kernel: CORRELATION(x, ct),
    bilinear=True,
)


def _recursion(a: Any, x: Any) -> Any:
    return scipys("signal.lfilter")(np.ones_like(a[:1]), a, x)


def _recursion_transposed(ct: Any, a: Any) -> Any:
    """The matrix is a triangular Toeplitz one: its transpose is the same with time reversed."""
    return RECURSION(a, ct[..., ::-1])[..., ::-1]


def _recursion_vjp(ct: Any, v: Any, a: Any, x: Any) -> Any:
    """From a * dv = -da * v: minus the correlation of the transposed solution with the result."""
    left, length = _recursion_transposed(ct, a), np.shape(v)[-1]
    sums = [np.sum(left[..., lag:] * v[..., : max(length - lag, 0)]) for lag in range(np.shape(a)[0])]
    return -np.stack(sums)


# The solution v of a[0] v[n] + a[1] v[n - 1] + ... = x[n] along the last axis, from nothing before n = 0.
RECURSION: ArrayRule = array_rule(
    "recursion",
    _recursion,
    _recursion_vjp,
    lambda ct, v, a, x: _recursion_transposed(ct, a),
    complex=True,
)

"""Lengths of numbers whose powers leave the range of floats, computed from the numbers divided by a power of two."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import apply_plainly, plain_value
from gradcli.shared import devices
from gradcli.shared.float_errors import ignored_float_errors


def root_of_total(
    total: Callable[[Any], Any], root: Callable[[Any], Any], x: Any, axis: Any, keepdims: bool, power: float = 2.0
) -> Any:
    """The root of a sum of powers of `x`."""
    total_of_powers = total(x)
    if leaves_range(total_of_powers, x, axis, power):
        return scaled_length(lambda x: root(total(x)), x, axis, keepdims, power)
    return root(total_of_powers)


def scaled_length(length: Callable[[Any], Any], x: Any, axis: Any, keepdims: bool, power: float = 2.0) -> Any:
    """`length(x)`, a function of degree 1 along some axes; each lane is scaled whose powers would be inexact.

    A replay scales by the numbers that it finds.
    """
    whole, single = (apply_plainly(call_of(_scales, axis, power, kept), x) for kept in (True, keepdims))
    return length(x / whole) * single


def leaves_range(total: Any, x: Any, axis: Any, power: float = 2.0) -> bool:
    """Whether a sum of powers of `x` overflows, or loses digits to underflow, where the numbers themselves do not.

    Not on a device, as its numbers would have to be waited for.
    """
    total, x = plain_value(total), plain_value(x)
    if devices.on_device(total):
        return False
    low, high = _exact_range(np.dtype(total.dtype))
    is_inside = low < total < high if np.ndim(total) == 0 else np.all((total > low) & (total < high))
    return not is_inside and bool(np.any(_scales(x, axis, power, keepdims=True) != 1))


@cache
def _exact_range(dtype: np.dtype[Any]) -> tuple[float, float]:
    """The range of sums of powers in which those that matter are exact to rounding."""
    limits = np.finfo(dtype)
    return float(limits.tiny / limits.eps), float(limits.max * limits.eps)


def _scales(x: Any, axis: Any, power: float, keepdims: bool) -> Any:
    """For each lane, the power of two below its largest number, or 1 if the powers of that are in range."""
    size: Any = np.max(np.nan_to_num(np.abs(x), posinf=np.inf), axis=axis, keepdims=keepdims, initial=0.0)
    limits = np.finfo(size.dtype)
    with ignored_float_errors():  # roots of an order below 1 may leave the range of floats themselves
        low, high = np.array(_exact_range(size.dtype)) ** (1.0 / power)
    outside = ((size > 0) & (size < low)) | ((size > high) & np.isfinite(size))
    exponent = np.clip(np.frexp(size)[1] - 1, limits.minexp, limits.maxexp - 1)
    return np.where(outside, np.ldexp(size.dtype.type(1), exponent), size.dtype.type(1))[()]

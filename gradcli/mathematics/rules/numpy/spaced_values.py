"""NumPy's functions that return spaced values between end points, and the Kaiser window; all may be recorded."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, plain_value, serves
from gradcli.mathematics.rules.numpy.rearranging_helpers import integers_like
from gradcli.mathematics.rules.rule_table import RULES


@serves("linspace", other_steps=True)
def linspace(  # noqa: PLR0913, PLR0917 - NumPy's signature
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """`numpy.linspace`."""
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    start, stop = numeric(start) * 1.0, numeric(stop) * 1.0
    parts = num - 1 if endpoint else num
    delta = stop - start
    places = np.reshape(integers_like(delta, num), (num,) + (1,) * np.ndim(delta)).astype(delta.dtype)
    step = delta / parts if parts > 0 else delta * np.nan
    ramp = places * step + start if parts > 0 else places * delta + start
    if endpoint and num > 1:
        ramp = np.concatenate([ramp[:-1], np.broadcast_to(stop, np.shape(delta))[np.newaxis]])
    ramp = np.moveaxis(numeric(ramp, dtype), 0, axis)
    return (ramp, step) if retstep else ramp


@serves("logspace", other_steps=True)
def logspace(  # noqa: PLR0913, PLR0917 - NumPy's signature
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """`numpy.logspace`."""
    if np.ndim(base) > 0:
        shape = np.broadcast_shapes(np.shape(start), np.shape(stop), np.shape(base))
        start, stop, base = (np.broadcast_to(numeric(x), shape) for x in (start, stop, base))
        base = np.expand_dims(base, axis)
    return numeric(np.power(base, linspace(start, stop, num, endpoint, axis=axis)), dtype)


@serves("i0", other_steps=True)
def i0(x: Any) -> Any:
    """`numpy.i0`, the modified Bessel function of order 0."""
    x = numeric(x)
    return numeric(RULES["i0"](x), x.dtype)


@serves("kaiser", other_steps=True)
def kaiser(M: Any, beta: Any) -> Any:
    """`numpy.kaiser`, differentiable by `beta`."""
    beta = numeric(beta)
    if M == 1:
        return np.ones_like(beta, shape=1)
    middle = (M - 1) / 2
    places = (integers_like(plain_value(beta), M) - middle) / middle
    return i0(beta * np.sqrt(1 - places * places)) / i0(beta)

"""NumPy's discrete Fourier transforms, `numpy.fft`."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.mathematics.rules.fourier import FFT, IFFT, IRFFT, OTHER, RFFT
from gradcli.mathematics.rules.function_registry import numeric, serves

Lengths = Sequence[int] | None


def factor(norm: str | None) -> str:
    """The name of a normalization, with the default resolved."""
    norm = "backward" if norm is None else norm
    if norm not in OTHER:
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".')
    return norm


def _over(rule: Any, a: Any, s: Lengths, axes: Lengths, norm: str | None) -> Any:
    """A complex transform over some axes."""
    a = numeric(a)
    axes = axes_of_transform(a, s, axes)
    given = [None] * len(axes) if s is None else s
    whole = (np.shape(a)[axis] if n in (None, -1) else operator.index(n) for n, axis in zip(given, axes, strict=True))
    return rule(a, lengths=tuple(whole), axes=axes, norm=factor(norm))


def axes_of_transform(a: Any, s: Lengths, axes: Lengths) -> tuple[int, ...]:
    """The axes of a transform, counted from 0."""
    if axes is None:
        axes = range(np.ndim(a)) if s is None else range(np.ndim(a) - len(s), np.ndim(a))
    if s is not None and len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    return tuple(np.lib.array_utils.normalize_axis_index(operator.index(axis), np.ndim(a)) for axis in axes)


def _serve_along(name: str, rule: Any) -> None:
    @serves(name)
    def along(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
        return _over(rule, a, None if n is None else (n,), (axis,), norm)


def _serve_over(name: str, rule: Any, default: Lengths) -> None:
    @serves(name)
    def over(a: Any, s: Lengths = None, axes: Lengths = default, norm: str | None = None, out: Any = None) -> Any:
        return _over(rule, a, s, axes, norm)


for _inverse, _rule in (("", FFT), ("i", IFFT)):
    _serve_along(f"fft.{_inverse}fft", _rule)
    _serve_over(f"fft.{_inverse}fft2", _rule, (-2, -1))
    _serve_over(f"fft.{_inverse}fftn", _rule, None)


@serves("fft.rfft")
def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """`numpy.fft.rfft`."""
    a = numeric(a)
    if np.iscomplexobj(a):
        raise TypeError("numpy.fft.rfft takes real numbers; numpy.fft.fft takes complex ones")
    length = np.shape(a)[axis] if n is None else operator.index(n)
    return RFFT(a, length=length, axis=axis, norm=factor(norm))


@serves("fft.irfft")
def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None) -> Any:
    """`numpy.fft.irfft`."""
    a = numeric(a)
    length = 2 * (np.shape(a)[axis] - 1) if n is None else operator.index(n)
    return IRFFT(a, length=length, axis=axis, norm=factor(norm))


@serves("fft.rfftn")
def rfftn(a: Any, s: Lengths = None, axes: Lengths = None, norm: str | None = None, out: Any = None) -> Any:
    """`numpy.fft.rfftn`."""
    a = numeric(a)
    axes = axes_of_transform(a, s, axes)
    half = rfft(a, None if s is None else s[-1], axes[-1], norm, out)
    return half if len(axes) == 1 else _over(FFT, half, None if s is None else s[:-1], axes[:-1], norm)


@serves("fft.irfftn")
def irfftn(a: Any, s: Lengths = None, axes: Lengths = None, norm: str | None = None, out: Any = None) -> Any:
    """`numpy.fft.irfftn`."""
    a = numeric(a)
    axes = axes_of_transform(a, s, axes)
    if len(axes) > 1:
        a = _over(IFFT, a, None if s is None else s[-2::-1], axes[-2::-1], norm)
    return irfft(a, None if s is None else s[-1], axes[-1], norm, out)

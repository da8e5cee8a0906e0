"""SciPy's discrete transforms, `scipy.fft`: those that NumPy has too, and the cosine and sine transforms."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.fourier import OTHER
from gradcli.rules.function_registry import FUNCTIONS, numeric, serves
from gradcli.rules.numpy.fourier import Lengths, axes_of_transform, factor, irfftn, rfftn
from gradcli.rules.scipy.cosine_transforms import TRANSFORM, TRANSPOSED


def _serve_numpys(name: str) -> None:
    """Register the NumPy transform of the same name. SciPy's only adds options on how it is computed."""

    def transform(x: Any, *arguments: Any, overwrite_x: bool = False, workers: Any = None, plan: Any = None,
                  **options: Any) -> Any:  # fmt: skip
        return FUNCTIONS[f"fft.{name}"](x, *arguments[:3], **options)

    transform.__doc__ = f"`scipy.fft.{name}`."
    serves(f"scipy.fft.{name}", other_steps=True)(transform)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn",
              "rfftn", "irfftn", "fftshift", "ifftshift"):  # fmt: skip
    _serve_numpys(_name)


@serves("scipy.fft.hfftn", other_steps=True)
def hfftn(x: Any, s: Lengths = None, axes: Lengths = None, norm: str | None = None, *_: Any, **options: Any) -> Any:
    """`scipy.fft.hfftn`."""
    return irfftn(np.conj(numeric(x)), s, axes, OTHER[factor(norm)])


@serves("scipy.fft.ihfftn", other_steps=True)
def ihfftn(x: Any, s: Lengths = None, axes: Lengths = None, norm: str | None = None, *_: Any, **options: Any) -> Any:
    """`scipy.fft.ihfftn`."""
    return np.conj(rfftn(x, s, axes, OTHER[factor(norm)]))


@serves("scipy.fft.hfft2", other_steps=True)
def hfft2(x: Any, s: Lengths = None, axes: Lengths = (-2, -1), norm: str | None = None, *_: Any, **options: Any) -> Any:
    """`scipy.fft.hfft2`."""
    return hfftn(x, s, axes, norm)


@serves("scipy.fft.ihfft2", other_steps=True)
def ihfft2(
    x: Any, s: Lengths = None, axes: Lengths = (-2, -1), norm: str | None = None, *_: Any, **options: Any
) -> Any:
    """`scipy.fft.ihfft2`."""
    return ihfftn(x, s, axes, norm)


def _transformed(  # noqa: PLR0913, PLR0917 - the differences between SciPy's four functions
    x: Any, kind: str, of_type: int, s: Any, axes: Any, norm: str | None, orthogonal: Any, inverse: bool
) -> Any:
    """A cosine or sine transform, or its inverse, which is the transpose up to a factor."""
    x = numeric(x)
    if of_type not in TRANSPOSED:
        raise ValueError(f"invalid type of transform: {of_type}; it is 1, 2, 3 or 4")
    axes = (axes,) if isinstance(axes, int) else axes
    axes = axes_of_transform(x, s, axes)
    lengths = tuple(np.shape(x)[axis] for axis in axes) if s is None else tuple(map(operator.index, s))
    if inverse:
        of_type, norm = TRANSPOSED[of_type], OTHER[factor(norm)]
    norm = factor(norm)
    orthogonal = norm == "ortho" if orthogonal is None else bool(orthogonal)
    return TRANSFORM(x, kind=kind, of_type=of_type, lengths=lengths, axes=axes, norm=norm, orthogonalize=orthogonal)


def _serve_along_an_axis(name: str, kind: str, inverse: bool) -> None:
    def transform(  # noqa: PLR0913, PLR0917 - SciPy's signature
        x: Any,
        type: int = 2,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: Any = None,
        orthogonalize: bool | None = None,
    ) -> Any:
        return _transformed(x, kind, type, None if n is None else (n,), (axis,), norm, orthogonalize, inverse)

    _serve(name, transform)


def _serve_over_axes(name: str, kind: str, inverse: bool) -> None:
    def transform(  # noqa: PLR0913, PLR0917 - SciPy's signature
        x: Any,
        type: int = 2,
        s: Any = None,
        axes: Any = None,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: Any = None,
        *,
        orthogonalize: bool | None = None,
    ) -> Any:
        return _transformed(x, kind, type, s, axes, norm, orthogonalize, inverse)

    _serve(name, transform)


def _serve(name: str, transform: Callable[..., Any]) -> None:
    transform.__doc__ = f"`scipy.fft.{name}`."
    serves(f"scipy.fft.{name}", other_steps=True)(transform)


for _kind in ("dct", "dst"):
    for _inverse in (False, True):
        _serve_along_an_axis("i" * _inverse + _kind, f"{_kind}n", _inverse)
        _serve_over_axes("i" * _inverse + f"{_kind}n", f"{_kind}n", _inverse)

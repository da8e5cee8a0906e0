"""SciPy's Fourier, sine and cosine transforms, `scipy.fft`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.mathematics.rules.fourier import OTHER, part_of_line, resized
from gradcli.mathematics.rules.function_registry import FUNCTIONS, numeric, serves
from gradcli.mathematics.rules.numpy.fourier import Lengths, axes_of_transform, factor, irfftn, rfftn

TRANSPOSED = {1: 1, 2: 3, 3: 2, 4: 4}

Axes = tuple[int, ...]

# The positions along an axis whose weight differs from the others, by the definitions in SciPy's documentation.
_ENDS: dict[tuple[str, int], Sequence[int]] = {
    ("dctn", 1): (0, -1),
    ("dctn", 2): (0,),
    ("dctn", 3): (0,),
    ("dstn", 2): (-1,),
    ("dstn", 3): (-1,),
}


def _vjp(  # noqa: PLR0913 - three of them are the choices that determine the weights
    ct: Any, v: Any, x: Any, *, kind: str, of_type: int, axes: Axes, orthogonalize: bool, **same: Any
) -> Any:
    ends = () if orthogonalize else _ENDS.get((kind, of_type), ())
    weighted = ct * _weights(v, axes, ends, 2.0) if ends and of_type != 3 else ct
    turned = {"of_type": TRANSPOSED[of_type], "axes": axes, "orthogonalize": orthogonalize}
    pulled = TRANSFORM(weighted, kind=kind, **turned, **same)
    if ends and of_type != 2:
        pulled = pulled * _weights(v, axes, ends, 0.5)
    for axis in axes:
        pulled = resized(pulled, np.shape(x)[axis], axis)
    return pulled


def _weights(v: Any, axes: Axes, ends: Sequence[int], weight: float) -> Any:
    """An array with the weight at the ends of each axis, and 1 elsewhere."""
    weights = np.ones_like(v).real
    for axis in axes:
        factors = np.ones_like(weights, shape=np.shape(v)[axis])
        factors[list(ends)] = weight
        weights = weights * factors.reshape([-1 if n == axis else 1 for n in range(np.ndim(v))])
    return weights


def _reach(marks: Any, v: Any, x: Any, *, lengths: Axes, axes: Axes, **factors: Any) -> Any:
    return part_of_line(marks, x, lengths, axes)


TRANSFORM: ArrayRule = array_rule(
    "cosines",
    "x, *, kind, of_type, lengths, axes, **factors: getattr(scipy.fft, kind)(x, of_type, lengths, axes, **factors)",
    _vjp,
    linear=True,
    reach=_reach,
)


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

"""SciPy's Fourier, sine and cosine transforms, `scipy.fft`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.mathematics.rules.fourier import OTHER, part_of_line, resized
from gradcli.mathematics.rules.function_registry import FUNCTIONS, numeric, serves
from gradcli.mathematics.rules.numpy.fourier import Lengths, axes_of_transform, factor, irfftn, rfftn
from gradcli.shared.frozen_record import Frozen

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


class Cosines(Frozen):
    """A transform by cosines or sines, `dctn` or `dstn`, of a type from 1 to 4, with its factors."""

    kind: str
    of_type: int
    norm: str
    orthogonalize: bool

    @property
    def transposed(self) -> Cosines:
        """The transpose, up to the weights at the ends."""
        return self.changed(of_type=TRANSPOSED[self.of_type])


def _vjp(ct: Any, v: Any, x: Any, *, by: Cosines, lengths: Axes, axes: Axes) -> Any:
    ends = () if by.orthogonalize else _ENDS.get((by.kind, by.of_type), ())
    weighted = ct * _weights(v, axes, ends, 2.0) if ends and by.of_type != 3 else ct
    pulled = TRANSFORM(weighted, by=by.transposed, lengths=lengths, axes=axes)
    if ends and by.of_type != 2:
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


def _reach(marks: Any, v: Any, x: Any, *, by: Cosines, lengths: Axes, axes: Axes) -> Any:
    return part_of_line(marks, x, lengths, axes)


TRANSFORM: ArrayRule = array_rule(
    "cosines",
    "x, *, by, lengths, axes: getattr(scipy.fft, by.kind)"
    "(x, by.of_type, lengths, axes, norm=by.norm, orthogonalize=by.orthogonalize)",
    _vjp,
    linear=True,
    reach=_reach,
)


def _serve(name: str, transform: Callable[..., Any]) -> None:
    transform.__doc__ = f"`scipy.fft.{name}`."
    serves(f"scipy.fft.{name}", other_steps=True)(transform)


def _numpys(name: str, *arguments: Any) -> Any:
    return FUNCTIONS[f"fft.{name}"](*arguments)


def _serve_along_one_axis(name: str) -> None:
    """Register a transform along an axis, which NumPy computes; SciPy's only adds options on how it is computed."""

    def transform(  # noqa: PLR0913 - SciPy's signature
        x: Any,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: Any = None,
        *,
        plan: Any = None,
    ) -> Any:
        return _numpys(name, x, n, axis, norm)

    _serve(name, transform)


def _serve_over_some_axes(name: str, by_default: Axes | None, compute: Callable[..., Any]) -> None:
    """Register a transform over several axes."""

    def transform(  # noqa: PLR0913 - SciPy's signature
        x: Any,
        s: Lengths = None,
        axes: Lengths = by_default,
        norm: str | None = None,
        overwrite_x: bool = False,
        workers: Any = None,
        *,
        plan: Any = None,
    ) -> Any:
        return compute(x, s, axes, norm)

    _serve(name, transform)


def _serve_shift(name: str) -> None:
    def shift(x: Any, axes: Any = None) -> Any:
        return _numpys(name, x, axes)

    _serve(name, shift)


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _serve_along_one_axis(_name)
for _ending, _axes in (("n", None), ("2", (-2, -1))):
    for _name in ("fft", "ifft", "rfft", "irfft"):
        _serve_over_some_axes(_name + _ending, _axes, partial(_numpys, _name + _ending))
    # Of an array with Hermitian symmetry, with the opposite factor
    _serve_over_some_axes(
        f"hfft{_ending}", _axes, lambda x, s, axes, norm: irfftn(np.conj(numeric(x)), s, axes, OTHER[factor(norm)])
    )
    _serve_over_some_axes(
        f"ihfft{_ending}", _axes, lambda x, s, axes, norm: np.conj(rfftn(x, s, axes, OTHER[factor(norm)]))
    )
for _name in ("fftshift", "ifftshift"):
    _serve_shift(_name)


def _cosines(kind: str, of_type: int, norm: str | None, orthogonalize: bool | None, inverse: bool) -> Cosines:
    """The transform that SciPy's options ask for, or its inverse, which is the transpose up to a factor."""
    if of_type not in TRANSPOSED:
        raise ValueError(f"invalid type of transform: {of_type}; it is 1, 2, 3 or 4")
    norm = factor(norm)
    asked = Cosines(kind, of_type, norm, norm == "ortho" if orthogonalize is None else bool(orthogonalize))
    return asked.transposed.changed(norm=OTHER[norm]) if inverse else asked


def _transformed(x: Any, by: Cosines, s: Any, axes: Any) -> Any:
    x = numeric(x)
    axes = (axes,) if isinstance(axes, int) else axes
    axes = axes_of_transform(x, s, axes)
    lengths = tuple(np.shape(x)[axis] for axis in axes) if s is None else tuple(map(operator.index, s))
    return TRANSFORM(x, by=by, lengths=lengths, axes=axes)


def _serve_along_an_axis(kind: str, inverse: bool) -> None:
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
        by = _cosines(f"{kind}n", type, norm, orthogonalize, inverse)
        return _transformed(x, by, None if n is None else (n,), (axis,))

    _serve("i" * inverse + kind, transform)


def _serve_over_axes(kind: str, inverse: bool) -> None:
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
        return _transformed(x, _cosines(f"{kind}n", type, norm, orthogonalize, inverse), s, axes)

    _serve("i" * inverse + f"{kind}n", transform)


for _kind in ("dct", "dst"):
    for _inverse in (False, True):
        _serve_along_an_axis(_kind, _inverse)
        _serve_over_axes(_kind, _inverse)

"""The array rule for discrete cosine and sine transforms, which are linear with transforms as transposes.

Once they are orthogonal, types II and III are each other's transposes, and types I and IV their own. Otherwise SciPy
weights the ends of the first three types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.rules.array_rule import ArrayRule, array_rule
from gradcli.rules.fourier import part_of_line, resized

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

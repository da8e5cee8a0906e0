"""NumPy's functions of polynomials given by coefficients."""

from __future__ import annotations

import operator
from itertools import accumulate, repeat
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import apply_plainly, numeric, serves, whole_numbers
from gradcli.mathematics.rules.linalg.matrix_helpers import eye, plain_array
from gradcli.mathematics.rules.numpy.products import convolve


@serves("vander", other_steps=True)
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """`numpy.vander`. Each column is the one before times `x`, as a power takes ten times as long as a product."""
    x = numeric(x)
    if np.ndim(x) != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    count = np.size(x) if N is None else whole_numbers(N)[0]
    columns = [np.ones_like(x), x, *repeat(x, count - 2)]
    columns = list(accumulate(columns[:count], operator.mul))
    return np.stack(columns if increasing else columns[::-1], axis=1) if columns else x[:, None][:, :0]


@serves("polymul")
def polymul(a1: Any, a2: Any) -> Any:
    """`numpy.polymul`; the number of leading zeros is an outcome."""
    return convolve(_trimmed(a1), _trimmed(a2))


def _trimmed(p: Any) -> Any:
    p = np.atleast_1d(numeric(p))
    leading = apply_plainly(np.flatnonzero, p)
    return p[int(leading[0]) :] if len(leading) else p[:1]


@serves("polydiv", other_steps=True)
def polydiv(u: Any, v: Any) -> tuple[Any, Any]:
    """`numpy.polydiv`; the number of leading zeros of the remainder is an outcome."""
    u, v = (np.atleast_1d(numeric(p)) + 0.0 for p in (u, v))
    steps, rest = [], u[: len(v) - 1]
    for n in range(len(v) - 1, len(u)):
        rest = np.concatenate([rest, u[n : n + 1]])
        steps.append(rest[0] / v[0])
        rest = rest[1:] - steps[-1] * v[1:]
    u = np.concatenate([np.zeros_like(plain_array(u), shape=len(steps)), rest])
    leading = apply_plainly(_first_of_size, u)
    return np.stack(steps) if steps else plain_array(u)[:1] * 0.0, u[leading:]


def _first_of_size(u: Any) -> int:
    """The index of the first element that is not nearly zero, else of the last."""
    return int(np.argmin(np.append(np.isclose(u[:-1], 0.0, rtol=1e-14), False)))


@serves("poly")
def poly(seq_of_zeros: Any) -> Any:
    """`numpy.poly`: the coefficients of the polynomial with these roots, or of a matrix's characteristic polynomial."""
    roots = np.atleast_1d(numeric(seq_of_zeros))
    if np.ndim(roots) == 2:
        roots = np.linalg.eigvals(roots)
    product = np.ones_like(plain_array(roots), shape=1)
    for n in range(len(roots)):
        product = convolve(product, np.stack([np.ones_like(plain_array(product[0])), -roots[n]]))
    paired = np.iscomplexobj(roots) and apply_plainly(_come_in_pairs, roots)
    return np.real(product) if paired else product


def _come_in_pairs(roots: Any) -> bool:
    """Whether the conjugate of each root is a root."""
    return bool(np.all(np.sort(roots) == np.sort(np.conj(roots))))


@serves("roots")
def roots(p: Any) -> Any:
    """`numpy.roots`, for distinct roots: the eigenvalues of the companion matrix."""
    p = np.atleast_1d(numeric(p))
    if np.ndim(p) != 1:
        raise ValueError("Input must be a rank-1 array.")
    there = apply_plainly(np.flatnonzero, p)
    if len(there) == 0:
        return np.array([])
    zeros = np.zeros_like(plain_array(p), shape=len(p) - int(there[-1]) - 1)
    p = p[int(there[0]) : int(there[-1]) + 1]
    if len(p) == 1:
        return zeros
    below = eye(p, len(p) - 1, p.dtype)[:-1]
    eigenvalues = np.linalg.eigvals(np.concatenate([(-p[1:] / p[0])[None], below]))
    if p.dtype.kind == "f" and not apply_plainly(_has_imaginary_part, eigenvalues):  # complex since NumPy 2.5
        eigenvalues = np.real(eigenvalues)
    return np.concatenate([eigenvalues, zeros])


def _has_imaginary_part(x: Any) -> bool:
    return bool(np.any(np.imag(x)))

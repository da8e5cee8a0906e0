"""Array rules for matrix products, products along named axes, and convolutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule

# The axis names of two arrays and of their product. Names within an array are distinct, and each occurs in another
# array.
Names = tuple[str, str, str]

SMALL = 1 << 15  # multiplications; below, the search for a faster way costs more than it saves


def _matrices(x: Any, y: Any, ct: Any) -> tuple[Any, Any, Any]:
    """The arguments and cotangent of a matrix product, with the one vector among them as a matrix."""
    if np.ndim(x) == 1:
        x, ct = x[None, :], np.expand_dims(ct, -2)
    if np.ndim(y) == 1:
        y, ct = y[:, None], np.expand_dims(ct, -1)
    return x, y, ct


def _left(ct: Any, v: Any, x: Any, y: Any) -> Any:
    """`ct @ y^T`: Giles, An extended collection of matrix derivative results, 2008, 2.2.2."""
    if x.ndim == 2 and y.ndim == 2:
        return ct @ y.T
    if x.ndim == 2 and y.ndim == 1:
        return ct[:, None] * y
    if x.ndim == y.ndim == 1:
        return ct * y
    _, right, cotangent = _matrices(x, y, ct)
    product = np.matmul(cotangent, np.swapaxes(right, -1, -2))
    return np.squeeze(product, -2) if np.ndim(x) == 1 else product


def _right(ct: Any, v: Any, x: Any, y: Any) -> Any:
    """`x^T @ ct`, for a single vector without forming a matrix."""
    if x.ndim == 2 and y.ndim <= 2:
        return x.T @ ct
    if x.ndim == y.ndim == 1:
        return ct * x
    left, _, cotangent = _matrices(x, y, ct)
    product = np.matmul(np.swapaxes(left, -1, -2), cotangent)
    return np.squeeze(product, -1) if np.ndim(y) == 1 else product


def _left_batched(cts: Any, v: Any, x: Any, y: Any) -> Any:
    match np.ndim(x), np.ndim(y):
        case ((1 | 2), 2):
            return cts @ y.T
        case 2, 1:
            return cts[:, :, None] * y
        case 1, 1:
            return cts[:, None] * y
    return None


def _right_batched(cts: Any, v: Any, x: Any, y: Any) -> Any:
    match np.ndim(x), np.ndim(y):
        case 2, 2:
            return x.T @ cts
        case 2, 1:
            return cts @ x
        case 1, 2:
            return x[:, None] * cts[:, None, :]
        case 1, 1:
            return cts[:, None] * x
    return None


def _contract(x: Any, y: Any, *, names: Names) -> Any:
    lengths = dict(zip(names[0] + names[1], np.shape(x) + np.shape(y), strict=True))
    return np.einsum("{},{}->{}".format(*names), x, y, optimize=math.prod(lengths.values()) > SMALL)


def _contract_left(ct: Any, v: Any, x: Any, y: Any, *, names: Names) -> Any:
    """Laue, Mitterreiter & Giesen, Computing higher order derivatives of matrix and tensor expressions, 2018."""
    left, right, output = names
    return EINSUM(ct, y, names=(output, right, left))


def _contract_right(ct: Any, v: Any, x: Any, y: Any, *, names: Names) -> Any:
    left, right, output = names
    return EINSUM(x, ct, names=(left, output, right))


def _contract_left_batched(cts: Any, v: Any, x: Any, y: Any, *, names: Names) -> Any:
    (left, right, output), other = names, _other_name(names)
    return EINSUM(cts, y, names=(other + output, right, other + left))


def _contract_right_batched(cts: Any, v: Any, x: Any, y: Any, *, names: Names) -> Any:
    (left, right, output), other = names, _other_name(names)
    return EINSUM(x, cts, names=(left, other + output, other + right))


def _other_name(names: Names) -> str:
    from string import ascii_letters

    return next(name for name in ascii_letters if name not in "".join(names))


def _convolved_with(other: int) -> Any:
    def vjp(ct: Any, v: Any, *arguments: Any) -> Any:
        return np.convolve(ct, arguments[other][::-1], "valid")

    return vjp


def _each_convolved_with(other: int) -> Any:
    def batched(cts: Any, v: Any, *arguments: Any) -> Any:
        return np.lib.stride_tricks.sliding_window_view(cts, len(arguments[other]), axis=1) @ arguments[other]

    return batched


MATMUL = array_rule(
    "matmul",
    "x, y: np.matmul(x, y)",
    _left,
    _right,
    compute=np.matmul,
    batched=(_left_batched, _right_batched),
    bilinear=True,
)
EINSUM: ArrayRule = array_rule(
    "einsum",
    "x, y, *, names: np.einsum('{},{}->{}'.format(*names), x, y)",
    _contract_left,
    _contract_right,
    compute=_contract,
    batched=(_contract_left_batched, _contract_right_batched),
    bilinear=True,
)
CONVOLVE = array_rule(
    "convolve",
    "x, y: np.convolve(x, y)",
    _convolved_with(1),
    _convolved_with(0),
    batched=(_each_convolved_with(1), _each_convolved_with(0)),
    bilinear=True,
)

"""Array rules for products of matrices and vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.table import array_rule


def _matrices(x: Any, y: Any, ct: Any) -> tuple[Any, Any, Any]:
    """Arguments and cotangent of a matrix product with the axes of vectors put back."""
    if np.ndim(x) == 1:
        x, ct = x[None, :], np.expand_dims(ct, -1 if np.ndim(y) == 1 else -2)
    if np.ndim(y) == 1:
        y, ct = y[:, None], np.expand_dims(ct, -1)
    return x, y, ct


def _left(ct: Any, v: Any, x: Any, y: Any) -> Any:
    """`ct @ y^T`: Giles, An extended collection of matrix derivative results, 2008, 2.2.2."""
    if x.ndim == 2 and y.ndim <= 2:
        return np.matmul(ct, y.T) if y.ndim == 2 else ct[:, None] * y
    _, right, cotangent = _matrices(x, y, ct)
    product = np.matmul(cotangent, np.swapaxes(right, -1, -2))
    return np.squeeze(product, -2) if np.ndim(x) == 1 else product


def _right(ct: Any, v: Any, x: Any, y: Any) -> Any:
    """`x^T @ ct`; for one vector without making a matrix of it."""
    if x.ndim == 2 and y.ndim <= 2:
        return np.matmul(x.T, ct)
    left, _, cotangent = _matrices(x, y, ct)
    product = np.matmul(np.swapaxes(left, -1, -2), cotangent)
    return np.squeeze(product, -1) if np.ndim(y) == 1 else product


MATMUL = array_rule("matmul", np.matmul, _left, _right, bilinear=True)

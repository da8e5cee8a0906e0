"""Many reverse sweeps at once, with the cotangents of all seeds stacked along a new first axis.

The Jacobian of n results takes n sweeps over the same rows with the same partials. NumPy computes all of them in one
call per elementwise row, and per row whose rule has batched products; other rows take one call per seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import fit
from gradcli.engine.tape.pullbacks import ARITHMETIC
from gradcli.engine.tape.tape import ALIAS, Row, Tape
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.shared.float_errors import without_float_errors

MOST = 1 << 22  # the most elements in the stacked cotangents of one row


def reverse_together(tape: Tape, last: int, value: Any, first: int, wanted: list[int]) -> list[Any] | None:
    """The derivatives of each element of row `last`, stacked along the first axis, by the rows `wanted`; None without a
    path.

    Returns None altogether if the cotangents would need too much memory or if a number is not finite.
    """
    largest = max(np.size(row[1]) for row in tape.rows[first : last + 1])
    if tape.has_complex or value.size * largest > MOST or value.dtype.kind != "f":
        return None
    seeds = np.eye(value.size, dtype=value.dtype).reshape(value.size, *value.shape)
    try:
        cts = _sweep(tape, last, seeds, first, set(wanted))
    except ARITHMETIC:
        return None
    stacked = [cts.get(index) for index in wanted]
    return stacked if all(ct is None or np.isfinite(np.sum(ct)) for ct in stacked) else None


@without_float_errors
def _sweep(tape: Tape, last: int, seeds: Any, first: int, wanted: set[int]) -> dict[int, Any]:
    cts = {last: seeds}
    for at in range(last, first - 1, -1):
        if at not in cts:
            continue
        ct, row = cts[at] if at in wanted else cts.pop(at), tape.rows[at]
        for index, like, passed in _passed(row, ct):
            fitted = _fitted(passed, like)
            cts[index] = cts[index] + fitted if index in cts else fitted
    return cts


def _passed(row: Row, cts: Any) -> Iterator[tuple[int, Any, Any]]:
    """Yield for each recorded argument its index, its value, and the stacked cotangents passed to it."""
    operation, rule = row[0], row[0].rule
    for position in operation.recorded:
        index, like = row[2 + 2 * position], row[3 + 2 * position]
        if operation is ALIAS:
            yield index, like, cts
        elif isinstance(rule, ArrayRule):
            yield index, like, _products(row, position, cts)
        elif (passed := _times(row, position, cts)) is not None:
            yield index, like, passed


def _products(row: Row, position: int, cts: Any) -> Any:
    """The vector-Jacobian products of an array rule, batched if the rule supports it."""
    rule, v, arguments, static = row[0].rule, row[1], row[3::2], row[0].static
    products = rule.batched_vjp(position, cts, v, arguments, static)
    if products is None:
        like = arguments[position]
        products = np.stack([fit(rule.vjp(position, ct, v, arguments, static), like) for ct in cts])
    return products


def _times(row: Row, position: int, cts: Any) -> Any:
    """The cotangents times the partial of an elementwise row; None if the partial is zero everywhere."""
    product = row[0].products[position]
    if product is None:
        return None
    passed = product(cts, row[1], *row[3::2])
    return np.where(row[0].partials[position](row[1], *row[3::2]) != 0, passed, 0.0) if row[0].rule.selects else passed


def _fitted(ct: Any, like: Any) -> Any:
    """Sum cotangents over the axes along which their argument was broadcast, and cast them to its dtype."""
    shape = np.shape(like)
    extra = ct.ndim - 1 - len(shape)
    if extra > 0:
        ct = ct.sum(axis=tuple(range(1, 1 + extra)))
    repeated = tuple(1 + axis for axis, (n, m) in enumerate(zip(ct.shape[1:], shape, strict=False)) if m == 1 != n)
    if repeated:
        ct = ct.sum(axis=repeated, keepdims=True)
    if ct.shape[1:] != shape:
        ct = np.broadcast_to(ct.reshape(len(ct), *(1,) * max(0, -extra), *ct.shape[1:]), (len(ct), *shape))
    dtype = getattr(like, "dtype", ct.dtype)
    return ct if ct.dtype == dtype else ct.astype(dtype)

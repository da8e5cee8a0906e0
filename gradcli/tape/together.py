"""Many reverse sweeps at once: the cotangents of all seeds side by side, along a first axis of their own.

A Jacobian of n results is n sweeps over the same rows with the same partials.  Where every row on the way is one that
is known here, NumPy does all of them in one call each; where one is not, each seed is swept alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.rules.indexing import INDEX, SCATTER, reads_once
from gradcli.rules.products import MATMUL
from gradcli.rules.reduction import MEAN, SUM
from gradcli.rules.shape import BROADCAST, CAST, RESHAPE, TRANSPOSE, inverse
from gradcli.rules.table import Elementwise
from gradcli.tape.compiled import ARITHMETIC
from gradcli.tape.tape import ALIAS, Row, Tape

MOST = 1 << 22  # numbers in all the cotangents of one row


class _Alone(Exception):
    """A row whose cotangents cannot be passed on side by side."""


def reverse_together(tape: Tape, last: int, value: Any, first: int, wanted: list[int]) -> list[Any] | None:
    """The derivatives of each number of row `last`, along the first axis, by the rows `wanted`; None for no path.

    None in all where a row on the way has to be swept for each seed alone, or where a number is not finite.
    """
    largest = max(np.size(row[1]) for row in tape.rows[first : last + 1])
    if tape.has_complex or value.size * largest > MOST or value.dtype.kind != "f":
        return None
    seeds = np.eye(value.size, dtype=value.dtype).reshape(value.size, *value.shape)
    try:
        with np.errstate(all="ignore"):
            cts = _sweep(tape, last, seeds, first, set(wanted))
    except (_Alone, *ARITHMETIC):
        return None
    found = [cts.get(index) for index in wanted]
    return found if all(ct is None or np.isfinite(np.sum(ct)) for ct in found) else None


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


def _passed(row: Row, ct: Any) -> Iterator[tuple[int, Any, Any]]:
    """For each argument on the tape its index, its value, and the cotangents that it gets."""
    operation, rule = row[0], row[0].rule
    for position in operation.recorded:
        index, like = row[2 + 2 * position], row[3 + 2 * position]
        if operation is ALIAS:
            yield index, like, ct
        elif isinstance(rule, Elementwise):
            if (passed := _times(row, position, ct)) is not None:
                yield index, like, passed
        elif rule in _KNOWN:
            yield index, like, _KNOWN[rule](ct, row, position)
        else:
            raise _Alone


def _times(row: Row, position: int, ct: Any) -> Any:
    """The cotangents times the partial of an elementwise row; None where it is zero everywhere."""
    product = row[0].products[position]
    if product is None:
        return None
    passed = product(ct, row[1], *row[3::2])
    if np.ndim(passed) > np.ndim(ct):
        raise _Alone
    return np.where(row[0].partials[position](row[1], *row[3::2]) != 0, passed, 0.0) if row[0].rule.selects else passed


def _fitted(ct: Any, like: Any) -> Any:
    """Cotangents summed over the axes along which their argument was broadcast, in its type."""
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


def _beside(key: Any) -> tuple[Any, ...]:
    """A key for the arrays behind the first axis; only one that leaves the order of the axes alone."""
    parts = key if isinstance(key, tuple) else (key,)
    if sum(not isinstance(part, (slice, type(None), type(Ellipsis))) and np.ndim(part) > 0 for part in parts) > (
        len(parts) == 1
    ):
        raise _Alone
    return (slice(None), *parts)


def _index(ct: Any, row: Row, position: int) -> Any:
    key, like = row[0].static["key"], row[3]
    buffer = np.zeros((len(ct), *np.shape(like)), ct.dtype)
    if reads_once(key):
        buffer[_beside(key)] += ct
    else:
        np.add.at(buffer, _beside(key), ct)
    return buffer


def _scatter(ct: Any, row: Row, position: int) -> Any:
    return ct[_beside(row[0].static["keys"][position - 1])] if position else np.zeros_like(ct)


def _sum(ct: Any, row: Row, position: int) -> Any:
    shape, axis = np.shape(row[3]), row[0].static["axis"]
    axes = range(len(shape)) if axis is None else (axis,) if isinstance(axis, int) else axis
    reduced = {a % len(shape) for a in axes}
    spread = ct.reshape(len(ct), *(1 if a in reduced else n for a, n in enumerate(shape)))
    return np.broadcast_to(spread, (len(ct), *shape))


def _mean(ct: Any, row: Row, position: int) -> Any:
    return _sum(ct, row, position) * (max(1, np.size(row[1])) / max(1, np.size(row[3])))


def _reshape(ct: Any, row: Row, position: int) -> Any:
    if row[0].static["order"] != "C":
        raise _Alone
    return ct.reshape(len(ct), *np.shape(row[3]))


def _transpose(ct: Any, row: Row, position: int) -> Any:
    axes = inverse(row[0].static["axes"]) or tuple(range(ct.ndim - 1))[::-1]
    return np.transpose(ct, (0, *(1 + axis for axis in axes)))


def _matmul(ct: Any, row: Row, position: int) -> Any:
    x, y = row[3], row[5]
    match np.ndim(x), np.ndim(y):
        case 2, 2:
            return ct @ y.T if position == 0 else x.T @ ct
        case 2, 1:
            return ct[:, :, None] * y if position == 0 else ct @ x
        case 1, 2:
            return ct @ y.T if position == 0 else x[:, None] * ct[:, None, :]
        case 1, 1:
            return ct[:, None] * (y if position == 0 else x)
    raise _Alone


def _as_it_is(ct: Any, row: Row, position: int) -> Any:
    return ct


_KNOWN: dict[Any, Callable[[Any, Row, int], Any]] = {
    INDEX: _index,
    SCATTER: _scatter,
    SUM: _sum,
    MEAN: _mean,
    RESHAPE: _reshape,
    TRANSPOSE: _transpose,
    MATMUL: _matmul,
    BROADCAST: _as_it_is,
    CAST: _as_it_is,
}

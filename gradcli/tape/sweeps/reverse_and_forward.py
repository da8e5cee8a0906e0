"""The reverse sweep on numbers, the reverse sweep that is recorded in turn, and the forward sweep along a direction.

Cotangents belong to the sweep and not to the rows, so a tape can be swept any number of times, from any row.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy import ndarray

from gradcli import devices
from gradcli.rules.array_rule import ArrayRule
from gradcli.rules.rule_types import Elementwise
from gradcli.tape import memory_reserve
from gradcli.tape.accumulation import UNTOUCHED
from gradcli.tape.device_errors import explained
from gradcli.tape.memory.ownership import is_alone
from gradcli.tape.memory_reserve import MANY, used_up
from gradcli.tape.pullbacks import ARITHMETIC, by_ieee
from gradcli.tape.tape import ALIAS, INPUT, Row, Tape


def reverse(
    tape: Tape, last: int, seed: Any, first: int = 0, *, everywhere: bool = False, sparing: bool = True
) -> list[Any]:
    """The cotangents of rows `first` to `last` when row `last` has the cotangent `seed`; `UNTOUCHED` for rows not
    reached.

    With `sparing`, a sweep over arrays keeps only the cotangents of inputs and aliases; `everywhere` overrides it. The
    cost is a small multiple of the run's. No value raises an error: a row where Python's arithmetic raises is
    recomputed by IEEE 754. If an input (with `everywhere`, any row) gets a cotangent that is not finite, the sweep is
    repeated with reachability masks, so that elements that the program did not select contribute exactly zero.
    """
    try:
        if not tape.has_arrays:
            cts: list[Any] = [UNTOUCHED] * (last + 1)
            cts[last] = seed
            _sweep_numbers(tape.rows, cts, last, first)
            return cts
        with np.errstate(all="ignore"), explained():
            cts = _swept(tape, last, seed, first, sparing and not everywhere)
            looked_at = cts[first:] if everywhere else _of_leaves(tape.rows[first : last + 1], cts[first:])
            if all(map(_is_finite, looked_at)):
                return cts
            from gradcli.tape.sweeps.masked_reverse import reverse_reached

            tape.doubted = True
            return reverse_reached(tape, last, seed, first, recorded=False)
    except MemoryError as error:
        memory_reserve.held, cts = None, []
        if len(tape.rows) < MANY:
            raise
        raise used_up(error, tape) from None


def reverse_each(tape: Tape, last: int, seeds: Iterable[Any], first: int, wanted: list[int]) -> list[list[Any]]:
    """The cotangents of the rows `wanted`, for each seed, as `reverse` returns them.

    If any number is not finite, all sweeps are repeated.
    """
    seeds = list(seeds)
    with np.errstate(all="ignore"), explained():
        found = [_wanted(_swept(tape, last, seed, first), wanted) for seed in seeds]
        if all(_is_finite(np.stack(column)) for column in _columns(found)):
            return found
    return [_wanted(reverse(tape, last, seed, first), wanted) for seed in seeds]


def _swept(tape: Tape, last: int, seed: Any, first: int, sparing: bool = True) -> list[Any]:
    cts: list[Any] = [UNTOUCHED] * (last + 1)
    cts[last] = seed
    _sweep_arrays(tape.rows, cts, last, first, sparing)
    return cts


def _columns(found: list[list[Any]]) -> Iterator[list[Any]]:
    """Yield the cotangents of each row from all sweeps that reached it."""
    for column in zip(*found, strict=True):
        if reached := [ct for ct in column if ct is not UNTOUCHED]:
            yield reached


def _wanted(cts: list[Any], wanted: list[int]) -> list[Any]:
    return [cts[index] if index < len(cts) else UNTOUCHED for index in wanted]


def _of_leaves(rows: list[Row], cts: list[Any]) -> list[Any]:
    return [ct for row, ct in zip(rows, cts, strict=True) if row[0] is INPUT or row[0] is ALIAS]


def _is_finite(ct: Any) -> bool:
    if isinstance(ct, float):  # of Python or of NumPy
        return math.isfinite(ct)
    total = np.add.reduce(ct, None) if type(ct) is ndarray else np.sum(ct)
    return bool(total - total == 0)


def _sweep_numbers(rows: list[Row], cts: list[Any], last: int, first: int) -> None:
    at = last
    while at >= first:
        try:
            for at in range(at, first - 1, -1):  # noqa: B020 - resumes where a row raised
                ct = cts[at]
                if ct is not UNTOUCHED:
                    row = rows[at]
                    row[0].pull(ct, cts, row)
        except ARITHMETIC:
            rows[at][0].safe_pull(cts[at], cts, rows[at])
        at -= 1


def _sweep_arrays(rows: list[Row], cts: list[Any], last: int, first: int, sparing: bool) -> None:
    """Sweep over arrays. With `sparing`, only leaves keep their cotangents, and the memory of the others is reused."""
    for at in range(last, first - 1, -1):
        ct = cts[at]
        if ct is not UNTOUCHED:
            row = rows[at]
            operation = row[0]
            is_let_go = sparing and operation.inner
            is_large = getattr(ct, "size", 0) > operation.large
            is_own = is_large and is_let_go and is_alone(cts, at)
            if is_let_go:
                cts[at] = None
            try:
                if is_large:
                    operation.pull_large(ct, cts, row, is_own)
                else:
                    operation.pull(ct, cts, row)
            except ARITHMETIC:
                operation.safe_pull(ct, cts, row)


def reverse_recorded(tape: Tape, last: int, seed: Any, first: int, over: Tape | None = None) -> list[Any]:
    """The same as `reverse`, with the cotangents recorded on `tape`, so that the gradient can be differentiated again.

    The sweep goes over the rows of the tape `over` if one is given.
    """
    from gradcli.tape.sweeps.masked_reverse import reverse_reached

    with explained():
        return reverse_reached(tape, last, seed, first, recorded=True, rows=None if over is None else over.rows)


def forward(tape: Tape, tangents: dict[int, Any], last: int) -> list[Any]:
    """The tangents of rows 0 to `last` for the given tangents of the inputs; 0.0 for rows that do not depend on them.

    Requires finite partials. A zero tangent contributes nothing, whatever the partial.
    """
    moved: list[Any] = [0.0] * (last + 1)
    with np.errstate(all="ignore"), explained():
        for at in range(last + 1):
            moved[at] = tangents[at] if at in tangents else tangent(tape.rows[at], moved)
    return moved


def tangent(row: Row, moved: Mapping[int, Any] | list[Any]) -> Any:
    """The tangent of one row, from the tangents of its arguments; 0.0 if all of them are zero."""
    operation, rule = row[0], row[0].rule
    tangents = {p: moved[row[2 + 2 * p]] for p in operation.recorded if _moves(moved[row[2 + 2 * p]])}
    if not tangents:
        return 0.0
    if operation is ALIAS:
        return tangents[0]
    if isinstance(rule, Elementwise):
        return _elementwise_tangent(rule, tangents, row)
    return array_tangent(rule, tangents, row[1], row[3::2], operation.static)


def _moves(tangent: Any) -> bool:
    return np.ndim(tangent) != 0 or tangent != 0


def _elementwise_tangent(rule: Elementwise, tangents: dict[int, Any], row: Row) -> Any:
    total: Any = 0.0
    for position, tangent in tangents.items():
        if (product := row[0].products[position]) is not None:
            values = row[1], *row[3::2]
            takes_part = tangent != 0
            if rule.selects:
                takes_part = takes_part & (by_ieee(row[0].partials[position], *values) != 0)
            total = total + np.where(takes_part, by_ieee(product, tangent, *values), 0.0)[()]
    if np.iscomplexobj(total) and not np.iscomplexobj(row[1]):
        total = np.real(total)
    return total if np.shape(total) == np.shape(row[1]) else devices.broadcast_like(total, row[1])


def array_tangent(
    rule: ArrayRule, tangents: dict[int, Any], v: Any, arguments: tuple[Any, ...], static: Mapping[str, Any]
) -> Any:
    """The tangent of an array rule, from the tangents of some arguments. A linear rule is its own derivative."""
    if rule.linear:
        return rule.forward(*(tangents.get(n, _zero_like(x)) for n, x in enumerate(arguments)), **static)
    if rule.bilinear:
        parts = ((*arguments[:n], tangent, *arguments[n + 1 :]) for n, tangent in tangents.items())
        return sum(rule.forward(*part, **static) for part in parts)
    if rule.diagonal:
        parts = ((t != 0, rule.vjp(n, t, v, arguments, static)) for n, t in tangents.items())
        total = sum(np.where(takes_part, moved, 0.0)[()] for takes_part, moved in parts)
        return total if np.shape(total) == np.shape(v) else devices.broadcast_like(total, v)
    assert rule.jvp, f"{rule} has no Jacobian-vector product"
    return rule.jvp(tangents, v, *arguments, **static)


def _zero_like(x: Any) -> Any:
    return np.zeros_like(x)[()]

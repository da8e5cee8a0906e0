"""Sweeps over a tape: reverse with numbers, reverse recorded as more tape, forward along a direction.

Cotangents belong to the sweep and never to the rows: a tape can be swept any number of times, from any row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.shape import unbroadcast
from gradcli.rules.table import ArrayRule, Elementwise
from gradcli.tape.accumulate import UNTOUCHED, Buffer, plain
from gradcli.tape.tape import ALIAS, CONSTANT, Row, Tape
from gradcli.tape.value import KINDS, Value, kind_of, make

# What Python's arithmetic raises in a partial, where IEEE 754 gives nan or inf.
ARITHMETIC = (ArithmeticError, ValueError)


def reverse(tape: Tape, last: int, seed: Any, first: int = 0) -> list[Any]:
    """The cotangents of rows `first` to `last` when row `last` has the cotangent `seed`; `UNTOUCHED` where none came.

    The cost is a small multiple of the run's.  Nothing raises for a value: where Python's arithmetic would, the row is
    done again by IEEE 754.
    """
    cts: list[Any] = [UNTOUCHED] * (last + 1)
    cts[last] = seed
    if tape.has_arrays:
        with np.errstate(all="ignore"):
            _sweep_arrays(tape.rows, cts, last, first)
    else:
        _sweep_numbers(tape.rows, cts, last, first)
    return cts


def _sweep_numbers(rows: list[Row], cts: list[Any], last: int, first: int) -> None:
    at = last
    while at >= first:
        try:
            for at in range(at, first - 1, -1):  # noqa: B020, PLW2901 - resumes where a row raised
                ct = cts[at]
                if ct is not UNTOUCHED:
                    row = rows[at]
                    row[0].pull(ct, cts, row)
        except ARITHMETIC:
            rows[at][0].safe_pull(cts[at], cts, rows[at])
        at -= 1


def _sweep_arrays(rows: list[Row], cts: list[Any], last: int, first: int) -> None:
    for at in range(last, first - 1, -1):
        ct = cts[at]
        if ct is not UNTOUCHED:
            if type(ct) is Buffer:
                ct = cts[at] = ct.array
            row = rows[at]
            try:
                row[0].pull(ct, cts, row)
            except ARITHMETIC:
                if row[0].arrays:
                    raise
                row[0].safe_pull(ct, cts, row)


def reverse_recorded(tape: Tape, last: int, seed: Any, first: int) -> list[Any]:
    """The same as `reverse`, with the cotangents themselves recorded on `tape`: a gradient that can be differentiated."""
    cts: list[Any] = [UNTOUCHED] * (last + 1)
    cts[last] = seed
    for at in range(last, first - 1, -1):
        if cts[at] is not UNTOUCHED:
            row = tape.rows[at]
            for position in row[0].recorded:
                index = row[2 + 2 * position]
                contribution = _contribution(tape, at, row, position, cts[at])
                if contribution is not None:
                    cts[index] = contribution if cts[index] is UNTOUCHED else cts[index] + contribution
    return cts


def handle(tape: Tape, index: int, value: Any) -> Any:
    """A handle for a row that is already on the tape."""
    found = make(KINDS.get(type(value)) or kind_of(value), tape, value)
    found.index = index
    return found


def recorded_arguments(tape: Tape, row: Row) -> tuple[Any, ...]:
    """The arguments of a row as handles, constants as they are."""
    return tuple(
        value if index == CONSTANT else handle(tape, index, value)
        for index, value in zip(row[2::2], row[3::2], strict=True)
    )


def _contribution(tape: Tape, at: int, row: Row, position: int, ct: Any) -> Any:
    operation, rule = row[0], row[0].rule
    if operation is ALIAS:
        return ct
    arguments = recorded_arguments(tape, row)
    v = handle(tape, at, row[1])
    like = row[3 + 2 * position]
    if isinstance(rule, ArrayRule):
        return _fit(rule.vjp(position, ct, v, arguments, operation.static), like)
    partials = rule.array_partials if operation.arrays else rule.number_partials
    if partials[position] is None:
        raise LookupError(rule.parameters[position])
    partial = partials[position](v, *arguments)
    if rule.selects and not operation.arrays:
        return ct * partial if partial else None
    return _fit(_select(ct, partial) if rule.selects else ct * partial, like)


def _select(ct: Any, partial: Any) -> Any:
    taken = np.asarray(partial.value if issubclass(type(partial), Value) else partial) != 0
    return np.where(taken, ct * partial, 0.0)


def _fit(cotangent: Any, like: Any) -> Any:
    """A recorded cotangent in the shape and kind of the value it belongs to."""
    if type(like) is float or type(like) is int:
        if hasattr(cotangent, "dtype"):
            cotangent = np.sum(cotangent) if cotangent.shape else cotangent
            return cotangent.item()
        return cotangent
    return cotangent if np.shape(cotangent) == like.shape else unbroadcast(cotangent, like.shape)


def forward(tape: Tape, tangents: dict[int, Any], last: int) -> list[Any]:
    """The tangents of rows 0 to `last` when the inputs move along `tangents`; 0.0 where nothing moves.

    Only for partials that are finite; a tangent of zero takes no part, whatever the partial.
    """
    moved: list[Any] = [0.0] * (last + 1)
    with np.errstate(all="ignore"):
        for at in range(last + 1):
            moved[at] = tangents[at] if at in tangents else _tangent(tape.rows[at], moved)
    return moved


def _tangent(row: Row, moved: list[Any]) -> Any:
    operation, rule = row[0], row[0].rule
    arguments = row[3::2]
    total: Any = 0.0
    for position in operation.recorded:
        tangent = moved[row[2 + 2 * position]]
        if np.ndim(tangent) == 0 and tangent == 0:
            continue
        if operation is ALIAS:
            total = total + tangent
        elif isinstance(rule, Elementwise):
            partials = rule.array_partials if operation.arrays else rule.number_partials
            partial = partials[position](row[1], *arguments) if partials[position] else 0.0
            total = total + (np.where(partial != 0, partial * tangent, 0.0) if rule.selects else partial * tangent)
        else:
            total = total + array_tangent(rule, position, tangent, row, operation.static)
    return total


def array_tangent(rule: ArrayRule, position: int, tangent: Any, row: Row, static: Any) -> Any:
    """The tangent of an array rule by one argument.

    A rule that is linear in the argument is its own derivative.  Any other goes through the transpose of its
    vector-Jacobian product, one cotangent for each number of the result.
    """
    arguments = list(row[3::2])
    if rule.linear:
        arguments[position] = tangent
        return rule.forward(*arguments, **static)
    value = np.asarray(row[1])
    result = np.zeros(value.size)
    for n in range(value.size):
        ct = np.zeros(value.size)
        ct[n] = 1.0
        pulled = rule.vjp(position, ct.reshape(value.shape)[()], row[1], tuple(row[3::2]), static)
        result[n] = np.sum(pulled * tangent)
    return result.reshape(value.shape)[()]


__all__ = ["forward", "plain", "reverse", "reverse_recorded"]

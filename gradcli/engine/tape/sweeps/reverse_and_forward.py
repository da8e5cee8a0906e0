"""The reverse sweep on numbers, the reverse sweep that is recorded in turn, and the forward sweep along a direction.

Cotangents belong to the sweep and not to the rows, so a tape can be swept any number of times, from any row.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from gradcli import run_stack
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.device_errors import explained
from gradcli.engine.tape.memory.reference_counts import is_alone
from gradcli.engine.tape.memory_reserve import MANY, used_up
from gradcli.engine.tape.pullbacks import ARITHMETIC, by_ieee, sweep_of_floats
from gradcli.engine.tape.tape import ALIAS, INPUT, Row, Tape
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.float_errors import without_float_errors

if TYPE_CHECKING:
    from gradcli.engine.tape.pushforwards import Moved


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
            sweep_of_floats()(tape.rows, cts, last, max(first, tape.entered))  # inputs pass nothing on
            return cts
        return copy_context().run(_reverse_arrays, tape, last, seed, first, everywhere, sparing)
    except MemoryError as error:
        run_stack.reserve, cts = None, []
        if len(tape.rows) < MANY:
            raise
        raise used_up(error, tape) from None


def _reverse_arrays(tape: Tape, last: int, seed: Any, first: int, everywhere: bool, sparing: bool) -> list[Any]:
    """The cotangents of a sweep over arrays, as `reverse` returns them. It is run in a context of its own."""
    np.seterr(all="ignore")  # as `without_float_errors`, without its calls
    with explained():
        cts, leaves = _swept(tape, last, seed, first, sparing and not everywhere)
        if all(map(_is_finite, cts[first:] if everywhere else leaves)):
            return cts
        from gradcli.engine.tape.sweeps.masked_reverse import reverse_reached

        tape.run.doubted = True
        return reverse_reached(tape, last, seed, first, recorded=False)


@without_float_errors
def reverse_each(tape: Tape, last: int, seeds: Iterable[Any], first: int, wanted: list[int]) -> list[list[Any]]:
    """The cotangents of the rows `wanted`, for each seed, as `reverse` returns them.

    If any number is not finite, all sweeps are repeated.
    """
    seeds = list(seeds)
    with explained():
        by_seed = [_wanted(_swept(tape, last, seed, first)[0], wanted) for seed in seeds]
        if all(_is_finite(np.stack(column)) for column in _columns(by_seed)):
            return by_seed
    return [_wanted(reverse(tape, last, seed, first), wanted) for seed in seeds]


def _swept(tape: Tape, last: int, seed: Any, first: int, sparing: bool = True) -> tuple[list[Any], list[Any]]:
    """The cotangents of a sweep over arrays, and those of inputs and aliases among them that it reached."""
    cts: list[Any] = [UNTOUCHED] * (last + 1)
    cts[last] = seed
    return cts, _sweep_arrays(tape.rows, cts, last, first, sparing)


def _columns(rows: list[list[Any]]) -> Iterator[list[Any]]:
    """Yield the cotangents of each row from all sweeps that reached it."""
    for column in zip(*rows, strict=True):
        if reached := [ct for ct in column if ct is not UNTOUCHED]:
            yield reached


def _wanted(cts: list[Any], wanted: list[int]) -> list[Any]:
    return [cts[index] if index < len(cts) else UNTOUCHED for index in wanted]


def _is_finite(ct: Any) -> bool:
    if isinstance(ct, float):  # of Python or of NumPy
        return math.isfinite(ct)
    total = np.add.reduce(ct, None) if type(ct) is ndarray else np.sum(ct)
    return bool(total - total == 0)


def _sweep_arrays(rows: list[Row], cts: list[Any], last: int, first: int, sparing: bool) -> list[Any]:
    """Sweep over arrays and return the cotangents of leaves: inputs and aliases.

    With `sparing`, only leaves keep their cotangents, and the memory of the others is reused.
    """
    leaves = []
    for at in range(last, first - 1, -1):
        ct = cts[at]
        if ct is not UNTOUCHED:
            row = rows[at]
            operation = row[0]
            if sparing and operation.inner:
                cts[at] = None
            elif operation is INPUT or operation is ALIAS:
                leaves.append(ct)
            try:
                if operation.pull_large is None or getattr(ct, "size", 0) <= operation.large:
                    operation.pull(ct, cts, row)
                else:
                    is_own = cts[at] is None and is_alone((ct,), 0)
                    operation.pull_large(ct, cts, row, is_own)
            except ARITHMETIC:
                operation.safe_pull(ct, cts, row)
    return leaves


def reverse_recorded(tape: Tape, last: int, seed: Any, first: int, over: Tape | None = None) -> list[Any]:
    """The same as `reverse`, with the cotangents recorded on `tape`, so that the gradient can be differentiated again.

    The sweep goes over the rows of the tape `over` if one is given.
    """
    from gradcli.engine.tape.sweeps.masked_reverse import reverse_reached
    from gradcli.engine.tape.sweeps.recorded_sweeps import note_sweep

    rows, outcomes = len(tape.rows), len(tape.outcomes)
    with explained():
        cts = reverse_reached(tape, last, seed, first, recorded=True, rows=None if over is None else over.rows)
        note_sweep(tape, cts, seed, first, (rows, outcomes), is_whole=over is None)
        return cts


@without_float_errors
def forward(tape: Tape, tangents: dict[int, Any], wanted: Collection[int]) -> list[Any]:
    """The tangents of the rows up to the last of those `wanted`, for the given tangents of the inputs; 0 for rows
    that do not depend on them.

    In the rows `wanted`, a zero in an array has contributed nothing, whatever the partial, although a zero that was
    computed should make nan of an infinite one; the tape is then doubted. In others, a zero in an array may have become
    nan. The cost is less than that of the run.
    """
    rows = tape.rows[: max(wanted, default=-1) + 1]
    with explained():
        moved = _pushed(tape, rows, tangents)
        if tape.has_arrays and not all(_is_finite(moved[at]) for at in wanted):
            tape.run.doubted = True
            for at, row in enumerate(rows):
                moved[at] = _seed(tangents[at]) if at in tangents else tangent(row, moved)
    return moved


def _pushed(tape: Tape, rows: list[Row], tangents: dict[int, Any]) -> list[Any]:
    moved: list[Any] = []
    for given in (*sorted(at for at in tangents if at < len(rows)), len(rows)):
        for row in rows[len(moved) : given]:
            try:
                moved.append(row[0].push(moved, row))
            except ARITHMETIC:
                tape.run.doubted = True
                moved.append(tangent(row, moved))
        if given < len(rows):
            moved.append(_seed(tangents[given]))
    return moved


def _seed(tangent: Any) -> Any:
    """The tangent of an input: the int 0 if it does not move."""
    return 0 if type(tangent) in (float, int) and tangent == 0 else tangent


def tangent(row: Row, moved: Moved) -> Any:
    """The tangent of one row, from the tangents of its arguments, by IEEE 754; the int 0 if none of them moves.

    A zero in a tangent contributes nothing, whatever the partial.
    """
    rule = row[0].rule
    return _elementwise_tangent(rule, moved, row) if isinstance(rule, Elementwise) else row[0].push(moved, row)


def _elementwise_tangent(rule: Elementwise, moved: Moved, row: Row) -> Any:
    from gradcli.engine.tape.pushforwards import moves, shaped

    tangents = {n: t for n in row[0].recorded if moves(t := moved[row[2 + 2 * n]])}
    if not tangents:
        return 0
    total: Any = 0.0
    for position, tangent in tangents.items():
        if (product := row[0].products[position]) is not None:
            values = row[1], *row[3::2]
            takes_part: Any = np.ndim(tangent) == 0 or tangent != 0  # a zero in an array may not move
            if rule.selects:
                takes_part = takes_part & (by_ieee(row[0].partials[position], *values) != 0)
            total = total + np.where(takes_part, by_ieee(product, tangent, *values), 0.0)[()]
    return shaped(total, row[1])

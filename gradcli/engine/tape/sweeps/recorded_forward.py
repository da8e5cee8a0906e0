"""The forward sweep that is recorded in turn, over rows of numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gradcli.engine.tape.equal_operands import ordered_ties
from gradcli.engine.tape.pullbacks import by_ieee
from gradcli.engine.tape.singular_rows import singular_rows
from gradcli.engine.tape.sweeps.masked_reverse import handle, operand_handles
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import plain_value


def forward_recorded(tape: Tape, tangents: Mapping[int, Any], first: int, last: int) -> dict[int, Any] | None:
    """The tangents of those rows from `first` to `last` that move, recorded on the tape.

    Args:
        tape: the tape.
        tangents: the tangents of inputs, by row.
        first, last: the rows.

    Returns:
        None where the sweep must decide what contributes: the tape has arrays or complex numbers, a row stands at a
        kink, the program orders equal numbers, or a tangent is not finite.
    """
    if tape.has_arrays or tape.has_complex:
        return None
    since = next((n for n in range(len(tape.outcomes), 0, -1) if tape.outcomes[n - 1][0] < first), 0)
    if ordered_ties(tape, since) or next(singular_rows(tape, first, last), None) is not None:
        return None
    moved = dict(tangents)
    for at in range(first, last + 1):
        if at not in moved and (tangent := _tangent(tape, at, moved)) is not None:
            moved[at] = tangent
            if not math.isfinite(plain_value(tangent)):
                return None
    return moved


def _tangent(tape: Tape, at: int, moved: Mapping[int, Any]) -> Any:
    """The tangent of a row; None if it does not move."""
    row = tape.rows[at]
    operation = row[0]
    moving = [n for n in operation.recorded if row[2 + 2 * n] in moved]
    if not moving or operation.rule is None:
        return moved[row[2]] if moving else None
    values = handle(tape, at, row[1]), *operand_handles(tape, row)
    total = None
    for n in moving:
        if (product := operation.products[n]) is not None:
            part = by_ieee(product, moved[row[2 + 2 * n]], *values)
            total = part if total is None else total + part
    return total

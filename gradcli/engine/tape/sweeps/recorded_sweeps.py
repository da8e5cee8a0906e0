"""Notes on the reverse sweeps that are recorded on a tape, so that a run can be recorded again with its sweeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.equal_operands import ordered_ties
from gradcli.engine.tape.singular_rows import singular_rows
from gradcli.engine.tape.sweeps.masked_reverse import handle
from gradcli.engine.tape.tape import ALIAS, ARRAY_CONSTANT, CONSTANT, INPUT, RecordedSweep, Tape
from gradcli.engine.tape.value import is_recorded


def note_sweep(tape: Tape, cts: list[Any], seed: Any, first: int, lengths: tuple[int, int], *, is_whole: bool) -> None:
    """Note a sweep that was recorded on a tape of these lengths: its rows and its outcomes.

    If it passed a row at its kink, each cotangent of an input gets a row of its own: one that is constant at the kink
    may not be so beside it. `is_whole` says that the sweep went over the rows of the tape.
    """
    last, rows = len(cts) - 1, tape.rows
    passed = None
    before = tape.run.recorded_sweeps
    since = before[-1].outcomes.stop if before else 0  # earlier outcomes were looked at then
    tape.run.singular = tape.run.singular or ordered_ties(tape, since)
    if is_whole:
        leaves = [at for at in range(first, last + 1) if rows[at][0] is INPUT or rows[at][0] is ALIAS]
        if not tape.has_complex and next(singular_rows(tape, first, last), None) is not None:
            tape.run.singular = True
            for at in leaves:
                cts[at] = recorded_cotangent(tape, cts[at], rows[at][1])
        passed = {at: cts[at].index for at in leaves if is_recorded(cts[at]) and cts[at].index >= lengths[0]}
    appended = range(lengths[0], len(rows)), range(lengths[1], len(tape.outcomes))
    source = (seed.index, seed._value) if is_recorded(seed) else (CONSTANT, seed)
    tape.run.recorded_sweeps.append(RecordedSweep(last, first, source, *appended, passed))


def recorded_cotangent(tape: Tape, ct: Any, like: Any) -> Any:
    """A cotangent of a row with the value `like`, in a row of its own."""
    if is_recorded(ct):
        tape.rows.append((ALIAS, ct._value, ct.index, ct._value))
        return handle(tape, len(tape.rows) - 1, ct._value)
    plain = np.zeros_like(like)[()] if ct is UNTOUCHED and hasattr(like, "dtype") else ct
    plain = float(plain) if type(like) is float else plain
    tape.rows.append((ARRAY_CONSTANT, plain))
    return handle(tape, len(tape.rows) - 1, plain)

"""A run recorded again at other inputs from its rows, with the recorded sweeps taken again at the new numbers.

The user's function is not called. A sweep that was recorded is not replayed row by row: its rows hold choices, such as
the shares of a tie, that belong to the numbers of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.engine.tape.memory.released_arrays import is_placeholder
from gradcli.engine.tape.pullbacks import ARITHMETIC
from gradcli.engine.tape.sweeps.masked_reverse import handle
from gradcli.engine.tape.sweeps.recorded_sweeps import recorded_cotangent
from gradcli.engine.tape.sweeps.reverse_and_forward import reverse_recorded
from gradcli.engine.tape.tape import ALIAS, CONSTANT, INPUT, STOP_GRADIENT, TEXT, RecordedSweep, Row, Tape
from gradcli.engine.tape.value import is_recorded
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.shared.float_errors import without_float_errors

_HELD = frozenset((TEXT, STOP_GRADIENT))  # outcomes that do not choose a path


class OtherPathError(Exception):
    """The program takes another path at the new inputs, or its record does not suffice to tell."""


class RerecordedRun:
    """The rows of a run at other inputs.

    Args:
        into: the new tape, empty.
        tape: the record of the run.
        moved: the new values of inputs, by row; the others keep theirs.

    Raises:
        OtherPathError: an outcome differs at the new inputs, or the record does not suffice.
    """

    def __init__(self, into: Tape, tape: Tape, moved: Mapping[int, Any]) -> None:
        self.tape = into
        self.tape.has_arrays = tape.has_arrays
        self._old, self._moved = tape, moved
        self._places: list[int] = [CONSTANT] * len(tape.rows)
        if tape.has_complex or tape.run.solved_equations or tape.run.data is not None:
            raise OtherPathError
        try:
            self._record()
        except (*ARITHMETIC, TypeError, LookupError) as error:
            raise OtherPathError from error

    def handle_of(self, index: int) -> Any:
        """The handle of the row that a row of the old tape has become."""
        place = self._places[index]
        return handle(self.tape, place, self.tape.rows[place][1])

    @without_float_errors
    def _record(self) -> None:
        rows, at = self._old.rows, 0
        checked = 0
        for sweep in (*self._old.run.recorded_sweeps, None):
            end = len(rows) if sweep is None else sweep.rows.start
            for index in range(at, end):
                checked = self._check(checked, index)
                self._append(index, rows[index])
            if sweep is None:
                self._check(checked, len(rows))
            else:
                self._check(checked, end, sweep.outcomes.start)
                self._sweep(sweep)
                at, checked = sweep.rows.stop, sweep.outcomes.stop

    def _check(self, first: int, before: int, last: int | None = None) -> int:
        """Compute the outcomes before a row again, and return the number of the next one."""
        outcomes = self._old.outcomes
        while first < len(outcomes) and outcomes[first][0] <= before and (last is None or first < last):
            _, name, function, sources, operands, recorded = outcomes[first]
            if name not in _HELD:
                now = function(*self._values(sources, operands))
                if type(now) is not type(recorded) or not np.array_equal(now, recorded):
                    raise OtherPathError
            first += 1
        return first

    def _values(self, sources: tuple[int, ...], operands: tuple[Any, ...]) -> list[Any]:
        rows, pairs = self.tape.rows, zip(sources, operands, strict=True)
        return [_known(x) if n == CONSTANT else rows[self._places[n]][1] for n, x in pairs]

    def _append(self, index: int, row: Row) -> None:
        operation, sources = row[0], row[2::2]
        values = self._values(sources, row[3::2])
        if operation is INPUT:
            value = self._moved.get(index, row[1])
        elif operation is ALIAS:
            value = values[0]
        elif operation.rule is None:
            value = _known(row[1])
        elif isinstance(operation.rule, ArrayRule):
            value = operation.rule.forward(*values, **operation.static)
        elif operation.arrays:
            value = operation.rule.on_arrays(*values)
        else:
            value = operation.rule.ieee(*map(float, values))
        self._places[index] = len(self.tape.rows)
        places = (self._places[n] if n != CONSTANT else CONSTANT for n in sources)
        pairs = (x for pair in zip(places, values, strict=True) for x in pair)
        self.tape.rows.append((operation, value, *pairs))

    def _sweep(self, sweep: RecordedSweep) -> None:
        """Take a recorded sweep again, and note which rows its cotangents have become."""
        source, seed = sweep.seed
        if sweep.passed is None:
            raise OtherPathError
        if source != CONSTANT:
            seed = self.handle_of(source)
        cts = reverse_recorded(self.tape, self._places[sweep.last], seed, self._places[sweep.first])
        for leaf, passed in sweep.passed.items():
            place = self._places[leaf]
            ct = cts[place]
            if not is_recorded(ct):
                ct = recorded_cotangent(self.tape, ct, self.tape.rows[place][1])
            self._places[passed] = ct.index


def _known(value: Any) -> Any:
    """A constant of the run.

    Raises:
        OtherPathError: its memory was released.
    """
    if is_placeholder(value):
        raise OtherPathError
    return value

"""The graph of a tape's rows, for modules that do not know the layout of a row."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.tape.tape import ALIAS, INPUT, Tape
from gradcli.mathematics.rules.rule_types import Rule


def is_alias(tape: Tape, index: int) -> bool:
    """Whether a row is an alias of another row."""
    return tape.rows[index][0] is ALIAS


def sources(tape: Tape, index: int) -> tuple[int, ...]:
    """The indices of the rows that made the arguments of a row; -1 for a constant."""
    return tape.rows[index][2::2]


def aliased(tape: Tape, index: int) -> Iterator[int]:
    """Yield the index of a row, of the row it is an alias of, and so on."""
    yield index
    while is_alias(tape, index):
        index = sources(tape, index)[0]
        yield index


def cut_short(tape: Tape, last: int, keeps: Callable[[int], bool]) -> Tape:
    """A copy of the tape up to row `last`, with the rows that are not kept turned into inputs. Aliases stay."""
    made = copy.copy(tape)
    rows = enumerate(tape.rows[: last + 1])
    made.rows = [row if row[0] is ALIAS or keeps(at) else (INPUT, row[1]) for at, row in rows]
    return made


def first_not_finite(tape: Tape) -> tuple[int | None, Rule | None]:
    """The index and the rule of the first row whose value is not finite, among the values that are kept."""
    return next(((n, row[0].rule) for n, row in enumerate(tape.rows) if not _is_finite(row[1])), (None, None))


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value) if type(value) is float else bool(np.all(np.isfinite(value)))
    except TypeError:
        return True


def input_values(tape: Tape) -> dict[int, Any]:
    """The values of the inputs of all runs on a tape, by their rows."""
    return {at: row[1] for at, row in enumerate(tape.rows) if row[0] is INPUT}

"""Rows at whose operands a rule has no unique derivative: kinks, and equal eigenvalues or singular values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.tape.tape import Row, Tape
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.indexing import INDEX
from gradcli.mathematics.rules.rule_types import Elementwise


def singular_rows(tape: Tape, first: int, last: int) -> Iterator[int]:
    """Yield the rows from `first` to `last` that row `last` depends on and whose derivatives jump at their operands."""
    used = None
    for index, row in enumerate(tape.rows[first : last + 1], first):
        rule = row[0].rule
        if rule is not None and rule.kink and is_singular(rule, row[1], row[3::2], row[0].static):
            used = _ancestors(tape.rows, first, last) if used is None else used
            if index in used:
                yield index


def _ancestors(rows: Sequence[Row], first: int, last: int) -> set[int]:
    """A row and the rows from `first` on that it depends on."""
    ancestors = {last}
    for index in range(last, first - 1, -1):
        if index in ancestors:
            ancestors.update(rows[index][2::2])
    return ancestors


def is_singular(rule: Any, value: Any, operands: Sequence[Any], static: Any) -> bool:
    """Whether a rule with a kink has it at these operands, for some use of its result."""
    if isinstance(rule, Elementwise):
        if type(value) is float:
            return bool(rule.at_kink_of_numbers(value, *operands))
        return bool(np.any(rule.at_kink(value, *operands)))
    return bool(rule.kink(value, value, *operands, **static))  # cotangents that use all vectors


def degenerate_rows(tape: Tape, results: Iterable[int]) -> list[int]:
    """The decompositions with equal values, or singular values of 0, on whose vectors the results depend."""
    results = set(results)
    decompositions = [
        (index, row, rule)
        for index, row in enumerate(tape.rows)
        if isinstance(rule := row[0].rule, ArrayRule) and rule.kink is not None and not rule.selects
    ]
    degenerate = [index for index, row, rule in decompositions if is_singular(rule, row[1], row[3::2], row[0].static)]
    return [index for index in degenerate if not results.isdisjoint(_dependents_of_vectors(tape.rows, index))]


def _dependents_of_vectors(rows: Sequence[Row], index: int) -> set[int]:
    """The rows that depend on the vectors that a decomposition packs with its values."""
    reached: set[int] = set()
    for at, row in enumerate(rows[index + 1 :], index + 1):
        sources = row[2::2]
        reads = index in sources and not (row[0].rule is INDEX and type(row[0].static["key"][1]) is int)
        if reads or not reached.isdisjoint(sources):
            reached.add(at)
    return reached


def singular_steps(tape: Tape, results: Iterable[int]) -> list[int]:
    """The rows at kinks through which a recorded sweep went, and the decompositions of `degenerate_rows`.

    None for complex numbers.
    """
    if tape.has_complex:
        return []
    swept = {at for sweep in tape.run.recorded_sweeps for at in singular_rows(tape, sweep.first, sweep.last)}
    return sorted(swept.union(degenerate_rows(tape, results)))


def largest_cotangent(tape: Tape) -> float:
    """The largest finite number among the cotangents of inputs that recorded sweeps found; 0 if there is none."""
    rows = (at for sweep in tape.run.recorded_sweeps for at in (sweep.passed or {}).values())
    sizes = (np.max(np.abs(tape.rows[at][1]), initial=0.0) for at in rows)
    return float(max((size for size in sizes if np.isfinite(size)), default=0.0))

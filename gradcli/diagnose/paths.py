"""Which inputs have a path to the result, and which act only through comparisons, rounding or indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

import numpy as np

from gradcli.diagnose.lanes import Lane
from gradcli.diagnose.touch import only_through_outcomes, touches
from gradcli.findings import finding
from gradcli.frozen import Frozen
from gradcli.records import Finding
from gradcli.rules.table import Elementwise
from gradcli.tape.accumulate import UNTOUCHED
from gradcli.tape.structure import leaves
from gradcli.tape.tape import CONSTANT, Row, Tape
from gradcli.traces.trace import Trace

ONLY_OUTCOMES = "acts only through comparisons, rounding or indices"
DIVISIONS = ("floordiv", "floor_divide")


STOPPED = "stop_gradient"


class FlatStep(Frozen):
    """Something flat that rows of a tape lead into: a fact that the program was told, or a step such as `sign`.

    Attributes:
        name: what was asked, or what the step is.
        rows: the rows that were asked.
        outcome: the number of the fact; None for a step.
        node: the row of the step; None for a fact.
    """

    name: str
    rows: tuple[int, ...]
    outcome: int | None = None
    node: int | None = None


def flats(tape: Tape, start: int = 0) -> Iterator[FlatStep]:
    """All facts that a program was told and all steps that it took, from row `start` on, in order."""
    steps = [(at, taken) for at in range(start, len(tape.rows)) if (taken := steps_of(tape.rows[at]))]
    for number, outcome in enumerate(tape.outcomes):
        while steps and steps[0][0] < outcome[0]:
            yield _step(tape, *steps.pop(0))
        yield FlatStep(outcome[1], outcome[3], outcome=number)
    yield from (_step(tape, *each) for each in steps)


def _step(tape: Tape, at: int, taken: tuple[int, ...]) -> FlatStep:
    return FlatStep(tape.rows[at][0].name, taken, node=at)


def steps_of(row: Row) -> tuple[int, ...]:
    """The rows of which a row is a step, as it is of the argument of `sign`: its partial is 0 everywhere."""
    return tuple(row[2 + 2 * p] for p in row[0].recorded if p in _flat(row))


def _slopes_of(row: Row) -> list[int]:
    """The rows of which a row is no step."""
    flat = _flat(row)
    return [row[2 + 2 * p] for p in row[0].recorded if p not in flat] if flat else row[2::2]  # type: ignore[return-value]


def _flat(row: Row) -> frozenset[int]:
    rule = row[0].rule
    return rule.flat if isinstance(rule, Elementwise) else _NOWHERE


_NOWHERE: frozenset[int] = frozenset()


def cut_inputs(tape: Trace) -> set[int]:
    """The rows of the inputs that have no path to the result but reach what is flat."""
    cotangents = tape.cotangents()
    idle = [row for row in tape.input_rows() if cotangents[row] is UNTOUCHED]
    asked = {row for flat in flats(tape) for row in flat.rows} - {CONSTANT}
    return {row for row in idle if not asked.isdisjoint(descendants(tape, {row}))} if asked else set()


def descendants(tape: Tape, start: Iterable[int]) -> set[int]:
    """The rows of `start` and all that were computed from them."""
    reached = set(start)
    for index, row in enumerate(tape.rows):
        if not reached.isdisjoint(row[2::2]):
            reached.add(index)
    return reached


def first_flat(tape: Tape, inputs: Iterable[int], results: Iterable[int], start: int = 0) -> FlatStep | None:
    """The first of what is flat through which alone rows act on others.

    None where a path leads from one to the other, whatever its slope; where nothing flat is reached; and where the
    program stops the gradient.
    """
    reached = set(inputs)
    for index in range(start, len(tape.rows)):
        if not reached.isdisjoint(_slopes_of(tape.rows[index])):
            reached.add(index)
    met = [flat for flat in flats(tape, start) if not reached.isdisjoint(flat.rows)]
    if not reached.isdisjoint(results) or any(flat.name == STOPPED for flat in met):
        return None
    return met[0] if met else None


def idle_inputs(tape: Trace, point: Mapping[str, object], wanted: Iterable[str]) -> Iterator[Finding]:
    """A finding for each input that is wanted and has no path to the result."""
    cotangents, cut = tape.cotangents(), cut_inputs(tape)
    for name, rows in zip(point, tape.inputs, strict=True):
        indices = leaves(rows)
        if name not in wanted or any(cotangents[index] is not UNTOUCHED for index in indices):
            continue
        if cut.isdisjoint(indices):
            yield _unused(tape, name, indices)
        else:
            yield _cut(tape, name, indices)


MOST_LOOKED_AT = 64  # numbers of the inputs that are looked at one by one


def cut_numbers(tape: Trace) -> Iterator[Finding]:
    """A finding for each number that acts only through what is flat, although its input has a path to the result.

    The result is one number.
    """
    cotangents, cut = tape.cotangents(), cut_inputs(tape)
    for rows in tape.inputs:
        indices = leaves(rows)
        if any(cotangents[index] is not UNTOUCHED for index in indices):
            yield from (_cut(tape, Lane(tape, index).name, [index]) for index in indices if index in cut)
    inputs = list(tape.input_rows())
    zeros = (
        (n, place)
        for n, row in enumerate(inputs)
        if cotangents[row] is not UNTOUCHED and np.ndim(tape.rows[row][1])
        for place in zip(*np.nonzero(np.equal(cotangents[row], 0)), strict=True)
    )
    numbers = list(islice(zeros, MOST_LOOKED_AT))
    for n, place in (numbers[each] for each in sorted(only_through_outcomes(tape, numbers))):
        yield _cut(tape, Lane(tape, inputs[n], place).name, touches(tape, inputs[n], place))


def _unused(tape: Trace, name: str, indices: list[int]) -> Finding:
    """An input that is never used, or of which nothing arrives."""
    made = descendants(tape, indices) - set(indices)
    if not made:
        return finding("G401", f"{name} has no part in the result: its derivative is exactly 0")
    node = tape.nodes[max(made)]
    last = f", and {node.name} does not arrive there" if node.name else ""
    text = f"{name} is used, but has no part in the result{last}: its derivative is exactly 0"
    return finding("G401", text, file=node.file, line=node.line, node=node.index)


def _cut(tape: Trace, name: str, indices: Iterable[int]) -> Finding:
    """An input that acts only through what is flat; the first such fact or step is named."""
    reached = descendants(tape, indices)
    met = [flat for flat in flats(tape) if not reached.isdisjoint(flat.rows)]
    file, line = _place(tape, met[0]) or (None, None)
    return finding(*said(name, met), file=file, line=line)


def _place(tape: Trace, flat: FlatStep) -> tuple[str, int] | None:
    if tape.watch is None:
        return None
    return tape.watch.place(flat.node) if flat.node is not None else tape.watch.place_of_outcome(flat.outcome or 0)


def said(name: str, met: list[FlatStep]) -> tuple[str, str]:
    """The code and the message for what acts only through what is flat."""
    if all(flat.name in DIVISIONS for flat in met):
        return "G503", f"{name} acts only through //, the division that rounds down: its derivative is exactly 0"
    return "G205", f"{name} {ONLY_OUTCOMES}: its derivative is exactly 0; the first of them is {met[0].name}"

"""Which inputs have a path to the result, and which act only through comparisons, rounding or indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gradcli.findings import finding
from gradcli.records import Finding
from gradcli.tape.accumulate import UNTOUCHED
from gradcli.tape.recording import Recording
from gradcli.tape.structure import leaves

ONLY_OUTCOMES = "acts only through comparisons, rounding or indices"
DIVISIONS = ("floordiv", "floor_divide")


def cut_inputs(tape: Recording) -> set[int]:
    """The rows of the inputs that have no path to the result but reach what the program was told."""
    cotangents = tape.cotangents()
    idle = [row for row in tape.input_rows() if cotangents[row] is UNTOUCHED]
    asked = {index for outcome in tape.outcomes for index in outcome[3]}
    return {row for row in idle if not asked.isdisjoint(descendants(tape, {row}))} if asked else set()


def descendants(tape: Recording, start: Iterable[int]) -> set[int]:
    """The rows of `start` and all that were computed from them."""
    reached = set(start)
    for index, row in enumerate(tape.rows):
        if not reached.isdisjoint(row[2::2]):
            reached.add(index)
    return reached


def idle_inputs(tape: Recording, point: Mapping[str, object], wanted: Iterable[str]) -> Iterator[Finding]:
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


def _unused(tape: Recording, name: str, indices: list[int]) -> Finding:
    """An input that is never used, or of which nothing arrives."""
    made = descendants(tape, indices) - set(indices)
    if not made:
        return finding("G401", f"{name} has no part in the result: its derivative is exactly 0")
    node = tape.node(max(made))
    last = f", and {node.name} does not arrive there" if node.name else ""
    text = f"{name} is used, but has no part in the result{last}: its derivative is exactly 0"
    return finding("G401", text, file=node.file, line=node.line, node=node.index)


def _cut(tape: Recording, name: str, indices: list[int]) -> Finding:
    """An input that acts only through what the program was told; the first such fact is named."""
    reached = descendants(tape, indices)
    number, outcome = next((n, each) for n, each in enumerate(tape.outcomes) if not reached.isdisjoint(each[3]))
    file, line = (tape.watch and tape.watch.place_of_outcome(number)) or (None, None)
    if all(each in DIVISIONS for each in _asked(tape, reached)):
        text = f"{name} acts only through //, the division that rounds down: its derivative is exactly 0"
        return finding("G503", text, file=file, line=line)
    told = f"{name} {ONLY_OUTCOMES}: its derivative is exactly 0"
    return finding("G205", f"{told}; the first of them is {outcome[1]}", file=file, line=line)


def _asked(tape: Recording, reached: set[int]) -> Iterator[Any]:
    return (each[1] for each in tape.outcomes if not reached.isdisjoint(each[3]))

"""Which inputs have a path to the result, and which act only through comparisons, rounding or indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from gradcli.findings import finding
from gradcli.records import Finding
from gradcli.tape.accumulate import UNTOUCHED
from gradcli.tape.recording import Recording
from gradcli.tape.structure import leaves

ONLY_OUTCOMES = "acts only through comparisons, rounding or indices"


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
            yield finding("G401", f"{name} has no part in the result: its derivative is exactly 0")
        else:
            yield finding("G205", f"{name} {ONLY_OUTCOMES}: its derivative is exactly 0")

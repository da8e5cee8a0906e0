"""The opening of an explanation: what a sensitivity or a tangent is, by a quantity of the run itself."""

from __future__ import annotations

import math

from gradcli.shared.records.explanations import Explanation, ForwardSweep
from gradcli.shared.records.result_and_finding import Structure
from gradcli.terminal.render.layout.numbers import by_component, entries, few
from gradcli.terminal.render.sweeps.outline import Sweep
from gradcli.terminal.render.tapes.node_labels import place

LEAST = 1e-6  # a smaller sensitivity does not show what the number means


def example(record: Sweep) -> str:
    """`add ε to t_s after f.py:18, and the result changes by 2.0 ε: s_s = 2.0`; empty for a sweep without statements.

    The quantity is the last one computed that has a name and an effect, otherwise an input.
    """
    if not record.statements:
        return ""
    if isinstance(record, ForwardSweep):
        return _forwards(record)
    if record.of is not None:
        return f"add ε to {record.of} once it is computed: by how much does the result change?"
    for statement in record.statements[1:]:
        if not statement.name.startswith("%") and (telling := _telling(statement.sensitivity)):
            element, number = telling
            where = place(statement.file, statement.line)
            after = f" after {where}" if where else ""
            return f"{changes(statement.name + element, number, after)}: {statement.symbol}{element} = {few(number)}"
    for name, number in by_component(record.gradient):
        if isinstance(number, float) and math.isfinite(number):
            return f"{changes(name, number)} (the sensitivity to {name})"
    return ""


def answer(record: Explanation, sensitivity: Structure) -> str:
    """What the one sensitivity that was asked for means; empty if it is not finite."""
    element, number = _telling(sensitivity, least=-1) or ("", math.nan)
    return changes(f"{record.of}{element}", number) if math.isfinite(number) else ""


def changes(name: str, number: float, after: str = "") -> str:
    """`add ε to x, and the result changes by 2.0 ε`."""
    return f"add ε to {name}{after}, and the result changes by {few(number)} ε"


def sentence(text: str) -> str:
    """A text that starts with a capital letter and ends with a full stop; empty if it is."""
    end = "" if text.endswith("?") else "."
    return f"{text[:1].upper()}{text[1:]}{end}" if text else ""


def _telling(sensitivity: Structure, least: float = LEAST) -> tuple[str, float] | None:
    """The subscript and the number of the first element with a finite sensitivity above `least`."""
    numbers = entries(sensitivity) if isinstance(sensitivity, (list, tuple)) else [("", sensitivity)]
    for at, number in numbers:
        if isinstance(number, float) and math.isfinite(number) and abs(number) > least:
            return (f"[{at.replace(',', ', ')}]" if at else ""), number
    return None


def _forwards(record: ForwardSweep) -> str:
    moving = [(name, speed) for name, speed in by_component(record.along) if speed]
    only = moving[0][0] if len(moving) == 1 and moving[0][1] == 1 else ""
    moved = f"add ε to {only}" if only else "move the inputs by ε in this direction"
    return f"{moved}, and a quantity q changes by d_q ε, the result by {few(record.derivative)} ε"

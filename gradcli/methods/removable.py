"""Singular points at which a program has no value and the function that it stands for goes on smoothly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.diagnose.switches import at_switch
from gradcli.findings import finding
from gradcli.methods import beside
from gradcli.methods.components import components
from gradcli.records import Finding
from gradcli.tape.tape import CONSTANT
from gradcli.traces.trace import Trace

Function = Callable[..., Any]
Point = Mapping[str, Any]

AGREEMENT = 1e-10


class Limits(NamedTuple):
    """The limits of the value, and of the derivative by the one number on which the singular step depends."""

    value: float
    derivative: float


def limits(tape: Trace, index: int, function: Function, point: Point) -> Limits | None:
    """The limits at a point where row `index` of the tape of `function` has no value.

    None where there are none, where the row takes more numbers, and at a kink.
    """
    sources = [leaf for leaf, row in enumerate(tape.input_rows()) if row in _from(tape, index)]
    parts = [part for part in components(point) if part.leaf in sources]
    if len(parts) != 1 or at_switch(tape):
        return None
    found = beside.limits(function, point, parts[0])
    if found is None or not (_same(found.below, found.above) and _same(found.left, found.right)):
        return None
    return Limits((found.below + found.above) / 2, (found.left + found.right) / 2)


def _from(tape: Trace, index: int) -> set[int]:
    """The rows from which a row is made."""
    found = {index}
    for at in range(index, -1, -1):
        if at in found:
            found.update(source for source in tape.rows[at][2::2] if source != CONSTANT)
    return found


def _same(x: float, y: float) -> bool:
    return abs(x - y) <= AGREEMENT * max(1.0, abs(y))


def removable(tape: Trace, found: Iterable[Finding], function: Function, point: Point) -> list[Finding]:
    """A finding for a quotient of 0 by 0 among `found` that stands for a smooth function."""
    quotients = (each for each in found if each.code == "G101" and _is_of_quotient(tape, each.node))
    return [told for each in quotients if (told := _told(each, limits(tape, each.node or 0, function, point)))]


def _is_of_quotient(tape: Trace, row: int | None) -> bool:
    return row is not None and tape.rows[row][0].name == "div" and not np.any(tape.rows[row][3::2])


def _told(found: Finding, known: Limits | None) -> Finding | None:
    if known is None:
        return None
    limit = f"the limit of the value is {known.value:.10g}, of the derivative {known.derivative:.10g}"
    numbers = {"value": known.value, "derivative": known.derivative}
    return finding(
        "G209", f"0/0 is removable here: {limit}", file=found.file, line=found.line, node=found.node, numbers=numbers
    )

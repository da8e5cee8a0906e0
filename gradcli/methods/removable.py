"""Singular points at which a program has no value and the function that it stands for goes on smoothly.

The recorded program is played beside the point, to both sides, with many digits: what the same short way off comes out
the same on both sides, at two distances, is the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from gradcli.diagnose.switches import at_switch
from gradcli.findings import finding
from gradcli.methods import digits
from gradcli.methods.playing import Clock, play
from gradcli.records import Finding
from gradcli.tape.recording import Recording
from gradcli.tape.tape import CONSTANT

DIGITS = 80
DISTANCES = (Decimal("1e-14"), Decimal("1e-18"))  # of the scale of the input
AGREEMENT = Decimal("1e-10")
SECONDS = 2.0


class Limits(NamedTuple):
    """The limits of the value, and of the derivative by the one number on which the singular step depends."""

    value: float
    derivative: float


def limits(tape: Recording, index: int) -> Limits | None:
    """The limits at a point where row `index` has no value.

    None where there are none, where the row takes more numbers, and at a kink, whose sides are played as one.
    """
    last, inputs = tape.result_index(), list(tape.input_rows())
    sources = [row for row in inputs if row in _from(tape, index)]
    if last is None or len(sources) != 1 or np.size(tape.rows[sources[0]][1]) != 1 or at_switch(tape):
        return None
    clock = Clock(SECONDS)
    with digits.digits(DIGITS):
        point = digits.many(tape.rows[sources[0]][1])
        found = [_sides(tape, sources[0], point, h, last, clock) for h in DISTANCES]
    (value, derivative), (closer, steeper) = found
    if not (_same(value, closer) and _same(derivative, steeper)):
        return None
    return Limits(float(closer), float(steeper))


def _from(tape: Recording, index: int) -> set[int]:
    """The rows from which a row is made."""
    found = {index}
    for at in range(index, -1, -1):
        if at in found:
            found.update(source for source in tape.rows[at][2::2] if source != CONSTANT)
    return found


def _sides(tape: Recording, source: int, point: Any, h: Any, last: int, clock: Clock) -> tuple[Any, Any]:
    """The mean of the values to both sides of the point, and the slope between them."""
    size = h * max(abs(np.ravel(point)[0]), 1)

    def beside(step: Any) -> Any:
        moved: Mapping[int, Any] = {source: point + step}
        return np.ravel(np.asarray(play(tape, (), last, clock, moved).values[last], dtype=object))[0]

    above, below = beside(size), beside(-size)
    return (above + below) / 2, (above - below) / (2 * size)


def _same(x: Any, y: Any) -> bool:
    """Whether two numbers are finite and agree."""
    return bool(x.is_finite() and y.is_finite() and abs(x - y) <= AGREEMENT * max(1, abs(y)))


def removable(tape: Recording, found: Iterable[Finding]) -> list[Finding]:
    """A finding for a quotient of 0 by 0 among `found` that stands for a smooth function."""
    return [told for each in found if each.code == "G101" and (told := _of_quotient(tape, each)) is not None]


def _of_quotient(tape: Recording, found: Finding) -> Finding | None:
    if found.node is None or tape.rows[found.node][0].name != "div" or np.any(tape.rows[found.node][3::2]):
        return None
    try:
        known = limits(tape, found.node)
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NotImplementedError):
        return None
    if known is None:
        return None
    limit = f"the limit of the value is {known.value:.10g}, of the derivative {known.derivative:.10g}"
    numbers = {"value": known.value, "derivative": known.derivative}
    return finding(
        "G209", f"0/0 is removable here: {limit}", file=found.file, line=found.line, node=found.node, numbers=numbers
    )

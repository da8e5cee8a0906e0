"""How far a run is from taking another path, and whether it stands at a switch or a kink."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from gradcli.methods.components import Component
from gradcli.rules.table import Elementwise
from gradcli.tape.recording import Recording
from gradcli.tape.sweep import forward
from gradcli.tape.tape import CONSTANT, OutcomeRow, Row


def to_whole(x: Any) -> Any:
    """The distance to the nearest whole number."""
    return x - np.rint(x)


# How far the operands of an outcome are from where it changes.
MARGINS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(
        ("lt", "le", "gt", "ge", "eq", "ne", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
        operator.sub,
    ),
    **dict.fromkeys(("floor", "ceil", "trunc", "fix", "int", "index", "astype"), to_whole),
    **dict.fromkeys(("round", "rint", "around"), lambda x: to_whole(x - 0.5)),
    "floordiv": lambda x, y: to_whole(x / y),
    "bool": lambda x: x,
}


def at_switch(tape: Recording) -> bool:
    """Whether the run stands where the smallest move changes an outcome, or at a kink of a rule."""
    return any(map(_turns, tape.outcomes)) or any(map(_row_at_kink, tape.rows))


def _turns(outcome: OutcomeRow) -> bool:
    function, indices, operands, told = outcome[2], outcome[3], outcome[4], outcome[5]
    for nudge in _nudges():
        moved = [x if i == CONSTANT else nudge(x) for i, x in zip(indices, operands, strict=True)]
        try:
            if not np.allclose(function(*moved), told, rtol=1e-9, atol=0.0, equal_nan=True):
                return True
        except (ArithmeticError, ValueError, TypeError, IndexError):
            return True
    return False


def _nudges() -> Iterator[Callable[[Any], Any]]:
    """To the next number above, to the next below, and neighbours in opposite ways, which turns a tie."""
    for pattern in ((1.0,), (-1.0,), (1.0, -1.0), (-1.0, 1.0)):
        yield partial(_nudged, pattern=pattern)


def _nudged(x: Any, pattern: tuple[float, ...]) -> Any:
    """The next number in the direction of the signs in `pattern`, which repeats over an array."""
    signs = np.resize(np.array(pattern), np.shape(x)).astype(np.result_type(x))
    moved = np.nextafter(x, signs * math.inf)
    return float(moved) if type(x) is float else moved


def _row_at_kink(row: Row) -> bool:
    rule = row[0].rule
    if isinstance(rule, Elementwise):
        return bool(rule.kink) and bool(np.any(rule.at_kink(row[1], *row[3::2])))
    return rule is not None and rule.name in ("max", "min") and bool(_ties(row))


def _ties(row: Row) -> Any:
    """Whether an extreme is taken by more than one number."""
    axis = row[0].static.get("axis")
    extreme = row[0].rule.forward(row[3], axis=axis, keepdims=True)
    return np.any(np.sum(row[3] == extreme, axis=axis) > 1)


def reach(tape: Recording, component: Component) -> float:
    """How far one number of the point can move before an outcome changes, to first order; infinite where none does."""
    if not tape.outcomes:
        return math.inf
    try:
        moving = forward(tape, _direction(tape, component), len(tape.rows) - 1)
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return math.inf
    with np.errstate(all="ignore"):
        return min(_distance(outcome, moving) for outcome in tape.outcomes)


def _direction(tape: Recording, component: Component) -> dict[int, Any]:
    rows = list(tape.input_rows())
    value = tape.rows[rows[component.leaf]][1]
    tangent: Any = 1.0
    if np.ndim(value):
        tangent = np.zeros(np.shape(value))
        tangent[component.place] = 1.0
    return {**dict.fromkeys(rows, 0.0), rows[component.leaf]: tangent}


def _distance(outcome: OutcomeRow, moving: list[Any]) -> float:
    """How far along the direction until the margin of an outcome is used up; of several numbers the nearest."""
    name, indices, operands = outcome[1], outcome[3], outcome[4]
    if name not in MARGINS:
        return math.inf
    try:
        margin = MARGINS[name](*operands)
        speeds = [0.0 if index == CONSTANT else moving[index] for index in indices]
        speed = speeds[0] - speeds[1] if MARGINS[name] is operator.sub else _speed(name, operands, speeds)
    except (ArithmeticError, TypeError, ValueError):
        return math.inf
    distances = np.abs(np.divide(margin, speed, dtype=float))
    distances = distances[np.isfinite(distances) & (distances > 0)]
    return float(np.min(distances, initial=math.inf))


def _speed(name: str, operands: tuple[Any, ...], speeds: list[Any]) -> Any:
    if name != "floordiv":
        return speeds[0]
    x, y = operands
    return (speeds[0] - x / y * speeds[1]) / y

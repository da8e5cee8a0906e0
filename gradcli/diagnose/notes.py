"""What a run is worth telling although its numbers are finite: ties, bounds, stops, underflow, lost digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.diagnose.lanes import Lane, applied, brief, first_place, numbers
from gradcli.findings import finding
from gradcli.records import Finding
from gradcli.rules.table import ArrayRule
from gradcli.tape.accumulate import UNTOUCHED
from gradcli.tape.tape import Row
from gradcli.traces.trace import Trace

STOP = "stop_gradient"
LOST = 1e-5  # the relative error of a sum in a narrow type from which it is told


def notes(tape: Trace) -> list[Finding]:
    """Findings on the steps that have a part in the result, in the order of the steps; each line and code once."""
    seen = [(index, row) for index, row in enumerate(tape.rows) if row[0].name in WATCHED]
    suspects = [(index, row, wrong) for index, row in seen if np.any(wrong := _suspicious(row))]
    found = [*_stops(tape), *_narrowed(tape)]
    if suspects and isinstance(tape.result, int):
        cotangents = tape.cotangents()
        for index, row, wrong in suspects:
            if lane := _taking_part(tape, index, wrong, cotangents):
                found += TELLING[row[0].name](lane, cotangents)
    return list({(each.code, each.file, each.line): each for each in reversed(found)}.values())[::-1]


def _suspicious(row: Row) -> Any:
    with np.errstate(all="ignore"):
        return WATCHED[row[0].name](row)


def _taking_part(tape: Trace, index: int, wrong: Any, cotangents: list[Any]) -> Lane | None:
    """The first suspicious number on which the result depends."""
    ct = cotangents[index]
    if ct is UNTOUCHED:
        return None
    taking = np.broadcast_to(wrong, np.shape(tape.rows[index][1])) & (np.asarray(ct) != 0)
    return Lane(tape, index, first_place(taking)) if np.any(taking) else None


# What makes a step suspicious: for each of its numbers whether it is


def _tied(row: Row) -> Any:
    return np.equal(row[3], row[5])


def _tied_along_axes(row: Row) -> Any:
    return np.sum(np.equal(row[3], _extreme(row)), axis=row[0].static.get("axis"), keepdims=_keeps(row)) > 1


def _extreme(row: Row) -> Any:
    rule, static = row[0].rule, dict(row[0].static)
    return rule.forward(row[3], **{**static, "keepdims": True})


def _keeps(row: Row) -> bool:
    return bool(row[0].static.get("keepdims", False))


def _at_a_bound(row: Row) -> Any:
    return np.equal(row[3], row[5]) | np.equal(row[3], row[7])


def _at_zero(row: Row) -> Any:
    return np.equal(row[3], 0)


def _vanished(row: Row) -> Any:
    return np.equal(row[1], 0) & np.isfinite(row[3])


def _power_of_zero(row: Row) -> Any:
    return np.equal(row[3], 0) & (np.asarray(row[5]) > 0) if 1 in row[0].recorded else False


def _is_inexact(row: Row) -> Any:
    """Whether a sum in a narrow type has lost digits that its numbers have."""
    if getattr(row[1], "dtype", None) not in (np.float32, np.float16):
        return False
    rule: ArrayRule = row[0].rule
    whole = rule.forward(np.asarray(row[3], dtype=np.float64), **row[0].static)
    return np.abs(row[1] - whole) > LOST * np.abs(whole)


# What is told of it


def _tie(lane: Lane, _: list[Any]) -> Iterator[Finding]:
    x = lane.operands
    share = "the derivative is shared equally"
    text = f"{applied(lane.row[0].name, x)}: both arguments are {x[0]}, and {share}"
    yield finding("G203", text, **lane.places(), numbers=numbers(lane))


def _tie_along_axes(lane: Lane, _: list[Any]) -> Iterator[Finding]:
    row = lane.row
    tied = np.equal(row[3], _extreme(row))
    count = int(np.max(np.sum(tied, axis=row[0].static.get("axis"))))
    text = f"{row[0].name} has {count} equal arguments, {lane.value}; the derivative is shared equally"
    yield finding("G203", text, **lane.places(), numbers={"value": lane.value, "count": float(count)})


def _bound(lane: Lane, cotangents: list[Any]) -> Iterator[Finding]:
    x, low, _ = lane.operands
    bound = "lower" if x == low else "upper"
    told = (
        f"{applied('clip', lane.operands)}: {x} is the {bound} bound; the slope is 1 on one side of it, 0 on the other"
    )
    yield finding("G208", f"{told}, and taken as 0.5", **lane.places(), numbers=numbers(lane))


def _kink(lane: Lane, _: list[Any]) -> Iterator[Finding]:
    text = f"{applied(lane.row[0].name, lane.operands)} stands at its kink; its slope is taken as 0"
    yield finding("G201", text, **lane.places(), numbers=numbers(lane))


def _length(lane: Lane, _: list[Any]) -> Iterator[Finding]:
    text = "the length of a zero vector has no derivative; 0 is taken, which is one of the valid choices"
    yield finding("G105", text, **lane.places())


def _underflow(lane: Lane, cotangents: list[Any]) -> Iterator[Finding]:
    behind = cotangents[lane.row[2]] if lane.row[2] >= 0 else 0.0
    if behind is not UNTOUCHED and lane.of(behind) == 0:
        text = f"{lane.written()}, an underflow: the derivative 0 that follows from it is not exact"
        yield finding("G109", text, **lane.places(), numbers=numbers(lane))


def _power(lane: Lane, _: list[Any]) -> Iterator[Finding]:
    text = f"the derivative of {applied('pow', lane.operands)} by its exponent is taken as 0, which is its limit"
    yield finding("G107", text, **lane.places(), numbers=numbers(lane))


def _inexact(lane: Lane, _: list[Any]) -> Iterator[Finding]:
    row = lane.row
    whole = lane.of(row[0].rule.forward(np.asarray(row[3], dtype=np.float64), **row[0].static))
    lost = abs(lane.value - whole) / abs(whole)
    text = f"{row[0].name} of {brief(row[3])} in {row[1].dtype}: {lane.value:.8g}, but {whole:.8g} in float64"
    yield finding("G505", text, **lane.places(), numbers={"value": lane.value, "float64": whole, "error": lost})


WATCHED: dict[str, Callable[[Row], Any]] = {
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), _tied),
    **dict.fromkeys(("max", "min"), _tied_along_axes),
    **dict.fromkeys(("abs", "relu", "root"), _at_zero),
    **dict.fromkeys(("exp", "exp2", "erfc"), _vanished),
    **dict.fromkeys(("sum", "mean"), _is_inexact),
    "clip": _at_a_bound,
    "pow": _power_of_zero,
}
TELLING: dict[str, Callable[[Lane, list[Any]], Iterator[Finding]]] = {
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), _tie),
    **dict.fromkeys(("max", "min"), _tie_along_axes),
    **dict.fromkeys(("abs", "relu"), _kink),
    **dict.fromkeys(("exp", "exp2", "erfc"), _underflow),
    **dict.fromkeys(("sum", "mean"), _inexact),
    "root": _length,
    "clip": _bound,
    "pow": _power,
}


def _stops(tape: Trace) -> Iterator[Finding]:
    """Where the program stops the gradient on purpose."""
    for number, outcome in enumerate(tape.outcomes):
        if outcome[1] == STOP:
            file, line = (tape.watch and tape.watch.place_of_outcome(number)) or (None, None)
            text = f"the gradient is stopped here on purpose: {brief(outcome[5])} counts as a constant"
            yield finding("G403", text, file=file, line=line)


def _narrowed(tape: Trace) -> Iterator[Finding]:
    """The first step that turns float64 into a type with fewer digits."""
    if not tape.has_arrays:
        return
    for index, row in enumerate(tape.rows):
        kind = getattr(row[1], "dtype", None)
        if kind in (np.float32, np.float16) and any(_is_double(row[3 + 2 * p]) for p in row[0].recorded):
            digits = "7" if kind == np.float32 else "3"
            text = f"float64 becomes {kind} here: {digits} digits are left of 16"
            yield finding("G504", text, **Lane(tape, index).places())
            return


def _is_double(x: Any) -> bool:
    return type(x) is float or getattr(x, "dtype", None) == np.float64

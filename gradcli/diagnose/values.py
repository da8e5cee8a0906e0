"""Where the first value that is not finite was born on the way forward, and of what kind its birth is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.diagnose.lanes import Lane, finite, first_place, named, numbers, plain, sources, way
from gradcli.findings import finding
from gradcli.records import Finding
from gradcli.rules.table import Elementwise
from gradcli.tape.reach import ReachedSweep
from gradcli.tape.tape import ARRAY_CONSTANT, CONSTANT
from gradcli.traces.trace import Trace

LOGARITHMS = ("log", "log2", "log10")
EXPONENTIALS = {"exp": math.e, "exp2": 2.0, "expm1": math.e, "sinh": math.e, "cosh": math.e}


def born_value(tape: Trace) -> Finding | None:
    """A finding for the first value that is not finite and that the result depends on; None where there is none."""
    lane = first_lane(tape)
    if lane is None:
        return _constant_result(tape)
    code, told = kind(lane)
    text = f"{told}.{_story(lane)}"
    return finding(code, text, **_places(lane), numbers=numbers(lane))


def _places(lane: Lane) -> dict[str, Any]:
    """Where a birth is; of an array of the program's own, the line that reads it first."""
    places = lane.places()
    readers = (n for n, row in enumerate(lane.tape.rows) if lane.row[0] is ARRAY_CONSTANT and lane.node in row[2::2])
    if (reader := next(readers, None)) is not None:
        node = lane.tape.nodes[reader]
        places |= {"file": node.file, "line": node.line}
    return places


def first_lane(tape: Trace) -> Lane | None:
    """The first number that is not finite among those that have a part in the result."""
    marks = reached(tape)
    with np.errstate(all="ignore"):
        for index, mark in enumerate(marks):
            if mark is False:
                continue
            wrong = ~np.isfinite(plain(tape.rows[index][1])) & mark
            if np.any(wrong):
                return Lane(tape, index, first_place(wrong))
    return None


def reached(tape: Trace) -> list[Any]:
    """For each row which of its numbers have a part in the result: one mark for all, or an array of marks."""
    if np.ndim(tape.value) or not isinstance(tape.result, int):
        return [True] * (max((n for n in tape.result_rows() if n is not None), default=-1) + 1)
    value = tape.rows[tape.result][1]
    one = 1.0 if type(value) is float else np.ones_like(value)[()]
    return ReachedSweep(tape, tape.result, recorded=False).run(one).marks


def _constant_result(tape: Trace) -> Finding | None:
    if tape.result is not None or finite(tape.value):
        return None
    return finding("G110", f"the result is {tape.value}, a constant that no step of the run has made")


def kind(lane: Lane) -> tuple[str, str]:
    """The code of a birth, and what happened."""
    row = lane.row
    if row[0] is ARRAY_CONSTANT:
        place = f" at {list(lane.place)}" if lane.place else ""
        return "G110", f"an array of the program's own has {lane.value}{place}"
    if not row[0].recorded:
        return "G110", f"{lane.name} = {lane.value} came with the point"
    if (brought := _constant_operand(lane)) is not None:
        return "G110", f"{lane.written()}: a constant that is {brought} meets the recorded numbers"
    told = f"{lane.written()} is the first value that is not finite"
    rule = row[0].rule
    if isinstance(rule, Elementwise) and rule.where and not _is_defined(rule, lane):
        if rule.name in LOGARITHMS and lane.operands[0] == 0:
            return "G106", told
        return "G101", f"{told}; {domain(rule)}"
    if np.isinf(lane.value):
        return "G108", f"{told}; {limit(lane)}"
    return "G101", told


def _is_defined(rule: Elementwise, lane: Lane) -> bool:
    """Whether a step is one of the domain, which is an interval of real numbers, and all complex ones but 0."""
    if any(isinstance(x, complex) for x in (lane.value, *lane.operands)):
        return 0 not in lane.operands
    return bool(rule.is_defined(lane.value, *lane.operands))


def _constant_operand(lane: Lane) -> float | None:
    """A constant operand that is not finite, where the operation has one."""
    row = lane.row
    for index, x in zip(row[2::2], row[3::2], strict=True):
        if index == CONSTANT and not finite(x):
            bad = plain(x)
            return bad[~np.isfinite(bad)].ravel()[0].item()  # type: ignore[no-any-return]
    return None


def domain(rule: Elementwise) -> str:
    """Where a rule is defined, in words."""
    if rule.name in ("div", "mod", "fmod", "remainder"):
        return "the divisor is 0"
    return f"{rule.name}({', '.join(rule.parameters)}) is defined where {rule.where}"


def limit(lane: Lane) -> str:
    """What the type can hold."""
    largest = np.finfo(np.result_type(lane.row[1])).max
    name = lane.row[0].name
    if base := EXPONENTIALS.get(name):
        most = float(np.log(np.float64(largest))) / math.log(base)
        hint = "; subtract the maximum of its arguments before it" if _is_summed(lane) else ""
        return f"{name} overflows above {most:.2f} in {np.result_type(lane.row[1])}{hint}"
    return f"the largest number of {np.result_type(lane.row[1])} is {float(largest):.3g}"


def _is_summed(lane: Lane) -> bool:
    """Whether a sum is taken of the numbers, as in a softmax."""
    return any(row[0].name == "sum" and row[2] == lane.node for row in lane.tape.rows)


def _story(lane: Lane) -> str:
    """The way from the inputs, the inputs that have no part, and how much of what follows is not finite either."""
    tape = lane.tape
    names = way(tape, lane.node)
    text = f" The way to it: {' → '.join(names)}." if len(names) > 1 else ""
    clean = named(tape, set(tape.input_rows()) - sources(tape, lane.node)) if lane.row[0].recorded else ""
    text += f" {clean} {'have' if ' and ' in clean else 'has'} no part in it." if clean else ""
    after = sum(not finite(row[1]) for row in tape.rows[lane.node + 1 :])
    return text + (f" {after} later value{'s are' if after > 1 else ' is'} not finite either." if after else "")

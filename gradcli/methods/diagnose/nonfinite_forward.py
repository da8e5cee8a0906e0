"""The origin of the first value that is not finite, and its kind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.engine.traces.node import CONSTANT
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.diagnose.step_elements import (
    StepElement,
    first_place,
    inexact_array,
    node_names,
    numbers,
    path_text,
    sources,
)
from gradcli.shared.findings import finding
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import all_finite
from gradcli.shared.records.result_and_finding import Finding

EXPONENTIALS = {"exp": math.e, "exp2": 2.0, "expm1": math.e, "sinh": math.e, "cosh": math.e}


def first_nonfinite_value(trace: Trace) -> Finding | None:
    """A finding for the first value that is not finite and affects the result; None if there is none."""
    lane = first_lane(trace)
    if lane is None:
        return _constant_result(trace)
    code, message = kind(lane)
    repair = f" `gradcli help {code}` gives the repair." if code in ("G106", "G108") else ""
    text = f"{message}.{_story(lane)}{repair}"
    return finding(code, text, **_places(lane), numbers=numbers(lane))


def _places(lane: StepElement) -> dict[str, Any]:
    """The place of an origin; for an array that the program created, the line that first reads it."""
    places = lane.places()
    readers = (node for node in lane.trace.nodes if lane.node.is_constant and lane.index in node.sources)
    if (reader := next(readers, None)) is not None:
        places |= {"file": reader.file, "line": reader.line}
    return places


def first_lane(trace: Trace) -> StepElement | None:
    """The first element that is not finite among those that affect the result."""
    marks = reachability_masks(trace)
    with ignored_float_errors():
        for index, mark in enumerate(marks):
            if mark is False:
                continue
            wrong = ~np.isfinite(inexact_array(trace.nodes[index].value)) & mark
            if np.any(wrong):
                return StepElement(trace, index, first_place(wrong))
    return None


def reachability_masks(trace: Trace) -> list[Any]:
    """For each node the mask of its elements that affect the result, or a single boolean."""
    if np.ndim(trace.value) or not isinstance(trace.result, int):
        return [True] * (max((n for n in trace.result_indices() if n is not None), default=-1) + 1)
    marks: list[Any] = trace.marked(trace.result).marks
    return marks


def _constant_result(trace: Trace) -> Finding | None:
    if trace.result is not None or all_finite(trace.value):
        return None
    return finding("G110", f"the result is {trace.value}, a constant that was not computed from the inputs")


def kind(lane: StepElement) -> tuple[str, str]:
    """The code and the message for an origin."""
    node = lane.node
    if node.is_constant:
        place = f" at {list(lane.place)}" if lane.place else ""
        return "G110", f"an array created by the program contains {lane.value}{place}"
    if not node.is_computed:
        return "G110", f"{lane.name} = {lane.value} is part of the point"
    if (brought := _constant_operand(lane)) is not None:
        return "G110", f"{lane.written()}: one operand is a constant {brought}"
    message = f"{lane.written()} is the first value that is not finite"
    rule = node.rule
    if rule is not None and rule.is_logarithm and lane.value == -math.inf:
        return "G106", f"{message}; the determinant is 0" if lane.is_whole else message
    if isinstance(rule, Elementwise) and rule.where and not _is_defined(rule, lane):
        return "G101", f"{message}; {domain(rule)}"
    if np.isinf(lane.value):
        return "G108", f"{message}; {limit(lane)}"
    return "G101", message


def _is_defined(rule: Elementwise, lane: StepElement) -> bool:
    """Whether the arguments are in the domain of a rule: an interval for real numbers, all but 0 for complex ones."""
    if any(isinstance(x, complex) for x in (lane.value, *lane.operands)):
        return 0 not in lane.operands
    return bool(rule.is_defined(lane.value, *lane.operands))


def _constant_operand(lane: StepElement) -> float | None:
    """An infinite or nan constant among the operands, if there is one."""
    for index, x in lane.node.arguments():
        if index == CONSTANT and not all_finite(x):
            bad = inexact_array(x)
            return bad[~np.isfinite(bad)].ravel()[0].item()  # type: ignore[no-any-return]
    return None


def domain(rule: Elementwise) -> str:
    """The domain of a rule, in words."""
    if len(rule.parameters) == 2 and rule.where == f"{rule.parameters[1]} != 0":
        return "the divisor is 0"
    return f"{rule.name}({', '.join(rule.parameters)}) is defined for {rule.where}"


def limit(lane: StepElement) -> str:
    """The limit that an overflow exceeded, in words."""
    largest = np.finfo(np.result_type(lane.node.value)).max
    name = lane.node.operation
    if base := EXPONENTIALS.get(name):
        most = float(np.log(np.float64(largest))) / math.log(base)
        hint = "; subtract the maximum of its arguments before it" if _is_summed(lane) else ""
        return f"{name} overflows above {most:.2f} in {np.result_type(lane.node.value)}{hint}"
    return f"the largest number of {np.result_type(lane.node.value)} is {float(largest):.3g}"


def _is_summed(lane: StepElement) -> bool:
    """Whether the results are summed, as in a softmax."""
    return any(node.rule is not None and node.rule.sums and node.sources[0] == lane.index for node in lane.trace.nodes)


def _story(lane: StepElement) -> str:
    """The path from the inputs, the inputs without part in it, and the number of later values that are not finite."""
    trace = lane.trace
    names = path_text(trace, lane.index)
    text = f" Its path: {' → '.join(names)}." if len(names) > 1 else ""
    clean = node_names(trace, set(trace.input_indices()) - sources(trace, lane.index)) if lane.node.is_computed else ""
    text += f" {clean} {'do' if ' and ' in clean else 'does'} not affect it." if clean else ""
    after = sum(not all_finite(node.value) for node in trace.nodes[lane.index + 1 :])
    return text + (f" {after} later value{'s are' if after > 1 else ' is'} not finite either." if after else "")

"""The origin of the first sensitivity that is not finite, and its kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.tape.sweeps.masked_reverse import Marks, ReachedSweep
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.syntax import Apply, Name, Syntax, fold
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules import functions
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.diagnose.nonfinite_forward import first_nonfinite_value
from gradcli.methods.diagnose.step_elements import (
    StepElement,
    applied,
    brief,
    first_place,
    inexact_array,
    node_names,
    numbers,
)
from gradcli.shared.findings import finding
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import all_finite
from gradcli.shared.records.result_and_finding import Finding

Step = tuple[int, int]
"""A step of the trace and the node to which it passes a sensitivity."""


class Watching(ReachedSweep):
    """A sweep that notes where a sensitivity first became infinite or nan, and where one first became nan."""

    def __init__(self, tape: Any, last: int, recorded: bool) -> None:
        super().__init__(tape, last, recorded)
        self.at = last
        self.birth: Step | None = None
        self.first_nan: Step | None = None

    def pull(self, at: int) -> None:
        self.at = at
        super().pull(at)

    def add(self, index: int, ct: Any, marks: Marks) -> None:
        super().add(index, ct, marks)
        if self.at != index and not all_finite(self.cts[index]):
            self.birth = self.birth or (self.at, index)
            if np.any(np.isnan(self.cts[index])):
                self.first_nan = self.first_nan or (self.at, index)


def first_nonfinite_sensitivity(trace: Trace) -> Finding | None:
    """A finding for the first sensitivity, from the result backwards, that is not finite; None if all are finite."""
    last = trace.result_index()
    if last is None:
        return None
    sweep = trace.marked(last, Watching)
    if sweep.birth is None:
        return None
    spoilt = {index for index in trace.input_indices() if index < len(sweep.cts) and not all_finite(sweep.cts[index])}
    code, message, birth = _kind(trace, sweep, sweep.birth)
    if sweep.first_nan and sweep.first_nan != sweep.birth and code == "G104":
        code, message = "G102", f"{message}; {_then(trace, sweep, sweep.first_nan)}"
    if code == "G102" and _is_length(trace, trace.nodes[sweep.birth[0]]):
        message += "; for the length of a vector, np.linalg.norm(x) is finite, and np.sum(x**2) needs no root"
    return finding(code, f"{message}.{_inputs(trace, spoilt)}", **birth.lane.places(), numbers=birth.facts())


class Birth(NamedTuple):
    """An element at which a sensitivity became infinite or nan: the product of its cotangent and its slope."""

    lane: StepElement
    slope: float = math.nan
    cotangent: float = math.nan

    def facts(self) -> dict[str, float]:
        """Its numbers, as a finding stores them."""
        return {} if self.lane.is_whole else {**numbers(self.lane), "slope": self.slope, "cotangent": self.cotangent}

    def written(self) -> str:
        """The operation applied to its operands, as text."""
        operation = self.lane.node.operation
        return applied(operation, self.lane.node.operands if self.lane.is_whole else self.lane.operands)


def _kind(trace: Trace, sweep: Watching, step: Step) -> tuple[str, str, Birth]:
    """The code and the message for an origin, and the origin."""
    birth, position = _first_nonfinite_contribution(trace, sweep, step)
    if birth.lane.is_whole:
        return "G102", f"in the reverse sweep, {birth.written()} has a derivative that is not finite", birth
    name, slope, cotangent = birth.lane.node.operation, birth.slope, birth.cotangent
    why = _cause(birth.lane, position)
    by_exponent = birth.lane.node.rule.is_power and position == 1 and not np.iscomplexobj(slope)
    if by_exponent and not np.isfinite(slope):
        what = "not real" if np.isnan(slope) else str(slope)
        return "G107", f"the derivative of {birth.written()} by its exponent is {what}{why}", birth
    by = _which(birth.lane, position)
    if np.isinf(slope) and cotangent != 0 and np.isfinite(cotangent):
        return "G104", f"the slope of {name}{by} at {brief(birth.lane.operands[position])} is {slope}{why}", birth
    product = f"multiplies {cotangent} by its slope{by and f'{by},'} {slope}, which is {cotangent * slope}"
    return "G102", f"in the reverse sweep, {birth.written()} {product}{why}", birth


def _which(lane: StepElement, position: int) -> str:
    """The argument by which a partial is taken, as a clause; empty if there is only one."""
    return f" by the {ORDINALS[position]} argument" if len(lane.node.operands) > 1 else ""


ORDINALS = ("first", "second", "third", "fourth", "fifth")


def _cause(lane: StepElement, position: int) -> str:
    """The operation that makes a partial infinite or nan, as a clause; empty if there is none."""
    rule = lane.node.rule
    tree = lane.node.slopes.trees[position]
    operands = [lane.value, *lane.operands]
    if tree is None or any(isinstance(x, complex) for x in operands):
        return ""
    names = {**CONSTANTS, **dict(zip(("v", *rule.parameters), operands, strict=True))}
    culprit = _culprit(tree, names)
    return f": it takes {culprit}" if culprit else ""


def _culprit(tree: Syntax, names: Mapping[str, Any]) -> str | None:
    """The innermost operation of a formula whose arguments are finite and whose result is not."""
    done: dict[int, tuple[list[Any], Any]] = {}

    def apply(node: Apply, arguments: list[Any]) -> Any:
        result = functions()[node.function](*arguments)
        done[id(node)] = arguments, result
        return result

    fold(tree, lambda leaf: names[leaf.id] if isinstance(leaf, Name) else leaf.value, apply)
    at: Syntax | None = tree
    culprit = None
    while isinstance(at, Apply) and not all_finite(done[id(at)][1]):
        arguments, result = done[id(at)]
        culprit = f"{applied(at.function, arguments)}, which is {result}"
        parts = zip(at.arguments, arguments, strict=True)
        if at.function == "where":
            at = at.arguments[1 if arguments[0] else 2]
        else:
            at = next((part for part, value in parts if not all_finite(value)), None)
    return culprit


def _then(trace: Trace, sweep: Watching, step: Step) -> str:
    """How an infinity became nan, as a clause."""
    birth, _ = _first_nonfinite_contribution(trace, sweep, step)
    if birth.lane.is_whole or not np.isnan(birth.cotangent * birth.slope):
        return f"after {birth.written()} it is nan"
    return f"{birth.written()} then multiplies {birth.cotangent} by its slope {birth.slope}, which is nan"


def _first_nonfinite_contribution(trace: Trace, sweep: Watching, step: Step) -> tuple[Birth, int]:
    """The element at which a step failed, and the position of the argument for which it did."""
    at, index = step
    node, ct = trace.nodes[at], sweep.cts[at]
    positions = [p for p in node.positions if node.sources[p] == index]
    if not isinstance(node.rule, Elementwise):
        return Birth(StepElement(trace, at)), positions[0]
    with ignored_float_errors():  # x**x passes two contributions to x, one of which may be finite
        parts = [(p, inexact_array(ct * slope_of(node, p))) for p in positions]
        position, part = next((part for part in parts if not all_finite(part[1])), parts[0])
        wrong = ~np.isfinite(np.broadcast_to(part, np.shape(node.value)))
    slope = slope_of(node, position)
    lane = StepElement(trace, at, first_place(wrong) if np.any(wrong) else (0,) * np.ndim(node.value))
    return Birth(lane, lane.of(slope), lane.of(ct)), position


def slope_of(node: TraceNode, position: int) -> Any:
    """The partial of an elementwise step by one of its arguments."""
    partial = node.partials[position]
    with ignored_float_errors():
        return 0.0 if partial is None else partial(node.value, *node.operands)


def _is_length(trace: Trace, node: TraceNode) -> bool:
    """Whether a step is the square root of a sum of squares."""
    if not (node.rule.is_root or node.rule.is_power) or node.sources[0] == CONSTANT:
        return False
    inner = trace.nodes[node.sources[0]]
    if not (inner.rule and (inner.rule.is_sum or (inner.rule.sums and not inner.rule.averages))):
        return _is_square(inner)
    return all(_is_square(trace.nodes[index]) for index in inner.inputs)


def _is_square(node: TraceNode) -> bool:
    rule = node.rule
    return rule is not None and (rule.is_square or rule.is_product or rule.is_power)


def _inputs(trace: Trace, spoilt: set[int]) -> str:
    """The inputs whose sensitivity is not finite, and those that stay finite, as a clause."""
    inputs = set(trace.input_indices())
    hit, clean = node_names(trace, spoilt), node_names(trace, inputs - spoilt)
    text = f" It affects {hit}" if hit and spoilt != inputs else ""
    return f"{text}; {clean} {'stay' if ' and ' in clean else 'stays'} finite." if text and clean else ""


def first_nonfinite_findings(trace: Trace) -> list[Finding]:
    """A finding for the first value that is not finite, and one for the first such sensitivity, where they exist.

    If the result itself is not finite, sensitivities are left out, as they are not the cause.
    """
    forward = first_nonfinite_value(trace)
    backward = first_nonfinite_sensitivity(trace) if all_finite(trace.value) else None
    return [first for first in (forward, backward) if first]

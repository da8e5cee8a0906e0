"""Singular points at which a program has no value although the function that it represents is smooth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import ancestors
from gradcli.engine.traces.trace import Trace
from gradcli.methods.diagnose.outcome_margins import at_switch
from gradcli.methods.exact import one_sided_limits
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.shared.findings import finding
from gradcli.shared.records.result_and_finding import Finding

Function = Callable[..., Any]
Point = Mapping[str, Any]

AGREEMENT = 1e-10


class ContinuousExtension(NamedTuple):
    """The limits of the value, and of the derivative by the single number on which the singular step depends."""

    value: float
    derivative: float


def limits(trace: Trace, index: int, function: Function, point: Point) -> ContinuousExtension | None:
    """The limits at a point where node `index` of the trace of `function` has no value.

    None if there are no limits, if the node depends on several numbers, or at a kink.
    """
    used = ancestors(trace.nodes, index)
    sources = [leaf for leaf, entered in enumerate(trace.input_indices()) if entered in used]
    parts = [part for part in coordinates(point) if part.leaf in sources]
    if len(parts) != 1 or at_switch(trace):
        return None
    limits_by_part = one_sided_limits.limits(function, point, parts[0])
    if limits_by_part is None or not (
        _same(limits_by_part.below, limits_by_part.above) and _same(limits_by_part.left, limits_by_part.right)
    ):
        return None
    return ContinuousExtension(
        (limits_by_part.below + limits_by_part.above) / 2, (limits_by_part.left + limits_by_part.right) / 2
    )


def _same(x: float, y: float) -> bool:
    return abs(x - y) <= AGREEMENT * max(1.0, abs(y))


def removable_singularity_findings(
    trace: Trace, findings: Iterable[Finding], function: Function, point: Point
) -> list[Finding]:
    """The findings G209 for quotients 0/0 among `findings` that represent smooth functions."""
    quotients = (finding_ for finding_ in findings if finding_.code == "G101" and _is_of_quotient(trace, finding_.node))
    return [
        removable
        for quotient in quotients
        if (removable := _told(quotient, limits(trace, quotient.node or 0, function, point)))
    ]


def _is_of_quotient(trace: Trace, index: int | None) -> bool:
    if index is None:
        return False
    node = trace.nodes[index]
    return node.rule is not None and node.rule.is_quotient and not any(map(np.any, node.operands))


def _told(finding_: Finding, known: ContinuousExtension | None) -> Finding | None:
    if known is None:
        return None
    limit = f"the limit of the value is {known.value:.10g}, of the derivative {known.derivative:.10g}"
    numbers = {"value": known.value, "derivative": known.derivative}
    return finding(
        "G209",
        f"0/0 is removable here: {limit}",
        file=finding_.file,
        line=finding_.line,
        node=finding_.node,
        numbers=numbers,
    )

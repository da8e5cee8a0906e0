"""Findings on a run with finite numbers: ties, bounds, stopped gradients, underflow, lost digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import STOP_GRADIENT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.methods.diagnose.step_elements import StepElement, applied, brief, first_place, numbers
from gradcli.methods.diagnose.suspicious_steps import extreme, narrowing_step, suspicious_steps
from gradcli.shared.findings import finding
from gradcli.shared.records.result_and_finding import Finding

KINKS = ("G105", "G201", "G203", "G208")  # findings at points where the slope follows a convention
INEXACT = 1e-8  # the error of a solution above which it is reported


def notes(trace: Trace) -> list[Finding]:
    """Findings on the steps that affect the result, in the order of the steps, once per line and code."""
    suspects = suspicious_steps(trace)
    findings = [*_stops(trace), *_narrowed(trace), *_inexact_solutions(trace), *jumps_inside(trace)]
    if suspects and isinstance(trace.result, int):
        cotangents = trace.cotangents()
        for node, wrong in suspects:
            if lane := _taking_part(trace, node, wrong, cotangents):
                findings += TELLING[node.operation](lane, cotangents)
    return list({(finding.code, finding.file, finding.line): finding for finding in reversed(findings)}.values())[::-1]


def _taking_part(trace: Trace, node: TraceNode, wrong: Any, cotangents: list[Any]) -> StepElement | None:
    """The first suspicious element on which the result depends."""
    ct = cotangents[node.index]
    if ct is UNTOUCHED:
        return None
    taking = np.broadcast_to(wrong, np.shape(node.value)) & (np.asarray(ct) != 0)
    return StepElement(trace, node.index, first_place(taking)) if np.any(taking) else None


# The findings on a suspicious element


def _tie(lane: StepElement, _: list[Any]) -> Iterator[Finding]:
    x = lane.operands
    share = "the derivative is shared equally"
    text = f"{applied(lane.node.operation, x)}: both arguments are {x[0]}, and {share}"
    yield finding("G203", text, **lane.places(), numbers=numbers(lane))


def _tie_along_axes(lane: StepElement, _: list[Any]) -> Iterator[Finding]:
    node = lane.node
    tied = np.equal(node.operands[0], extreme(node))
    count = int(np.max(np.sum(tied, axis=node.static.get("axis"))))
    text = f"{node.operation} has {count} equal arguments, {lane.value}; the derivative is shared equally"
    yield finding("G203", text, **lane.places(), numbers={"value": lane.value, "count": float(count)})


def _bound(lane: StepElement, cotangents: list[Any]) -> Iterator[Finding]:
    x, low, _ = lane.operands
    bound = "lower" if x == low else "upper"
    message = (
        f"{applied('clip', lane.operands)}: {x} is the {bound} bound; the slope is 1 on one side of it, 0 on the other"
    )
    yield finding("G208", f"{message}, and taken as 0.5", **lane.places(), numbers=numbers(lane))


def _kink(lane: StepElement, _: list[Any]) -> Iterator[Finding]:
    text = f"{applied(lane.node.operation, lane.operands)} is at its kink; its slope is taken as 0"
    yield finding("G201", text, **lane.places(), numbers=numbers(lane))


def _length(lane: StepElement, _: list[Any]) -> Iterator[Finding]:
    text = "the norm of a zero vector has no derivative; 0 is used, which is a valid choice"
    yield finding("G105", text, **lane.places())


def _underflow(lane: StepElement, cotangents: list[Any]) -> Iterator[Finding]:
    behind = cotangents[lane.node.sources[0]] if lane.node.sources[0] >= 0 else 0.0
    if behind is not UNTOUCHED and lane.of(behind) == 0:
        text = f"{lane.written()}, an underflow: the derivative 0 that follows from it is not exact"
        yield finding("G109", text, **lane.places(), numbers=numbers(lane))


def _power(lane: StepElement, _: list[Any]) -> Iterator[Finding]:
    text = f"the derivative of {applied('pow', lane.operands)} by its exponent is taken as 0, which is its limit"
    yield finding("G107", text, **lane.places(), numbers=numbers(lane))


def _inexact(lane: StepElement, _: list[Any]) -> Iterator[Finding]:
    node = lane.node
    whole = lane.of(node.rule.forward(np.asarray(node.operands[0], dtype=np.float64), **node.static))
    lost = abs(lane.value - whole) / abs(whole)
    sizes = f"{lane.value:.8g}, but {whole:.8g} in float64"
    text = f"{node.operation} of {brief(node.operands[0])} in {node.value.dtype}: {sizes}"
    yield finding("G505", text, **lane.places(), numbers={"value": lane.value, "float64": whole, "error": lost})


TELLING: dict[str, Callable[[StepElement, list[Any]], Iterator[Finding]]] = {
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), _tie),
    **dict.fromkeys(("max", "min"), _tie_along_axes),
    **dict.fromkeys(("abs", "relu"), _kink),
    **dict.fromkeys(("exp", "exp2", "erfc"), _underflow),
    **dict.fromkeys(("sum", "mean"), _inexact),
    "root": _length,
    "clip": _bound,
    "pow": _power,
}


def _stops(trace: Trace) -> Iterator[Finding]:
    """Yield the places where the program stops the gradient."""
    for outcome in trace.outcomes:
        if outcome.name == STOP_GRADIENT:
            text = f"the gradient is stopped here on purpose: {brief(outcome.answer)} is treated as a constant"
            yield finding("G403", text, file=outcome.file, line=outcome.line)


# The option that bounds the error of a solution, by the last part of a solver's name; tol for the others.
_TOLERANCES = {
    **dict.fromkeys(("brenth", "brentq", "bisect", "ridder", "toms748", "fsolve", "fixed_point"), "xtol"),
    **dict.fromkeys(("root_scalar", "fmin", "fmin_powell", "fminbound", "least_squares"), "xtol"),
    **dict.fromkeys(("fmin_bfgs", "fmin_cg"), "gtol"),
    **dict.fromkeys(("anderson", "broyden1", "broyden2", "diagbroyden", "excitingmixing", "linearmixing"), "f_tol"),
    **dict.fromkeys(("bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"), "rtol"),
    "fmin_ncg": "avextol",
    "newton_krylov": "f_tol",
}


def _inexact_solutions(trace: Trace) -> Iterator[Finding]:
    """Yield the solvers whose solution is less accurate than a check would accept."""
    for solved in trace.solved_equations:
        if solved.error > INEXACT:
            option = _TOLERANCES.get(solved.solver.rpartition(".")[2], "tol")
            text = f"{solved}, which bounds the accuracy of the derivative: pass a smaller tolerance, such as "
            outcome = trace.whole.outcomes[solved.residual]
            numbers = {"distance": solved.distance, **({} if solved.is_near_zero else {"error": solved.error})}
            yield finding("G211", f"{text}{option}=1e-12", file=outcome.file, line=outcome.line, numbers=numbers)


def jumps_inside(trace: Trace) -> Iterator[Finding]:
    """Yield the integrators that integrate over a jump whose place depends on the inputs."""
    for jump in trace.jumps:
        at = trace.nodes[jump.number] if jump.is_row else trace.whole.outcomes[jump.number]
        text = f"{jump.integrator} integrates over a jump, and the place of the jump depends on the inputs: the"
        message = f"{text} derivative of that place is missing. Integrate up to the jump, and from there on"
        yield finding("G212", message, file=at.file, line=at.line)


def _narrowed(trace: Trace) -> Iterator[Finding]:
    """Yield the first step that converts float64 to a dtype with fewer digits."""
    if (node := narrowing_step(trace)) is not None:
        digits = "7" if node.value.dtype == np.float32 else "3"
        text = f"float64 is converted to {node.value.dtype} here: {digits} of 16 digits are left"
        yield finding("G504", text, **StepElement(trace, node.index).places())

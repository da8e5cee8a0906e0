"""All findings of one recorded run and of a derivative at a point: the one place that decides what is said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.methods.diagnose.suspicious_steps import narrowing_step, suspicious_steps
from gradcli.shared.findings import finding
from gradcli.shared.pytree import all_finite, is_structure, record_value
from gradcli.shared.records.result_and_finding import Finding

CALLS = 36  # calls of a smooth function for the slope by one number


def has_jumps(trace: Trace) -> bool:
    """Whether an operation of a run has jumps, as `floor` does."""
    return any(rule and (rule.jumps or rule.step) for rule in {node.rule for node in trace.nodes})


def derivative_findings(
    trace: Trace,
    named: Callable[[], Trace],
    point: Mapping[str, Any],
    wanted: Iterable[str],
    *,
    finite: bool,
    notes: bool = True,
) -> list[Finding]:
    """The findings of a run whose result is one number: those of `run_findings`, and those of the numbers beside it.

    These are a removable singularity (G209), an isolated point or the boundary of a branch (G206), and a jump.

    Args:
        trace: the run of a function of the inputs in `point`. It is run again if an outcome changes at the point.
        named: records the same run with the user's names and lines. Called, quietly, only if there are findings.
        point: the inputs by name.
        wanted: the names of the inputs to differentiate by.
        finite: whether the value and the derivative are finite.
        notes: whether notes are of interest, for which the function runs some fifty times at the boundary of a branch.
    """
    wanted = list(wanted)
    findings = run_findings(trace, named, point, wanted, finite=finite)
    if finite and (trace.outcomes or has_jumps(trace)):
        from gradcli.methods.diagnose.isolated_points import isolated_point, value_jump

        isolated = isolated_point(trace, named, trace.function, point, wanted) if trace.outcomes else None
        if isolated:
            return _with_branch(findings, *isolated)
        if jump := value_jump(trace, named, point, wanted):
            return [*findings, jump]
    if trace.outcomes and (notes or any(finding.code == "G205" for finding in findings)):
        from gradcli.methods.diagnose.branch_boundary import branch_boundary

        if boundary := branch_boundary(trace, named, point, wanted):
            findings = _with_branch(findings, *boundary, severity="warning")
    return [*findings, *_removable(trace, point, findings)]


def _with_branch(
    findings: list[Finding], branch: Finding, inputs: Iterable[str], severity: str | None = None
) -> list[Finding]:
    """The findings with that on a branch, which takes the place of those that some inputs, flat on it, have no effect.

    Where it takes the place of one, it has the severity, if that is given.
    """
    if not any(finding.code == "G205" for finding in findings):
        return [*findings, branch]
    from gradcli.methods.diagnose.input_paths import is_cut_finding

    others = [finding for finding in findings if not is_cut_finding(finding, inputs)]
    is_in_place = severity is not None and len(others) < len(findings)
    return [*others, branch.changed(severity=severity) if is_in_place else branch]


def _removable(trace: Trace, point: Mapping[str, Any], findings: list[Finding]) -> list[Finding]:
    """The findings for undefined values that have a limit. Computing in many digits is imported only for that."""
    if all(finding.code != "G101" for finding in findings):
        return []
    from gradcli.methods.diagnose.removable_singularities import removable_singularity_findings

    return removable_singularity_findings(trace, findings, trace.function, point)


def run_findings(
    trace: Trace,
    named: Callable[[], Trace],
    point: Mapping[str, object],
    wanted: Iterable[str],
    *,
    finite: bool,
) -> list[Finding]:
    """Inputs without effect, origins of infinity and nan, unselected elements, and conventions that applied.

    Args:
        trace: the run.
        named: records it again with the user's names and lines. Called, quietly, only if there are findings.
        point: the inputs by name.
        wanted: the names of the inputs that count.
        finite: whether the value and the gradient are finite.
    """
    wanted = list(wanted)

    def of(run: Trace) -> list[Finding]:
        born = [] if finite else _births(run)
        return [*_idle(run, point, wanted), *born, *([] if born else _left_aside(run)), *_measured(run), *_notes(run)]

    if not of(trace):
        return []
    if trace.is_named:
        return of(trace)
    with quiet():
        again = named()
    return of(again)


def listed_findings(
    trace: Trace, point: Mapping[str, object], wanted: Iterable[str], on_host: Callable[[], Trace]
) -> list[Finding]:
    """The findings of a run with names that is shown step by step: idle inputs, and infinity and nan, selected or not.

    `on_host` gives the run on the host, where its numbers can be looked at.
    """
    from gradcli.methods.diagnose.input_paths import idle_inputs

    cotangents = trace.cotangents()
    ends = [cotangents[index] for index in trace.input_indices() if cotangents[index] is not UNTOUCHED]
    born = [] if all_finite(record_value([trace.value, *ends])) else _births(on_host())
    return [*idle_inputs(trace, point, wanted), *(born or _left_aside(trace, on_host))]


# The detailed analyses are imported only if needed, because every `gradcli grad` comes here.


def _idle(run: Trace, point: Mapping[str, object], wanted: list[str]) -> list[Finding]:
    cotangents = run.cotangents()
    if all(cotangents[index] is not UNTOUCHED for index in run.input_indices()):
        return []
    from gradcli.methods.diagnose.input_paths import idle_inputs

    # At a jump inside an integral, an input that acts only through comparisons has an effect.
    return [
        idle_input_ for idle_input_ in idle_inputs(run, point, wanted) if idle_input_.code != "G205" or not run.jumps
    ]


def _notes(run: Trace) -> list[Finding]:
    if not (run.outcomes or run.solved_equations or narrowing_step(run) or suspicious_steps(run)):
        return []
    from gradcli.methods.diagnose.finite_run_findings import notes

    return notes(run)


def _measured(run: Trace) -> list[Finding]:
    """The finding on the first step whose derivative is measured."""
    for node in run.nodes:
        if isinstance(node.rule, ArrayRule) and node.rule.errors is not None:
            calls = CALLS * sum(map(np.size, node.operands))
            text = f"{node.operation} is opaque: differences measure its derivative, in some {calls} calls each time"
            return [finding("G418", text + _error_text(run, node), file=node.file, line=node.line)]
    return []


def _error_text(run: Trace, node: TraceNode) -> str:
    """The error that a measured derivative leaves in the gradient; empty for a result that is no number."""
    if is_structure(run.result) or np.ndim(run.value) or (ct := run.cotangents()[node.index]) is UNTOUCHED:
        return ""
    errors = node.rule.errors(ct, node.value, node.operands, **node.static)
    largest = max((float(np.max(errors[place], initial=0.0)) for place in node.positions), default=0.0)
    return f", and leave an error of up to {largest:.2g}"


def _births(run: Trace) -> list[Finding]:
    from gradcli.methods.diagnose.nonfinite_backward import first_nonfinite_findings

    return first_nonfinite_findings(run)


def _left_aside(run: Trace, on_host: Callable[[], Trace] | None = None) -> list[Finding]:
    """The finding on unselected elements. Only a step that selects can have them."""
    if not any(_selects(run, node) for node in run.nodes):
        return []
    from gradcli.methods.diagnose.masked_elements import masked

    unselected = masked(on_host() if on_host else run)
    return [unselected] if unselected else []


def _selects(run: Trace, node: TraceNode) -> bool:
    """Whether a node may leave computed elements unselected."""
    rule = node.rule
    return rule is not None and (rule.selects or (rule.reads and run.nodes[node.sources[0]].is_computed))

"""The inputs with a path to the result, and those that act only through comparisons, rounding or indices."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import CONSTANT, STOP_GRADIENT, TraceNode, TraceOutcome, descendants
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.nondifferentiable import SIGNS
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.diagnose.outcome_margins import node_at_kink
from gradcli.shared.findings import finding
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import leaves
from gradcli.shared.records.result_and_finding import Finding

ONLY_OUTCOMES = "acts only through comparisons, rounding or indices"
DIVISIONS = ("floordiv", "floor_divide")


class FlatStep(Frozen):
    """A flat operation on nodes of a trace: an outcome, or a step function such as `sign`.

    Attributes:
        name: the operation.
        sources: its argument nodes.
        outcome: the index of the outcome; None for a step function.
        node: the index of the step's node; None for an outcome.
    """

    name: str
    sources: tuple[int, ...]
    outcome: int | None = None
    node: int | None = None


def flats(nodes: Iterable[TraceNode], outcomes: Iterable[TraceOutcome]) -> Iterator[FlatStep]:
    """Yield all outcomes and step functions of a run, in order."""
    steps = [FlatStep(node.operation, taken, node=node.index) for node in nodes if (taken := steps_of(node))]
    for number, outcome in enumerate(outcomes):
        while steps and (steps[0].node or 0) < outcome.before:
            yield steps.pop(0)
        yield FlatStep(outcome.name, outcome.sources, outcome=number)
    yield from steps


def steps_of(node: TraceNode) -> tuple[int, ...]:
    """The argument nodes by which a node's partial is 0 everywhere, such as the argument of `sign`."""
    return tuple(node.sources[p] for p in node.positions if p in _flat(node))


def _slopes_of(node: TraceNode) -> Sequence[int]:
    """The argument nodes by which a node's partial is not 0 everywhere."""
    flat = _flat(node)
    return [node.sources[p] for p in node.positions if p not in flat] if flat else node.sources


def _flat(node: TraceNode) -> frozenset[int]:
    rule = node.rule
    return rule.flat if isinstance(rule, Elementwise) else _NOWHERE


_NOWHERE: frozenset[int] = frozenset()


def cut_inputs(trace: Trace, cotangents: Sequence[Any]) -> set[int]:
    """The input nodes without a path to the result that affect flat operations; `cotangents` are those of all nodes."""
    idle = [index for index in trace.input_indices() if cotangents[index] is UNTOUCHED]
    if not idle:
        return set()
    asked = {index for flat in flats(trace.nodes, trace.outcomes) for index in flat.sources} - {CONSTANT}
    return {index for index in idle if not asked.isdisjoint(descendants(trace.nodes, {index}))} if asked else set()


def first_flat(
    nodes: Sequence[TraceNode], outcomes: Iterable[TraceOutcome], inputs: Iterable[int], results: Iterable[int]
) -> FlatStep | None:
    """The first flat operation through which alone inputs act on results.

    None if a path leads from an input to a result, whatever its slope; if no flat operation is reached; and if the
    program stops the gradient.
    """
    reached = set(inputs)
    for node in nodes:
        if not reached.isdisjoint(_slopes_of(node)):
            reached.add(node.index)
    met = [flat for flat in flats(nodes, outcomes) if not reached.isdisjoint(flat.sources)]
    if not reached.isdisjoint(results) or any(flat.name == STOP_GRADIENT for flat in met):
        return None
    return met[0] if met else None


def idle_inputs(trace: Trace, point: Mapping[str, object], wanted: Iterable[str]) -> Iterator[Finding]:
    """Yield a finding for each wanted input without a path to the result."""
    cotangents = trace.cotangents()
    inputs = ((name, leaves(structure)) for name, structure in zip(point, trace.inputs, strict=True) if name in wanted)
    idle = [(name, indices) for name, indices in inputs if all(cotangents[index] is UNTOUCHED for index in indices)]
    cut = cut_inputs(trace, cotangents) if idle else set()
    for name, indices in idle:
        if not cut.isdisjoint(indices):
            yield cut_finding(trace, name, indices)
        elif unused := _unused(trace, name, indices, cotangents):
            yield unused


def _unused(trace: Trace, name: str, indices: list[int], cotangents: Sequence[Any]) -> Finding | None:
    """The finding for an input that is never used, whose results never arrive, or that meets a slope of 0.

    None if a kink is the reason, whose slope of 0 is a choice.
    """
    made = descendants(trace.nodes, indices) - set(indices)
    if not made:
        return finding("G401", f"{name} does not affect the result: its derivative is exactly 0")
    flat = [index for index in made if cotangents[index] is not UNTOUCHED]
    if flat and node_at_kink(trace.nodes[min(flat)], UNTOUCHED):
        return None
    node = trace.nodes[min(flat, default=max(made))]
    if flat:
        last = f" here, as the slope of {node.rule.name if node.rule else node.name} is 0"
    else:
        last = f", as {node.name} does not reach it" if node.name else ""
    text = f"{name} is used, but does not affect the result{last}: its derivative is exactly 0"
    return finding("G401", text, file=node.file, line=node.line, node=node.index)


def cut_finding(trace: Trace, name: str, indices: Iterable[int]) -> Finding:
    """The finding for an input that acts only through flat operations. It names the first one."""
    reached = descendants(trace.nodes, indices)
    met = [flat for flat in flats(trace.nodes, trace.outcomes) if not reached.isdisjoint(flat.sources)]
    first = trace.nodes[met[0].node] if met[0].node is not None else trace.outcomes[met[0].outcome or 0]
    return finding(*_code_and_message(name, met), file=first.file, line=first.line)


def _code_and_message(name: str, met: list[FlatStep]) -> tuple[str, str]:
    """The code and the message for an input that acts only through flat operations."""
    if all(flat.name in DIVISIONS for flat in met):
        return "G503", f"{name} acts only through //, which rounds down: its derivative is exactly 0"
    return "G205", f"{name} {ONLY_OUTCOMES}: its derivative is exactly 0; the first of them is {_written(met[0].name)}"


def _written(name: str) -> str:
    """An outcome as the program has it: the sign of a comparison, or the name of a function."""
    return SIGNS.get(name, "a test of its truth" if name == "bool" else name)


def is_cut_finding(finding: Finding, names: Iterable[str]) -> bool:
    """Whether a finding says that one of some inputs acts only through flat operations other than `//`."""
    return finding.code == "G205" and any(finding.message.startswith(f"{name} {ONLY_OUTCOMES}") for name in names)

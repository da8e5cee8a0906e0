"""The Hessian as a sum over the steps of a program, and the steps whose share in it is wrong.

By the second-order chain rule, the Hessian is the sum over the steps of `J.T @ D @ J`, where `D` is the second
derivative of the step by its arguments, weighted with the step's cotangent, and `J` holds the derivatives of the
arguments by the inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.mistake import OF_A_TERM
from gradcli.answers.checks.culprit.mistake_table import TERMS
from gradcli.answers.checks.culprit.step_partials import value_of_formula
from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.answers.checks.culprit.wrong_components import Discrepancy, Key, Slip
from gradcli.engine.tape.accumulation import UNTOUCHED, fit
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.numerics.coordinates import Coordinate

STEP = 1e-5  # of the central difference, relative to the arguments
MOST_WORK = 20_000  # most pairs of a step and an input
MIXED = "counts half: one of its two mixed terms is missing"
SUM = 1e-6  # relative error of the sum of all shares above which they explain nothing


def curvature_slips(
    trace: Trace, parts: Sequence[Coordinate], gap: Discrepancy, wanted: Set[Key] | None = None
) -> Iterator[Slip]:
    """The steps whose second derivative is missing or multiplied in a wrong Hessian.

    Args:
        trace: the recorded run of the function, with the user's names and lines.
        parts: the numbers of the point that it is differentiated by.
        gap: the elements of the Hessian and the right ones.
        wanted: the keys of the slips to look for; all by default.
    """
    if trace.has_complex or trace.result_index() is None or len(trace.nodes) * len(parts) > MOST_WORK:
        return
    shares = _shares(trace, parts)
    total = sum((sum(share) for share in shares.values()), np.zeros(len(parts) ** 2))
    if not np.allclose(total, gap.reference, rtol=SUM, atol=SUM * np.abs(gap.reference).max()):
        return
    texts = StepTexts(trace)
    for place, (indices, shares_of_line) in _by_line(trace, shares).items():
        errors: list[tuple[Any, str, Any]] = [
            (factor, words, (factor - 1) * sum(shares_of_line)) for factor, words in TERMS
        ]
        errors += [(f"mixed {n}", MIXED, -share) for n, share in enumerate(shares_of_line) if shares_of_line[1:]]
        for kind, words, error in errors:
            key = ((), "curvature", place, kind)
            if (wanted is None or key in wanted) and gap.is_filled_by(gap.reference + error):
                step = texts.step(trace.nodes[indices[0]])[0]
                repeated = ", each time" if len(indices) > 1 else ""
                text = texts.finished(f"the second derivative of {step} {words}{repeated}")
                yield Slip(key, text, indices[0], OF_A_TERM)


def _by_line(trace: Trace, shares: Mapping[int, list[Any]]) -> dict[Key, tuple[list[int], list[Any]]]:
    """The shares of the same operation on the same line, added up."""
    totals: dict[Key, tuple[list[int], list[Any]]] = {}
    for index, share in shares.items():
        node = trace.nodes[index]
        key = node.place or index, node.operation, trace.visit(index) if node.place is None else None
        indices, total = totals.get(key, ([], [0.0] * len(share)))
        totals[key] = [*indices, index], [x + y for x, y in zip(total, share, strict=True)]
    return totals


def _shares(trace: Trace, parts: Sequence[Coordinate]) -> dict[int, list[Any]]:
    """The share of each step in the Hessian, flat, by the argument that the rows belong to.

    Steps without a share are left out.
    """
    inputs = [*trace.input_indices()]
    tangents = [trace.tangents({inputs[part.leaf]: _unit(trace, inputs[part.leaf], part)}) for part in parts]
    totals = {}
    for index, cotangent in enumerate(trace.cotangents()):
        node = trace.nodes[index]
        if cotangent is UNTOUCHED or not node.positions or node.rule is None:
            continue
        share = _share(node, cotangent, [[moved[source] for source in node.inputs] for moved in tangents])
        if np.any(share):
            totals[index] = list(share.reshape(len(share), -1))
    return totals


def _unit(trace: Trace, index: int, part: Coordinate) -> Any:
    value = trace.nodes[index].value
    if not part.place:
        return 1.0
    moved = np.zeros_like(value, dtype=float)
    moved[part.place] = 1.0
    return moved


def _share(node: TraceNode, cotangent: Any, moves: Sequence[Sequence[Any]]) -> Any:
    """`J.T @ D @ J` of one step by argument, where `moves` holds the tangents of its recorded arguments by each input.

    A constant argument, and one that no input moves, has no part in it.
    """
    totals = np.zeros((len(node.positions), len(moves), len(moves)))
    for column, move in enumerate(moves):
        if any(map(np.any, move)):
            changes = _change(node, cotangent, move)
            for row, other in enumerate(moves):
                totals[:, row, column] = [float(np.sum(x * y)) for x, y in zip(changes, other, strict=True)]
    return totals


def _change(node: TraceNode, cotangent: Any, move: Sequence[Any]) -> list[Any]:
    """The change of what a step passes back to its recorded arguments as they move, by a central difference."""
    size = max(float(np.max(np.abs(x))) for x in move)
    scale = max(float(np.max(np.abs(node.operands[position]))) for position in node.positions)
    step = STEP * max(scale, STEP) / size

    def passed(t: float) -> list[Any]:
        operands = list(node.operands)
        for position, x in zip(node.positions, move, strict=True):
            operands[position] = operands[position] + t * x
        return [_pulled(node, position, cotangent, operands) for position in node.positions]

    return [(up - down) / (2 * step) for up, down in zip(passed(step), passed(-step), strict=True)]


def _pulled(node: TraceNode, position: int, cotangent: Any, operands: list[Any]) -> Any:
    """What a step with other operands passes back to one argument."""
    rule = node.rule
    if isinstance(rule, Elementwise):
        tree = node.slopes.trees[position]
        value = rule.on_arrays(*operands)
        names = {**dict(zip(rule.parameters, operands, strict=True)), "v": value}
        return fit(cotangent * (0.0 if tree is None else value_of_formula(tree, names)), operands[position])
    value = rule.forward(*operands, **node.static)
    return fit(rule.vjp(position, cotangent, value, tuple(operands), node.static), operands[position])

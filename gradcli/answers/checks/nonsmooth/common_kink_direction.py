"""The directions that turn all kinks of a run the same way: every relu off, or every relu on.

A convention such as relu'(0) = 0 takes the piece in such a direction. Among many kinks, random search does not find it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import CONSTANT
from gradcli.engine.traces.trace import Trace
from gradcli.methods.diagnose.outcome_margins import RELATIONS, kink_arguments, kink_distance
from gradcli.methods.numerics.coordinates import Coordinate, pick

MOST_KINKS = 200

Operand = tuple[tuple[int, float], ...]  # nodes with signs, whose sum is 0 at a kink


def turning_alike(trace: Trace, parts: Sequence[Coordinate], scales: Any) -> list[Any]:
    """The two opposite directions, in units of `scales`; an empty list if there is no kink, or too many.

    Costs one reverse sweep per element at a kink.
    """
    kinks = [(operand, place) for operand, places in _operands(trace) for place in places]
    if not 1 < len(kinks) <= MOST_KINKS:
        return []
    normals = np.array([_normal(trace, operand, place, parts) for operand, place in kinks]) * scales
    normals = normals[np.any(normals, 1)]
    if not np.all(np.isfinite(normals)) or not len(normals):
        return []
    way = np.linalg.lstsq(normals / np.max(np.abs(normals), 1, keepdims=True), np.ones(len(normals)), rcond=None)[0]
    return [sign * way / np.max(np.abs(way)) for sign in (-1.0, 1.0)] if np.any(way) else []


def _operands(trace: Trace) -> Iterator[tuple[Operand, list[tuple[int, ...]]]]:
    """The operand that is 0 at the kinks of each step and comparison, with the indices of its zero elements."""
    for node in trace.nodes:
        for pair in kink_arguments(node):
            yield _signed([node.sources[n] for n in pair]), _places(np.equal(kink_distance(node.operands, pair), 0))
    for outcome in trace.outcomes:
        if outcome.name in RELATIONS:
            yield _signed(outcome.sources), _places(np.equal(*outcome.operands))


def _signed(sources: Sequence[int]) -> Operand:
    return tuple((source, sign) for source, sign in zip(sources, (1.0, -1.0), strict=False) if source != CONSTANT)


def _places(marks: Any) -> list[tuple[int, ...]]:
    return list(map(tuple, np.argwhere(np.asarray(marks)).tolist()))


def _normal(trace: Trace, operand: Operand, place: tuple[int, ...], parts: Sequence[Coordinate]) -> Any:
    """The derivative by each part of the operand that is 0 at a kink."""
    total = np.zeros(len(parts))
    inputs = list(trace.input_indices())
    for index, sign in operand:
        value = np.asarray(trace.nodes[index].value, dtype=float)
        seed = np.zeros(value.shape)
        seed[place[len(place) - value.ndim :] if value.shape else ()] = sign
        number = np.float64(sign) if trace.has_arrays else sign
        swept = trace.swept(index, seed if value.shape else number)
        for n, part in enumerate(parts):
            at = inputs[part.leaf]
            if swept[at] is not UNTOUCHED:
                whole = np.broadcast_to(swept[at], np.shape(trace.nodes[at].value))
                total[n] += pick({part.leaf: whole}, part)  # type: ignore[arg-type]
    return total

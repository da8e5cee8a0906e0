"""The directions in which all kinks of a run turn the same way: to where every relu is off, and to where it is on.

Those are the pieces that a convention such as relu'(0) = 0 takes, and among many kinks no search at random finds them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.diagnose.switches import MARGINS, apart, meeting
from gradcli.methods.components import Component, pick
from gradcli.tape.accumulate import UNTOUCHED, plain
from gradcli.tape.sweep import reverse
from gradcli.tape.tape import CONSTANT
from gradcli.traces.trace import Trace

MOST_KINKS = 200

Operand = tuple[tuple[int, float], ...]  # rows with their signs, whose sum is 0 at a kink


def turning_alike(tape: Trace, parts: Sequence[Component], scales: Any) -> list[Any]:
    """Two directions, opposite to each other, in units of `scales`; none where there is no kink, or too many.

    Costs a reverse sweep for each number at a kink.
    """
    kinks = [(operand, place) for operand, places in _operands(tape) for place in places]
    if not 1 < len(kinks) <= MOST_KINKS:
        return []
    normals = np.array([_normal(tape, operand, place, parts) for operand, place in kinks]) * scales
    normals = normals[np.any(normals, 1)]
    if not np.all(np.isfinite(normals)) or not len(normals):
        return []
    way = np.linalg.lstsq(normals / np.max(np.abs(normals), 1, keepdims=True), np.ones(len(normals)), rcond=None)[0]
    return [sign * way / np.max(np.abs(way)) for sign in (-1.0, 1.0)] if np.any(way) else []


def _operands(tape: Trace) -> Iterator[tuple[Operand, list[tuple[int, ...]]]]:
    """What is 0 at the kinks of each step, and of each comparison, and at which places."""
    for node in tape.nodes:
        for pair in meeting(node):
            zero = np.equal(apart(node.operands, pair), 0)
            yield _signed([node.sources[position] for position in pair]), _places(zero)
    for _, name, _, indices, operands, _ in tape.outcomes:
        if MARGINS.get(name) is operator.sub:
            yield _signed(indices), _places(np.equal(*operands))


def _signed(rows: Sequence[int]) -> Operand:
    return tuple((row, sign) for row, sign in zip(rows, (1.0, -1.0), strict=False) if row != CONSTANT)


def _places(marks: Any) -> list[tuple[int, ...]]:
    return list(map(tuple, np.argwhere(np.asarray(marks)).tolist()))


def _normal(tape: Trace, operand: Operand, place: tuple[int, ...], parts: Sequence[Component]) -> Any:
    """The derivative of what is 0 at a kink by each part."""
    total = np.zeros(len(parts))
    inputs = list(tape.input_rows())
    for row, sign in operand:
        value = np.asarray(tape.rows[row][1], dtype=float)
        seed = np.zeros(value.shape)
        seed[place[len(place) - value.ndim :] if value.shape else ()] = sign
        number = np.float64(sign) if tape.has_arrays else sign
        swept = reverse(tape, row, seed if value.shape else number)
        for n, part in enumerate(parts):
            at = inputs[part.leaf]
            if at <= row and swept[at] is not UNTOUCHED:
                whole = np.broadcast_to(plain(swept[at]), np.shape(tape.rows[at][1]))
                total[n] += pick({part.leaf: whole}, part)  # type: ignore[arg-type]
    return total

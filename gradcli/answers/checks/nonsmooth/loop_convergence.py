"""Whether a loop converges: what it hands on hardly changes with further iterations, and ever less.

Loops that halve, wrap, sort, search a step or step until an event end by a comparison too, but where they end is part
of the function: one more iteration is another function, and does not approximate it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any

import numpy as np

from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.shared.float_errors import ignored_float_errors

CLOSE = 0.05  # largest relative change by a further iteration of what a converging loop hands on
SHRINKING = 0.75  # largest fraction of that change that the next iteration may still make
ROUNDING = 1e-12  # relative change that is none
SURE = 1e-3  # largest relative change where there is no next iteration to compare with


def converges(runs: Sequence[Trace]) -> bool:
    """Whether the last loop of a run converges.

    Args:
        runs: the run, then those in which the loop runs once more, twice more and so on.
    """
    changes = [_change(*pair) for pair in pairwise(runs)]
    if len(changes) < 2:
        return bool(changes) and changes[0] <= SURE
    return changes[0] <= CLOSE and all(later <= max(SHRINKING * now, ROUNDING) for now, later in pairwise(changes))


def _change(run: Trace, longer: Trace) -> float:
    """The largest relative change of the numbers that the loop hands on to the rest of the program."""
    pairs = [(run.value, longer.value), *_handed_on(run.nodes, longer.nodes)]
    return max(_relative(here, there) for here, there in pairs)


def _handed_on(nodes: Sequence[TraceNode], longer: Sequence[TraceNode]) -> Iterator[tuple[Any, Any]]:
    """The operands, in both runs, of the steps after the loop that were computed before these."""
    start = _count(zip(nodes, longer, strict=False))
    rest = zip(reversed(nodes[start:]), reversed(longer[start:]), strict=False)
    tail = _count((here, there) for here, there in rest)
    for here, there in zip(nodes[len(nodes) - tail :], longer[len(longer) - tail :], strict=True):
        for source, number, other in zip(here.sources, here.operands, there.operands, strict=True):
            if source == CONSTANT or source < len(nodes) - tail:
                yield number, other


def _count(pairs: Any) -> int:
    """The number of steps, from the first, that both runs take alike."""
    return sum(1 for _ in takewhile(lambda pair: _is_alike(*pair), pairs))


def _is_alike(here: TraceNode, there: TraceNode) -> bool:
    return here.rule is there.rule and len(here.sources) == len(there.sources)


def _relative(here: Any, there: Any) -> float:
    """The largest difference of two numbers or arrays, relative to the largest number."""
    if np.shape(here) != np.shape(there) or np.result_type(here).kind not in "fciub":
        return np.inf
    with ignored_float_errors():
        off = float(np.max(np.abs(np.subtract(here, there, dtype=complex)), initial=0.0))
        size = float(np.max(np.abs(here), initial=0.0))
    return off / size if size else np.inf if off else 0.0

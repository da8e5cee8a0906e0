"""The contribution of each node's rounding to the errors of the results.

The share of a node is the sensitivity of the result to it, times its own rounding error. (S. Linnainmaa, Taylor
expansion of the accumulated rounding error, BIT 16, 1976.) For the value, this takes one reverse sweep. For a component
of the gradient, the sweep that computes it is recorded on the tape as well, and is itself swept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.methods.numerics import rounding
from gradcli.methods.transforms.gradients import grad
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import leaves


class RoundingShares(NamedTuple):
    """The contributions of the nodes' own rounding to the error of a result; `rest` is from nodes outside the run."""

    nodes: list[float]
    rest: float = 0.0

    @property
    def total(self) -> float:
        """A bound on the error of the result, to first order."""
        return sum(self.nodes) + self.rest

    @property
    def fractions(self) -> list[float]:
        """The share of each node relative to the total; 1 for an infinite one."""
        total = self.total
        return [_fraction(share, total) for share in self.nodes]

    def gathered(self, part_of: Mapping[int, int]) -> RoundingShares:
        """The same where some nodes are parts of others, to which their shares are added."""
        nodes = [0.0 if n in part_of else share for n, share in enumerate(self.nodes)]
        for part, node in part_of.items():
            nodes[node] += self.nodes[part]
        return RoundingShares(nodes, self.rest)


def _fraction(share: float, total: float) -> float:
    if not share:
        return 0.0
    return share / total if math.isfinite(total) else float(not math.isfinite(share))


def of_value(run: Trace, half_ulp: float) -> RoundingShares:
    """The shares of a run's nodes in the error of its value."""
    last = run.result_index()
    return RoundingShares([0.0] * len(run.nodes) if last is None else _shares(run, last, half_ulp))


def of_component(run: Trace, leaf: int, place: tuple[int, ...], half_ulp: float) -> RoundingShares:
    """The shares of a run's nodes in the error of its derivative by one number of the point.

    Args:
        run: the recorded run.
        leaf: the position of the number's array (or number) among the leaves of the point.
        place: the index in the array; empty for a number.
        half_ulp: the relative error of one rounding.
    """
    function, arguments = run.function, run.arguments
    places = tuple(n for n, argument in enumerate(arguments) if leaves(argument))

    def derivative(*inputs: Any) -> Any:
        gradient = leaves(grad(function, argnums=places)(*inputs))[leaf]
        return gradient[place] if place else gradient

    with quiet():  # the program has run before
        twice = record_trace(derivative, arguments, names=False)
    last = twice.result_index()
    if last is None:
        return RoundingShares([0.0] * len(run.nodes))
    return _on_the_run(_shares(twice, last, half_ulp), twice, run)


def _on_the_run(shares: list[float], twice: Trace, run: Trace) -> RoundingShares:
    """The shares of the run's own nodes, given those of a trace of its inputs, their aliases, the run and a sweep."""
    entered = sum(1 for _ in run.input_indices())
    aliases = sum(node.is_alias for node in twice.nodes[entered : 2 * entered])
    end = len(run.nodes) + aliases
    return RoundingShares([*[0.0] * entered, *shares[entered + aliases : end]], sum(shares[end:]))


def _shares(run: Trace, last: int, half_ulp: float) -> list[float]:
    own = rounding.own_errors(run, last, half_ulp)
    shares = list(map(_share, run.swept(last), own))
    return [*shares, *[0.0] * (len(run.nodes) - len(shares))]


def _share(ct: Any, own: Any) -> float:
    if ct is UNTOUCHED:
        return 0.0
    with ignored_float_errors():
        share = np.where(np.asarray(own) == 0, 0.0, np.abs(ct) * own)
    return float(np.sum(share))

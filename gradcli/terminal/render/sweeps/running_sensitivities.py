"""The sensitivities that a reverse sweep has come to, as its contributions are added one after another."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import Any

from gradcli.shared.pytree import leaves
from gradcli.shared.records.explanations import Addition
from gradcli.shared.records.result_and_finding import Structure
from gradcli.terminal.render.layout.numbers import shape


class RunningSensitivities:
    """The sensitivities to nodes, by index.

    Attributes:
        names: the name of each sensitivity that was added to, in the order of their first contributions.
    """

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self._numbers: dict[int, tuple[tuple[int, ...], list[Any]]] = {}  # shape and elements

    def add(self, additions: Iterable[Addition]) -> None:
        for addition in additions:
            part = addition.part
            if part is None:
                self.names[addition.node] = addition.name
                self._numbers[addition.node] = shape(addition.after), leaves(addition.after)
                continue
            self.names[addition.node] = part.symbol
            if addition.node not in self._numbers:
                self._numbers[addition.node] = part.shape, [0.0] * prod(part.shape)
            for position, number in zip(part.positions, leaves(addition.after), strict=True):
                self._numbers[addition.node][1][position] = number

    def __getitem__(self, node: int) -> Structure:
        lengths, numbers = self._numbers[node]
        for axis in range(len(lengths) - 1, 0, -1):
            size, count = lengths[axis], prod(lengths[:axis])
            numbers = [numbers[row * size : (row + 1) * size] for row in range(count)]
        return numbers if lengths else numbers[0]

"""Uses of arguments by nodes, whose contributions to a sensitivity or a tangent are written as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.mathematics.language.formula_text import Piece


class ArgumentUse(NamedTuple):
    """One use of an argument by a node.

    Attributes:
        node: the node.
        position: the position of the argument.
        operands, v: the texts of the arguments and of the result.
    """

    node: TraceNode
    position: int
    operands: Sequence[Piece]
    v: Piece

    @property
    def full(self) -> tuple[int, ...]:
        """The shape of the result."""
        return shape_of(self.node.value)

    @property
    def wanted(self) -> tuple[int, ...]:
        """The shape of the argument."""
        return shape_of(self.node.operands[self.position])

    @property
    def reduced(self) -> tuple[int, ...]:
        """The axes of the argument that a reduction removes."""
        axis, ndim = self.node.static["axis"], len(self.wanted)
        if self.node.static["keepdims"] or not ndim:
            return ()
        axes = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        return tuple(a % ndim for a in axes)


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of a number or an array."""
    return () if type(value) is float else np.shape(value)


def is_complex(value: Any) -> bool:
    """Whether a number or an array is complex."""
    return type(value) is not float and bool(np.iscomplexobj(value))

"""What the survey asks of a package: one function at one point, and the derivative that the package gives of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A function at a point.

    Args:
        name: unique in its package.
        value: returns a number or a vector.
        at: a number or an array.
        derivative: returns the gradient or the Jacobian in the shape result + point; None where none is published.
        source: the function of the package in which the derivative is written, if that is not `derivative` itself.
        wrong: how the derivative is known to be wrong; empty for those that should be right.
    """

    name: str
    value: Callable[[Any], Any]
    at: Any
    derivative: Callable[[Any], Any] | None = None
    source: Callable[..., Any] | None = None
    wrong: str = ""

    @property
    def written(self) -> Callable[..., Any] | None:
        return self.source or self.derivative


def elementwise(
    name: str,
    function: Callable[[Any], Any],
    derivative: Callable[[Any], Any],
    at: list[float],
    wrong: str = "",
    source: Callable[..., Any] | None = None,
) -> Case:
    """A function of each element and its derivative by it, as the sum over the elements and its gradient."""
    return Case(name, lambda x: np.sum(function(x)), np.array(at), derivative, source, wrong)

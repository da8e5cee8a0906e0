"""The programs that every library differentiates, written once with common operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

Program = Callable[[Any], Any]

BOX = [1.0, 2.0, 3.0, 4.0]
FIVE = [0.1, 0.3, 0.5, 0.7, 0.9]


def f4(side_lengths: Sequence[Any]) -> Any:
    """The hypersurface of a box in four dimensions: eleven operations on four numbers."""
    t_a, t_b, t_c, t_d = side_lengths
    t_ab = t_a * t_b
    t_cd = t_c * t_d
    t_abc = t_ab * t_c
    t_abd = t_ab * t_d
    t_acd = t_a * t_cd
    t_bcd = t_b * t_cd
    t_s = t_abc + t_abd + t_acd + t_bcd
    ret = 2.0 * t_s
    return ret  # noqa: RET504 - the seeds' own text


def product(factors: Sequence[Any]) -> Any:
    """The product of separate scalars, with so little arithmetic that recording and sweeping dominate the time."""
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor
    return result


def chain(operations: int) -> Program:
    """A product of one number with itself, of any length."""

    def power(x: Any) -> Any:
        result = x
        for _ in range(operations):
            result = result * x
        return result

    return power


def valley(x: Sequence[Any]) -> Any:
    """Rosenbrock's function by elements: eleven operations each."""
    total = 0.0
    for here, there in pairwise(x):
        rise = there - here * here
        total = total + 100.0 * (rise * rise) + (1.0 - here) * (1.0 - here)
    return total


def layers(x: Any) -> Any:
    """Twenty layers of elementwise operations on a small array, and a sum."""
    y = x
    for _ in range(20):
        y = (y * x + 0.5) / (y * y + 1.0)
    return y.sum()


def rows(x: Any) -> Any:
    """Alternating scalars and arrays: the sum of each row, damped by the sums of earlier rows."""
    total = 0.0
    for row in x:
        total = 0.9 * total + (row * row).sum() / (total * total + 1.0)
    return total


def loop(operations: int) -> Program:
    """Alternating products and sums on one short array, and a final sum."""

    def iterate(x: Any) -> Any:
        y = x
        for _ in range(operations // 2):
            y = y * x
            y = y + 0.5
        return y.sum()

    return iterate

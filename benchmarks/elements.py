"""Programs that read an array or a list number by number, timed beside the plain function at the same point."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.programs import Program

NUMBERS = 200
BODIES = 12
ORDER = 12
COEFFICIENTS = 50


def sines(functions: Any) -> Program:
    """A loop over neighbours with a sine."""
    sin = functions.sin

    def total(x: Sequence[Any]) -> Any:
        total = 0.0
        for n in range(len(x) - 1):
            total = total + x[n] * sin(x[n + 1])
        return total

    return total


def horner(functions: Any) -> Program:
    """A polynomial whose coefficients and argument are elements."""

    def polynomial(x: Sequence[Any]) -> Any:
        argument, value = x[0], x[1]
        for n in range(2, len(x)):
            value = value * argument + x[n]
        return value

    return polynomial


def bodies(functions: Any) -> Program:
    """The potential energy of bodies in three dimensions, in a loop over pairs."""
    sqrt = functions.sqrt

    def energy(x: Sequence[Any]) -> Any:
        total = 0.0
        for i in range(0, len(x), 3):
            for j in range(0, i, 3):
                dx, dy, dz = x[i] - x[j], x[i + 1] - x[j + 1], x[i + 2] - x[j + 2]
                total = total - 1.0 / sqrt(dx * dx + dy * dy + dz * dz + 0.01)
        return total

    return energy


def cholesky(functions: Any) -> Program:
    """The logarithm of a determinant by Cholesky's factorisation, on lists of lists."""
    sqrt, log = functions.sqrt, functions.log

    def logarithm(x: Sequence[Any]) -> Any:
        factor = [[0.0] * ORDER for _ in range(ORDER)]
        total = 0.0
        for i in range(ORDER):
            for j in range(i + 1):
                rest = x[ORDER * i + j]
                for k in range(j):
                    rest = rest - factor[i][k] * factor[j][k]
                if i > j:
                    factor[i][j] = rest / factor[j][j]
                else:
                    factor[i][i] = sqrt(rest)
                    total = total + 2.0 * log(factor[i][i])
        return total

    return logarithm


def waves(size: int) -> list[float]:
    """Numbers between 0.5 and 1.5."""
    return [1.0 + 0.5 * math.sin(3.0 * n) for n in range(size)]


def dominant(order: int) -> list[float]:
    """The elements of a symmetric positive definite matrix, by rows."""
    return [order + 1.0 if i == j else 1.0 / (1.0 + i + j) for i in range(order) for j in range(order)]


Maker = Callable[[Any], Program]

PROGRAMS: dict[str, tuple[Maker, Any, list[float]]] = {
    "math-sin": (sines, math, waves(NUMBERS)),
    "np-sin": (sines, np, waves(NUMBERS)),
    "horner": (horner, math, waves(COEFFICIENTS)),
    "bodies": (bodies, math, waves(3 * BODIES)),
    "cholesky": (cholesky, math, dominant(ORDER)),
}
"""For each program its maker, the functions that it calls as gradcli's user writes it, and its point."""

POINTS: dict[str, Callable[[list[float]], Any]] = {"list": list, "array": partial(np.array, dtype=float)}
"""The kinds of point."""

"""gradcli itself, through the same interface as the other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradcli
from benchmarks.programs import Program
from benchmarks.timing import Call
from benchmarks.workloads import Workload


def scalars(program: Program, numbers: list[float]) -> dict[str, Call]:
    """Python floats as the point, recorded anew at every call."""
    return call(program, numbers)


def array(program: Program, numbers: list[float]) -> dict[str, Call]:
    """One NumPy array as the point, recorded anew at every call."""
    return call(program, np.array(numbers))


def workload(work: Workload) -> dict[str, Call]:
    """The value and the gradient with respect to every argument."""
    gradient = gradcli.value_and_grad(work.program(np, *work.data), tuple(range(len(work.point))))
    return {"gradcli": lambda: gradient(*work.point)}


def hessian(work: Workload) -> dict[str, Call]:
    """All second derivatives."""
    matrix = gradcli.hessian(work.program(np))
    return {"gradcli": lambda: matrix(*work.point)}


def call(program: Program, point: Any) -> dict[str, Call]:
    """The gradient at a point."""
    gradient = gradcli.grad(program)
    return {"gradcli": lambda: gradient(point)}

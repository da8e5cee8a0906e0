"""gradcli itself, through the same interface as the other libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradcli
from benchmarks.programs import Program, f4
from benchmarks.timing import Call
from benchmarks.workloads import Workload

COMPILED = "gradcli compiled"


def scalars(program: Program, numbers: list[float]) -> dict[str, Call]:
    """Python floats as the point, recorded anew at every call; a short program is compiled too."""
    return call(program, numbers) | (compiled(program, numbers) if program is f4 else {})


def array(program: Program, numbers: list[float]) -> dict[str, Call]:
    """One NumPy array as the point, recorded anew at every call, and compiled."""
    return call(program, np.array(numbers)) | compiled(program, np.array(numbers))


def workload(work: Workload) -> dict[str, Call]:
    """The value and the gradient with respect to every argument."""
    function, places = work.program(np, *work.data), tuple(range(len(work.point)))
    gradient, built = (gradcli.value_and_grad(function, places, compile=compile) for compile in (False, True))
    built(*work.point)
    return {"gradcli": lambda: gradient(*work.point), COMPILED: lambda: built(*work.point)}


def hessian(work: Workload) -> dict[str, Call]:
    """All second derivatives."""
    matrix = gradcli.hessian(work.program(np))
    return {"gradcli": lambda: matrix(*work.point)}


def compiled(program: Program, point: Any) -> dict[str, Call]:
    """The compiled gradient at a point, after its first call."""
    gradient = gradcli.grad(program, compile=True)
    gradient(point)
    return {COMPILED: lambda: gradient(point)}


def call(program: Program, point: Any) -> dict[str, Call]:
    """The gradient at a point."""
    gradient = gradcli.grad(program)
    return {"gradcli": lambda: gradient(point)}

"""HIPS autograd: a tape over wrapped NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import autograd
import autograd.numpy
import numpy as np

from benchmarks.programs import Program
from benchmarks.timing import Call
from benchmarks.workloads import Workload


def scalars(program: Program, numbers: list[float]) -> dict[str, Call]:
    """Python floats as the point; long lists are left out, because each read costs time proportional to the length."""
    return call(program, numbers) if len(numbers) <= 100 else {}


def array(program: Program, numbers: list[float]) -> dict[str, Call]:
    """One NumPy array as the point."""
    return call(program, np.array(numbers))


def elements(make: Callable[[Any], Program], point: Any) -> dict[str, Call]:
    """A program that reads a list or an array number by number."""
    return call(make(autograd.numpy), point)


def workload(work: Workload) -> dict[str, Call]:
    """The value and the gradient with respect to every argument."""
    gradient = autograd.value_and_grad(work.function(autograd.numpy, work.data), tuple(range(len(work.point))))
    return {"autograd": lambda: gradient(*work.point)}


def hessian(work: Workload) -> dict[str, Call]:
    """All second derivatives."""
    matrix = autograd.hessian(work.program(autograd.numpy))
    return {"autograd": lambda: matrix(*work.point)}


def call(program: Program, point: Any) -> dict[str, Call]:
    """The gradient at a point."""
    gradient = autograd.grad(program)
    return {"autograd": lambda: gradient(point)}

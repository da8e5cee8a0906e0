"""PyTorch in eager mode, on one thread, in double precision."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch

from benchmarks.programs import Program
from benchmarks.timing import Call
from benchmarks.workloads import Workload

torch.set_num_threads(1)

_SAME = ("exp", "log", "log1p", "sin", "tanh", "sum", "mean", "stack")
NAMESPACE = SimpleNamespace(max=torch.amax, **{name: getattr(torch, name) for name in _SAME})


def scalars(program: Program, numbers: list[float]) -> dict[str, Call]:
    """One zero-dimensional tensor per number, created once, so that only the program and its sweep are timed."""
    leaves = [leaf(number) for number in numbers]
    return {"torch": lambda: torch.autograd.grad(program(leaves), leaves, allow_unused=True)}


def array(program: Program, numbers: list[float]) -> dict[str, Call]:
    """One tensor, created once."""
    only = leaf(numbers)
    return {"torch": lambda: torch.autograd.grad(program(only), only)}


def elements(make: Callable[[Any], Program], point: Any) -> dict[str, Call]:
    """A program that reads a list or an array number by number, with tensors created once."""
    program = make(torch)
    return (scalars if isinstance(point, list) else array)(program, point)


def workload(work: Workload) -> dict[str, Call]:
    """The value and the gradient with respect to every argument, with tensors created once."""
    program = work.function(NAMESPACE, list(map(torch.tensor, work.data)))
    leaves = [leaf(each) for each in work.point]
    return {"torch": lambda: torch.autograd.grad(program(*leaves), leaves)}


def leaf(numbers: Any) -> torch.Tensor:
    """A tensor that requires its gradient."""
    return torch.tensor(numbers, dtype=torch.float64, requires_grad=True)

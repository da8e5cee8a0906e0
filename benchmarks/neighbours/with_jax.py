"""JAX in double precision on the CPU: eager, retraced at every call, and compiled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from benchmarks.programs import Program, f4
from benchmarks.timing import Call
from benchmarks.workloads import Workload

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)


def scalars(program: Program, numbers: list[float]) -> dict[str, Call]:
    """Eager and compiled forms of a short program; a long product is left out, because it takes minutes to compile."""
    return calls(program, numbers, "jax", "jax jit") if program is f4 else {}


def array(program: Program, numbers: list[float]) -> dict[str, Call]:
    """Compiled only, because eager mode is an order of magnitude slower than every other library here."""
    return calls(program, jax.numpy.array(numbers), "jax jit")


def workload(work: Workload) -> dict[str, Call]:
    """Compiled only; a loop of a thousand steps is left out, because it takes minutes to compile."""
    if work.unwritten:
        return {}
    return {"jax jit": compiled(lambda np: work.program(np, *map(np.asarray, work.data)), work.point)}


def compiled(make: Callable[[Any], Callable[..., Any]], point: tuple[Any, ...]) -> Call:
    """The value and the gradient with respect to every argument, compiled once."""
    gradient = jax.jit(jax.value_and_grad(make(jax.numpy), tuple(range(len(point)))))
    arguments = [jax.numpy.asarray(each) if isinstance(each, np.ndarray) else each for each in point]
    return lambda: jax.block_until_ready(gradient(*arguments))


def calls(program: Program, point: Any, *columns: str) -> dict[str, Call]:
    """The requested columns, each a call that waits for its result."""
    forms = {"jax": jax.grad(program), "jax jit": jax.jit(jax.grad(program))}
    return {column: lambda form=forms[column]: jax.block_until_ready(form(point)) for column in columns}

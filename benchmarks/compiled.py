"""Compiled gradients beside `jax.jit` and the eager gradient, derived Python beside the eager one, and first calls."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import gradcli
from benchmarks.bounds import AsLong, Budget
from benchmarks.elements import bodies, horner, waves
from benchmarks.programs import BOX, FIVE, f4, loop
from benchmarks.row import Effort, Row
from benchmarks.timing import ROOT, Call, medians
from benchmarks.workloads import Workload, logistic, mixture, perceptron, recurrent, rosenbrock

COMPILED, EAGER, JIT = "gradcli compiled", "gradcli", "jax jit"
FIRST_CALL = Budget(1.5, everywhere=True)  # the eager gradient included


class Program(NamedTuple):
    """A program: made from the module of functions that it calls, with that of gradcli's user, and its point."""

    make: Callable[[Any], Callable[..., Any]]
    functions: Any
    point: tuple[Any, ...]


def box(size: int) -> Program:
    """f4."""
    return Program(lambda functions: f4, math, (BOX,))


def newton(steps: int) -> Program:
    """A square root by Newton's method."""

    def root(a: Any) -> Any:
        x = a
        for _ in range(steps):
            x = 0.5 * (x + a / x)
        return x

    return Program(lambda functions: root, math, (2.0,))


def polynomial(size: int) -> Program:
    """Horner's method on elements of an array."""
    return Program(horner, math, (np.array(waves(max(size, 3))),))


def attraction(size: int) -> Program:
    """The potential energy of bodies, by elements of an array."""
    return Program(bodies, math, (np.array(waves(3 * size)),))


def pendulum(steps: int) -> Program:
    """The angle of a pendulum after some steps of time."""

    def make(functions: Any) -> Callable[[Any], Any]:
        def swing(start: Any) -> Any:
            angle, speed = start[0], start[1]
            for _ in range(steps):
                speed = speed - 0.0981 * functions.sin(angle)
                angle = angle + 0.01 * speed
            return angle

        return swing

    return Program(make, math, (np.array([0.7, 0.1]),))


def operations(size: int) -> Program:
    """Operations on five numbers."""
    return Program(lambda functions: loop(size), np, (np.array(FIVE),))


def heat(size: int) -> Program:
    """Explicit steps of the heat equation."""

    def make(np: Any) -> Callable[[Any], Any]:
        def squares(u: Any) -> Any:
            for _ in range(5):
                inner = u[1:-1] + 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
                u = np.concatenate((u[:1], inner, u[-1:]))
            return np.sum(u**2)

        return squares

    return Program(make, np, (np.linspace(0.0, 1.0, max(size, 3)) ** 2,))


def of_workload(make: Callable[[int], Workload]) -> Callable[[int], Program]:
    """A program of arrays, whose data are arrays of the module of functions."""

    def program(size: int) -> Program:
        work = make(size)
        return Program(lambda np: work.program(np, *map(np.asarray, work.data)), np, work.point)

    return program


def seidel_2d(size: int) -> Program:
    """Three steps of a Gauss-Seidel stencil, in place."""

    def stencil(start: Any) -> Any:
        a = start.copy()
        n = len(a)
        for _ in range(3):
            for i in range(1, n - 1):
                a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:]
                a[i, 1:-1] += a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
                for j in range(1, n - 1):
                    a[i, j] += a[i, j - 1]
                    a[i, j] /= 9.0
        return np.sum(a**2)

    return Program(lambda functions: stencil, np, (square(max(size, 3)),))


def cholesky(size: int) -> Program:
    """The Cholesky factor of a matrix, in place by products of its rows."""

    def factorisation(matrix: Any) -> Any:
        a = matrix.copy()
        for i in range(len(a)):
            for j in range(i):
                a[i, j] -= a[i, :j] @ a[j, :j]
                a[i, j] /= a[j, j]
            a[i, i] = np.sqrt(a[i, i] - a[i, :i] @ a[i, :i])
        return np.sum(np.tril(a) ** 3)

    return Program(lambda functions: factorisation, np, (square(size) @ square(size).T + size * np.eye(size),))


def jacobi_2d(size: int) -> Program:
    """Steps of a Jacobi stencil between two arrays."""

    def stencil(start: Any, other: Any) -> Any:
        a, b = start.copy(), other.copy()
        for _ in range(5):
            b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
            a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
        return np.sum(a**2)

    return Program(lambda functions: stencil, np, (square(max(size, 3)), 2.0 * square(max(size, 3))))


def square(size: int) -> Any:
    """A square matrix."""
    return np.array(waves(size * size)).reshape(size, size)


# By name: the program, its size, and the most time relative to JAX.
BESIDE_JIT: dict[str, tuple[Callable[[int], Program], int, float]] = {
    "f4": (box, 4, 0.1),
    "newton": (newton, 6, 0.1),
    "horner": (polynomial, 50, 0.1),
    "bodies": (attraction, 12, 0.1),
    "pendulum": (pendulum, 100, 0.3),
    "operations": (operations, 500, 0.3),
    "rosenbrock": (of_workload(rosenbrock), 1_000_000, 0.4),
    "perceptron": (of_workload(perceptron), 256, 1.0),
    "mixture": (of_workload(mixture), 1000, 0.8),
    "logistic": (of_workload(logistic), 100_000, 0.75),
    "recurrent": (of_workload(recurrent), 50, 0.75),
}
# Kernels that write into arrays, beside the eager gradient.
KERNELS: dict[str, tuple[Callable[[int], Program], int]] = {
    "seidel_2d": (seidel_2d, 20),
    "cholesky": (cholesky, 20),
    "jacobi_2d": (jacobi_2d, 30),
}
SIZED = {**{name: (make, size) for name, (make, size, _) in BESIDE_JIT.items()}, **KERNELS}
# Without a compiler, beside the eager gradient.
IN_PYTHON: dict[str, tuple[Callable[[int], Program], int]] = {
    "f4": (box, 4),
    "horner": (polynomial, 50),
    "rosenbrock": (of_workload(rosenbrock), 1_000),
    "heat": (heat, 1_000),
}


def gradient(program: Program, *, compile: bool = True) -> Callable[..., Any]:
    """The value and the gradient by all arguments."""
    return gradcli.value_and_grad(program.make(program.functions), tuple(range(len(program.point))), compile=compile)


def beside_jit(name: str) -> Callable[[Effort], dict[str, float]]:
    """Seconds for a gradient in C, beside JAX's."""
    make, size, _ = BESIDE_JIT[name]
    return _compiled(make, size, an_empty_cache, of_jax)


def beside_eager(name: str) -> Callable[[Effort], dict[str, float]]:
    """Seconds for a gradient in C, beside the eager one."""
    return _compiled(*KERNELS[name], an_empty_cache, eagerly)


def in_python(name: str) -> Callable[[Effort], dict[str, float]]:
    """Seconds for a derived gradient in Python, beside the eager one."""
    without_compiler = partial(environment, "CC", "no compiler")
    return _compiled(*IN_PYTHON[name], without_compiler, lambda *of: eagerly(*of) | of_jax(*of))


def _compiled(
    make: Callable[[int], Program],
    size: int,
    surroundings: Callable[[], AbstractContextManager[None]],
    others: Callable[[Program, Effort], dict[str, Call]],
) -> Callable[[Effort], dict[str, float]]:
    """Seconds for a compiled gradient whose first call is made in some surroundings, and for others."""

    def measure(effort: Effort) -> dict[str, float]:
        program = make(effort.sized(size))
        with surroundings():
            calls = {COMPILED: after_first_call(program)}
        return medians(calls | others(program, effort), effort.repeats, effort.slice_s)

    return measure


def eagerly(program: Program, _: Effort) -> dict[str, Call]:
    """The call of the eager gradient."""
    return {EAGER: partial(gradient(program, compile=False), *program.point)}


def after_first_call(program: Program) -> Call:
    """The call of a compiled gradient, which gives what the eager one gives.

    Raises:
        AssertionError: it runs eagerly, or gives something else.
    """
    compiled = gradient(program)
    eager = compiled(*program.point)[1]
    for ours, theirs in zip(compiled(*program.point)[1], eager, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
    report = compiled.report()  # type: ignore[attr-defined]
    if [(program.calls, program.reruns) for program in report.programs] != [(1, 0)]:
        raise AssertionError(str(report))
    return partial(compiled, *program.point)


def of_jax(program: Program, effort: Effort) -> dict[str, Call]:
    """The call of JAX's compiled gradient, where JAX is installed."""
    adapter = effort.adapters.get("jax")
    return {} if adapter is None else {JIT: adapter.compiled(program.make, program.point)}


def first_call(name: str) -> Callable[[Effort], dict[str, float]]:
    """Processor seconds of a first call and its compiler in a fresh process with no cache, the least of three."""

    def measure(effort: Effort) -> dict[str, float]:
        size = effort.sized(SIZED[name][1])
        code = f"from benchmarks.compiled import print_first_call; print_first_call({name!r}, {size})"
        seconds = []
        for _ in range(min(effort.repeats, 3)):
            with an_empty_cache():
                run = [sys.executable, "-c", code]
                seconds.append(json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout))
        return {COMPILED: min(seconds)}

    return measure


def print_first_call(name: str, size: int) -> None:
    """Print the processor seconds of a first call."""
    program = SIZED[name][0](size)
    begin = os.times()
    gradient(program)(*program.point)
    sys.stdout.write(json.dumps(sum(os.times()[:4]) - sum(begin[:4])))


@contextmanager
def an_empty_cache() -> Iterator[None]:
    """Keep built programs in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder, environment("GRADCLI_CACHE", folder):
        yield


@contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    """Set a variable of the environment."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
        os.environ.update({} if before is None else {name: before})


ROWS = (
    *(
        Row(f"compiled-{name}", f"{name} in C", beside_jit(name), None, {JIT: AsLong(limit)}, COMPILED)
        for name, (_, _, limit) in BESIDE_JIT.items()
    ),
    *(
        Row(f"derived-{name}", f"{name} without a compiler", in_python(name), None, {EAGER: AsLong(0.7)}, COMPILED)
        for name in IN_PYTHON
    ),
    *(
        Row(f"kernel-{name}", f"{name} in C", beside_eager(name), None, {EAGER: AsLong(0.1)}, COMPILED)
        for name in KERNELS
    ),
    *(Row(f"first-{name}", f"the first call of {name}", first_call(name), FIRST_CALL, ours=COMPILED) for name in SIZED),
)

"""Gradients that `derive` writes, beside gradients by hand, the function alone in the same language and `jax.jit`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import gradcli
from benchmarks import straight
from benchmarks.bounds import AsLong
from benchmarks.compiled import BESIDE_JIT, Program, of_jax
from benchmarks.row import Effort, Row
from benchmarks.timing import Call, medians

WRITTEN, BY_HAND, FUNCTION = "derived", "by hand", "the function alone"
# By name, the gradients by hand.
STRAIGHT: dict[str, Callable[[], straight.Gradient]] = {
    "f4": straight.f4,
    "horner": straight.horner,
    "rosenbrock": straight.fused_rosenbrock,
}
IN_PYTHON = ("f4", "newton", "horner", "bodies", "pendulum", "operations", "rosenbrock")
IN_NUMBA = ("newton", "horner", "pendulum")
LONGER = 100  # times the size in Python, so that the call of a function in Numba is not most of its time


def in_python(name: str) -> Callable[[Effort], dict[str, float]]:
    """Seconds for a gradient in Python."""

    def measure(effort: Effort) -> dict[str, float]:
        make, size, _ = BESIDE_JIT[name]
        program = make(effort.sized(size))
        function = program.make(program.functions)
        calls: dict[str, Call] = {WRITTEN: derived(program), FUNCTION: partial(function, *program.point)}
        if name in STRAIGHT:
            calls[BY_HAND] = partial(STRAIGHT[name](), *program.point)
            np.testing.assert_allclose(calls[WRITTEN](), calls[BY_HAND]()[-1], rtol=1e-9, atol=1e-12)
        return medians(calls | of_jax(program, effort), effort.repeats, effort.slice_s)

    return measure


def in_numba(name: str) -> Callable[[Effort], dict[str, float]]:
    """Seconds for a gradient in Numba, beside the function in Numba."""

    def measure(effort: Effort) -> dict[str, float]:
        from numba import njit

        make, size, _ = BESIDE_JIT[name]
        program = make(effort.sized(LONGER * size))
        function = njit(program.make(program.functions))
        calls = {WRITTEN: derived(program, lang="numba"), FUNCTION: partial(function, *program.point)}
        return medians(calls, effort.repeats, effort.slice_s)

    return measure


def derived(program: Program, **options: Any) -> Call:
    """The call of a derived gradient."""
    source = gradcli.derive(program.make(program.functions), at=program.point, **options)
    return partial(source.function, *program.point)


def without_numba() -> str | None:
    """The reason why rows of Numba cannot be measured."""
    return None if find_spec("numba") else "Numba is not installed"


def bounds(name: str) -> dict[str, AsLong]:
    """The most time of a gradient in Python, relative to the function and to the gradient by hand, if there is one."""
    return {FUNCTION: AsLong(5)} | ({BY_HAND: AsLong(1.6)} if name in STRAIGHT else {})


ROWS = (
    *(
        Row(f"python-{name}", f"{name} as written in Python", in_python(name), None, bounds(name), WRITTEN)
        for name in IN_PYTHON
    ),
    *(
        Row(
            name=f"numba-{name}",
            work=f"{name} as written for Numba",
            measure=in_numba(name),
            bounds={FUNCTION: AsLong(4)},
            ours=WRITTEN,
            why_not=without_numba,
        )
        for name in IN_NUMBA
    ),
)

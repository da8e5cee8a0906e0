"""Gradients that `derive` writes, beside gradients by hand, the function alone in the same language and `jax.jit`."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
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
# The functions in C, of as many numbers or steps as N says.
IN_C = {
    "newton": "for (int i = 0; i < N; ++i) value = 0.5 * (value + x[0] / value);",
    "horner": "value = x[1]; for (int n = 2; n < N; ++n) value = value * x[0] + x[n];",
    "pendulum": "double speed = x[1]; for (int i = 0; i < N; ++i) value += 0.01 * (speed -= 0.0981 * sin(value));",
}
LONGER = 100  # times the size in Python, so that the call of a function in Numba or C is not most of its time


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


def in_c(name: str) -> Callable[[Effort], dict[str, float]]:
    """Seconds for a gradient in C, beside the function in C, both built by the system's compiler."""

    def measure(effort: Effort) -> dict[str, float]:
        make, size, _ = BESIDE_JIT[name]
        size = effort.sized(LONGER * size)
        program = make(size)
        gradient = str(gradcli.derive(program.make(program.functions), at=program.point, lang="c"))
        written = re.search(r"^(void|double) (\w+)\(", gradient, re.MULTILINE)
        assert written
        x = np.ravel(program.point).astype(float)
        x[0] = 0.999 if name == "horner" else x[0]  # whose powers are normal numbers
        out = np.zeros_like(x)
        function = f"double alone(const double *x) {{ double value = x[0]; {IN_C[name]} return value; }}"
        library = built(f"#include <math.h>\n#define N {size}\n{gradient}\n{function}\n")
        alone, ours = library.alone, library[written[2]]
        at, into = (ctypes.c_void_p(array.ctypes.data) for array in (x, out))
        alone.restype, arguments = ctypes.c_double, (at, into)
        if written[1] == "double":  # of one number
            ours.restype, arguments = ctypes.c_double, (ctypes.c_double(x[0]),)
        return medians(
            {WRITTEN: partial(ours, *arguments), FUNCTION: partial(alone, at)}, effort.repeats, effort.slice_s
        )

    return measure


def built(text: str) -> ctypes.CDLL:
    """A library of C."""
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "gradient.so")
        command = ["cc", "-std=c99", "-O3", "-fno-math-errno", "-ffp-contract=off", "-shared", "-fPIC", "-xc", "-"]
        subprocess.run([*command, "-o", library, "-lm"], input=text, text=True, check=True)
        return ctypes.CDLL(library)


def derived(program: Program, **options: Any) -> Call:
    """The call of a derived gradient."""
    source = gradcli.derive(program.make(program.functions), at=program.point, **options)
    return partial(source.function, *program.point)


def without_numba() -> str | None:
    """The reason why rows of Numba cannot be measured."""
    return None if find_spec("numba") else "Numba is not installed"


def without_compiler() -> str | None:
    """The reason why rows of C cannot be measured."""
    return None if shutil.which("cc") else "there is no C compiler"


def bounds(name: str) -> dict[str, AsLong]:
    """The most time of a gradient in Python, relative to the function and to the gradient by hand, if there is one."""
    return {FUNCTION: AsLong(5)} | ({BY_HAND: AsLong(1.6)} if name in STRAIGHT else {})


ROWS = (
    *(
        Row(f"python-{name}", f"{name} as written in Python", in_python(name), None, bounds(name), WRITTEN)
        for name in IN_PYTHON
    ),
    *(
        Row(f"{word}-{name}", f"{name} as written {said}", measure(name), None, {FUNCTION: AsLong(4)}, WRITTEN, why_not)
        for word, said, names, measure, why_not in (
            ("numba", "for Numba", IN_NUMBA, in_numba, without_numba),
            ("c", "in C", IN_C, in_c, without_compiler),
        )
        for name in names
    ),
)

"""Compilation of a C program, and comparison with the results of the Python program."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence

import numpy as np

from gradcli.errors import InternalError

FLAGS = ("-std=c99", "-ffp-contract=off", "-ftrapv")  # a program whose int overflows is aborted
SECONDS = 60.0
CLOSE = 1e-9  # relative to the largest number, because sums of arrays are added in another order


def compiler() -> str | None:
    """The system's C compiler, or None."""
    return shutil.which("cc")


def numbers(
    text: str, name: str, calls: Sequence[str], outputs: Sequence[tuple[str, int]], *, returns: bool
) -> list[list[float]]:
    """Run a program and return the results of each call: the returned value, then those in parameters.

    Args:
        text: the file.
        name: the name of the function.
        calls: the arguments of each call, in C syntax.
        outputs: the result parameters, each with its number of elements.
        returns: whether the function returns a number.

    Raises:
        OverflowError: a whole number in the program is no int.
        InternalError: the program does not compile, or does not complete.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "derived.c"), os.path.join(folder, "derived")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f"#include <stdio.h>\n{text}\n{_main(name, calls, outputs, returns=returns)}")
        _run([compiler() or "cc", *FLAGS, "-o", program, source, "-lm"])
        lines = _run([program]).splitlines()
    return [[float(part) for part in line.split()] for line in lines]


def _run(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise InternalError(f"{command[0]} did not come to its end") from None
    if done.returncode == -signal.SIGABRT and ("whole:" in done.stderr or not done.stderr):
        raise OverflowError
    if done.returncode != 0:
        messages = done.stderr.strip().splitlines()[:3]
        raise InternalError(f"the derived C program does not run: {' '.join(messages) or done.returncode}")
    return done.stdout


def _main(name: str, calls: Sequence[str], outputs: Sequence[tuple[str, int]], *, returns: bool) -> str:
    lines = ["int main(void)", "{"]
    for call in calls:
        lines.append("    {")
        given = [f"        {line}" for line in call.split("\n")[:-1]]
        lines += given
        lines += [f"        double {output}[{count}] = {{0}};" for output, count in outputs]
        text = f"{name}({call.split(chr(10))[-1]})"
        lines.append(f'        printf("%.17g ", {text});' if returns else f"        {text};")
        for output, count in outputs:
            lines.append(f'        for (int i = 0; i < {count}; ++i) printf("%.17g ", {output}[i]);')
        lines += ['        printf("\\n");', "    }"]
    return "\n".join([*lines, "    return 0;", "}"]) + "\n"


def agrees(numbers: Sequence[float], expected: Sequence[float]) -> bool:
    """Whether two results agree within rounding."""
    close = CLOSE * np.nanmax(np.abs(expected), initial=1e-300)
    return len(numbers) == len(expected) and np.allclose(numbers, expected, rtol=0.0, atol=close, equal_nan=True)

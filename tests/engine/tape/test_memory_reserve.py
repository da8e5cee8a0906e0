"""A process that may have little memory: what fills it ends with G909, and the next gradient is right."""

import inspect
import subprocess
import sys

import pytest

from gradcli.answers.targets import resolve
from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.memory_reserve import used_up

pytestmark = pytest.mark.sampled(8)  # many like cases

resource = pytest.importorskip("resource", reason="the memory of a process has no limit here")

LIMITED = """
import resource
import sys
import numpy as np
import gradcli
from gradcli.errors import LongTapeError

steps = int(sys.argv[2])

def numbers(x):
    for _ in range(steps):
        x = x * 1.0000001
    return x

def math_functions(x):
    import math
    for _ in range(steps):
        x = math.sin(x)
    return x

def arrays(x):
    for _ in range(steps):
        x = np.sin(x) * 0.5
    return np.sum(x)

def comparisons(x):
    for _ in range(steps):
        if x < 0:
            return x
    return x

RUNS = {
    "comparisons": lambda: gradcli.grad(comparisons)(1.0),
    "compared": lambda: gradcli.trace(comparisons, 1.0),
    "numbers": lambda: gradcli.grad(numbers)(1.0),
    "math": lambda: gradcli.grad(math_functions)(1.0),
    "arrays": lambda: gradcli.grad(arrays)(np.ones(3000)),
    "hessian": lambda: gradcli.hessian(numbers)(1.0),
    "trace": lambda: gradcli.trace(numbers, 1.0),
}
gradcli.grad(lambda x: x * x)(3.0)
with open("/proc/self/statm") as stream:
    size = int(stream.read().split()[0]) * resource.getpagesize()
limit = size + 60_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    RUNS[sys.argv[1]]()
    print("done")
except LongTapeError as error:
    print(error.code, error.line is not None)
print(gradcli.grad(lambda x: x * x)(3.0))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the limit is one of addresses on Linux alone")
@pytest.mark.parametrize(
    ("run", "steps"),
    [
        ("numbers", 10**9),
        ("comparisons", 10**9),
        ("compared", 10**9),
        ("math", 10**9),
        ("arrays", 10**9),
        ("hessian", 10**9),
        ("trace", 10**9),
        *(("numbers", steps) for steps in range(200_000, 440_000, 80_000)),  # some fill it on the way back
    ],
)
def test_memory_that_is_used_up_is_told_within_seconds(run, steps):
    """CPython 3.11 would try for ever to handle the error."""
    command = [sys.executable, "-c", LIMITED, run, str(steps)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert ran.stderr == ""
    assert ran.stdout.splitlines()[-1] == "6.0"
    assert ran.stdout.splitlines()[0] in (("G909 True",) if steps == 10**9 else ("G909 True", "G909 False", "done"))


def test_the_function_is_named_where_the_line_is_not_known():
    tape = new_tape()
    tape.outcomes = [None] * 1000

    ours = used_up(MemoryError(), tape, test_the_function_is_named_where_the_line_is_not_known.__code__)

    assert "out of memory after 1,000 recorded steps" in ours.message
    assert (__file__, inspect.currentframe().f_code.co_firstlineno) == (ours.file, ours.line)
    assert ours.hint.startswith("Check that the loops of the function end, or compute on whole NumPy arrays")


def test_no_line_is_named_where_there_is_none():
    """A formula has none, and a sweep is no line of the program."""
    ours = [
        used_up(MemoryError(), new_tape(), code) for code in (None, type(resolve("x^2").function).__call__.__code__)
    ]

    assert [each.file for each in ours] == [None, None]
    assert ours[0].hint.startswith("Check that the loops of the function end")

"""What a folded sweep says of the parts that it leaves out."""

import numpy as np
import pytest

from gradcli import queries
from gradcli.terminal.render.sweeps.outline import LoopHead, Summary, outline
from gradcli.terminal.render.sweeps.terminal_lines import which_iteration
from tests.queries.conftest import folder, program

__all__ = ["folder", "program"]

DIFFUSION = """
def f(c, k):
    for _ in range(4):
        new = c.copy()
        for i in range(1, len(c) - 1):
            new[i] += k * (c[i - 1] + c[i + 1] - 2 * c[i])
        c = new
    return np.sum(c ** 3)
"""
SLICES = """
def f(c, k):
    for _ in range(4):
        new = c * 1.0
        new[1:] = new[1:] - k * c[:-1]
        c = new
    return np.prod(c)
"""
ELEMENTS = """
def f(c, k):
    s = 0.0
    for i in (0, 2, 0, 1):
        s = s + c[i] * np.sin(k * s + c[1])
    return s
"""
WHOLE_AND_PARTS = """
def f(c, k):
    s = 0.0
    for i in range(4):
        s = s + np.sum(c ** i) * k + c[i] * s
    return s
"""
TRANSPOSED = """
def f(c, k):
    m = np.outer(c, c)
    s = 0.0
    for i in range(4):
        s = s + m.T[i, 0] * np.sum(m[1]) + k * s
    return s
"""
MASKED = """
def f(c, k):
    for _ in range(3):
        new = c * 1.0
        new[c > 2] = k
        c = new * c
    return np.sum(c)
"""
CALLS = """
def g(c, k, i):
    return np.sum(c) * np.sin(c[i] * k)

def f(c, k):
    return g(c, k, 0) * g(c, k, 2) + g(c, k, 2) + g(c, k, 3)
"""


@pytest.mark.parametrize("source", [DIFFUSION, SLICES, ELEMENTS, WHOLE_AND_PARTS, MASKED, CALLS])
def test_the_sums_after_the_first_loop_or_calls_are_the_gradient(program, source):
    record = queries.explain(program("import numpy as np\n" + source), "[1,2,3,2.5],0.3")
    *_, summary = [entry for entry in outline(record) if isinstance(entry, Summary)]

    for name in record.gradient:
        np.testing.assert_allclose(dict(summary.totals)[f"s_{name}"], record.gradient[name], rtol=1e-14)


@pytest.mark.parametrize("iteration", [(), (2,), (3, 1)])
def test_the_sums_after_a_loop_do_not_depend_on_the_iteration_shown(program, iteration):
    record = queries.explain(program("import numpy as np\n" + DIFFUSION), "[1,2,3,2.5],0.3")
    *_, summary = [entry for entry in outline(record, iteration=iteration) if isinstance(entry, Summary)]

    assert dict(summary.totals)["s_c"] == record.gradient["c"]


def test_an_array_made_before_the_loop_has_its_own_sensitivity(program):
    record = queries.explain(program("import numpy as np\n" + TRANSPOSED), "[1,2,3,2.5],0.3")
    *_, summary = [entry for entry in outline(record) if isinstance(entry, Summary)]
    (m,) = [each.sensitivity for each in record.statements if each.name == "m"]

    assert dict(summary.totals)["s_m"] == m


RECURRENCE = """
def f(x):
    s = 0.0
    for k in range(5):
        y = np.sin(x + s)
        s = s + y
    return s
"""
EVERY_OTHER = """
def f(x, w):
    a, b = 0.0, 0.0
    for k in range(4):
        if k % 2:
            a = a + w * k
        else:
            b = b + np.sin(x * k + x)
    return a * b
"""


@pytest.mark.parametrize(
    ("source", "options", "remark"),
    [
        (RECURRENCE, {"node": "y#3"}, "iteration 5 of 5, the last, iterations 1 to 2 come before y#3"),
        (RECURRENCE, {"node": "y#2"}, "iteration 5 of 5, the last, iteration 1 comes before y#2"),
        (RECURRENCE, {"node": "y#1"}, "iteration 5 of 5, the last"),
        (EVERY_OTHER, {"wrt": "x"}, "4 iterations, 2 of which pass nothing on to x"),
        (EVERY_OTHER, {"wrt": "w"}, "4 iterations, 2 of which pass nothing on to w"),
        (RECURRENCE.replace("s = s + y", "s = y if k == 2 else s + y").replace("x + s", "x * (k + 1)"), {},
         "iteration 5 of 5, the last, iterations 1 to 2 pass nothing on"),
    ],
)  # fmt: skip
def test_iterations_without_a_part_in_the_sweep(program, source, options, remark):
    at = "0.8,0.5" if "w" in source else "0.8"
    record = queries.explain(program("import numpy as np\n" + source), at, **options)
    (head,) = [entry for entry in outline(record) if isinstance(entry, LoopHead)]

    assert which_iteration(head) == remark


def test_iterations_in_which_nothing_moves(program):
    source = RECURRENCE.replace("x + s", "x if k > 2 else 1.0")
    record = queries.forward_sweep(program("import numpy as np\n" + source), "0.8")
    (head,) = [entry for entry in outline(record) if isinstance(entry, LoopHead)]

    assert which_iteration(head) == "5 iterations, iterations 1 to 3 pass nothing on"

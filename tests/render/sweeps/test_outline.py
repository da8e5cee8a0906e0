"""What a folded sweep says of the parts that it leaves out."""

import numpy as np
import pytest

from gradcli import queries
from gradcli.render.sweeps.outline import Summary, outline
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

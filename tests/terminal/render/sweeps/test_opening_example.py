"""The sentence that opens an explanation, and what it claims."""

import numpy as np
import pytest

from gradcli import queries
from gradcli.terminal.render.sweeps.opening_example import answer, example
from tests.queries.conftest import folder, program

__all__ = ["folder", "program"]

CHAIN = """
def f(x):
    y = x * x
    z = 3 * y
    return z * z
"""
ARRAYS = """
def f(x):
    y = x * x
    return np.sum(np.where(y > 2, y, 0) * y)
"""
FORGETS = """
def f(x):
    y = x * 1e-9
    return x + y
"""
INDEXED = """
def f(x):
    y = x[::-1] * 2
    return y[0] ** 2
"""


@pytest.mark.parametrize(
    ("source", "at", "sentence"),
    [
        (CHAIN, "1", "add ε to z after p.py:5, and the result changes by 6.0 ε: s_z = 6.0"),
        (ARRAYS, "[1,2]", "add ε to y[1] after p.py:4, and the result changes by 8.0 ε: s_y[1] = 8.0"),
        (INDEXED, "[1,2]", "add ε to y[0] after p.py:4, and the result changes by 8.0 ε: s_y[0] = 8.0"),
        (FORGETS.replace("x + y", "x + 1e-3 * y"), "2",
         "add ε to y after p.py:4, and the result changes by 0.001 ε: s_y = 0.001"),
        (FORGETS.replace("x + y", "x + 1e-9 * y"), "2",
         "add ε to x, and the result changes by 1.0 ε (the sensitivity to x)"),
        ("def f(x):\n    return 2.0\n", "2", ""),
    ],
)  # fmt: skip
def test_an_explanation(program, source, at, sentence):
    assert example(queries.explain(program("import numpy as np\n" + source), at)) == sentence


def test_the_result_changes_as_the_sentence_says(program):
    record = queries.explain(program("import numpy as np\n" + CHAIN), "1.3", node="y")
    epsilon = 1e-7
    slope = ((3 * (1.69 + epsilon)) ** 2 - (3 * (1.69 - epsilon)) ** 2) / (2 * epsilon)

    assert example(record) == "add ε to y once it is computed: by how much does the result change?"
    assert answer(record, record.gradient["s_y"]) == f"add ε to y, and the result changes by {np.round(slope, 2)} ε"


@pytest.mark.parametrize(
    ("along", "start"),
    [(None, "add ε to x,"), ("y", "add ε to y,"), ("1,1", "move the inputs by ε in this direction,")],
)
def test_a_forward_sweep(program, along, start):
    record = queries.forward_sweep(program("def f(x, y):\n    return x * y\n"), "2,3", along)

    assert example(record) == f"{start} and a quantity q changes by d_q ε, the result by {record.derivative} ε"

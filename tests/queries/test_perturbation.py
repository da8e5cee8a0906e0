"""A sensitivity put to the test: the result moves as it says, for numbers, places of arrays and unnamed steps."""

import pytest

from gradcli import queries
from gradcli.errors import UsageError

LOOP = """
import math

def f(x, y):
    s = x
    for _ in range(5):
        s = math.sin(s * y)
    return s * x
"""

ARRAY = """
import numpy as np

def f(x):
    step = x[1:] - x[:-1] ** 2
    return np.sum(100.0 * step ** 2)
"""

KINK = """
def f(x):
    y = 2 * x
    return y * y if y > 1.999 else y
"""


@pytest.mark.parametrize(
    ("text", "at", "node"),
    [(LOOP, "0.4,1.3", "s#3"), (LOOP, "0.4,1.3", "%4"), (LOOP, "0.4,1.3", "x"), (ARRAY, "1,2,5", "step[1]"),
     (ARRAY, "1,2,5", "step")],
)  # fmt: skip
def test_the_result_moves_as_said(text, at, node, program):
    """The smallest step comes near the sensitivity, which is that of the tape."""
    found = queries.perturb(program(text), at, node)

    assert found.sensitivity == pytest.approx(found.pushes[-1].slope, rel=1e-6)
    assert found.sensitivity != 0


def test_where_the_program_would_turn(program):
    """A step that changes an outcome has no result."""
    found = queries.perturb(program(KINK), "1", "y")

    assert [each.slope and each.slope > 0 for each in found.pushes] == [None, None, True]
    assert [found.pushes[0].less, pytest.approx(found.pushes[0].more)] == [None, 4.84]


@pytest.mark.parametrize(
    ("message", "node"),
    [
        ("There is no quantity 'stepp' in this run.", "stepp"),
        ("There is no 'step[2]': step is an array of shape (2,).", "step[2]"),
    ],
)
def test_an_unknown_quantity(message, node, program):
    with pytest.raises(UsageError) as raised:
        queries.perturb(program(ARRAY), "1,2,3", node)

    assert message == raised.value.message

"""The moves of a run: what the reverse sweep has come to after the last one is what the tape says."""

import numpy as np
import pytest

from gradcli import queries
from gradcli.terminal.repl.step_model import Position

PROGRAMS = [
    ("def f(x):\n    a, b = x\n    c = a * b\n    return c * c + a\n", "2,3"),
    ("import numpy as np\ndef f(x):\n    return np.sum(np.sin(x[1:]) * x[:-1])\n", "1,2,3"),
    ("def f(x):\n    for _ in range(5):\n        x = x * x - x\n    return x\n", "1.3"),
]


@pytest.mark.parametrize(("text", "at"), PROGRAMS)
def test_the_last_move_completes_the_sensitivities(text, at, program):
    """Node by node; every row has its turn, unnamed ones too."""
    found = queries.steps(program(text), at)
    place = Position(found)

    for cell in place.to(place.last).cells():
        sensitivity = np.zeros_like(cell.node.value) if cell.sensitivity is None else cell.sensitivity
        np.testing.assert_allclose(sensitivity, cell.node.sensitivity, rtol=1e-12)
    assert sorted((move.node for move in found.moves), reverse=True) == [move.node for move in found.moves]


def test_sensitivities_on_formulas_are_named_in_brackets():
    """`s_x^2` would be read as the square of s_x."""
    moves = queries.steps("x^2*sin(y)", "x=3,y=6").moves

    assert [[each.name for each in move.additions] for move in moves] == [["s_(x^2)", "s_(sin(y))"], ["s_y"], ["s_x"]]
    assert moves[1].additions[0].term == "cos(y) * s_(sin(y))"
    assert set(queries.explain("x^2*sin(y)", "x=3,y=6", node="x^2").gradient) == {"s_(x^2)"}


def test_a_call_of_a_library_is_one_step(program):
    """The rows inside have no place among the nodes, whose indices have gaps."""
    text = (
        "import numpy as np\ndef f(x):\n    L = np.linalg.cholesky(np.outer(x, x) + np.eye(2))\n    return np.sum(L)\n"
    )
    found = queries.steps(program(text), "1,2")
    formulas = [node.expression for node in found.tape.nodes]

    assert sum(str(text).startswith("linalg.cholesky(") for text in formulas) == 1
    assert not any("tril" in str(text) for text in formulas)
    assert {move.node for move in found.moves} <= {node.index for node in found.tape.nodes}

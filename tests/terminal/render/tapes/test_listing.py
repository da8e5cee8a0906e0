"""`gradcli tape`: a row a node, with what the width allows, and the outcomes."""

# ruff: noqa: E501
# The tables are as wide as they are drawn.

from collections.abc import Callable

import pytest

from gradcli import queries
from gradcli.shared.records.tapes import Node, Outcome, TapeListing
from gradcli.terminal.render import Look, record_text
from gradcli.terminal.render.tapes.listing import question
from tests.queries.conftest import folder, program

__all__ = ["folder", "program"]

PROGRAMS = [
    ("x / 3 + x**2 / 7", "x=1.2345678901234"),
    ("exp(-x**2 / (2 * y**2)) / sqrt(2 * pi) / y + log1p(x * y) + arctan(x / y) * tanh(x + y)", "x=1.1,y=0.7"),
    ("def f(A, b):\n    return np.sum(np.linalg.solve(A.T @ A + np.eye(2), b) ** 2)\n", "A=[[1,2],[3,4]],b=[1,2]"),
    ("def f(x):\n    x = np.where((x > 0.5) & (x < 2.5), np.sqrt(np.abs(x)), x ** 3)\n    return x.mean()\n", "[1,2,3,-4]"),
    ("def f(x):\n    for _ in range(5):\n        x = x - (x ** 3 - 2) / (3 * x ** 2)\n    return x\n", "1.3"),
    ("def f(x):\n    return np.einsum('ij,jk,kl->', np.outer(x, x), np.cos(np.outer(x, x)), np.outer(x, x[::-1]))\n", "[1,2,3]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "at"), PROGRAMS)
@pytest.mark.parametrize("width", [64, 80])
def test_no_operation_is_left_out(program: Callable[[str], str], text: str, at: str, width: int) -> None:
    target = program("import numpy as np\n" + text) if "def" in text else text
    record = queries.tape(target, at)
    _, _, table = record_text(record, Look(width=width), expand=True).partition("\nnode ")
    lines = table.partition("\n\n")[0].splitlines()
    words = " ".join(" ".join(lines).split())

    assert max(map(len, lines)) <= width
    assert "operation" in lines[0]
    for node in record.nodes:
        assert (node.expression or node.operation).split()[0] in words


def node(index: int, value: object = 1.0) -> Node:
    return Node(index, None, "neg", (index - 1,) if index else (), value, value)


EXPRESSION = """\
node  name  operation  value  sensitivity
────  ────  ─────────  ─────  ───────────
  %0  x     input      2.0    4.0
  %1        x^2        4.0    1.0
"""


def test_a_part_of_an_expression_has_no_name() -> None:
    nodes = (
        Node(0, "x", "input", (), 2.0, 4.0),
        Node(1, "x^2", "pow", (0,), 4.0, 1.0, expression="x^2"),
    )
    record = TapeListing("x^2", {"x": 2.0}, 4.0, nodes, (), "f(x) = x**2")

    assert record_text(record, Look()).endswith(EXPRESSION)
    assert "\nx^2  → 4.0  s 1.0\n└─ x  → 2.0  s 4.0\n" in record_text(record, Look(), part="tree")


def test_a_long_tape_on_a_terminal() -> None:
    record = TapeListing("f.py:f", {"x": 1.0}, 1.0, tuple(map(node, range(1000))))
    lines = record_text(record, Look(width=80, terminal=True)).splitlines()

    assert lines[-1] == "… 600 more nodes (a pipe or --json shows all)"
    assert len(lines) == 408


def test_large_arrays_are_shortened() -> None:
    """A large array is its first numbers and its shape, also in a pipe, and a line says so."""
    record = TapeListing("f.py:f", {"x": [1.0] * 9}, 1.0, (node(0, [1.0] * 9),))
    lines = record_text(record, Look()).splitlines()

    assert "[1.0, 1.0, 1.0, … 9 numbers]" in lines[-2]
    assert lines[-1] == "arrays are shortened (--json has them whole)"


@pytest.mark.parametrize(
    ("expected", "operation", "operands"),
    [
        ("2.0 < 3.0", "lt", (2.0, 3.0)),
        ("2.0 >= 3.0", "greater_equal", (2.0, 3.0)),
        ("7.0 // 2", "floordiv", (7.0, 2)),
        ("bool 3.0", "bool", (3.0,)),
        ("argmax [1.0, 2.0]", "argmax", ([1.0, 2.0],)),
        ("random", "random", ()),
    ],
)
def test_what_an_outcome_asked(expected: str, operation: str, operands: tuple[object, ...]) -> None:
    """A comparison is written with its sign, anything else with its name first."""
    assert question(Outcome(operation, operands, True, 1)) == expected


def test_a_formula_stands_in_place_of_the_operation():
    """Where a node has one, as what `gradcli tape` lists always does."""
    node = Node(1, "t_cd", "mul", (0, 0), 20.0, 10.0, expression="t_c * t_d")
    shown = record_text(TapeListing("f.py:f", {}, 20.0, (node,)), Look())

    assert "t_cd  t_c * t_d" in shown
    assert "mul" not in shown

"""The explanation of a run as a record: statements with their lines, and the gradient they come to."""

import sys

import numpy as np
import pytest

from gradcli import queries
from gradcli.errors import PointError

TWO = """
def f(x, y):
    p = x * y
    a, b = p, p * 2
    q = y + 1
    return a * b + q
"""


def additions(found):
    """What is added by every statement, in order."""
    return [each.name for statement in found.statements for each in statement.additions]


def test_lines_and_gradient(program):
    found = queries.explain(program(TWO), "2,3")
    sums = {each.name: each.after for statement in found.statements for each in statement.additions}

    assert [(6, "return a * b + q"), (5, "q = y + 1"), (4, "a, b = p, p * 2"), (3, "p = x * y")] == [
        (each.line, each.source) for each in found.statements
    ]
    assert queries.gradient(program(TWO), "2,3").gradient == found.gradient == {"x": sums["s_x"], "y": sums["s_y"]}


def test_only_what_leads_to_some_inputs(program):
    found = queries.explain(program(TWO), "2,3", wrt="x")

    assert (set(found.gradient), len(found.statements)) == ({"x"}, 3)
    assert not {"s_q", "s_y"} & set(additions(found))


def test_a_node_by_its_number(program):
    assert queries.explain(program(TWO), "2,3", node="%2") == queries.explain(program(TWO), "2,3", node="2")


def test_an_expression_is_one_statement():
    found = queries.explain("x^2 * sin(y)", "3,2")

    assert [(each.file, each.line, each.source) for each in found.statements] == [(None, None, None)]
    assert additions(found) == ["s_x", "s_y"]


@pytest.mark.parametrize("text", ["7 + 0*x", "x"])
def test_nothing_computed_by_the_inputs(text):
    """An input alone is no statement, and the gradient is there all the same."""
    found = queries.explain(text, "x=2")

    assert found.gradient == queries.gradient(text, "x=2").gradient


def test_one_sensitivity(program):
    """Only its uses and theirs are told, up to the result; what they come to is the sensitivity of the tape."""
    found = queries.explain(program(TWO), "2,3", node="p")
    node = next(node for node in queries.tape(program(TWO), "2,3").nodes if node.name == "p")

    assert {"s_p": node.sensitivity} == found.gradient
    assert set(additions(found)) == {"s_b", "s_p"}
    assert node.sensitivity == [each for statement in found.statements for each in statement.additions][-1].after


def test_a_step_without_a_name(program):
    found = queries.explain(program("def f(x, y):\n    return (x * y + 1) ** 2\n"), "2,3", node="%2")

    assert found.gradient == {"s_%2": 14.0}
    assert additions(found) == ["s_%2"]


IN_PLACE = """\
import numpy as np
def f(x):
    y = np.zeros(3)
    y[0] = x[0] * x[1]
    y[1] = y[0] ** 2
    y[2] += y[1] * x[2]
    y *= 2.0
    y[1:] = y[:2]
    return y.sum()
"""

FORWARD = [
    (TWO, "2,3", "x"),
    (TWO, "2,3", "1,-2"),
    ("import numpy as np\ndef f(x):\n    h = np.tanh(x @ x.T)\n    return np.sum(h * h)\n", "[[1,2],[3,-4]]", "x[1,0]"),
    ("import numpy as np\ndef f(x):\n    s = x[1:] - x[:-1] ** 2\n    return np.sum(s * s)\n", "1,2,3", "x"),
    ("def f(x):\n    for _ in range(9):\n        x = x * x - 1\n    return x\n", "0.3", None),
    ("def f(x):\n    return x[0] * x[0] + x[0] * x[1] + sum(x)\n", "[2,3]", "x"),
    (IN_PLACE, "[1,2,3]", "x"),
    (IN_PLACE, "[1,2,3]", "x[0]"),
    ("import numpy as np\ndef f(x):\n    return np.max(x) + np.trace(np.linalg.inv(x))\n", "[[3,1],[1,2]]", "x[0,0]"),
]


@pytest.mark.parametrize(("text", "at", "along"), FORWARD)
def test_forwards(text, at, along, program):
    """The derivative in a direction is the gradient's part in it, and each statement's sum is whole."""
    found = queries.forward_sweep(program(text), at, along)
    gradient = queries.gradient(program(text), at).gradient
    expected = sum(np.sum(np.multiply(gradient[name], moving)) for name, moving in found.along.items())

    np.testing.assert_allclose(expected, found.derivative, rtol=1e-12)
    np.testing.assert_allclose(expected, found.statements[-1].additions[-1].after, rtol=1e-12)


def test_in_place_forwards(program):
    """What is written moves its place alone, and the rest of the array moves on; each once."""
    found = queries.forward_sweep(program(IN_PLACE), "[1,2,3]", "x")

    assert [
        "d_y#2[0] += x[1] * d_x[0]",
        "d_y#2[0] += x[0] * d_x[1]",
        "d_y#3 += where(arange(3) == 1, 0, d_y#2)",
        "d_y#3[1] += 2 * y#2[0] * d_y#2[0]",
        "d_y#4[2] += y#3[1] * d_x[2]",
        "d_y#4 += where(arange(3) == 2, 0, d_y#3)",
        "d_y#4[2] += x[2] * d_y#3[1]",
        "d_y#5 += 2.0 * d_y#4",
        "d_y#6 += where(arange(3) >= 1, 0, d_y#5)",
        "d_y#6[1:] += d_y#5[:2]",
        "d_result += sum(d_y#6)",
    ] == [f"{each.name} += {each.term}" for statement in found.statements for each in statement.additions]
    assert not any(np.any(statement.additions[0].before) for statement in found.statements)


@pytest.mark.parametrize(
    ("message", "hint", "along"),
    [
        ("'z' is not a direction among the inputs.", "Name one of x, y, or type a direction as you type a point.", "z"),
        (
            "The direction does not have the structure of the point.",
            "Type as many numbers, in the same places.",
            "[1,2],3",
        ),
    ],
)
def test_no_direction(message, hint, along, program):
    with pytest.raises(PointError) as raised:
        queries.forward_sweep(program(TWO), "2,3", along)

    assert (message, hint) == (raised.value.message, raised.value.hint)


def test_a_typed_expression_has_no_line():
    found = queries.explain("sum(x)", "x=[1,2,3]")

    assert [(each.file, each.line, each.source) for each in found.statements] == [(None, None, None)]


LIBRARY = """\
def norm(v):
    total = 0.0
    for each in v:
        total = total + each * each
    return total
"""


@pytest.fixture
def library(folder, monkeypatch):
    """A module that lies where packages are installed."""
    (folder / "site-packages").mkdir()
    (folder / "site-packages" / "lengths.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder / "site-packages"))
    yield
    sys.modules.pop("lengths", None)


def test_what_a_library_does_is_the_work_of_the_line_that_calls_it(program, library):
    """No line and no variable of its own is named."""
    found = queries.explain(program("import lengths\ndef f(x, y):\n    return lengths.norm([x, x * y])\n"), "2,3")

    assert {each.line for each in found.statements} == {3}
    assert {"result", "s_x", "s_y"} >= {each.name for each in found.statements} | set(additions(found))


def test_a_function_of_a_library_has_its_lines(library):
    found = queries.explain("lengths:norm", "[2,3]")

    assert [each.source for each in found.statements if "total" in each.name] == ["total = total + each * each"] * 2


def test_a_power_whose_exponent_is_an_array_without_axes(program):
    text = "import numpy as np\ndef f(x): return np.sum(x ** np.array(2.0))\n"

    assert queries.explain(program(text), "[1, 2]").gradient == {"x": [2.0, 4.0]}

"""Constants in an explanation have the names and the form that their statement gives them."""

import math

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.explain.statement_contexts import constant_parts, literals
from gradcli.terminal.render import Look, record_text

HEADER = "import math\nimport numpy as np\nRATE = 0.125\n"


def terms(program, body, at, parameters="x"):
    record = queries.explain(program(f"{HEADER}def f({parameters}):\n{body}"), at)
    return [each.term for statement in record.statements for each in statement.additions]


@pytest.mark.parametrize(
    ("body", "at", "expected"),
    [
        ("    h = 0.1\n    return h / 6 * x * x\n", "2", ["2 * h / 6 * x"]),
        ("    y = 1.1806625671549194\n    return math.sin(x) / (y * y)\n", "2", ["cos(x) / (y * y)"]),
        ("    return math.exp(-RATE * x)\n", "2", ["-RATE * result"]),
        ("    return x ** (1 / 3)\n", "2", ["1 / 3 * x ** (1 / 3 - 1)"]),
        ("    return x * (2 * np.pi)\n", "2", ["2 * pi"]),
        ("    n = 3\n    return n * x\n", "2", ["n"]),
        ("    c = math.gamma(0.3)\n    return c * x\n", "2", ["c"]),
        ("    return math.gamma(0.3) * x\n", "2", ["%c1"]),
        ("    return 2.9915689876875904 * x\n", "2", ["2.9915689876875904"]),
        ("    s = 0.0\n    for k in range(2, 4):\n        s = s + k * x\n    return s\n", "2", ["3", "1", "2 * s_s#1"]),
        ("    m = x > 0\n    return np.sum(np.where(~m, 0, x * x))\n", "[1,-2]", ["2 * x * where(~m, 0, 1)"]),
    ],
)  # fmt: skip
def test_numbers_and_masks(program, body, at, expected):
    assert terms(program, body, at) == expected


def test_items_by_a_mask(program):
    body = "    y = np.zeros(4)\n    m = x > 0\n    n = x < 2\n    y[m & n] = x[m & n] ** 2\n    y[~m] = x[~m]\n"
    body += "    return y.sum()\n"

    assert terms(program, body, "[1,-2,3,0.5]") == [
        "1", "s_y#3[~m]", "where(~m, 0, s_y#3)", "2 * x[m & n] * s_y#2[m & n]",
    ]  # fmt: skip


def test_a_number_with_many_digits_has_a_name_and_its_value_below(program):
    record = queries.explain(program(f"{HEADER}def f(x):\n    return math.gamma(0.3) * x\n"), "2")

    assert record.operands["%c1"] == math.gamma(0.3)
    assert "\n%c1 = 2.99157\n" in record_text(record, Look())


def test_the_tape_has_the_same_names(program):
    text = f"{HEADER}def f(x):\n    m = x > 1\n    y = np.where(m, x, 0)\n    y[x < 0] = RATE / 2\n    return y.sum()\n"
    formulas = [node.expression for node in queries.tape(program(text), "[1,2,3,-4,5]").nodes]

    assert formulas[1:] == ["where(m, x, 0)", "y[x < 0] = RATE / 2", "sum(y#2)"]


def test_parts_of_a_statement():
    known = {"h": 0.5, "a": np.array([1.0, 2.0]), "n": 2}
    found = {part.piece[0]: part.value for part in constant_parts("y = h * n * x + sin(a[1] - a[0]) / 3", known)}

    assert found == {"h * n": 1.0, "a[1] - a[0]": 1.0, "a[1]": 2.0, "a[0]": 1.0, "h": 0.5, "n": 2, "a": known["a"]}


@pytest.mark.parametrize(
    "text", ["y = a.b.c + a", "for a in range(3):", "y = a[", "y = 9 ** 9 ** 9 * a", "lambda: a / 0"]
)
def test_a_statement_without_parts(text):
    assert {part.piece[0] for part in constant_parts(text, {"a": 1.5})} <= {"a", "9 ** 9"}


def test_literals():
    assert literals("y = 2 * x - 1e-3") == {2.0, 0.001}
    assert literals("while x > 0.5:") == {0.5}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    y = np.where(x > 0, x, RATE * x)\n    return np.sum(y)\n", [["1"], ["s_y"]]),
        ("    y = np.where(x < 0, x * x, x)\n    return np.sum(y)\n", [["1"], ["s_y"]]),
        ("    return np.sum(np.clip(3 * x, 0.0, 0.5))\n", [["0"]]),
        ("    return np.sum(np.clip(3 * x, 0.0, 0.5) @ np.eye(2)) + np.sum(x)\n", [["1"]]),
    ],
)
def test_an_argument_of_which_nothing_was_selected_adds_no_term(program, body, expected):
    record = queries.explain(program(f"{HEADER}def f(x):\n{body}"), "[1,2]")

    assert [[each.term for each in statement.additions] for statement in record.statements] == expected
    np.testing.assert_allclose(
        record.gradient["x"], queries.gradient(program(f"{HEADER}def f(x):\n{body}"), "[1,2]").gradient["x"]
    )


def test_a_value_within_dictionaries_and_lists_has_a_plain_name(program):
    record = queries.explain(
        program(f"{HEADER}def f(p):\n    return p['a'][0]['w'] ** 2\n"), '{"p": {"a": [{"w": 3}]}}'
    )

    assert [(each.name, each.term) for each in record.statements[0].additions] == [("s_p.a[0].w", "2 * p.a[0].w")]

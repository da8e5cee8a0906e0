"""The explanation of a run as a record: statements with their lines, and the gradient they come to."""

import re
import sys
from collections import Counter
from textwrap import dedent

import numpy as np
import pytest

from gradcli import queries
from gradcli.answers.explain import (
    forward_mode_steps,
    numpy_names_and_constants,
    outcome_remarks,
    reverse_mode_steps,
    statement_contexts,
)
from gradcli.engine.traces import library_folding
from gradcli.errors import PointError
from gradcli.shared.records.json_form import as_json
from gradcli.terminal.render import Look, record_text

pytestmark = pytest.mark.sampled(3)  # many like cases

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


LOOPS = {
    "numbers": """
        import math
        def f(x):
            s = 0.0
            for i in range({}):
                d = math.sin(x + i * 0.12345678912)
                s = s + d * d * 0.5
            return s
        """,
    "arrays": """
        import numpy as np
        def f(x):
            s = 0.0
            for i in range({}):
                s = s + np.sum(np.sin(np.cos(np.arange(6.0) * i) * x) * (x + 1.0))
            return s
        """,
    "branches": """
        def f(x):
            s = x
            for i in range({}):
                if s > 0.5 + i * 0.00012345678912:
                    s = max(s * 0.9, 0.1)
                s = s * 1.5
            return s
        """,
    "places": """
        import numpy as np
        def f(x):
            y = np.ones(90) * x
            s = 0.0
            for i in range({}):
                s = s + y[i] * np.sin(y[i + 1] * (i * 1.2345678912))
            return s
        """,
    "calls": """
        import math
        def g(u, k):
            return math.exp(-u * k * 1.23456789012)
        def f(x):
            s = 0.0
            for i in range({}):
                s = s + g(x, i / 3.0)
            return s
        """,
    "masks": """
        import numpy as np
        def f(x):
            s = x * np.ones(6)
            for i in range({}):
                s = np.where(s > 0.1 + i * 0.0012345678912, s * 0.99, s + np.full(6, 0.01 * i))
            return np.sum(s * s)
        """,
}  # fmt: skip


WRITERS = [
    (reverse_mode_steps, "formula_of_operands"),
    (reverse_mode_steps, "argument_contribution"),
    (outcome_remarks, "outcome_question"),
    (statement_contexts, "outcome_question"),
    (forward_mode_steps, "node_tangent"),
    (numpy_names_and_constants, "_same"),
    (library_folding, "_used_later"),
]


@pytest.fixture
def counts(monkeypatch):
    """How often a text of each kind is written, constants are compared, and the run is searched for uses of calls."""
    counts = Counter()

    def counted(name, function):
        return lambda *arguments: counts.update([name]) or function(*arguments)

    for module, name in WRITERS:
        monkeypatch.setattr(module, name, counted(name, getattr(module, name)))
    return counts


@pytest.fixture
def explained(folder, counts):
    """The sweep of a loop with a number of iterations, recorded while the counts begin at nothing."""

    def explained(text, iterations, options):
        target = folder / f"of_{iterations}.py"
        target.write_text(dedent(text).format(iterations))
        counts.clear()
        sweep = queries.forward_sweep if "along" in options else queries.explain
        return sweep(f"{target}:f", "0.3", **options)

    return explained


@pytest.mark.parametrize("options", [{}, {"wrt": "x"}, {"along": "x"}], ids=["backwards", "wrt", "forwards"])
@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_only_texts_that_are_shown_are_written(explained, counts, text, options):
    """For many iterations no more than for few, and the legend has only names that are shown."""
    few = record_text(explained(text, 10, options), Look(width=80)), dict(counts)
    many = record_text(explained(text, 30, options), Look(width=80)), dict(counts)

    assert many[1] == few[1]
    for name in re.findall(r"(?m)^(%\w+) = ", many[0]):
        assert len(re.findall(rf"{name}\b", many[0])) > 1


@pytest.mark.parametrize("options", [{}, {"along": "x"}], ids=["backwards", "forwards"])
@pytest.mark.parametrize("text", LOOPS.values(), ids=LOOPS)
def test_the_texts_of_a_record_are_written_in_linear_time(explained, counts, text, options):
    """As many more for each further iteration, all of them where it becomes JSON."""
    sizes = []
    for iterations in (6, 12, 18):
        as_json(explained(text, iterations, options))
        sizes.append(counts.total())

    assert sizes[0] < sizes[1] < sizes[2] <= sizes[1] + 1.2 * (sizes[1] - sizes[0])


def test_values_of_names_are_those_of_the_texts(program):
    """A name that no text has yet is found as well, and a function is no name of a value."""
    found = queries.explain(program(LOOPS["numbers"].format(9)), "0.3").operands

    assert found["%c3"] == 6 * 0.12345678912
    assert "cos" not in found
    assert set(found) >= {"x", "s_d#1", "d#9", "%c7"}


@pytest.mark.parametrize("shown", [queries.explain, queries.forward_sweep, queries.tape])
def test_what_was_not_selected_is_said_as_by_grad(shown):
    masked = "where(x == 0, 0, x*log(x))"

    said, expected = (
        [finding.message for finding in found.findings if finding.code == "G103"]
        for found in (shown(masked, "0"), queries.gradient(masked, "0"))
    )
    assert said == expected != []

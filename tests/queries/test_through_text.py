"""Numbers that a program writes as text and reads again."""

import pytest

from gradcli import queries
from gradcli.answers.targets import resolve
from gradcli.errors import DetachedError, Exit
from gradcli.shared.records.check_request import CheckRequest

READ_AGAIN = """\
import numpy as np

def f(x):
    print(f"now {x:.3f}")
    return x * float(repr(x * 2.0)[:8])

def g(x):
    text = repr(x)
    return x * float(text)

def written(x):
    name = "%.2f" % x
    return x * x * len(name)
"""


@pytest.fixture
def file(tmp_path):
    """A file with programs that write text, two of which read it."""
    path = tmp_path / "texts.py"
    path.write_text(READ_AGAIN)
    return path


ASKED = [
    queries.gradient, queries.hessian, queries.jacobian, queries.explain, queries.tape, queries.forward_sweep,
    queries.precision, queries.symbolic, queries.curve, queries.differences,
]  # fmt: skip


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize(("name", "line"), [("f", 5), ("g", 8)])
def test_what_is_read_again_is_refused(ask, name, line, file, capsys):
    """A part of the derivative would be lost without a word; the line is where the text is made, if it is one alone."""
    with pytest.raises(DetachedError, match="written as text, and numbers are read from text") as raised:
        ask(f"{file}:{name}", "2")

    assert line == raised.value.line
    assert Exit.USER_CODE == raised.value.exit


def test_what_is_written_alone_does_no_harm(file):
    assert queries.gradient(f"{file}:written", "2").gradient == {"x": 16.0}


def test_a_jacobian_of_many_results_is_refused_where_one_was_read_again(tmp_path):
    path = tmp_path / "many.py"
    path.write_text(
        "import numpy as np\n"
        "def f(x):\n    return [x, {'a': np.array([1.0, 2.0]) * float(str(x))}]\n"
        "def g(x):\n    return [x * len(f'{x:.1f}'), np.array([1.0, 2.0]) * x]\n"
    )

    with pytest.raises(DetachedError, match="written as text, and numbers are read from text") as raised:
        queries.jacobian(f"{path}:f", "2")
    assert raised.value.line == 3
    assert queries.jacobian(f"{path}:g", "2").jacobian == {"x": [3.0, [1.0, 2.0]]}


def test_a_check_withdraws_the_tape(file):
    """As for all that the tape cannot follow: nothing is checked, and the line is told; one by hand is judged."""
    alone = queries.check(f"{file}:g", "2")
    judged = queries.check(f"{file}:g", "2", CheckRequest(against="2 * x"))

    assert (alone.verdict, judged.verdict) == ("unchecked", "pass")
    assert [(f.code, f.line, f.severity) for f in alone.findings] == [("G402", 8, "error"), ("G911", None, "error")]
    assert [(f.code, f.line, f.severity) for f in judged.findings] == [("G402", 8, "note")]


def test_a_program_that_prints_is_run_once(tmp_path):
    path = tmp_path / "prints.py"
    path.write_text("runs = []\ndef f(x):\n    runs.append(f'{x:.3f}')\n    return x * float(x) * float('2.0')\n")
    target = resolve(f"{path}:f")

    queries.gradient(target, "2")
    assert len(target.function.__globals__["runs"]) == 1

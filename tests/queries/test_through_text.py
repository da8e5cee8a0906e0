"""Numbers that a program writes as text and reads again."""

from __future__ import annotations

import pytest

from gradcli import queries
from gradcli.errors import DetachedError, Exit
from gradcli.targets import resolve

READ_AGAIN = """\
import numpy as np

def f(x):
    print(f"now {x:.3f}")
    return x * float(repr(x * 2.0)[:8])

def g(x):
    text = np.format_float_positional(x)
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


@pytest.mark.parametrize("ask", [queries.gradient, queries.hessian, queries.explain])
@pytest.mark.parametrize(("name", "line"), [("f", None), ("g", 8)])
def test_what_is_read_again_is_refused(ask, name, line, file, capsys):
    """A part of the derivative would be lost without a word; the line is told where it is one."""
    with pytest.raises(DetachedError, match="written as text and read again") as raised:
        ask(f"{file}:{name}", "2")

    assert line == raised.value.line
    assert Exit.USER_CODE == raised.value.exit


def test_what_is_written_alone_does_no_harm(file):
    """As a program does that prints."""
    assert queries.gradient(f"{file}:written", "2").gradient == {"x": 16.0}


def test_a_text_costs_two_runs(tmp_path):
    """A program that prints is not run dozens of times, as one is that stands where a comparison turns."""
    path = tmp_path / "prints.py"
    path.write_text("runs = []\ndef f(x):\n    runs.append(f'{x:.3f}')\n    return x * x\n")
    target = resolve(f"{path}:f")

    queries.gradient(target, "2")
    assert len(target.function.__globals__["runs"]) <= 3

"""What the line below the prompt says."""

import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from gradcli import queries
from gradcli.terminal.repl.preview import preview

F4 = "2*(a*b*c + a*b*d + a*c*d + b*c*d)"


@pytest.fixture
def known(session):
    """A session that knows some names, and a function that must not run."""
    Path("loud.py").write_text("calls = []\ndef loud(x):\n    calls.append(x)\n    return x * x\n")
    lines = (
        "x = 3",
        "y = 2",
        "v = [1, 2]",
        "load loud.py",
        "def p(x): return loud(x)",
        "f(x, y) = x^2 * y",
        "g(x) = loud(x)",
    )
    assert [answer.error for line in lines if (answer := session.run(line)).error] == []
    return session


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("= 18  ∂x 12  ∂y 9", "x^2 * y"),
        ("= 18  ∂x 12  ∂y 9", "f(x, y)  # a comment"),
        ("= 6  ∂x 2  ∂y 3", "z = x*y"),
        ("= 6  ∂x 2  ∂y 3", "h(x, y) = x*y"),
        ("= 5  ∂v[0] 2  ∂v[1] 4", "sum(v^2)"),
        ("= 0.909297", "sin(2)"),
        ("= inf  ∂x -inf", "1 / (x - x)^2 * 1"),
        ("", "x^2 *"),
        ("", "x^2 * unknown"),
        ("", "z = p1 * q1"),
        ("", "si"),
        ("", "grda"),  # no value is meant
        ("", "k(q) = q * q1"),  # a function may be defined before its names have values
        ("= 0  ∂x 0  at a kink: abs(0.0)", "abs(x - 3)"),
        ("= 3  ∂x 0.5  at a kink: maximum(3.0, 3.0)", "max(x, 3)"),
        ("= 3  ∂x 0.5  at a kink: clip(3.0, 0.0, 3.0)", "clip(x, 0, 3)"),
        ("", "loud(x) + 1"),
        ("", "g(x) + 1"),
        ("", "p(x) + 1"),
        ("", "def q(x): return loud(x)"),
        ("", "f"),
        ("", "grad x^2"),
        ("", "grad = 3"),
        ("", "v * 2"),
        ("", "w = @nowhere.npy"),
        ("", "loud.py:loud"),
        ("", ""),
        ("", "x" + " + x" * 1000),
    ],
)
def test_preview(expected, text, known):
    """Value and partials at the current values; silence where there is no answer; a file's code does not run."""
    if "inf" in expected:
        assert preview(text, known).startswith("= inf")
    else:
        assert preview(text, known) == expected
    assert known.workspace.names.loaded["loud"].__globals__["calls"] == []
    assert known.results == 0


@pytest.mark.parametrize("text", ["1 / (x - 3)", "log(-x)", "exp(1000 * x)", "log(-sum(v))", "sum(log(-v))", "log(-2)"])
def test_nothing_is_warned_of(text, known, monkeypatch):
    """What is not finite is said under the answer; a warning of the preview would stand in the middle of the prompt."""
    monkeypatch.setattr(
        "gradcli.methods.transforms.derivative_warnings._warned", set()
    )  # of each line it is warned once
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert queries.preview(known.workspace, text) is not None


def test_an_array_of_integers_is_taken_as_floats_in_silence(known):
    known.workspace.names.values["w"] = np.array([1, 2])  # as a function of a file may have returned it
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert preview("sum(w^2)", known) == "= 5  ∂w[0] 2  ∂w[1] 4"


def test_many_partials_are_counted(known):
    known.run("w = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]")

    assert preview("sum(w)", known).endswith("∂w[7] 1  … 2 more")


def test_a_large_array_has_none(known):
    known.run(f"w = {list(range(200))}")

    assert preview("sum(w)", known) == ""


def test_it_is_quick(known):
    for line in ("a = 1", "b = 2", "c = 3", "d = 4"):
        known.run(line)
    took = []
    for _ in range(9):
        begun = time.perf_counter()
        assert preview(F4, known) == "= 100  ∂a 52  ∂b 38  ∂c 28  ∂d 22"
        took.append(time.perf_counter() - begun)

    assert statistics.median(took) < 0.05

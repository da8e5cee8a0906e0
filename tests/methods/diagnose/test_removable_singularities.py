"""Singular points at which the function goes on: its limits, against those that are known."""

import math

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.methods.diagnose.removable_singularities import limits


def sinc(x):
    return np.sin(x) / x


KNOWN = {
    "sin(x)/x": (sinc, 0.0, 1.0, 0.0),
    "(exp(x) - 1)/x": (lambda x: (np.exp(x) - 1) / x, 0.0, 1.0, 0.5),
    "(x**2 - 1)/(x - 1)": (lambda x: (x**2 - 1) / (x - 1), 1.0, 2.0, 1.0),
    "behind it": (lambda x: 3 * np.exp((1 - np.cos(x)) / x**2), 0.0, 3 * math.exp(0.5), 0.0),
}


def quotient(tape):
    return next(node.index for node in tape.nodes if node.rule is RULES["div"])


@pytest.mark.parametrize(("f", "at", "value", "derivative"), KNOWN.values(), ids=KNOWN)
def test_limits(f, at, value, derivative):
    with np.errstate(all="ignore"):
        tape = gradcli.trace(f, np.float64(at))
    found = limits(tape, quotient(tape), f, {"x": np.float64(at)})

    assert (value, derivative) == pytest.approx(tuple(found), abs=1e-12)


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: abs(x) / x, np.float64(0.0)),
        (lambda x: x / (x * x), np.float64(0.0)),
        (lambda x: np.sin(1 / x) * x / x, np.float64(0.0)),
        (lambda x: np.sum(x) / x[0], np.zeros(2)),
    ],
    ids=["a bend", "a pole", "no limit", "two numbers"],
)
def test_there_is_none(f, at):
    with np.errstate(all="ignore"):
        tape = gradcli.trace(f, at)

    assert limits(tape, quotient(tape), f, {"x": at}) is None


def test_the_finding_has_the_line_and_the_numbers(tmp_path):
    file = tmp_path / "quotients.py"
    file.write_text("import numpy as np\ndef f(x):\n    return np.sin(x) / x\n")
    found = queries.gradient(f"{file}:f", "0").findings

    (told,) = [each for each in found if each.code == "G209"]
    assert (told.line, told.numbers) == (3, {"value": 1.0, "derivative": 0.0})

"""Programs of plain numbers as Python source: the same numbers as the run and its sweep, bit for bit."""

from __future__ import annotations

import math

import numpy as np
import pytest

from examples.hyperbox import f4
from gradcli import grad, trace
from gradcli.errors import ResultError, UnsupportedError
from gradcli.rules.rule_table import RULES
from gradcli.rules.rule_types import Elementwise
from gradcli.traces.straight_line_source import gradient_source
from tests.numerics.programs import random_program

pytestmark = pytest.mark.sampled(4)  # many like cases

F4 = """\
def value_and_gradient(x0, x1, x2, x3):
    v0 = x0 * x1
    v1 = x2 * x3
    v2 = v0 * x2
    v3 = v0 * x3
    v4 = x0 * v1
    v5 = x1 * v1
    v6 = v2 + v3
    v7 = v6 + v4
    v8 = v7 + v5
    v9 = 2.0 * v8
    c10 = 1.0 * 2.0
    c11 = c10 * v1
    c12 = c10 * x1
    c13 = c10 * v1
    c14 = c12 + c10 * x0
    c15 = c10 * x3
    c16 = c10 * v0
    c17 = c15 + c10 * x2
    c18 = c10 * v0
    c19 = c18 + c14 * x3
    c20 = c16 + c14 * x2
    c21 = c13 + c17 * x1
    c22 = c11 + c17 * x0
    return v9, (c21 + 0.0, c22 + 0.0, c19 + 0.0, c20 + 0.0,)
"""


def made(recorded):
    """The function that the source of a run defines."""
    text, scope = gradient_source(recorded)
    exec(text, scope)
    return scope["value_and_gradient"]


def holds(seed):
    """The value and the gradient of a random program at its point."""
    program, point = random_program(seed)
    try:
        recorded = trace(program, *point, names=False)
    except (ArithmeticError, ValueError, TypeError):  # it has no value there
        return False
    if recorded.has_complex or recorded.has_arrays:
        return False
    sensitivities = recorded.sensitivities()
    value, gradient = made(recorded)(*point)
    np.testing.assert_array_equal(recorded.value, value)
    np.testing.assert_array_equal([sensitivities[index] for index in recorded.input_indices()], gradient)
    return True


def test_the_seeds_box():
    """Statement by statement, and its numbers."""
    recorded = trace(f4, [2.0, 3.0, 4.0, 5.0], names=False)

    assert F4 == gradient_source(recorded)[0]
    assert (308.0, (94.0, 76.0, 62.0, 52.0)) == made(recorded)(2.0, 3.0, 4.0, 5.0)
    assert (100.0, (52.0, 38.0, 28.0, 22.0)) == made(recorded)(1.0, 2.0, 3.0, 4.0)


def test_random_programs():
    """Some every day."""
    assert sum(map(holds, range(100))) > 70


@pytest.mark.long
def test_many_random_programs():
    """Two thousand others."""
    assert sum(map(holds, range(100, 2100))) > 1500


def differentiable(rule):
    """Whether a row has a partial by each argument."""
    return None not in rule.partials


@pytest.mark.parametrize(
    "name", sorted(name for name, rule in RULES.items() if isinstance(rule, Elementwise) and differentiable(rule))
)
def test_every_row(name):
    """Value and gradient as the rule has them, at a point at which it is defined."""
    rule = RULES[name]
    point = [0.5 + 0.75 * n + (1.0 if name == "acosh" else 0.0) for n in range(len(rule.parameters))]
    try:
        recorded = trace(lambda *x: rule(*x) * x[0], *point, names=False)
    except (ArithmeticError, ValueError):
        pytest.skip("it is not defined there")
    if recorded.has_complex or recorded.has_arrays or recorded.result is None:
        pytest.skip("it gives no plain number")
    value, gradient = made(recorded)(*point)

    assert recorded.value == value
    assert grad(lambda *x: rule(*x) * x[0], tuple(range(len(point))))(*point) == gradient


def test_what_has_no_part_is_not_written():
    """Nor what its cotangents would be."""
    text, _ = gradient_source(trace(lambda x, y: (math.sin(y), x * x)[1], 3.0, 2.0, names=False))

    assert "sin" not in text
    assert text.endswith(" + 0.0, 0.0,)\n")


def test_a_branch_is_the_one_that_was_taken():
    """The text asks nothing."""
    function = made(trace(lambda x: x * x if x > 1 else -x, 3.0, names=False))

    assert (9.0, (6.0,)) == function(3.0)
    assert (0.25, (1.0,)) == function(0.5)


def test_a_constant_result():
    """Its gradient is zero."""
    assert (2.0, (0.0,)) == made(trace(lambda x: 2.0, 3.0, names=False))(3.0)


@pytest.mark.parametrize(
    ("f", "x", "error", "words"),
    [
        (lambda x: np.sum(x * x), np.ones(2), UnsupportedError, "of arrays is not written out"),
        (lambda x: abs(x * 1j), 2.0, UnsupportedError, "complex numbers are not written out"),
        (lambda x: [x, x], 2.0, ResultError, "the result is not one number"),
    ],
)
def test_what_is_not_written_out(f, x, error, words):
    """By name."""
    with pytest.raises(error, match=words):
        gradient_source(trace(f, x, names=False))

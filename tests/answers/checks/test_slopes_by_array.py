"""Jumps that difference quotients miss."""

import math
from contextlib import nullcontext

import pytest

from gradcli.answers.checks.problem.compared_case import open_case
from gradcli.answers.checks.slopes_by_array import with_small_jump
from gradcli.answers.targets.functions import function_target
from gradcli.methods.numerics import differences


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: 5 * x + (1e-3 if x >= 1 else 0.0), 1e-3),
        (lambda x: 5 * x + (1e-9 if x >= 1 else 0.0), 1e-9),
        (lambda x: 5 * x + (1e-3 if x == 1 else 0.0), 1e-3),
        (lambda x: 5 * x if x >= 1 else 6 * x - 1, 0.0),
        (lambda x: abs(x - 1) ** 0.1 if x > 1 else 0.0, 0.0),
        (lambda x: math.sin(1e12 * x) if x > 1 else 0.0, 0.0),
    ],
    ids=["a step", "a small one", "one point", "a bend", "a steep root", "a fast oscillation"],
)
def test_a_jump_is_told_from_what_is_steep(f, expected):
    case = open_case(function_target("f", "f", f), {"x": 1.0}, ["x"], lambda doing, **_: nullcontext())
    found = with_small_jump(case, case.parts[0], differences.Slope())

    assert math.isclose(found.jump, expected, rel_tol=1e-3, abs_tol=1e-30)

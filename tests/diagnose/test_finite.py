"""Where the first number that is not finite was born."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradcli.diagnose.finite import birth, finite
from gradcli.transforms import trace


def overflowing(x):
    """The value overflows in its second step."""
    large = x * 1e200
    larger = large * large
    return larger * 0.5


def infinite_slope(x):
    """The slope of a root at 0 meets a zero."""
    root = math.sqrt(x)
    return root * root


def found(f, *at):
    """The one finding of a run."""
    (finding,) = birth(trace(f, *at))
    return finding


def test_a_value_is_named_with_its_operands():
    """The first, by the user's name and line."""
    finding = found(overflowing, 1.0)

    assert "G101" == finding.code
    assert "larger is the first value that is not finite: mul(1e+200, 1e+200)" == finding.message
    assert (__file__, overflowing.__code__.co_firstlineno + 3) == (finding.file, finding.line)


def test_a_sensitivity_is_named_where_all_values_are_finite():
    """The first on the way back."""
    finding = found(infinite_slope, 0.0)

    assert ("G102", "the sensitivity on x = 0.0 is the first that is not finite") == (
        finding.code, finding.message.replace("input", "x")
    )  # fmt: skip


def test_an_infinity_from_the_program_itself():
    """A constant is no step, and the step that takes it is the first."""
    assert "add(1.0, inf)" in found(lambda x: x + math.inf, 1.0).message


def test_a_finite_run_has_no_birth():
    """Nothing to tell."""
    assert [] == birth(trace(lambda x: x * x, 1.0))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.0, True),
        (3, True),
        (math.nan, False),
        (math.inf, False),
        (np.ones(3), True),
        (np.array([1.0, np.nan]), False),
    ],
)
def test_finite(value, expected):
    """A value is finite where every number in it is."""
    assert expected is finite(value)

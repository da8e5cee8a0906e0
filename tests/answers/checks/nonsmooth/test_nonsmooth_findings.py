"""The findings of points that are not smooth, each with the user's line."""

import math

import numpy as np
import pytest

import gradcli


def step(x):
    """Jumps."""
    doubled = 2 * x
    return 1.0 if doubled > 0 else 0.0


def near(x):
    """Turns 1e-9 on."""
    if x < 1 + 1e-9:
        return 3 * x
    return 2 * x + 1


def guard(x):
    """Flat next to 0 alone."""
    return 1.0 if abs(x) < 1e-8 else math.expm1(x) / x


def point(x):
    """Defined at 0 in a branch of its own."""
    if x == 0:
        return 0.0
    return math.expm1(x)


def hinge(x):
    """Two lines that meet."""
    low = 1 - x
    return low if x < 1 else 0.0


def rectified(x):
    """Bends in each number that is 0."""
    return np.sum(np.abs(x))


def nonsmooth_findings(f, at):
    """Code, message and line of each finding of this kind."""
    found = gradcli.check(f, at=at).findings
    start = f.__code__.co_firstlineno
    return [(x.code, x.message, x.line and x.line - start) for x in found if x.code in ("G201", "G202", "G204", "G206")]


@pytest.mark.parametrize(
    ("f", "at", "code", "said", "line"),
    [
        (step, 0.0, "G204", "x: the value jumps by 1 here, so there is no derivative; `return 1.0 if", 3),
        (near, 1.0, "G202",
            "x: differences stay within 1e-09 of the point, because the function changes beyond that; `if x < 1", 2),
        (guard, 0.0, "G206",
            "holds only within 2e-09 of the point; the slope next to it tends to 0.5, and the slope of", 2),
        (point, 0.0, "G206", "x: only this point takes the recorded path; the slope next to it tends to 1", 2),
        (hinge, 1.0, "G201", "x: the slopes are -1 to the left and 0 to the right; `return low if x < 1", 3),
        (rectified, np.array([0.0, 1.0]), "G201", "x[0]: the slopes are -1 to the left and 1 to the right; `return", 2),
        (rectified, np.zeros(5), "G201", "; likewise for 4 more", 2),
    ],
    ids=["a jump", "nearby", "a guard", "one point", "a branch", "an array", "many"],
)  # fmt: skip
def test_the_line_where_it_turns(f, at, code, said, line):
    ((found, message, place),) = nonsmooth_findings(f, at)

    assert (code, line) == (found, place)
    assert said in message


@pytest.mark.parametrize(
    ("f", "at"),
    [(hinge, 0.5), (rectified, np.ones(3)), (lambda x: x * abs(x), 0.0), (lambda x: x // 1, 0.5)],
)
def test_a_smooth_point_has_none(f, at):
    assert nonsmooth_findings(f, at) == []


def test_a_function_without_a_line_of_the_users():
    assert [("G201", "x: the slopes are -1 to the left and 1 to the right", None)] == [
        (found.code, found.message, found.line) for found in gradcli.check(abs, at=0.0).findings
    ]

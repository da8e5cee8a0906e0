"""Around the point: jumps, islands, and values that left the tape."""

import ctypes
import math
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

import gradcli
from gradcli.checks.evidence_types import Boundary, Evidence, Exact, IsolatedPath, Measured
from gradcli.checks.nonsmooth import isolated_paths
from gradcli.checks.problem.compared_case import open_case
from gradcli.numerics import differences
from gradcli.targets.functions import function_target

pytestmark = pytest.mark.sampled(4)  # many like cases


def case_of(f, x):
    """The case of a function of one number, and its one part."""
    case = open_case(function_target("f", "f", f), {"x": x}, ["x"], lambda doing, **_: nullcontext())
    return case, case.parts[0]


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
    case, part = case_of(f, 1.0)
    found = isolated_paths.with_leap(case, part, differences.Slope())

    assert math.isclose(expected, found.jump, rel_tol=1e-3, abs_tol=1e-30)


@pytest.mark.filterwarnings("ignore:G20")
@pytest.mark.parametrize(
    ("f", "x", "expected"),
    [
        (lambda x: 0.0 if x == 0 else math.expm1(x), 0.0, (0.0, 1.0)),
        (lambda x: 1.0 if abs(x) < 1e-8 else math.expm1(x) / x, 0.0, (1e-8, 0.5)),
        (lambda x: 1.0 if abs(x) < 1e-8 else math.sin(x) / x, 0.0, (1e-8, 0.0)),
        (lambda x: 3 * x if x < 1 + 1e-9 else 2 * x + 1, 1.0, None),
        (lambda x: x * x if x > 0 else 0.0, 1.0, None),
    ],
    ids=["one point", "a guard", "a guard with the right slope", "a branch on one side", "a branch far off"],
)
def test_an_island_is_narrow_to_both_sides(f, x, expected):
    case, part = case_of(f, x)
    reference = gradcli.grad(f)(x)
    found = isolated_paths.isolated_path(
        case, part, reference, differences.slope(case.by(part), x, case.eps, case.reach([part], [1]))
    )

    if expected is None:
        assert found is None
    else:
        width, slope = expected
        assert width / 16 <= found.width <= width
        assert math.isclose(found.beyond.value, slope, rel_tol=1e-6, abs_tol=1e-12)


def evidence_of(f, x):
    """The case of a function of an array, and the evidence of differences alone."""
    case = open_case(function_target("f", "f", f), {"x": x}, ["x"], lambda doing, **_: nullcontext())
    slopes = [differences.slope(case.by(part), part.value, case.eps) for part in case.parts]
    return case, [Evidence(case.value, 0.0, 1e-7, Exact(0.0), Measured(slope)) for slope in slopes]


@pytest.mark.parametrize(
    ("f", "at", "is_named"),
    [
        (np.median, np.ones(3), True),
        (lambda x: np.median(x[:3]) + np.abs(x[3]), np.array([1.0, 1.0, 1.0, 0.0]), True),
        (lambda x: np.sum(np.abs(x)), np.zeros(3), False),
        (lambda x: np.abs(x[0]) + x[1] ** 2, np.array([0.0, 3.0]), False),
    ],
    ids=["a tie", "a tie and a bend", "bends of single numbers", "a bend and a smooth term"],
)
def test_a_direction_along_which_slopes_do_not_add_up(f, at, is_named):
    """Bends of single numbers add up from their one-sided slopes."""
    found = isolated_paths.nonadditive_direction(*evidence_of(f, at))

    assert ("the partial slopes add up to" in found) is is_named


@pytest.mark.parametrize(("f", "is_one"), [(np.median, False), (lambda x: np.sum(np.expm1(x)), True)])
def test_whether_slopes_next_to_the_point_form_a_gradient(f, is_one):
    """The median of equal numbers is flat along every axis, beside the path that only the point takes."""
    case, evidence = evidence_of(f, np.zeros(3))
    path = IsolatedPath(0.0, evidence[1].slope, inner=1.0)
    evidence[1] = replace(evidence[1], boundary=Boundary(path=path))

    assert isolated_paths.form_a_gradient(case, evidence) is is_one


LATE = [
    (lambda x: np.sum(np.abs(x) ** 3) ** (1 / 3), np.zeros(3), [0.4, 0.4, -0.4], [0.55, 0.55, -0.55]),
    (np.max, np.ones(3), [0.5, 0.25, 0.25], np.ones(3)),
    (np.median, np.ones(3), [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]),
    (lambda x: np.abs(x[0] + x[1]) + x[2] ** 2, np.array([1.0, -1.0, 2.0]), [0.5, 0.5, 4.0], [0.5, -0.5, 4.0]),
    (lambda x: np.sqrt(np.abs(x[0] * x[1])), np.zeros(2), [0.0, 0.0], [0.3, 0.3]),
    (lambda x: np.median(x[:3]) + np.abs(x[3]), np.array([1.0, 1.0, 1.0, 0.0]), [0, 1, 0, 0.5], [1, 1, 0, 0.5]),
]


@pytest.mark.parametrize("is_opaque", [False, True], ids=["recorded", "opaque"])
@pytest.mark.parametrize(("f", "at", "right", "wrong"), LATE)
def test_a_search_without_time_decides_nothing(f, at, right, wrong, is_opaque, monkeypatch):
    """Where kinks are of several numbers together, neither the partial slopes nor the pieces found so far judge."""
    monkeypatch.setattr(isolated_paths, "PATIENCE", 0.0)
    g = (lambda x: float(f(np.array([ctypes.c_double(float(number)).value for number in x])))) if is_opaque else f
    found = [
        gradcli.check(g, at=at, against=lambda x, claim=claim: np.array(claim)).verdict for claim in (right, wrong)
    ]

    assert found == ["inconclusive"] * 2


def test_bends_of_single_numbers_need_no_search(monkeypatch):
    monkeypatch.setattr(isolated_paths, "PATIENCE", 0.0)
    f = lambda x: np.abs(x[0]) + x[1] ** 2
    found = [gradcli.check(f, at=np.array([0.0, 3.0]), against=lambda x, s=s: np.array([0.5, s])) for s in (6.0, 7.0)]

    assert [each.verdict for each in found] == ["pass", "fail"]


def test_ordinary_steps_leave_a_narrow_path():
    """Far away, Newton's iteration for the root of a negative number would never end."""
    far = []

    def newton_from_one(a):
        if a < 0.5:
            far.append(a)
            return 1.0
        x = 1.0
        while abs(x * x - a) > 1e-10:
            x = 0.5 * (x + a / x)
        return x

    assert (gradcli.check(newton_from_one, at=1.0).verdict, far) == ("inconclusive", [])

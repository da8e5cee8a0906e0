"""Whether slopes by single numbers add up along directions that move several."""

import ctypes
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

import gradcli
from gradcli.answers.checks import evidence
from gradcli.answers.checks.evidence_types import Boundary, Evidence, Exact, IsolatedPath, Measured
from gradcli.answers.checks.nonsmooth.additive_slopes import form_a_gradient, nonadditive_direction
from gradcli.answers.checks.problem.compared_case import open_case
from gradcli.answers.targets.functions import function_target
from gradcli.methods.numerics import differences

pytestmark = pytest.mark.sampled(4)  # many like cases


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
    found = nonadditive_direction(*evidence_of(f, at))

    assert ("the partial slopes add up to" in found) is is_named


@pytest.mark.sampled(1)
@pytest.mark.parametrize("numbers", [{1}, {0, 1, 2}], ids=["of one number", "of all"])
@pytest.mark.parametrize(("f", "is_one"), [(np.median, False), (lambda x: np.sum(np.expm1(x)), True)])
def test_whether_slopes_next_to_the_point_form_a_gradient(f, is_one, numbers):
    """The median of equal numbers is flat along every axis, beside the path that only the point takes."""
    case, known = evidence_of(f, np.zeros(3))
    for n in numbers:
        path = IsolatedPath(0.0, known[n].slope, inner=1.0)
        known[n] = replace(known[n], boundary=Boundary(path=path))

    assert form_a_gradient(case, known) is is_one


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
    monkeypatch.setattr(evidence, "PATIENCE", 0.0)
    g = (lambda x: float(f(np.array([ctypes.c_double(float(number)).value for number in x])))) if is_opaque else f
    found = [
        gradcli.check(g, at=at, against=lambda x, claim=claim: np.array(claim)).verdict for claim in (right, wrong)
    ]

    assert found == ["inconclusive"] * 2


def test_bends_of_single_numbers_need_no_search(monkeypatch):
    monkeypatch.setattr(evidence, "PATIENCE", 0.0)
    f = lambda x: np.abs(x[0]) + x[1] ** 2
    found = [gradcli.check(f, at=np.array([0.0, 3.0]), against=lambda x, s=s: np.array([0.5, s])) for s in (6.0, 7.0)]

    assert [each.verdict for each in found] == ["pass", "fail"]

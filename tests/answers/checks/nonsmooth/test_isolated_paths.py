"""Recorded paths that hold only next to the point, and the slopes beyond them."""

import math
from contextlib import nullcontext

import numpy as np
import pytest
import sympy

import gradcli
from gradcli.answers.checks import references
from gradcli.answers.checks.nonsmooth import isolated_paths
from gradcli.answers.checks.problem.compared_case import open_case
from gradcli.answers.targets.functions import function_target
from gradcli.methods.numerics import differences
from gradcli.shared.records.checks import Verdict

pytestmark = pytest.mark.sampled(4)  # many like cases


def case_of(f, x):
    """The case of a function of one number, and its one part."""
    case = open_case(function_target("f", "f", f), {"x": x}, ["x"], lambda doing, **_: nullcontext())
    return case, case.parts[0]


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


def divided_difference(x):
    if x[0] == x[1]:
        return x[0] + x[1]
    return (x[0] ** 2 - x[1] ** 2) / (x[0] - x[1])


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("slope", "verdict"), [(1.0, "pass"), (1.1, "fail")])
def test_a_path_of_one_point_whose_slope_goes_on(slope, verdict):
    """Next to the point the rounding errors of the quotient give gradients of any size, which say nothing."""
    assert gradcli.check(divided_difference, at=np.full(2, 1.3), against=[[slope, slope]]).verdict == verdict


def test_a_path_is_found_without_differences_too(monkeypatch):
    """Beyond the first numbers of the point there are none."""
    monkeypatch.setattr(references, "MOST_DIFFERENCES", 1)
    guarded = lambda x: np.sum(np.where(abs(x) < 1e-9, 0.0, x))
    found = gradcli.check(guarded, at=np.zeros(2), against=np.ones(2))

    assert [row.verdict for row in found.components] == [Verdict.NOISY] * 2


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


def safe(x):
    return np.where(x == 0, 1.0, x)


# Functions of an array whose value at 0 is that of its limit, with the derivatives that SymPy finds for the limit at 0.
CONTINUED = {
    "expm1": (lambda x: np.where(x == 0, 0.0, np.expm1(x)), "exp(x) - 1"),
    "sinc": (lambda x: np.where(x == 0, 1.0, np.sin(safe(x)) / safe(x)), "sin(x)/x"),
    "x log1p": (lambda x: np.where(x == 0, 0.0, safe(x) * np.log1p(safe(x))), "x*log(1 + x)"),
    "log1p over x": (lambda x: np.where(x == 0, 1.0, np.log1p(safe(x)) / safe(x)), "log(1 + x)/x"),
    "x abs over x": (lambda x: np.where(x == 0, 0.0, safe(x) ** 2 * np.abs(safe(x)) / safe(x)), "x*Abs(x)"),
    "tan": (lambda x: np.where(x == 0, 0.0, np.tan(x)), "tan(x)"),
    "mask": (lambda x: np.sinh(x) * (x != 0), "sinh(x)"),
}


def slopes_of(text, x):
    """The derivative by SymPy at each number, at 0 as a limit."""
    symbol = sympy.Symbol("x", real=True)
    derivative = sympy.diff(sympy.sympify(text, {"x": symbol}), symbol)
    at_0 = float(sympy.limit(derivative, symbol, 0))
    return np.array([float(derivative.subs(symbol, number)) if number else at_0 for number in x.tolist()])


@pytest.mark.long
@pytest.mark.parametrize(("function", "text"), CONTINUED.values(), ids=CONTINUED)
def test_numbers_behind_a_comparison_in_a_large_array(function, text):
    """They are too many to be differenced one by one: those at which the path changes are."""
    x = np.linspace(0.2, 0.9, 70)
    x[[66, 69]] = 0.0
    right = slopes_of(text, x)
    wrong = np.where(np.arange(70) == 69, 0.0 if right[69] else 1.0, right)
    verdicts = [
        gradcli.check(lambda x: np.sum(function(x)), at=(x,), against=lambda x: g).verdict for g in (right, wrong)
    ]

    assert verdicts == ["pass", "fail"]


@pytest.mark.filterwarnings("ignore:G20")
def test_those_that_are_left_are_judged_together(monkeypatch):
    """Where more paths are isolated than can be differenced."""
    monkeypatch.setattr(references, "MOST_DIFFERENCES", 2)
    x = np.array([0.3, 0.0, 0.5, 0.0, 0.0, 0.7, 0.0])
    wrong = np.exp(x) + np.where(np.arange(7) == 6, 0.01, 0)
    function = CONTINUED["expm1"][0]
    verdicts = [
        gradcli.check(lambda x: np.sum(function(x)), at=(x,), against=lambda x: g).verdict for g in (np.exp(x), wrong)
    ]

    assert verdicts == ["pass", "fail"]

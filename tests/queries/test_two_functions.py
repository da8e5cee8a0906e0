"""Two functions beside each other: equal within rounding, or where they first differ and by how much."""

import math
from pathlib import Path

import pytest

from gradcli import queries
from gradcli.errors import PointError, ResultError, UnsupportedError, UserCodeError
from gradcli.shared.records.check_request import CheckRequest

LOGSUMEXP = """
import numpy as np

def plain(x):
    return np.log(np.sum(np.exp(x)))

def stable(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))

def mean(x):
    return np.log(np.mean(np.exp(x)))

def narrow(x):
    return np.sum(np.float32(2) * x.astype(np.float32))

def wide(x):
    return np.sum(2 * x)

def spectrum(x):
    return np.sum(np.abs(np.fft.fft(x)) ** 2)

def many(x):
    return x * x

def raises(x):
    if x[0] > 1.5:
        raise ValueError("too large")
    return plain(x)

def renamed(weights):
    return np.log(np.sum(np.exp(weights)))
"""


@pytest.fixture
def target(tmp_path: Path):
    """The name of a function of a file."""
    (tmp_path / "two.py").write_text(LOGSUMEXP)
    return lambda name: f"{tmp_path}/two.py:{name}"


@pytest.mark.parametrize(
    ("expected", "one", "other", "at"),
    [
        ("equal", "x*(y + 1)", "x*y + x", "1,2"),
        ("equal", "log(x*y)", "log(x) + log(y)", "3,4"),
        ("equal", "tanh(x)", "sinh(x) / cosh(x)", "0.3"),
        ("equal", "x*y", "y*x", "3,4"),
        ("equal", "0.1*x + 0.2*x", "0.3*x", "3"),
        ("differ", "x^2", "x^2 + 1e-12*x", "3"),
        ("differ", "x^2", "x*x + sin(3.1415926*x)*1e-9", "2"),
        ("differ", "sin(x)", "x", "0"),  # the value and the slope are equal at 0, and nowhere else
        ("inconclusive", "max(x, 0)", "where(x > 0, x, 0)", "0"),
        ("inconclusive", "(1 - cos(x)) / x^2", "2*sin(x/2)^2 / x^2", "1e-7"),
        ("nonfinite", "log(-exp(x))", "sqrt(-exp(x))", "1"),
    ],
)
def test_two_formulas(expected, one, other, at):
    """What rounding explains is no difference; what a kink or lost digits leave open is left open."""
    found = queries.compare(one, at, other, CheckRequest(points=20))

    assert (expected, expected) == (
        found.verdict,
        queries.compare(other, _by_name(found), one, CheckRequest(points=20)).verdict,
    )
    assert found.exit == {"equal": 0, "differ": 1, "inconclusive": 3, "nonfinite": 4}[expected]


def _by_name(found):
    return dict(found.point)


def test_where_they_first_differ(target):
    """A random point, of the box where there is one, repeated by its seed; the given one is tried first."""
    found = queries.compare("abs(x)", "1", "x", CheckRequest(points=50, box=["x=-1:3"], seed=3))
    again = queries.compare("abs(x)", "1", "x", CheckRequest(points=50, box=["x=-1:3"], seed=3))

    assert found == again
    assert found.drawn
    assert -1 < found.point["x"] < 0
    assert (found.points, 0 < found.differing < 51) == (51, True)
    assert not queries.compare("abs(x)", "-1", "x", CheckRequest(points=50)).drawn


@pytest.mark.parametrize(
    ("one", "other", "at", "how", "numbers"),
    [
        ("plain", "stable", "[1,2,3]", {"points": 10}, "equal equal equal equal"),
        ("plain", "mean", "[1,2,3]", {"points": 10}, "differ equal equal equal"),
        ("plain", "stable", "[1000,2]", {}, "differ differ equal"),  # an overflow of one alone
        ("narrow", "wide", "[0.1,0.7]", {"points": 5}, "equal equal equal"),  # the bounds are those of the coarser
    ],
)
def test_functions_of_arrays(target, one, other, at, how, numbers):
    found = queries.compare(target(one), at, target(other), CheckRequest(**how))

    assert found.verdict == ("differ" if "differ" in numbers else "equal")
    assert [each.name for each in found.numbers][:2] == ["value", "x[0]"]
    assert [each.verdict for each in found.numbers] == numbers.split()


def test_how_far_they_are_apart(target):
    found, overflow = (
        queries.compare("x", "1", f"x + {2**-52}"),
        queries.compare(target("plain"), "[1000,2]", target("stable")),
    )

    assert [each.ulps for each in found.numbers] == [1.0, 0.0]
    assert (found.numbers[0].first, found.numbers[0].second) == (1.0, 1 + 2**-52)
    assert (overflow.numbers[0].first, overflow.numbers[0].second) == (math.inf, 1000.0)
    assert queries.compare("x", None, "x", CheckRequest(box=["x=1:3"])).point == {"x": 2.47}  # a box gives the point


@pytest.mark.parametrize(
    ("how", "expected"), [({"rtol": 1e-6}, "equal"), ({"atol": 1e-6}, "equal"), ({"rtol": 1e-8}, "differ")]
)
def test_tolerances(how, expected):
    assert queries.compare("x", "1", "x + 1e-7", CheckRequest(**how)).verdict == expected


@pytest.mark.parametrize(("name", "error"), [("many", ResultError), ("spectrum", UnsupportedError)])
def test_what_cannot_be_compared(target, name, error):
    """Arrays, and complex numbers."""
    with pytest.raises(error):
        queries.compare(target(name), "[1,2]", target(name))


def test_points_where_one_raises(target):
    """At the given point it is an error of the user's code; at a random one that function has no value."""
    with pytest.raises(UserCodeError):
        queries.compare(target("raises"), "[2,2]", target("plain"))
    found = queries.compare(target("raises"), "[1,2]", target("plain"), CheckRequest(points=50))

    assert (found.verdict, found.point["x"][0] > 1.5) == ("differ", True)
    assert math.isnan(found.numbers[0].first)


def test_inputs_of_other_names(target):
    """Functions are called in order where no name is shared; formulas never."""
    assert queries.compare(target("plain"), "[1,2]", target("renamed")).verdict == "equal"
    with pytest.raises(PointError, match=r"x takes x, and y takes y\."):
        queries.compare("x", "1", "y")
    with pytest.raises(PointError, match=r"x\*y takes x, y, and x takes x\."):
        queries.compare("x*y", "1,2", "x")


def cone(π, r):  # noqa: PLC2401
    return π * r**2


def disc(pi, r):
    return pi * r**2


@pytest.mark.parametrize("at", ["pi=2,r=3", "π=2,r=3"])
@pytest.mark.parametrize("both", [(disc, "pi*r^2"), ("pi*r^2", disc), (cone, "π*r^2"), ("pi*r^2", cone), (cone, disc)])
def test_a_constant_of_a_formula_is_the_other_functions_input_of_that_name(at, both):
    assert queries.compare(both[0], at, both[1], CheckRequest(points=5)).verdict == "equal"

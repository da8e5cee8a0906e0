"""Plots of every kind: which is asked for, what is drawn, and where the arguments do not fit."""

import math

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.errors import PointError, UsageError
from gradcli.shared.records.plots import Bars, Contour, Curves, Plot


def rosenbrock(x, y):
    return (1 - x) ** 2 + 100 * (y - x * x) ** 2


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ({}, Plot),
        ({"along": "y"}, Plot),
        ({"along": "1,0"}, Plot),
        ({"along": "x=1,y=0"}, Plot),
        ({"along": "x, y"}, Contour),
        ({"kind": "surface"}, Contour),
        ({"kind": "all"}, Curves),
        ({"kind": "bars"}, Bars),
        ({"kind": "differences"}, Plot),
    ],
    ids=str,
)
def test_kinds(asked, kind):
    assert type(gradcli.plot(rosenbrock, (-1.0, 1.0), **asked)) is kind


def test_a_contour_holds_the_values_of_the_function():
    found = gradcli.plot(rosenbrock, (-1.0, 1.0), along="y,x", within="0:1,-2:2")

    assert (found.along, found.marked) == (("y", "x"), (1.0, -1.0))
    assert (found.x[0], found.x[-1], found.y[0], found.y[-1]) == (0.0, 1.0, -2.0, 2.0)
    assert found.values == tuple(tuple(rosenbrock(x, y) for y in found.x) for x in found.y)


def test_a_contour_of_elements():
    """The rest of the point stays; where the function raises there is nothing."""
    found = gradcli.plot(lambda w, k: k * math.log(w[1] + 0.95) + w[0] , {"w": np.array([1.0, 2.0, 3.0]), "k": 2.0},
                         along="w[0],w[1]", within="-1:1")  # fmt: skip

    assert dict(found.fixed) == {"k": 2.0}
    assert math.isnan(found.values[0][0])
    assert found.values[-1][-1] == 2 * math.log(1.95) + 1


def test_a_path_widens_the_axes(tmp_path):
    rows = tmp_path / "path.csv"
    rows.write_text("y,x\n1,-7\n3,1\n")
    by_file = queries.plot("x^2 + y^2", "1,2", along="x,y", path=str(rows))
    by_points = gradcli.plot(lambda x, y: x * x + y * y, (1.0, 2.0), along="x,y", path=[(-7.0, 1.0), (1.0, 3.0)])

    assert by_file.path == by_points.path == ((-7.0, 1.0), (1.0, 3.0))
    assert by_file.x[0] < -7 < 1 < by_file.x[-1]


def test_jumps_are_gaps():
    """Of the value and of the derivative; both sides are drawn up to the jump."""
    stairs, corner = queries.plot("floor(x)", "0.3", within="-1.5:1.5"), queries.plot("abs(x)", "0.3")
    value, slope = stairs.series[0], corner.series[1]
    gaps = [n for n, y in enumerate(value.y) if math.isnan(y)]

    assert [round(x, 6) + 0.0 for x in value.jumps] == [-1.0, 0.0, 1.0]
    assert [value.y[n + 1] - value.y[n - 1] for n in gaps] == [1.0, 1.0, 1.0]
    assert [round(x, 6) for x in slope.jumps] == [0.0]
    assert corner.series[0].jumps == ()


def test_all_numbers_at_once():
    found = gradcli.plot(lambda w, b: b * w[0] * w[1], (np.array([1.0, 2.0]), 3.0), kind="all")

    assert [plot.along for plot in found.plots] == ["w[0]", "w[1]", "b"]
    assert all(plot.series[0].marked == 6.0 for plot in found.plots)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"kind": "pie"}, "kind is 'pie'"),
        ({"paths": []}, "paths"),
        ({"path": []}, "A path is drawn over a contour"),
        ({"along": "x,x"}, "has to name two numbers"),
        ({"along": "x,z"}, "z"),
        ({"along": "x,y", "within": "0:1,0:1,0:1"}, "more than two intervals"),
        ({"along": "x,y", "path": [(1.0, 2.0, 3.0)]}, "3"),
    ],
    ids=str,
)
def test_what_does_not_fit(asked, message):
    with pytest.raises(UsageError, match=message):
        gradcli.plot(rosenbrock, (-1.0, 1.0), **asked)


def test_a_surface_needs_two_numbers_and_a_value():
    with pytest.raises(PointError, match="two numbers"):
        gradcli.plot("x**2", "1", kind="surface")
    with pytest.raises(PointError, match="not finite anywhere"):
        gradcli.plot("log(x) + log(y)", "1,1", along="x,y", within="-2:-1")

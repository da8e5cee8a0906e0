"""The point in the heading of a result."""

import pytest

from gradcli.terminal.render.layout.heading import at
from gradcli.terminal.render.layout.stream_style import Look, as_text

POINT = {"W": [[n / 7 for n in range(9)]] * 4, "b": [n / 7 for n in range(6)], "c": [n / 3 for n in range(4)]}


def test_a_long_point_on_a_terminal():
    text = as_text(at(POINT, Look(width=80, terminal=True)), Look())

    assert text.strip() == (
        "at W=4×9 numbers, b=[0.0, 0.142857, 0.285714, 0.428571, 0.571429, 0.714286], c=[0.0, 0.333333, 0.666667, 1.0]"
    )


def test_a_long_point_in_a_pipe_can_be_typed():
    assert "c=[0.0, 0.3333333333333333, 0.6666666666666666, 1.0]" in as_text(at(POINT, Look()), Look())


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        ({"x": [n / 7 for n in range(40)]}, "at x=40 numbers"),
        ({"x": [1.0, 2.0]}, "at x=[1.0, 2.0]"),
        ({"x": 1 / 3, "y": 2 / 3, "z": 1 / 7, "w": 1 / 9}, "at x=0.333333, y=0.666667, z=0.142857, w=0.111111"),
        ({"A": [[n / 7 for n in range(9)]] * 4}, "at A=4×9 numbers"),
        ({"a": {"b": [n / 7 for n in range(40)]}}, "at a=40 numbers"),
    ],
    ids=["many", "few", "digits", "a matrix", "names"],
)
def test_a_point_in_a_pipe_of_a_given_width(point, expected):
    assert as_text(at(point, Look(width=60)), Look()).strip() == expected

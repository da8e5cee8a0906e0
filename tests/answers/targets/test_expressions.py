"""Expressions as targets: inputs, constants, the reading, and the value."""

import math

import numpy as np
import pytest

from gradcli.answers.targets import parse_point, resolve
from gradcli.errors import PointError


def value(text, point):
    """The value of an expression at a typed point."""
    target = resolve(text)
    at = parse_point(point, target)
    return target.with_inputs(at).function(*at.values())


def test_inputs_stand_in_order_of_appearance():
    """Names, and constants that the point names."""
    assert resolve("sin(y) * pi + x * y").names == ("y", "x")
    assert list(parse_point("x=2,e=3", resolve("e*x"))) == ["e", "x"]


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("2*x + sin(y)", "f(x, y) = 2*x + sin(y)"),
        ("-x^2", "f(x) = -x**2"),
        ("(-x)^2", "f(x) = (-x)**2"),
        ("2^-x", "f(x) = 2**-x"),
        ("x^y^z", "f(x, y, z) = x**y**z"),
        ("(x^y)^z", "f(x, y, z) = (x**y)**z"),
        ("x/(y*z)", "f(x, y, z) = x/(y*z)"),
        ("x/y*z", "f(x, y, z) = x/y*z"),
        ("(x+y)*z", "f(x, y, z) = (x + y)*z"),
        ("where(x<1, x, 2)", "f(x) = where(x < 1, x, 2)"),
        ("arctan2(y, x)", "f(y, x) = atan2(y, x)"),
    ],
)
def test_the_reading(text, reading):
    """How the expression was understood, in a form that can be typed again."""
    assert reading == resolve(text).reading
    assert reading == resolve(reading.partition(" = ")[2]).reading


@pytest.mark.parametrize(
    ("text", "point", "expected"),
    [
        ("2*x + sin(y)", "1,3", 2 + math.sin(3)),
        ("x * y", "x=[1,2],y=3", [3.0, 6.0]),
        ("1 / x", "0", math.inf),  # as IEEE says, without an exception
        ("pi * x", "2", 2 * math.pi),
        ("e*x", "x=2,e=3", 6.0),  # the point names it
        # Integers that float64 does not hold are rounded.
        ("v and 99999999999999999999", "v=[1,2]", [1.0, 1.0]),
        ("v or 0xffffffffffffffffffff", "v=[1,2]", [1.0, 1.0]),
        ("where(v and 99999999999999999999, v, 1)", "v=[1,2]", [1.0, 2.0]),
        ("99999999999999999999^v", "v=[1,2]", [1e20, 1e40]),
        ("9007199254740993 - 9007199254740992 + v", "v=[1,2]", [1.0, 2.0]),
    ],
)
def test_the_value(text, point, expected):
    np.testing.assert_array_equal(value(text, point), expected)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: resolve("2+3"), r"'2\+3' has no inputs, so it has no gradient"),
        (lambda: parse_point("3", resolve("2*pi")), r"no inputs(.|\n)*--at pi=3"),
        (lambda: parse_point("x=3", resolve("2*pi")), r"no inputs(.|\n)*--at pi=3"),
        (lambda: parse_point("x=1,e=2", resolve("pi*x")), r"There is no input named 'e'"),
        (lambda: resolve("x*y").with_inputs(["x"]), r"no value for y"),
        *(
            (lambda text=text: resolve(text).function(np.ones(2), np.ones(3)),
             r"x has the shape \(2,\), y has the shape \(3,\)")
            for text in ("x*y", "sum(x*y)", "dot(x, y)")
        ),
    ],
)  # fmt: skip
def test_refusals(ask, said):
    with pytest.raises(PointError, match=said):
        ask()


def test_the_reading_has_the_constants_that_became_inputs():
    assert resolve("2*pi").with_inputs(["pi"]).reading == "f(pi) = 2*pi"


def test_an_array_stays_one():
    assert isinstance(value("sin(x)", "[1]"), np.ndarray)

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


def test_names_are_inputs_in_order_of_appearance():
    assert resolve("sin(y) * pi + x * y").names == ("y", "x")


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


def test_the_value_at_numbers():
    assert 2 + math.sin(3) == value("2*x + sin(y)", "1,3")


def test_the_value_at_arrays():
    assert value("x * y", "x=[1,2],y=3").tolist() == [3.0, 6.0]


def test_the_value_follows_ieee():
    """A division by zero is infinite and no exception."""
    assert value("1 / x", "0") == math.inf


def test_constants_have_their_values():
    assert value("pi * x", "2") == 2 * math.pi


def test_a_constant_that_the_point_names_is_an_input():
    assert (list(parse_point("x=2,e=3", resolve("e*x"))), value("e*x", "x=2,e=3")) == (["e", "x"], 6.0)


def test_the_reading_has_the_constants_that_became_inputs():
    assert resolve("2*pi").with_inputs(["pi"]).reading == "f(pi) = 2*pi"


def test_an_expression_without_inputs_is_refused():
    with pytest.raises(PointError, match=r"'2\+3' has no inputs, so it has no gradient"):
        resolve("2+3")


@pytest.mark.parametrize("text", ["3", "x=3"])
def test_an_expression_of_constants_needs_a_point_that_names_one(text):
    with pytest.raises(PointError, match=r"no inputs(.|\n)*--at pi=3"):
        parse_point(text, resolve("2*pi"))


def test_a_constant_that_the_expression_does_not_use_is_no_input():
    with pytest.raises(PointError, match=r"There is no input named 'e'"):
        parse_point("x=1,e=2", resolve("pi*x"))


def test_inputs_that_leave_a_name_without_value_are_refused():
    with pytest.raises(PointError, match=r"no value for y"):
        resolve("x*y").with_inputs(["x"])


def test_an_array_stays_one():
    assert isinstance(value("sin(x)", "[1]"), np.ndarray)


@pytest.mark.parametrize("text", ["x*y", "sum(x*y)", "dot(x, y)"])
def test_shapes_that_do_not_fit_are_named(text):
    with pytest.raises(PointError, match=r"x has the shape \(2,\), y has the shape \(3,\)"):
        resolve(text).function(np.ones(2), np.ones(3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v and 99999999999999999999", [1.0, 1.0]),
        ("v or 0xffffffffffffffffffff", [1.0, 1.0]),
        ("where(v and 99999999999999999999, v, 1)", [1.0, 2.0]),
        ("99999999999999999999^v", [1e20, 1e40]),
        ("9007199254740993 - 9007199254740992 + v", [1.0, 2.0]),
    ],
)
def test_integers_that_float64_does_not_hold_are_rounded(text, expected):
    np.testing.assert_array_equal(expected, value(text, "v=[1,2]"))

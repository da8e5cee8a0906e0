"""Values: what becomes a number, an array or a structure, and what is refused by the name of its component."""

import math
import types
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from gradcli.answers.targets import as_point, parse_point
from gradcli.answers.targets.point_values import component, structure
from gradcli.errors import Exit, NotFiniteError, PointError
from tests.answers.targets.conftest import target_of


def one(x):
    return x


def two(x, y):
    return x, y


def at(value, function=one):
    """The value of x at a point that is a Python object."""
    return as_point(value, target_of(function))["x"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (("x",), "x"),
        (("x", 0), "x[0]"),
        (("x", 0, 1), "x[0,1]"),
        (("params", "w", 2), "params.w[2]"),
        (("params", "layers", 0, "w", 1, 2), "params.layers[0].w[1,2]"),
    ],
)
def test_the_name_of_a_component(path, name):
    assert name == component(path)


@pytest.mark.parametrize(
    ("text", "name", "what"),
    [
        ("nan", "x", "NaN"),
        ("NaN", "x", "NaN"),
        ("[1,nan]", r"x\[1\]", "NaN"),
        ("[[1,2],[3,-Infinity]]", r"x\[1,1\]", "infinite"),
        ("inf", "x", "infinite"),
        ("-inf", "x", "infinite"),
        ("[1,1/0]", r"x\[1\]", "infinite"),
        ("0/0", "x", "NaN"),
        ("log(-1)", "x", "NaN"),
        ("1,2,nan", r"x\[2\]", "NaN"),
        ('{"x": {"w": [1, NaN]}}', r"x.w\[1\]", "NaN"),
    ],
)
def test_a_number_that_is_not_finite(text, name, what):
    with pytest.raises(NotFiniteError, match=f"The value of {name} is {what}") as caught:
        parse_point(text, target_of(one))

    assert Exit.NOT_FINITE == caught.value.exit


REFUSED = {
    r"is too large: the largest float64 is 1.8e308": ["1e999", "-1e999", "1" + "0" * 400, "[1,1e400]", "1_0e999"],
    "The value of x is true, a boolean; a number is needed": ["1 < 2"],
    "The value of x is 'abc', a string; a number is needed": ['"abc"'],
    r"The value of x\[0\] is '1', a string; a number is needed": ["['1']"],
    "The value of x.mode is 'fast', a string; a number is needed": ['{"x": {"mode": "fast"}}'],
    "The parts of x have different lengths": ["[[1,2],[3]]", "[1,[2]]", "[[1],2]", "[[[1]],[[1,2]]]"],
    r"The parts of x\[1\] have different lengths": ["[[[1],[2]],[[1],[2,3]]]"],
}


@pytest.mark.parametrize(("said", "text"), [(said, text) for said, texts in REFUSED.items() for text in texts])
def test_what_is_no_value(said, text):
    """Booleans, nothing and texts are never read as numbers."""
    with pytest.raises(PointError, match=said):
        parse_point(text, target_of(one))


def test_a_list_of_objects_stays_a_list():
    layers = parse_point('{"x": [{"w": [1, 2]}, {"w": [3]}]}', target_of(one))["x"]

    assert [layer["w"].tolist() for layer in layers] == [[1.0, 2.0], [3.0]]
    assert [layer["w"].dtype for layer in layers] == [np.float64, np.float64]


def test_a_list_of_a_number_and_an_object_stays_a_list():
    assert parse_point('[1, {"w": 2}]', target_of(one))["x"] == [1.0, {"w": 2.0}]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2, 2.0),
        (True, 1.0),
        (2.5, 2.5),
        (np.float64(2), 2.0),
        (np.int32(2), 2.0),
        (np.array(2), 2.0),
        (Fraction(1, 4), 0.25),
        (Decimal("0.5"), 0.5),
        (1 + 2j, 1 + 2j),
        ([1, 2], [1.0, 2.0]),
        ((1, 2), (1.0, 2.0)),
        ([[1, 2], (3, 4)][:1], [[1.0, 2.0]]),
        (np.array([1, 2]), [1.0, 2.0]),
        (np.array([True, False]), [1.0, 0.0]),
        ({"x": [1, 2]}, [1.0, 2.0]),
        ("1,2", [1.0, 2.0]),
        ("x=3", 3.0),
        ([1, 2j], [1, 2j]),
    ],
)
def test_python_objects_are_points(value, expected):
    """Handed over as they are, but for whole numbers, which become floats."""
    result = at(value)

    assert expected == (result.tolist() if isinstance(result, np.ndarray) else result)


def test_numbers_keep_their_kind():
    """A program may ask for it; whole numbers become Python's floats."""
    kinds = [type(at(value)) for value in (1, True, np.float64(1), np.array(1.0), [1.0], (1.0, 2.0))]

    assert [float, float, np.float64, np.ndarray, list, tuple] == kinds


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.complex64])
def test_an_array_keeps_its_floating_type(dtype):
    assert (dtype, dtype) == (at(np.ones(2, dtype)).dtype, at(dtype(1)).dtype)


def test_an_array_of_another_byte_order_becomes_native():
    assert at(np.array([1.0, 2.0], dtype=">f8")).dtype.isnative


def test_a_tuple_goes_to_several_parameters_and_stays_one_inside():
    assert as_point((1, 2), target_of(two)) == {"x": 1.0, "y": 2.0}
    assert as_point({"x": (1, 2), "y": {"w": (3,)}}, target_of(two)) == {"x": (1.0, 2.0), "y": {"w": (3.0,)}}


def test_a_list_of_arrays_stays_a_list():
    assert [list, np.ndarray] == [type(at([np.ones(2), np.ones(3)])), type(at([np.ones(2), np.ones(3)])[0])]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "There is no point"),
        ({}, "The point is empty"),
        ((), "The point is empty"),
        ([], "The value of x is empty"),
        (np.array([]), r"The value of x is empty: its shape is \(0,\)"),
        (object(), "of type object; a number is needed"),
        ({"x": None}, "is null; a number is needed"),
        ({"x": "1"}, "is '1', a string"),
        ({"x": {1: 2}}, "The name of a value must be text, not '1'"),
        ({1: 2}, "The name of a value must be text, not '1'"),
        (np.array(["a"]), "not made of numbers: its type is <U1"),
        (np.array([None]), "not made of numbers: its type is object"),
        (10**400, "is not a floating-point number: int too large"),
        (Decimal("1e400"), "is infinite"),
        ({1, 2}, "of type set; a number is needed"),
    ],
)
def test_python_objects_that_are_no_points(value, message):
    with pytest.raises((PointError, NotFiniteError), match=message):
        at(value)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (math.nan, "x"),
        (np.float32("inf"), "x"),
        (np.array(math.nan), "x"),
        (np.array([[1.0, 2.0], [3.0, np.inf]]), r"x\[1,1\]"),
        ({"x": [1.0, math.nan]}, r"x\[1\]"),
        ({"x": {"w": np.array([1.0, math.nan])}}, r"x.w\[1\]"),
        (complex(1, math.inf), "x"),
    ],
)
def test_python_objects_that_are_not_finite(value, name):
    with pytest.raises(NotFiniteError, match=f"The value of {name} is"):
        at(value)


def test_a_list_that_contains_itself():
    value = [1.0]
    value.append(value)

    with pytest.raises(PointError, match=r"nested deeper than 32"):
        at(value)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (np, "a module"),
        (math, "a module"),
        ([1.0, np], "a module"),
        (types.SimpleNamespace(dtype=np.dtype(float), shape=3), "of type SimpleNamespace"),
        (types.SimpleNamespace(dtype=np.dtype, shape=(3,)), "not made of numbers"),
    ],
)
def test_what_resembles_an_array_is_no_number(given, what):
    """NumPy itself has a `dtype` and a `shape` too."""
    with pytest.raises(PointError, match=rf"The value of x(\[1\])? is {what}"):
        structure(given, ("x",))

"""The numbers of a point one by one."""

import numpy as np
import pytest

from gradcli.methods.numerics.coordinates import arguments_with_number, coordinates, pick

POINT = {"x": 1.5, "w": np.array([[1.0, 2.0], [3.0, 4.0]]), "p": {"b": 5.0, "c": [6.0, np.array([7.0, 8.0])]}}
NAMES = ["x", "w[0,0]", "w[0,1]", "w[1,0]", "w[1,1]", "p.b", "p.c[0]", "p.c[1][0]", "p.c[1][1]"]


def test_names_are_written_as_the_user_would():
    """Numbers by name, arrays by subscripts, dictionaries by keys, lists by places."""
    assert [part.name for part in coordinates(POINT)] == NAMES


@pytest.mark.parametrize("number", range(9), ids=NAMES)
def test_one_number_is_moved_and_no_other(number):
    """The arguments at the point, with one number replaced."""
    part = coordinates(POINT)[number]
    x, w, p = arguments_with_number(POINT, part, 99.0)
    found = [each.value for each in coordinates({"x": x, "w": w, "p": p})]

    assert [99.0 if n == number else each.value for n, each in enumerate(coordinates(POINT))] == found


def test_the_point_itself_is_left_alone():
    _, w, p = arguments_with_number(POINT, coordinates(POINT)[0], 99.0)
    w[0, 0] = p["c"][1][0] = -1.0
    p["c"].append(0.0)

    assert (1.0, 7.0, 2) == (POINT["w"][0, 0], POINT["p"]["c"][1][0], len(POINT["p"]["c"]))


def test_float32_stays_float32():
    """A moved array has the type that it had."""
    point = {"x": np.array([1.0, 2.0], dtype=np.float32)}

    assert arguments_with_number(point, coordinates(point)[1], 0.1)[0].dtype == np.float32


def test_complex_numbers_are_two():
    """A real and an imaginary part, each moved alone."""
    point = {"z": np.array([1 + 2j]), "w": 3 - 4j}
    parts = coordinates(point)

    assert [("z[0].real", 1.0), ("z[0].imag", 2.0), ("w.real", 3.0), ("w.imag", -4.0)] == [
        (part.name, part.value) for part in parts
    ]
    assert list(arguments_with_number(point, parts[0], 5.0)[0]) == [5 + 2j]
    assert arguments_with_number(point, parts[3], 9.0)[1] == 3 + 9j
    assert [pick([point["z"], point["w"]], part) for part in parts] == [1.0, 2.0, 3.0, -4.0]

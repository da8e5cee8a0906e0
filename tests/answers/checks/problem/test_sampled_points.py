"""Many points: boxes as typed, points drawn from them, and one that fails made simple."""

import numpy as np
import pytest

from gradcli.answers.checks.problem.sampled_points import (
    box_of,
    checked_box,
    generator,
    point_in_box,
    random_points,
)
from gradcli.answers.targets import resolve
from gradcli.errors import PointError, UsageError
from gradcli.shared.pytree import point_text


def test_a_box_as_typed():
    assert {"x": (0.0, 1.0), "y": (-1.0, np.pi)} == box_of(["x=0:1,y=-1:pi"]) == box_of(["x=0:1", "y=-1:pi"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "--box 'x' names no input."),
        ("=0:1", "--box '=0:1' names no input."),
        ("x=1", "--box x=1 is not an interval."),
        ("x=1:", "--box x=1: is not an interval: a number is missing."),
        ("x=a:b", "--box x=a:b is not an interval: 'a' is not a finite number."),
        ("x=0:nan", "--box x=0:nan is not an interval: 'nan' is not a finite number."),
        ("x=0:1:2", "--box x=0:1:2 is not an interval: '1:2' is not a finite number."),
    ],
)
def test_what_is_no_box(text, said):
    with pytest.raises(PointError) as caught:
        box_of([text])

    assert said == caught.value.message
    assert "--box x=0:1" in (caught.value.hint or "")


@pytest.mark.parametrize("box", [{"z": (0.0, 1.0)}, {"x": (1.0, 0.0)}, {"x": (0.0, np.inf)}])
def test_a_box_that_does_not_fit(box):
    with pytest.raises(PointError):
        checked_box(box, resolve("x*y"), {"x": 1.0, "y": 2.0})


def test_a_box_wider_than_any_float():
    with pytest.raises(PointError, match=r"from -1\.7e\+308 to 1\.7e\+308, which is wider than any float"):
        checked_box({"x": (-1.7e308, 1.7e308)}, resolve("x"), {"x": 1.0})


@pytest.mark.parametrize("seed", [-1, 1.5, None, "1"])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(UsageError, match=r"it has to be a whole number from 0 on"):
        generator(seed)
    assert generator(10**400).random() == generator(10**400).random()


@pytest.mark.parametrize(
    ("typed", "box"),
    [
        ("y=1:2", {"y": (2, 1)}),
        ("x=-3.5:1e-05", {"x": (1e-5, -3.5)}),
        ("y=0:1", {"y": (1.0, 1.0)}),
        ("y=0:1", {"y": (0.0, np.inf)}),
        ("y=0.1:0.2", {"y": np.array([0.2, 0.1])}),
    ],
)
def test_what_to_type_for_a_box(typed, box):
    """The ends in ascending order for the same input, or an example if they do not make an interval."""
    with pytest.raises(PointError) as caught:
        checked_box(box, resolve("x*y"), {"x": 1.0, "y": 2.0})

    assert f"Type --box {typed}." == caught.value.hint


def test_the_point_that_a_box_gives():
    assert point_in_box({"x": (0.0, 1.0), "y": (-1.0, 1.0)}, resolve("x*y")) == "x=0.735,y=0.242"
    with pytest.raises(PointError, match="--box has no interval for y"):
        point_in_box({"x": (0.0, 1.0)}, resolve("x*y"))


def test_the_point_that_a_box_gives_is_no_tie():
    """No two of many equal intervals give one number, and an interval around 0 not its middle."""
    names = [f"x{number}" for number in range(60)]
    text = point_in_box(dict.fromkeys(names, (-1.0, 1.0)), resolve("+".join(names)))
    numbers = [float(part.partition("=")[2]) for part in text.split(",")]

    assert len(set(numbers)) == 60
    assert all(0.09 < number < 0.71 for number in numbers)


POINT = {"x": 1.0, "p": {"w": np.array([1.0, 100.0], np.float32), "b": -3.0}}


def test_points_keep_the_structure():
    """Inside the box, or near the point; the types stay; a seed gives the same points."""
    found = list(random_points(POINT, {"x": (5.0, 6.0)}, 20, seed=7))

    assert len(found) == 20
    assert all(5 <= there["x"] <= 6 and type(there["x"]) is float for there in found)
    assert all(there["p"]["w"].dtype == np.float32 and abs(there["p"]["b"] + 3) <= 3 for there in found)
    assert 50 < np.ptp([there["p"]["w"][1] for there in found])
    assert point_text(found[3]) == point_text(list(random_points(POINT, {"x": (5.0, 6.0)}, 20, seed=7))[3])

"""What is entered on a tape, what is refused, and what a function may change of it."""

import collections
from itertools import count

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.inputs import enter, enter_all
from gradcli.errors import ForeignTapeError, PointError
from gradcli.shared.pytree import leaves, map_leaves


@pytest.mark.filterwarnings("ignore:G501")
def test_what_is_entered():
    """Numbers and arrays become leaves, in order; integers and booleans become float64, single precision stays."""
    tape = new_tape()
    point = [1.5, 2, True, np.float32(2), np.int64(3), np.array([1, 2]), np.array([1.0], np.float32), (0.5, {"a": 1})]
    entered, _ = enter_all(tape, point)

    kinds = [float, float, float, np.float32, np.float64, np.ndarray, np.ndarray, float, float]
    assert kinds == [type(row[1]) for row in tape.rows]
    assert [row[0].name for row in tape.rows] == ["input"] * 9
    assert [np.dtype(float), np.dtype(np.float32)] == [row[1].dtype for row in tape.rows[5:7]]
    assert entered[7][1]["a"].index == 8


def test_a_recorded_value_is_entered_as_an_alias():
    """So that the inner transform has a leaf of its own, and the outer one a path to it."""
    tape = new_tape()
    outer = enter(tape, 2.0)
    inner = enter(tape, outer)

    assert (inner.index, (tape.rows[1][0].name, *tape.rows[1][1:])) == (1, ("alias", 2.0, 0, 2.0))
    with pytest.raises(ForeignTapeError):
        enter(new_tape(), outer)


@pytest.mark.parametrize(
    "point",
    [
        [2.0, 3.0, 5.0], [2.0, 3, 5.0], [2.0, [3.0, 5.0]], [[2.0, 3.0], 5.0], [[2.0], [3.0]], [2.0, None, [3.0, 5.0]],
        [[], 2.0, 3.0], [(2.0, 3.0), [5.0, 7.0]], {"a": [2.0, 3.0], "b": 5.0}, [np.array([2.0]), 3.0],
    ],
    ids=str,
)  # fmt: skip
def test_each_derivative_is_in_the_place_of_its_input(point):
    def weighted(*arguments):
        return sum(weight * np.sum(leaf) for weight, leaf in enumerate(leaves([*arguments]), 1))

    weights = count(1)
    expected = map_leaves(lambda leaf: next(weights) + 0 * leaf, (point, [1.0, 1.0]))

    assert grad(weighted, (0, 1))(point, [1.0, 1.0]) == expected
    assert grad(weighted, (0, 0))(point) == (expected[0], expected[0])


def test_inputs_that_the_result_does_not_reach():
    assert grad(lambda x: x[1])([2.0, 3.0, 5.0]) == [0.0, 1.0, 0.0]
    assert grad(lambda x: 2.0 * x[0])([2.0, 3.0, 5.0]) == [2.0, 0.0, 0.0]
    assert grad(lambda x: grad(lambda y: y[0] * x[1] * y[1])([x[0], 5.0])[1])([2.0, 3.0]) == [3.0, 2.0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("a", "a str cannot"),
        (object(), "an object cannot"),
        ({1.0}, "a set cannot"),
        (range(2), "a range cannot"),
        (np.array(["2026-11-21"], dtype="M8[D]"), r"an array of datetime64\[D\] cannot"),
        (np.array(["a"]), "an array of <U1 cannot"),
        (np.array([1, "a"], dtype=object), "an array of object cannot"),
        (10**400, "an integer of 1329 bits is too large"),
        (np.ma.array([1.0, 2.0]), "a MaskedArray has arithmetic of its own"),
    ],
)
def test_points_that_are_refused(wrong, words):
    for point in (wrong, [1.0, wrong], {"a": (wrong,)}):
        with pytest.raises(PointError, match=words) as caught:
            grad(lambda x: 1.0)(point)
        assert caught.value.hint or "bits" in words


def test_none_as_a_point():
    with pytest.raises(PointError, match="None cannot be an input"):
        grad(lambda x: 1.0)(None)
    assert grad(lambda x: x[0] ** 2)([3.0, None]) == [6.0, None]


def test_structures_of_the_standard_library():
    """An ordered dictionary, one with defaults and a named tuple stay what they are."""
    point_type = collections.namedtuple("Point", "x y")
    default = grad(lambda p: p["a"] * p["b"] * p["missing"])(collections.defaultdict(lambda: 5.0, a=2.0, b=3.0))
    ordered = grad(lambda p: p["a"] * 3)(collections.OrderedDict(a=1.0))

    assert ({"a": 15.0, "b": 10.0}, collections.defaultdict) == (dict(default), type(default))
    assert (collections.OrderedDict(a=3.0), collections.OrderedDict) == (ordered, type(ordered))
    assert point_type(3.0, 2.0) == grad(lambda p: p.x * p.y)(point_type(2.0, 3.0))


@pytest.mark.parametrize(
    ("change", "gradient"),
    [
        (lambda v: v.append(9.0), [0.0, 0.0, 9.0]),
        (lambda v: v.sort(), [2.0, 3.0, 0.0]),
        (lambda v: v.reverse(), [2.0, 3.0, 0.0]),
        (lambda v: v.insert(0, 5.0), [0.0, 1.0, 2.0]),
        (lambda v: v.pop(), [2.0, 3.0, 0.0]),
        (lambda v: v.__setitem__(1, 7.0), [0.0, 0.0, 7.0]),
        (lambda v: v.extend([1.0, 1.0]), [0.0, 0.0, 0.0]),
    ],
)
def test_a_function_may_change_its_argument(change, gradient):
    """It gets a list of its own; the gradient is by the list that the caller holds."""

    def f(v):
        change(v)
        return v[-2] * v[-1]

    point = [3.0, 2.0, 1.0]

    assert gradient == grad(f)(point)
    assert gradient == trace(f, point).sensitivities()[:3]
    assert point == [3.0, 2.0, 1.0]


def test_a_function_may_change_a_nested_argument():
    """Dictionaries and lists inside of lists too, and a dictionary that makes its own defaults."""

    def f(p):
        p["new"] = p["rows"].pop()
        p["rows"][0][0] = 5.0
        return p["new"][1] * p["rows"][0][0] * p["rows"][0][1]

    point = {"rows": [[1.0, 2.0], [3.0, 4.0]]}

    assert grad(f)(point) == {"rows": [[0.0, 20.0], [0.0, 10.0]]}
    assert point == {"rows": [[1.0, 2.0], [3.0, 4.0]]}

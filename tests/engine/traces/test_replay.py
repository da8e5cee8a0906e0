"""Playing a tape again at another point: the same path as long as every outcome stays, else recorded anew."""

import math

import numpy as np
import pytest

from gradcli import grad, stop_gradient, trace
from gradcli.engine.traces.trace_replay import Diverged


def branch(x):
    return x * x if x > 1 else -x


def newton(x):
    """A loop whose length depends on the value."""
    guess = x
    while abs(guess * guess - x) > 1e-9:
        guess = (guess + x / guess) / 2
    return guess


CASES = {
    "smooth": (lambda x: math.sin(x) * x, 1.0, 2.0, 3.0),
    "branch": (branch, 2.0, 3.0, 0.5),
    "loop": (newton, 9.0, 9.5, 2.0),
    "table": (lambda x: x * int(x), 2.5, 2.7, 4.0),
    "round": (lambda x: round(x) * x + round(x, 1) * x, 2.21, 2.22, 3.0),
    "floor": (lambda x: x // 2 * x + x % 2, 5.0, 5.5, 7.0),
    "text": (lambda x: len(f"{x:.1f}") * x, 2.0, 2.04, 30.0),
    "membership": (lambda x: x * 2 if x in [1.0, 2.0] else x * 3, 2.0, 2.0, 5.0),
    "truth": (lambda x: 1 / x if x else 3.0, 5.0, 4.0, 0.0),
    "stop": (lambda x: stop_gradient(x) * x, 2.0, 2.0, 3.0),
    "isnan": (lambda x: x * 2 if np.isnan(x) else x * 3, 2.0, 3.0, -1.0),
    "argmax": (lambda v: v[np.argmax(v)] * 2, [1.0, 5.0, 2.0], [1.0, 6.0, 2.0], [9.0, 5.0, 2.0]),
    "argsort": (lambda v: v[np.argsort(v)][0] * v[1], [1.0, 5.0, 2.0], [0.5, 7.0, 2.0], [3.0, 5.0, 2.0]),
    "mask": (lambda v: (v[v > 1.5] ** 2).sum(), [1.0, 5.0, 2.0], [0.0, 4.0, 3.0], [3.0, 1.0, 2.0]),
    "where": (lambda v: np.where(v > 1.5, v * v, 0).sum(), [1.0, 5.0], [0.0, 4.0], [3.0, 1.0]),
    "maximum": (lambda v: np.max(v) * v[0], [1.0, 5.0], [2.0, 4.0], [7.0, 1.0]),
    "allclose": (lambda v: v.sum() if np.allclose(v, 1) else (v * v).sum(), [1.0, 1.0], [1.0, 1.0], [3.0, 1.0]),
    "written": (lambda v: written(v), [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]),
}


def written(v):
    a = np.ones(3)
    a[:2] += v
    a[2] = a[0] * a[1]
    return a.sum()


def prepared(point):
    return np.array(point) if isinstance(point, list) else point


@pytest.mark.filterwarnings("ignore:G20")
@pytest.mark.parametrize("name", CASES)
def test_at_another_point(name):
    """Near by and far away: value, sensitivities and outcomes are those of a run there."""
    f, *points = CASES[name]
    first, *others = map(prepared, points)
    tape = trace(f, first)
    for point in others:
        again, there = tape.replay(point), trace(f, point)
        np.testing.assert_array_equal(there.value, again.value)
        np.testing.assert_array_equal(there.sensitivities()[0], again.sensitivities()[0])
        np.testing.assert_allclose(grad(f)(point), again.sensitivities()[0])
        assert [each.name for each in there.outcomes] == [each.name for each in again.outcomes]


def calls_of(f):
    """`f`, and a list that grows with each call."""
    calls = []
    return (lambda x: (calls.append(x), f(x))[1]), calls


def test_the_same_path_runs_nothing_anew():
    f, calls = calls_of(branch)
    tape = trace(f, 2.0)
    again = tape.replay(3.0)

    assert (len(calls), again.value, again.sensitivities()) == (1, 9.0, [6.0, 1.0])
    assert (tape.value, tape.nodes[0].value) == (4.0, 2.0), "the first recording stays"


def test_another_outcome_is_recorded_anew():
    """The path is the one that the program takes there."""
    f, calls = calls_of(branch)
    tape = trace(f, 2.0)
    again = tape.replay(0.5)

    assert (len(calls), again.value, again.sensitivities()) == (2, -0.5, [-1.0, 1.0])
    assert again.nodes[-1].operation == "neg"


def test_an_error_along_the_path_is_recorded_anew():
    """What raises on the recorded path may not be reached there, and else raises as the program does."""
    f = lambda x: 1 / x if x > -1 else 0.0
    tape = trace(f, 2.0)
    with pytest.raises(Diverged):
        tape.values_at({0: 0.0})
    with pytest.raises(ZeroDivisionError):
        tape.replay(0.0)


def test_another_shape_is_recorded_anew():
    tape = trace(lambda v: v.sum(), np.ones(2))

    assert tape.replay(np.ones(3)).value == 3.0
    assert trace(sum, [1.0, 2.0]).replay([1.0, 2.0, 4.0]).value == 7.0


def test_names_and_lines_stay():
    """A replay along the same path has those of the recording, one that is recorded anew its own."""

    def f(x):
        y = x * x
        if y > 1:
            return y
        z = y * 3
        return z

    tape = trace(f, 2.0)
    assert [node.name for node in tape.replay(3.0).nodes] == ["x", "y"]
    assert [node.name for node in tape.replay(0.5).nodes] == ["x", "y", "z"]
    assert not trace(f, 2.0, names=False).replay(0.5).is_named


def test_a_replay_can_be_replayed():
    tape = trace(lambda p: {"s": p[0] * p[1], "k": 1.0}, [2.0, 3.0])
    again = tape.replay([4.0, 5.0]).replay([6, 7])

    assert again.value == {"s": 42.0, "k": 1.0}
    assert again.arguments == ([6, 7],)


def test_nothing_in_a_result_is_nothing_at_another_point():
    """What is None stays None, and what is constant beside it stays what it is."""
    tape = trace(lambda p: (None, p[0] * 2, 1.0, {"k": None}), [2.0, None])
    assert tape.replay([4.0, None]).value == (None, 8.0, 1.0, {"k": None})


def test_integers_become_floats():
    again = trace(lambda x: x / 2, 3.0).replay(4)

    assert (2.0, float) == (again.value, type(again.nodes[0].value))


@pytest.mark.parametrize("there", [np.float64(2.0), np.float32(2.0), np.array(2.0), 2, True])
def test_a_number_of_another_kind(there):
    """The program may go another way for it: the value is that of a run."""

    def f(x):
        return x * x if type(x) is float else x * x * x

    assert f(there if isinstance(there, np.generic | np.ndarray) else float(there)) == trace(f, 3.0).replay(there).value


def test_a_list_in_place_of_an_array():
    assert trace(lambda x: x[0] * x[1], np.array([2.0, 3.0])).replay([4.0, 5.0]).value == 20.0


def test_an_array_of_another_precision():
    f, there = (lambda x: np.sum(np.exp(x) / 3)), np.array([0.1, 0.2], np.float32)

    assert f(there) == trace(f, there.astype(float)).replay(there).value

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


ALL = lambda v: v.sum()
THIRDS = lambda x: np.sum(np.exp(x) / 3)
BY_TYPE = lambda x: x * x if type(x) is float else x * x * x
FEW = np.array([0.1, 0.2], np.float32)


@pytest.mark.parametrize(
    ("f", "point", "there", "value"),
    [
        (ALL, np.ones(2), np.ones(3), 3.0),
        (sum, [1.0, 2.0], [1.0, 2.0, 4.0], 7.0),
        (lambda p: (None, p[0] * 2, 1.0, {"k": None}), [2.0, None], [4.0, None], (None, 8.0, 1.0, {"k": None})),
        (lambda x: x[0] * x[1], np.array([2.0, 3.0]), [4.0, 5.0], 20.0),
        (THIRDS, FEW.astype(float), FEW, THIRDS(FEW)),
        (lambda x: x / 2, 3.0, 4, 2.0),
        *((BY_TYPE, 3.0, kind, 8.0) for kind in (np.float64(2.0), np.float32(2.0), np.array(2.0))),
        (BY_TYPE, 3.0, 2, 4.0),
        (BY_TYPE, 3.0, True, 1.0),
    ],
)
def test_a_point_of_another_kind(f, point, there, value):
    """Of another shape, structure or type: the value is that of a run, for which integers are floats."""
    assert trace(f, point).replay(there).value == value


def test_a_replay_can_be_replayed():
    again = trace(lambda p: {"s": p[0] * p[1], "k": 1.0}, [2.0, 3.0]).replay([4.0, 5.0]).replay([6, 7])

    assert (again.value, again.arguments) == ({"s": 42.0, "k": 1.0}, ([6, 7],))
    assert type(again.nodes[0].value) is float


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

"""Derived programs at sizes that their point does not show."""

import numpy as np
import pytest

import gradcli
from gradcli.answers.derivation.languages.python_program import compiled
from gradcli.answers.derivation.trial_points import MANY, points_around
from gradcli.answers.derivation.verification import DerivedTrial
from gradcli.errors import InternalError, UnsupportedError

ONE = np.array([0.7])
THREE = np.array([0.3, -0.4, 1.2])


def biased(w, b):
    return np.sum(np.tanh(w + b))


def symmetrised(w):
    return np.sum(np.sin(w + w.T) * w)


def weighted_distance(x, y):
    return np.sum((x - y) ** 2 * x)


def larger(x, y):
    return np.sum(np.maximum(x, y) * y)


def chosen(x, y):
    return np.sum(np.where(x > y, x * y, y))


def inner(x, y):
    return np.dot(x + y, x * y)


CASES = [
    (biased, (ONE.reshape(1, 1), ONE), (ONE.reshape(1, 1), THREE)),
    (biased, (ONE.reshape(1, 1), ONE), (THREE.reshape(3, 1), np.append(THREE, 0.1))),
    (symmetrised, (np.outer([1.0, 2.0], [0.5, 1.0]),), (THREE.reshape(1, 3),)),
    (weighted_distance, (ONE, ONE * 2), (THREE, ONE)),
    (weighted_distance, (ONE, ONE * 2), (ONE, THREE)),
    (larger, (ONE, ONE * 2), (THREE, ONE)),
    (chosen, (ONE, ONE * 2), (ONE, THREE)),
    (inner, (ONE, ONE * 2), (THREE, ONE)),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("function", "at", "elsewhere"), CASES)
def test_a_length_of_one_broadcasts_elsewhere(function, at, elsewhere):
    """The sensitivity has the shape of its input, also where the point's own sizes do not broadcast."""
    derived = gradcli.derive(function, at=at).function(*elsewhere)

    found = derived if isinstance(derived, tuple) else (derived,)
    expected = gradcli.grad(function, tuple(range(len(elsewhere))))(*elsewhere)
    assert [each.shape for each in found] == [each.shape for each in elsewhere]
    assert all(np.allclose(a, b, rtol=1e-12) for a, b in zip(found, expected, strict=True))


def regressed(m, b):
    x = np.linalg.solve(m.T @ m + np.eye(2), m.T @ b)
    return x @ x


def recurrent(w, u, xs):
    h = np.zeros(2)
    for x in xs:
        h = np.tanh(w @ h + u @ x)
    return np.sum(h)


def measured_once(state, measured):
    innovation = measured - np.array([[1.0, 0.0]]) @ state
    return innovation[0] ** 2


SQUARE = np.array([[0.3, -0.4], [0.2, 0.1]])


@pytest.mark.parametrize(
    ("function", "at"),
    [
        (regressed, (np.outer(THREE, [1.0, 0.3]) + 0.1, THREE)),
        (recurrent, (SQUARE, SQUARE + 0.5, np.outer(THREE, [1.0, 2.0]))),
        (measured_once, (THREE[:2], ONE)),
    ],
)
def test_sizes_that_do_not_fit_broadcast_nothing(function, at):
    """A run that ends because of its sizes says nothing of what is broadcast, nor does an axis that has one length."""
    assert "sum_to" not in str(gradcli.derive(function, at=at))


@pytest.mark.parametrize("mode", ["forward", "jacobian"])
def test_a_length_of_one_in_other_modes(mode):
    derived = gradcli.derive(lambda x, y: x * y, at=(ONE, ONE * 2), mode=mode, wrt=["x"]).function

    found = derived(THREE, ONE, np.ones(3)) if mode == "forward" else derived(THREE, ONE)
    assert np.allclose(found, 0.7 * (np.ones(3) if mode == "forward" else np.eye(3)))


LARGE = np.linspace(-1.0, 1.0, MANY + 1)


def valley(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def scaled(x, rows):
    return np.sum(np.sin(x) * rows[:, None])


def affine(x, y):
    return np.sum(x) * np.sum(y[1:])


@pytest.mark.parametrize(
    ("function", "at"),
    [(valley, (LARGE,)), (scaled, (np.outer(LARGE, [0.3, 0.1, 0.7]), LARGE)), (affine, (LARGE, 0.3 * LARGE[:4]))],
)
def test_most_trials_of_a_large_point_have_short_axes(function, at):
    """A pass over all numbers costs as much as the function, so there are few: one a run, and two a difference."""
    sizes = []

    def counted(*x):
        sizes.append(max(map(np.size, x)))
        return function(*x)

    points = points_around(list(at))
    grad = gradcli.derive(function, at=at).function
    trial = DerivedTrial(counted, grad, range(len(at)))

    assert trial.at(points).by_tape > 3
    assert sum(size > 100 for size in sizes) <= 12
    found, expected = grad(*at), gradcli.grad(function, tuple(range(len(at))))(*at)
    for a, b in zip(found if len(at) > 1 else (found,), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_short_axes_keep_equal_and_different_lengths_apart():
    at = [np.outer(LARGE, [0.3, 0.1, 0.7]), LARGE, LARGE[1:], 2, {"y": [0.5] * 400}]

    table, row, rest, whole, record = points_around(at)[3]

    assert [*table.shape, *row.shape, *rest.shape, whole, len(record["y"])] == [11, 3, 11, 10, 2, 9]


def test_one_wrong_number_of_many_is_found():
    wrong = compiled("def grad(x):\n    s = 2.0 * x\n    s[7777] += 1.0\n    return s\n", "grad")

    with pytest.raises(InternalError, match="the derived program gives"):
        DerivedTrial(lambda x: np.sum(x**2), wrong, [0]).at([[LARGE]])


def of_whole_numbers(x, n, order=2):
    for k in range(n):
        x = np.sin(x) * x[k] ** order
    return np.sum(x)


@pytest.mark.parametrize("at", [{"x": LARGE[1:6], "n": 3}, {"x": LARGE[1:6], "n": 3, "order": 4}, (LARGE[1:6], 3, 1)])
def test_a_whole_number_beside_what_is_differentiated_stays_one(at):
    source = gradcli.derive(of_whole_numbers, at=at, wrt=["x"])

    given = tuple(at.values()) if isinstance(at, dict) else at
    np.testing.assert_allclose(source.function(*given), gradcli.grad(of_whole_numbers)(*given), rtol=1e-12)


def cross_entropy(weights, labels):
    logits = weights - np.max(weights, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(logits), axis=1)) - logits[np.arange(len(labels)), labels])


def placed(x, places):
    y = np.zeros(3)
    np.add.at(y, places, x)
    return np.sum(y**2)


@pytest.mark.parametrize(
    ("function", "at"),
    [
        (cross_entropy, (LARGE[:12].reshape(4, 3), np.array([0, 2, 1, 1]))),
        (placed, (LARGE[:4], np.array([0, 2, 1, 1]))),
        (lambda x, n: np.sum(x**n), (LARGE[1:4], np.array([1, 2, 3]))),
        (lambda x, pairs: sum(x[i] * x[j] for i, j in pairs), (LARGE[1:5], np.array([[0, 1], [3, 2]]))),
        (lambda x, pairs: sum(x[i] * x[j] for i, j in pairs), (LARGE[1:5], [(0, 1), (3, 2)])),
        (lambda x, places: sum(x[i] ** 2 for i in places), (LARGE[1:5], [0, 3, 3])),
        (lambda x, shape: np.sum(x.reshape(shape)[0] ** 2), (LARGE[1:5], (2, 2))),
    ],
)
def test_an_array_of_integers_beside_what_is_differentiated_stays_one(function, at):
    source = gradcli.derive(function, at=at, wrt=[function.__code__.co_varnames[0]])

    np.testing.assert_allclose(source.function(*at), gradcli.grad(function)(*at), rtol=1e-12)


def test_the_integers_of_a_recorded_run_are_floats():
    with pytest.raises(UnsupportedError, match="the integers of places, which are floats in a recorded run"):
        gradcli.derive(lambda x, places: sum(x[i] for i in places), at=(LARGE, [0, 2]), wrt=["x"], straight=True)


def test_a_whole_number_is_a_float_where_it_is_differentiated_by():
    source = gradcli.derive(lambda x, n: x**n, at=(1.5, 2))

    assert source.function(1.5, 2.0) == pytest.approx((3.0, 1.5**2 * np.log(1.5)))


def test_a_loop_of_no_turns_is_written_out_as_it_was_recorded():
    with pytest.raises(UnsupportedError) as caught:
        gradcli.derive(of_whole_numbers, at=(LARGE[1:6], 0), wrt=["x"])

    assert "--straight` writes out the recorded run" in caught.value.hint
    source = gradcli.derive(of_whole_numbers, at=(LARGE[1:6], 0), wrt=["x"], straight=True)
    np.testing.assert_array_equal(source.function(LARGE[1:6], 0), 1.0)
    with pytest.raises(AssertionError, match="derived for another path"):
        source.function(LARGE[1:6], 1)
